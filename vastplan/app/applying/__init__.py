"""The stages of an apply; `vastplan.app.apply` runs them in order."""
