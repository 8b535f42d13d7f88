"""The simulators asked about each documented fact of what vastplan uses; `tests/documented/facts` has the facts."""
