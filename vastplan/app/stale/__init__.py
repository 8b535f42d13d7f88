"""Checks whether a plan still holds for this document, these systems and this ledger, and matches the reviewed plan."""
