"""Checks of tenants, their networks and their pools."""
