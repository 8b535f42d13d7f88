"""The use cases behind the commands: connects all other packages, and is the only one that imports them all."""
