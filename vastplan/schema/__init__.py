"""The words that kinds are written in."""
