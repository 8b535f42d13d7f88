"""Access key: the log-in of an S3 data source whose bucket is not public."""

from typing import Annotated

from vastplan.kinds.runai._assets import asset_kind
from vastplan.kinds.runai._credentials import Credential, Plain, credentials, value_markers
from vastplan.schema.types import MISSING, SecretSource


class AccessKeyCredential(Credential):
    """An S3 access key, from a Secret or from two values. S3 data sources refer to it in `access_key`."""

    access_key_id: Annotated[Plain | MISSING, *value_markers("accessKeyId")] = MISSING
    """Id of the access key: text, `{env: NAME}` or `{file: PATH}`. Needs `secret_access_key`."""
    secret_access_key: Annotated[SecretSource | MISSING, *value_markers("secretAccessKey")] = MISSING
    """Secret of the access key, from `{env: NAME}` or `{file: PATH}`. Needs `access_key_id`."""


KIND = asset_kind(
    AccessKeyCredential,
    name="access_key_credential",
    section="access_key_credentials",
    endpoint=credentials("access-key"),
)
