"""Users, groups, identity policies and buckets: who may do what."""
