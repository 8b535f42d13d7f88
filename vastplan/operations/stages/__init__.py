"""What runs an operation: a stage, the runner that journals each call, and the stages that modes share."""
