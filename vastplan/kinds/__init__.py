"""The kinds of objects, by vendor, and the composite entries; found by walking, named nowhere else."""
