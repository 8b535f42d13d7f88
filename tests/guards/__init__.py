"""The guards as pure functions: no server, no file, no clock."""
