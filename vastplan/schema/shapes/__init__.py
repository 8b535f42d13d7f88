"""The shapes of fields, one module each: how a field is compared, written, read and merged."""
