"""The project's budgets as ratios of one run: `make bench`. Nothing here passes or fails on seconds."""
