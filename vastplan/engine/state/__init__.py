"""What a plan and a drift report of objects as they are."""
