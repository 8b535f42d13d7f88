"""The vast system."""
