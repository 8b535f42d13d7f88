"""Import: writes what is live as the document that a colleague would have written. Pure; `app/importing/` combines the stages."""
