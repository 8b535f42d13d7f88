"""One folder per system: its part of a document, its connection, its client. All share one transport; none knows a kind."""
