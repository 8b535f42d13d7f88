"""The realms of VMS itself."""

BUILT_IN_REALMS = frozenset(
    {"support", "settings", "security", "monitoring", "logical", "hardware", "events", "database", "applications"}
)
"""The realms that every cluster has: https://github.com/vast-data/terraform-provider-vastdata, 1.x `roles_functions.go`."""
