"""The stages of an import that read, plan and write."""
