"""The modes of moves and restores, one module or folder each: its stages, why it is refused, what it loses, its steps by hand."""
