"""Checks of quotas and capacity."""
