"""Docker registry: a log-in with which the images of workloads are pulled."""

from typing import Annotated

from vastplan.kinds.runai._assets import IN_USE, READY, USERS, unit_of_scope, with_scope
from vastplan.kinds.runai._credentials import Credential, Plain, credentials, value_at
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.types import MISSING, SecretSource


class DockerRegistryCredential(Credential):
    """A log-in to a container registry, with which images of workloads are pulled, from a Secret or from three
    values."""

    url: Annotated[Plain | MISSING, *value_at("url")] = MISSING
    """Address of the registry: text, `{env: NAME}` or `{file: PATH}`. Needs `user` and `password`."""
    user: Annotated[Plain | MISSING, *value_at("user")] = MISSING
    """User of the registry: text, `{env: NAME}` or `{file: PATH}`. Needs `url` and `password`."""
    password: Annotated[SecretSource | MISSING, *value_at("password")] = MISSING
    """Password of the user, from `{env: NAME}` or `{file: PATH}`. Needs `url` and `user`."""


KIND = Kind(
    DockerRegistryCredential,
    name="docker_registry_credential",
    system="runai",
    section="docker_registry_credentials",
    endpoint=credentials("docker-registry"),
    keyed=Keyed(within="project"),
    metrics=USERS,
    in_use=IN_USE,
    ready=READY,
    finish_encode=with_scope,
    finish_decode=unit_of_scope,
)
