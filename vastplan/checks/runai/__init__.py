"""Checks of Run:AI projects, departments and data sources."""
