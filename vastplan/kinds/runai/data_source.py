"""Data source: a PVC that workloads mount, in a project, a department or all of the cluster.

Either the claim exists (`claim`, the usual way), or Run:AI creates it (`existing_claim: false` and a `size`), and
then deletes it and its data with the data source. Only name, description and mount can change.
"""

import re
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from vastplan.kinds.kubernetes._common import QUANTITY
from vastplan.kinds.runai._assets import Description, Mount, Scoped, assets, data_source_kind, unit_of_scope, with_scope
from vastplan.schema.codec import at
from vastplan.schema.dependents import HeldData, Linked
from vastplan.schema.kind import Row, Values
from vastplan.schema.markers import (
    IMMUTABLE,
    PROSE,
    SCHEMA,
    SET,
    Codec,
    InsteadOf,
    Opens,
    Refers,
    ServerDefault,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, Bytes, KubernetesName, ReferenceName, Says

# Run:AI also takes 10GB and 10GiB.
_SIZE = Codec(QUANTITY.write, lambda raw: QUANTITY.read(str(raw).removesuffix("B")))
_MODES = {"ReadWriteOnce": "readWriteOnce", "ReadOnlyMany": "readOnlyMany", "ReadWriteMany": "readWriteMany"}
_OF_NEW_CLAIMS = ("size", "storage_class", "access_modes", "volume_mode")
_IN_A_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")  # in the name of a PVC that Run:AI chooses
_ClassName = Annotated[
    str,
    StringConstraints(max_length=253, pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"),
    Says("the name of a storage class, without dots: lowercase letters and digits, with - between them, at most 253"),
]


class DataSource(Scoped):
    """A data source of a claim: a PVC, and the path at which workloads mount it."""

    mount: Annotated[Mount, Wire("spec", "path")]
    """Absolute path in containers at which workloads find the data."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""
    claim: Annotated[
        ReferenceName | MISSING,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire("spec", "claimName"),
        IMMUTABLE,
        Opens(existing_only=True),
    ] = MISSING
    """Existing claim in the project's namespace, by the key of the volume or bucket that creates it; for a department or a
    cluster in `runai`, with Run:AI's label. Outside the document `{existing: NAMESPACE/NAME}`."""
    claim_name: Annotated[
        Annotated[KubernetesName, StringConstraints(max_length=63)] | MISSING,
        Wire("spec", "claimName"),
        IMMUTABLE,
        InsteadOf("claim"),
    ] = MISSING
    """Name of the claim that Run:AI creates; when left out, Run:AI chooses one. Needs `existing_claim: false`."""
    existing_claim: Annotated[bool, Wire("spec", "existingPvc"), IMMUTABLE] = True
    """Whether `claim` exists. With false Run:AI creates a claim, and deletes it and its data with the data source."""
    size: Annotated[Bytes | MISSING, Wire("spec", "claimInfo", "size"), _SIZE, IMMUTABLE] = MISSING
    """Size in bytes of the claim that Run:AI creates. Needs `existing_claim: false`."""
    storage_class: Annotated[
        _ClassName | MISSING, Wire("spec", "claimInfo", "storageClass"), IMMUTABLE, Opens(at_create=False)
    ] = MISSING
    """Class, by its name without dots, of the claim that Run:AI creates; when left out, the cluster's default."""
    access_modes: Annotated[
        Annotated[list[Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]], Field(min_length=1)] | MISSING,
        SET,
        Wire("spec", "claimInfo", "accessModes"),
        IMMUTABLE,
        Opens(at_create=False),
        ServerDefault(["ReadWriteOnce"], SCHEMA),
    ] = MISSING
    """Access modes of the claim that Run:AI creates. Needs `existing_claim: false`."""
    volume_mode: Annotated[
        Literal["Filesystem", "Block"] | MISSING,
        Wire("spec", "claimInfo", "volumeMode"),
        IMMUTABLE,
        ServerDefault("Filesystem", PROSE),
    ] = MISSING
    """Volume mode of the claim that Run:AI creates: a file system or a raw device. Needs `existing_claim: false`."""
    read_only: Annotated[
        bool | MISSING, Wire("spec", "readOnly"), IMMUTABLE, Opens(False, at_create=False), ServerDefault(False, SCHEMA)
    ] = MISSING
    """Whether workloads may only read the data."""
    data_sharing: Annotated[
        bool | MISSING,
        Wire("spec", "dataSharing"),
        IMMUTABLE,
        Opens(True),
        Since("runai", "2.22"),
        ServerDefault(False, SCHEMA),
    ] = MISSING
    """Whether all projects of the department or cluster share one volume. The class must allow data sharing."""

    @model_validator(mode="after")
    def _one_claim(self) -> "DataSource":
        of_new_claims = [name for name in _OF_NEW_CLAIMS if getattr(self, name) is not MISSING]
        if self.existing_claim and self.claim is MISSING:
            raise ValueError(
                "claim is missing: write the name of the PVC, or existing_claim: false and a size to have one created"
            )
        if self.existing_claim and of_new_claims:
            raise ValueError(f"{of_new_claims[0]} needs existing_claim: false (Run:AI creates the claim)")
        if not self.existing_claim and (self.size is MISSING or self.size == 0):
            raise ValueError("size is missing: with existing_claim: false Run:AI creates a claim of that size")
        if self.existing_claim and self.claim_name is not MISSING:
            raise ValueError("claim_name needs existing_claim: false; write the name of an existing claim in claim")
        if not self.existing_claim and self.claim is not MISSING:
            raise ValueError(
                "claim is for an existing PVC; for the name of the one that Run:AI creates, write claim_name"
            )
        if not self.existing_claim and self.claim_name is MISSING and not _IN_A_NAME.fullmatch(str(self.name)):
            raise ValueError(
                "Run:AI gives the claim the name of the data source: write name in lowercase letters, digits and -, or claim_name"
            )
        return self


def _with_switches(body: Row, values: Values) -> Row:
    """Access modes as three switches. All are sent, as the first one is on if it is left out."""
    modes = at(body, ("spec", "claimInfo", "accessModes"))
    if isinstance(modes, list):
        body["spec"]["claimInfo"]["accessModes"] = {wire: name in modes for name, wire in _MODES.items()}
    return with_scope(body, values)


def _with_modes(values: Values, row: Row) -> Values:
    switches = values.get("access_modes")
    if isinstance(switches, dict):
        names = {wire: name for name, wire in _MODES.items()}
        values["access_modes"] = sorted(names.get(wire, wire) for wire, on in switches.items() if on)
    return unit_of_scope(values, row)


KIND = data_source_kind(
    DataSource,
    name="data_source",
    section="data_sources",
    endpoint=assets("datasource/pvc"),
    data_bearing=True,
    data_elsewhere=("existing_claim", True),  # the claim stays, with its data
    held=HeldData(
        links=(Linked("persistent_volume_claim", (("claim", "name"),), agree=(("project.namespace", "namespace"),)),)
    ),
    finish_encode=_with_switches,
    finish_decode=_with_modes,
)
