"""Generic secret: any keys and values, such as an SSH key at `ssh` for Git data sources."""

from typing import Annotated

from pydantic import Field

from vastplan.kinds.runai._assets import asset_kind, with_scope
from vastplan.kinds.runai._credentials import Credential, credentials, value_markers
from vastplan.schema.kind import Row, Values
from vastplan.schema.types import MISSING, SecretKey, SecretSource


class GenericSecretCredential(Credential):
    """Keys and values, from a Secret or written here. A removed key stays until another value is written."""

    data: Annotated[
        Annotated[dict[SecretKey, SecretSource], Field(min_length=1)] | MISSING, *value_markers("keyValuePairs")
    ] = MISSING
    """Values by key, each from `{env: NAME}` or `{file: PATH}`. Git data sources need an SSH key at `ssh`."""


def _as_pairs(body: Row, values: Values) -> Row:
    """The keys and values as the API's list, in a stable order."""
    spec = body.get("spec", {})
    if "keyValuePairs" in spec:
        spec["keyValuePairs"] = [{"key": key, "value": value} for key, value in sorted(spec["keyValuePairs"].items())]
    return with_scope(body, values)


KIND = asset_kind(
    GenericSecretCredential,
    name="generic_secret_credential",
    section="generic_secret_credentials",
    endpoint=credentials("generic-secret"),
    finish_encode=_as_pairs,
)
