"""The core of operations by itself, without a system: a world of three variables, and a clock that only waits move."""
