"""Carry out a plan."""
