"""What a plan of a move or restore says: the subject in the document, evidence, and steps by hand."""
