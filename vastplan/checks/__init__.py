"""Checks: findings over the typed document, one file each."""
