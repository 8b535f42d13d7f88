"""Histories: documents that change over months, on systems that others use too. `python -m tests.histories -h`."""
