"""Calls as stages send them, each with how to determine whether it took effect."""
