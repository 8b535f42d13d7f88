"""What SkyPilot needs of a document and of its task files, to mount buckets and claims of the document."""
