"""Import: what is live as the document that a colleague would have written. Pure; the stages are put together in `app/importing/`."""
