"""From what is there to a document that says it: pure functions, and the text that comes of them."""
