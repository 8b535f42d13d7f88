"""The kinds of objects, by vendor, and the composite entries. They are found by walking this package; no list names them."""

ORDER_OF_SECTIONS = (
    "local_providers", "tenants", "realms", "roles", "managers", "api_tokens", "csi_users", "s3_policies", "groups", "users",
    "user_rights", "group_rights", "s3_keys", "vip_pools", "view_policies", "qos_policies", "views", "s3_lifecycle_rules",
    "quotas", "snapshot_schedules", "protected_paths", "replication_peers", "storage_classes", "snapshot_classes",
    "namespaces", "secrets", "departments", "projects", "workload_policies", "storage_class_configurations", "access_rules",
    "access_key_credentials", "generic_secret_credentials", "password_credentials", "docker_registry_credentials", "volumes",
    "snapshots", "buckets", "data_sources", "nfs_data_sources", "s3_data_sources", "git_data_sources", "host_path_data_sources",
    "config_map_data_sources", "secret_data_sources", "data_volumes",
)  # fmt: skip
"""The sections in the order of manuals and written files: what others refer to comes first."""
