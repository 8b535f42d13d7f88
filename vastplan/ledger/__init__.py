"""The record of what vastplan owns: pure events on a part (one site's share of the ledger), and the backends that store it."""
