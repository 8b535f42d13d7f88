"""The contract suite: every fact of docs/unverified.md, asked of a live system or of a simulator.

Probes are data (`tables/*.yaml`). They speak plain HTTP, not vastplan's clients, so that both cannot share a mistake.
"""

PREFIX = "vastplan-contract-"
