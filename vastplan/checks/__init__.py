"""Checks: what is wrong, risky or worth knowing about a desired state, one file each, found by walking this package."""
