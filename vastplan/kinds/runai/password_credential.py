"""Password: a user and a password, of a Git server for example."""

from typing import Annotated

from vastplan.kinds.runai._assets import asset_kind
from vastplan.kinds.runai._credentials import Credential, Plain, credentials, value_markers
from vastplan.schema.types import MISSING, SecretSource


class PasswordCredential(Credential):
    """A user and a password, such as for a Git server, from a Secret or from two values."""

    user: Annotated[Plain | MISSING, *value_markers("user")] = MISSING
    """Name of the user: text, `{env: NAME}` or `{file: PATH}`. Needs `password`."""
    password: Annotated[SecretSource | MISSING, *value_markers("password")] = MISSING
    """Password of the user, from `{env: NAME}` or `{file: PATH}`. Needs `user`."""


KIND = asset_kind(
    PasswordCredential,
    name="password_credential",
    section="password_credentials",
    endpoint=credentials("password"),
)
