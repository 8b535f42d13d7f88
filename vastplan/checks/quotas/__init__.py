"""Checks of what may be stored."""
