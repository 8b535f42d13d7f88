"""Composite entries, and what entries stand for beyond themselves."""
