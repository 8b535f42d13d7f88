"""Checks of storage classes and what the CSI drivers do with them."""
