"""Secret data source: the values of a credential as files in containers. Only name and description can change."""

from typing import Annotated

from vastplan.kinds.runai._assets import Description, FileMode, Mount, Scoped, assets, data_source_kind
from vastplan.schema.markers import IMMUTABLE, Opens, Refers, Wire
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
        Opens(at_create=False),
    ]
    """Credential whose values workloads find as files."""
    mount: Annotated[Mount, Wire("spec", "mountPath"), IMMUTABLE]
    """Absolute path in containers at which workloads find the files."""
    default_mode: FileMode = MISSING
    """Mode of the files as octal text, such as `"0440"`."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""


KIND = data_source_kind(
    SecretDataSource,
    name="secret_data_source",
    section="secret_data_sources",
    endpoint=assets("datasource/secrets"),
)
