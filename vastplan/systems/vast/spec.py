"""What a document says of a VAST cluster."""

from __future__ import annotations

from typing import Annotated

from pydantic import MISSING, StringConstraints, model_validator

from vastplan.schema.connection import AnySecret, Tls, Url
from vastplan.schema.types import Says


class VastEndpoint(Tls):
    """A VAST cluster's management service; an API token, or a user and password."""

    url: Url
    token: AnySecret | MISSING = MISSING
    username: str | MISSING = MISSING
    password: AnySecret | MISSING = MISSING
    tenant: str | MISSING = MISSING
    api_version: (
        Annotated[str, StringConstraints(pattern=r"^(v\d+|latest)$"), Says("a version of the API: v1, v5 or latest")]
        | MISSING
    ) = MISSING

    @model_validator(mode="after")
    def _one_credential(self) -> VastEndpoint:
        if (self.token is MISSING) == (self.password is MISSING) or (self.username is MISSING) != (
            self.password is MISSING
        ):
            raise ValueError("give either token, or username and password")
        return self

    def address(self) -> str:
        """The address of its management service."""
        return self.url
