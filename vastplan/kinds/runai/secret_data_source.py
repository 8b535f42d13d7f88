"""Secret data source: the values of a credential as files in containers. Only name and description can change."""

from typing import Annotated

from vastplan.kinds.runai._assets import (
    IN_USE,
    READY,
    USERS,
    Description,
    FileMode,
    Mount,
    Scoped,
    assets,
    unit_of_scope,
    with_scope,
)
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IMMUTABLE, Opens, Refers, Since, Wire
from vastplan.schema.types import MISSING, ReferenceName


class SecretDataSource(Scoped):
    """A data source of a credential: its values as files in the containers of workloads."""

    credential: Annotated[
        ReferenceName,
        Refers(
            "generic_secret_credential", "access_key_credential", "password_credential", "docker_registry_credential"
        ),
        Wire("spec", "credentialAssetId"),
        IMMUTABLE,
        Opens(made=False),
    ]
    """Credential whose values workloads find as files."""
    mount: Annotated[Mount, Wire("spec", "mountPath"), IMMUTABLE]
    """Absolute path in containers at which workloads find the files."""
    default_mode: Annotated[
        FileMode | MISSING, Wire("spec", "defaultMode"), IMMUTABLE, Opens(made=False), Since("runai", "2.23")
    ] = MISSING
    """Mode of the files as octal text, such as `"0440"`."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""


KIND = Kind(
    SecretDataSource,
    name="secret_data_source",
    system="runai",
    section="secret_data_sources",
    endpoint=assets("datasource/secrets"),
    keyed=Keyed(within="project"),
    metrics=USERS,
    in_use=IN_USE,
    ready=READY,
    finish_encode=with_scope,
    finish_decode=unit_of_scope,
)
