"""The runai system."""
