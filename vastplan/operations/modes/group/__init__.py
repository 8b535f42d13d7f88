"""The move of a project or tenant: several paths in one operation."""
