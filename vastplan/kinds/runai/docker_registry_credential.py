"""Docker registry: a log-in with which the images of workloads are pulled."""

from typing import Annotated

from vastplan.kinds.runai._assets import asset_kind
from vastplan.kinds.runai._credentials import Credential, Plain, credentials, value_markers
from vastplan.schema.types import MISSING, SecretSource


class DockerRegistryCredential(Credential):
    """A log-in to a container registry, with which images of workloads are pulled, from a Secret or from three
    values."""

    url: Annotated[Plain | MISSING, *value_markers("url")] = MISSING
    """Address of the registry: text, `{env: NAME}` or `{file: PATH}`. Needs `user` and `password`."""
    user: Annotated[Plain | MISSING, *value_markers("user")] = MISSING
    """User of the registry: text, `{env: NAME}` or `{file: PATH}`. Needs `url` and `password`."""
    password: Annotated[SecretSource | MISSING, *value_markers("password")] = MISSING
    """Password of the user, from `{env: NAME}` or `{file: PATH}`. Needs `url` and `user`."""


KIND = asset_kind(
    DockerRegistryCredential,
    name="docker_registry_credential",
    section="docker_registry_credentials",
    endpoint=credentials("docker-registry"),
)
