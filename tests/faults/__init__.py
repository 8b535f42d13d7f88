"""Trust by force: every request struck by every fault, a process killed at every step; then an ordinary run."""
