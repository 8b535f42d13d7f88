"""The reference of the document, field by field: read from the models, for a terminal and for Markdown pages."""
