"""The stages of a drift run; `vastplan.app.drift` runs them in order."""
