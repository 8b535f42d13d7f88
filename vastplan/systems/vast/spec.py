"""The part of a document about a VAST cluster."""

from __future__ import annotations

from typing import Annotated

from pydantic import MISSING, StringConstraints, model_validator

from vastplan.schema.connection import AnySecret, Tls, Url
from vastplan.schema.types import Says


class VastEndpoint(Tls):
    """The management service (VMS) of a VAST cluster, with an API token or a user and password."""

    url: Url
    """Address of the cluster's management service (VMS), without a login in it."""
    token: AnySecret | MISSING = MISSING
    """API token for VMS, which needs VAST 5.3; excludes `username` and `password`."""
    username: str | MISSING = MISSING
    """VMS manager as which vastplan logs in; needs `password` and excludes `token`."""
    password: AnySecret | MISSING = MISSING
    """Password of that manager."""
    tenant: str | MISSING = MISSING
    """Tenant sent with each request (header X-Tenant-Name), for a manager or a token of that tenant only."""
    api_version: (
        Annotated[str, StringConstraints(pattern=r"^(v\d+|latest)$"), Says("a version of the API: v1, v5 or latest")]
        | MISSING
    ) = MISSING
    """Version of the VMS API in the paths of requests; v5 when left out."""

    @model_validator(mode="after")
    def _one_credential(self) -> VastEndpoint:
        if (self.token is MISSING) == (self.password is MISSING) or (self.username is MISSING) != (
            self.password is MISSING
        ):
            names = [name for name in ("token", "username", "password") if getattr(self, name) is not MISSING]
            given_text = f"it has {', '.join(names)}" if names else "it has no credential"
            raise ValueError(f"{given_text}; give either token, or username and password")
        return self

    def address(self) -> str:
        """The address of its management service."""
        return self.url
