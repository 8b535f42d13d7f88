"""The stages of a plan; `vastplan.app.plan` runs them in order."""
