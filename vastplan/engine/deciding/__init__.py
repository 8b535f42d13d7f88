"""What to do about each address, and whether that is still right when it is applied."""
