"""The types of workloads that can be submitted again: where, and whether they can be suspended."""

PATHS = {
    "Training": "trainings", "Workspace": "workspaces", "Distributed": "distributed", "Inference": "inferences",
    "DistributedInference": "distributed-inferences",  # from 2.22
}  # fmt: skip
NEVER_SUSPENDED = ("Inference", "DistributedInference")  # have no such call in 2.20 to 2.24
