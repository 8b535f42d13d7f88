"""The simulators under clients that nobody here wrote, unmodified: every kind that a client covers, through its life."""
