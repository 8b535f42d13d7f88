"""Shared parts of the Run:AI kinds."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from vastplan.schema.markers import Codec
from vastplan.schema.types import Says

OrgUnitName = Annotated[
    str,
    StringConstraints(max_length=63, pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"),
    Says("a name in Run:AI: lowercase letters and digits, with - between them, at most 63"),
]
ProjectName = Annotated[
    str,
    StringConstraints(max_length=63, pattern=r"^[a-z]([a-z0-9-]*[a-z0-9])?$"),
    Says(
        "the name of a project: a lowercase letter, then lowercase letters and digits, with - between them, at most 63"
    ),
]
INTEGER = Codec(int, str)  # ids are decimal text in org units and integers in asset metadata
