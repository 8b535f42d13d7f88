"""What systems take for fields that nobody writes: what the kinds say of it, against documents, probes and each other."""
