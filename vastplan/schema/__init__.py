"""The vocabulary that kinds and documents are declared in."""

import os

# Before it creates its first model, pydantic searches all installed packages for plugins. That is a third of the start-up
# time, and a plugin would run foreign code on the contents of documents. vastplan does not need plugins.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
