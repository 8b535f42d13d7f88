"""Planned operations that change roles or rewind data, moves and restores: their plans, stages, calls and modes."""
