"""One folder a system: what a document says of it, how it is connected, its client. One transport is under all; none knows a kind."""
