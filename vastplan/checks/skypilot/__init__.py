"""What SkyPilot needs in a document and in its task files, to mount buckets and claims of the document."""
