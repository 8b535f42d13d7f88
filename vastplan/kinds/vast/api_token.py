"""API token: the log-in of a program that works as a manager of VMS. Only the response to its creation contains the token.

Source: the vendor's documents of 5.3 and 5.5 and its Ansible modules: a token is never deleted, it is revoked and stays in the list;
a manager may have five working tokens, unless the cluster says otherwise.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.vast._delivery import DAY, Generation, IntoSecret, Overlap, into_secret
from vastplan.model import units
from vastplan.schema.access import LetsIn
from vastplan.schema.endpoint import Endpoint, Revoked
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import DOCUMENT, IDENTITY, IMMUTABLE, WRITE_ONLY, Codec, Opens, Refers, Unit, Wire
from vastplan.schema.types import MISSING, ReferenceName, SecretKey, Span, Spec, VendorName


def _read(text: object) -> int:
    """VMS returns the date of expiry, which is not compared."""
    return 0


_SECONDS = Codec(lambda seconds: f"{seconds}s", _read)


class ApiTokenNames(Spec):
    """Keys of the Secret that hold the token and its id; by the id vastplan recognises the token without a ledger."""

    token: SecretKey = "token"  # noqa: S105  (a name)
    """Key of the Secret that holds the token."""
    id: SecretKey = "token_id"
    """Key of the Secret that holds the token's id."""

    @model_validator(mode="after")
    def _two_names(self) -> ApiTokenNames:
        if self.token == self.id:
            raise ValueError("token and id must differ")
        return self


class ApiTokenDelivery(IntoSecret):
    """The Secret that gets the token."""

    keys: ApiTokenNames = ApiTokenNames()
    """Keys of the Secret that hold the token and its id."""


class ApiToken(Spec):
    """A token by which a program works as a manager of VMS. It goes to the Secret in `deliver` and nowhere else;
    deleting one revokes it.

    A greater `generation` creates a new one, and the former one works for `overlap` more.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the token in VMS; the entry's key when left out."""
    tenant: Annotated[ReferenceName | MISSING, Refers("tenant"), DOCUMENT] = MISSING
    """Tenant that the entry is written in. The rights of the token are those of its owner, whatever its tenant."""
    owner: Annotated[ReferenceName, Refers("manager.username"), IDENTITY, IMMUTABLE]
    """Manager whose rights the token has. A manager may have five working tokens, unless the cluster says otherwise."""
    lifetime: Annotated[Span | MISSING, Wire("expiry_date"), _SECONDS, Unit(units.SECONDS), WRITE_ONLY, Opens()] = (
        MISSING
    )
    """Time for which the token works after it is created; a setting of the cluster when left out."""
    generation: Annotated[Generation, WRITE_ONLY] = 1
    """Number of the token; a greater number creates another one, a lower one is refused."""
    overlap: Annotated[Overlap, DOCUMENT] = DAY
    """Time for which the former token works after another one is created; the first apply after that revokes it."""
    deliver: Annotated[ApiTokenDelivery, DOCUMENT]
    """Secret in Kubernetes that gets the token. It is kept nowhere else."""


# VMS answers this with 503, which otherwise means that the outcome is unknown (the vendor's document of 5.5, POST /apitokens/).
_REFUSES = {"Max allowed API tokens": "write a shorter overlap"}

KIND = Kind(
    ApiToken,
    name="api_token",
    system="vast",
    section="api_tokens",
    endpoint=Endpoint(
        "/apitokens/", revoked=Revoked("revoke", ("revoked",)), answered_once=(("token",),), refuses=_REFUSES
    ),
    attributes=(Attribute("token", ("token",)), Attribute("id", ("id",))),
    lets_in=LetsIn("programs that use the token can no longer log in", who=("owner",)),
    delivers=into_secret(),
)
