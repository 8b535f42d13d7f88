"""Moves of a volume between two simulated sites, over HTTP, with a clock that the world moves."""
