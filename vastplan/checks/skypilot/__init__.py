"""What SkyPilot needs of a document and of its task files, to mount the buckets and claims that are there."""
