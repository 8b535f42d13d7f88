"""Shared parts of the credentials of Run:AI: where their values come from, and what can be changed.

The values are in an existing Kubernetes Secret (`existing_secret`), or they are sent to the control plane, which keeps them encrypted
and copies them into Secrets of the cluster. It never shows them. Only the description can change (API document of 2.24,
CredentialUpdateRequest): other values replace the credential, and objects that refer to it get the new one.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.runai._assets import Description, Scoped, assets
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.markers import IDENTITY, IMMUTABLE, SENSITIVE, WRITE_ONLY, Opens, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName, SecretSource, Text, VendorName


def value_markers(*wire: str) -> tuple[object, ...]:
    """The markers of a value that is sent: Run:AI never shows it again, and it cannot be changed."""
    return Wire("spec", *wire), IMMUTABLE, WRITE_ONLY, SENSITIVE, Opens(at_create=False)


def credentials(path: str) -> Endpoint:
    """The endpoint of the credentials of a type. API documents before 2.22 require the name in a PUT, later ones do not have it."""
    return assets(f"credentials/{path}", keep_before=((("meta", "name"), "2.21"),))


Plain = Text | SecretSource


class Credential(Scoped):
    """A credential. Without `existing_secret` and without values an entry can only adopt an existing one.

    `existing_secret` is in the project's own namespace, for a department or a cluster in the namespace `runai`, with
    labels that say that Run:AI may use it.
    """

    name: Annotated[VendorName | MISSING, IDENTITY, IMMUTABLE, Wire("meta", "name")] = MISSING
    """Name of the credential in Run:AI, where it is not the entry's key."""
    description: Description = MISSING
    """Description that Run:AI shows with the credential; null for none."""
    existing_secret: Annotated[
        ReferenceName | MISSING,
        Refers("secret.name", blocks_delete=False, needs=True),
        Wire("spec", "existingSecretName"),
        IMMUTABLE,
        Opens(at_create=False),
    ] = MISSING
    """Secret with the values, outside the document `{existing: NAMESPACE/NAME}`; NAME alone where the site has no
    Kubernetes. Excludes values in the entry."""

    @model_validator(mode="after")
    def _one_source(self) -> Credential:
        values = type(self).model_fields.keys() - Credential.model_fields.keys()
        given = sorted(name for name in values if getattr(self, name) is not MISSING)
        if self.existing_secret is not MISSING and given:
            raise ValueError(f"give either existing_secret or the values ({given[0]})")
        missing = sorted(values - set(given))
        if given and missing:
            raise ValueError(f"{missing[0]} is missing")
        return self
