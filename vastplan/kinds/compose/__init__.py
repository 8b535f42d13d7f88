"""Composite entries, and the further objects that entries create."""
