"""Restores on simulated sites, over HTTP, with a clock that the world moves."""
