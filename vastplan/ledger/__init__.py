"""Where what we own is written down: pure events on a part, and the backends that keep it."""
