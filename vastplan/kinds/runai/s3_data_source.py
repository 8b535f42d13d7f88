"""S3 data source: a bucket that workloads mount as a directory."""

from typing import Annotated

from pydantic import StringConstraints

from vastplan.kinds.runai._assets import Description, Mount, Scoped, assets, data_source_kind
from vastplan.schema.dependents import Mounting
from vastplan.schema.markers import Opens, Refers, Wire
from vastplan.schema.types import MISSING, URL, ReferenceName, Says

_Bucket = Annotated[
    str,
    StringConstraints(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$"),
    Says("the name of a bucket: letters, digits, -, _ and ."),
]
_Url = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=r"^https?://[^\s/?#@]+(/[^\s]*)?$"),
    Says("an address, such as https://s3.example.com, without a user or a password", shown=False),
    URL,
]


class S3DataSource(Scoped):
    """A data source of S3: a bucket that workloads mount as a directory."""

    bucket: Annotated[_Bucket, Wire("spec", "bucket"), Opens(at_create=False)]
    """Name of the bucket that workloads mount."""
    url: Annotated[_Url | MISSING, Wire("spec", "url"), Opens(at_create=False)] = MISSING
    """Address of the S3 service; for VAST that of a VIP pool. When left out, Run:AI uses that of AWS."""
    access_key: Annotated[
        ReferenceName | None | MISSING,
        Refers("access_key_credential"),
        Wire("spec", "accessKeyAssetId"),
        Opens(at_create=False),
    ] = MISSING
    """Access key for a bucket that is not public; null for none."""
    mount: Annotated[Mount, Wire("spec", "path")]
    """Absolute path in containers at which workloads find the bucket."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""


KIND = data_source_kind(
    S3DataSource,
    name="s3_data_source",
    section="s3_data_sources",
    endpoint=assets("datasource/s3"),
    mounts=Mounting("view", "bucket", ("bucket",)),
)
