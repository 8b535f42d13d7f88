"""The files that commands read and write: plans, snapshots, approvals, earlier drift checks."""
