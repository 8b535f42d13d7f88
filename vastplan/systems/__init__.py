"""One folder for each system: its part of a document, its connection, its client. All use one transport; none knows a kind."""
