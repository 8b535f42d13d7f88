"""Delivery of values that are known only when they are created: shared parts of the kinds with such values."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from vastplan.model import units
from vastplan.schema.creation import Delivers, Drawn
from vastplan.schema.markers import Refers, Revokes, Unit
from vastplan.schema.types import A_SPAN, Says, Spec, quantity

_PATH = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
DAY = 86400  # seconds
SecretPath = Annotated[
    str,
    StringConstraints(max_length=317, pattern=_PATH),
    Says("NAMESPACE/NAME of a Secret: lowercase letters and digits, with - between them, and in the name also ."),
]
Overlap = Annotated[Annotated[int, Field(ge=0, le=2**40)], quantity(units.parse_span, A_SPAN), Unit(units.SECONDS)]
MaxAge = Annotated[Annotated[int, Field(ge=DAY, le=2**40)], quantity(units.parse_span, A_SPAN), Unit(units.SECONDS)]
"""The age from which a check reports a key; a plan does not create another one by itself."""
IN_USE = Revokes("requests with the key are refused at once")
Generation = Annotated[int, Field(ge=1, le=2**31)]


class IntoSecret(Spec):
    """A Secret in Kubernetes on the same site. It is created where the document has none of that name; in one that the document has, only these
    keys are written."""

    secret: Annotated[SecretPath, Refers("secret.path", blocks_delete=False, composed=True)]
    """Secret that gets the values, as NAMESPACE/NAME; it is created where the document has none of that name."""


def into_secret(*drawn: Drawn) -> Delivers:
    """The delivery of values into a Secret."""
    return Delivers(to="deliver", target="secret", into="data", drawn=drawn)
