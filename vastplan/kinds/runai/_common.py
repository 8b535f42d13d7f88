"""What the Run:AI kinds share."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from vastplan.schema.markers import Codec

OrgUnitName = Annotated[str, StringConstraints(max_length=63, pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")]
INTEGER = Codec(int, str)  # ids are decimal text in org units and integers in asset metadata
