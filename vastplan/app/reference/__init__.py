"""What the document may say, told field by field: read from the models, for a terminal and for pages."""
