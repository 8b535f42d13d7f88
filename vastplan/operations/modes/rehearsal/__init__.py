"""The rehearsal: a move is tried on a copy at the target, and all that it creates is deleted."""
