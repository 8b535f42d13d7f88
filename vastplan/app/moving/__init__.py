"""Moves of replicated paths: the pair, its two ends over the systems' clients, evidence, and the record in both ledgers."""
