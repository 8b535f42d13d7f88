"""Whether a plan is still true: of this document, these systems and this ledger, and of what was reviewed."""
