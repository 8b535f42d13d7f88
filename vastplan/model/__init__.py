"""Frozen values that every layer shares; standard library only."""
