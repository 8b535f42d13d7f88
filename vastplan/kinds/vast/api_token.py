"""API token: what a program comes in with as a manager of VMS. The token is answered once, when it is made.

Source: the vendor's documents of 5.3 and 5.5 and its Ansible modules: a token is never deleted, it is revoked and stays in the list;
a manager may have five that work, unless the cluster says otherwise.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.vast._deliver import DAY, Generation, IntoSecret, Overlap, SecretKey, into_secret
from vastplan.model import units
from vastplan.schema.compile import kind
from vastplan.schema.endpoint import Endpoint, Revoked
from vastplan.schema.kind import Attribute, LetsIn
from vastplan.schema.markers import DOCUMENT, IDENTITY, IMMUTABLE, WRITE_ONLY, Codec, Opens, Refers, Unit, Wire
from vastplan.schema.types import MISSING, ReferenceName, Span, Spec, VendorName


def _read(text: object) -> int:
    """What is answered is a date, which is not compared."""
    return 0


_SECONDS = Codec(lambda seconds: f"{seconds}s", _read)


class ApiTokenNames(Spec):
    """By what names the Secret has the token, and which one it is: by that it is known again where there is no ledger."""

    token: SecretKey = "token"  # noqa: S105  (a name)
    id: SecretKey = "token_id"

    @model_validator(mode="after")
    def _two_names(self) -> ApiTokenNames:
        if self.token == self.id:
            raise ValueError("the token and its id need a name each")
        return self


class ApiTokenDelivery(IntoSecret):
    """The Secret that gets the token."""

    keys: ApiTokenNames = ApiTokenNames()


class ApiToken(Spec):
    """A token of a manager. It goes to the Secret in `deliver` and nowhere else; deleting one revokes it.

    With another `generation` there is a new one, and the former one works for `overlap` more.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    tenant: Annotated[ReferenceName | MISSING, Refers("tenant"), DOCUMENT] = MISSING
    """Where the entry stands; whose tenant the token speaks for is the owner's."""
    owner: Annotated[ReferenceName, Refers("manager.username"), IDENTITY, IMMUTABLE]
    lifetime: Annotated[Span | MISSING, Wire("expiry_date"), _SECONDS, Unit(units.SECONDS), WRITE_ONLY, Opens()] = (
        MISSING
    )
    """From when it is made; what a token gets that says nothing is a setting of the cluster."""
    generation: Annotated[Generation, WRITE_ONLY] = 1
    overlap: Annotated[Overlap, DOCUMENT] = DAY
    deliver: Annotated[ApiTokenDelivery, DOCUMENT]


# Answered with 503, which else says that nobody knows what was done (the vendor's document of 5.5, POST /apitokens/).
_REFUSES = {"Max allowed API tokens": "a shorter overlap lets former ones go first"}

KIND = kind(
    ApiToken,
    name="api_token",
    system="vast",
    section="api_tokens",
    endpoint=Endpoint(
        "/apitokens/", revoked=Revoked("revoke", ("revoked",)), answered_once=(("token",),), refuses=_REFUSES
    ),
    attributes=(Attribute("token", ("token",)), Attribute("id", ("id",))),
    lets_in=LetsIn("who comes in with it is let in no more"),
    delivers=into_secret(),
)
