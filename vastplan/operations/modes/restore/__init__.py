"""The restores: into a copy, and in place."""
