"""From YAML files to a flat list of entries, with every problem found at once and placed."""
