"""The guards, which block an action because of live evidence: one function per guard, grouped by subject."""
