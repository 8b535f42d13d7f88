"""The vocabulary that kinds and documents are declared in."""

import os

# Pydantic looks for plugins in everything that is installed before it makes its first model: a third of an empty start, and
# with plugins code of others would see what documents hold. vastplan has no use for them.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
