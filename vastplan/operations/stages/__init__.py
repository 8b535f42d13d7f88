"""The stages that modes share: of workloads, and of roles."""
