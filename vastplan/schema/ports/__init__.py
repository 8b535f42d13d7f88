"""The interface of operations to what they change. Systems implement these protocols."""
