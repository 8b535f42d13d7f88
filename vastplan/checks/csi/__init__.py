"""Checks of storage classes and what the CSI drivers make of them."""
