"""Workload policy, as far as it concerns storage: the classes and sizes that new claims may have, and the data sources that are
always mounted.

Run:AI has at most one policy for a type of workload and a project, department or cluster, and every PUT replaces all of it. Rules of
others in it stay: vastplan reads the policy, merges it with the document, and sends the result. Rules apply when a workload is
submitted to Run:AI, and to no pod that is created in another way; whether data sources are checked against them is not documented.
Types whose pods are of several kinds have each rule twice, and are not supported.
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from vastplan.kinds.kubernetes._common import QUANTITY
from vastplan.kinds.runai._assets import (
    SCOPES,
    OfCluster,
    OfDepartment,
    OfProject,
    refuse_other_than_one_scope,
    unit_of_scope,
    with_scope,
)
from vastplan.schema.endpoint import Endpoint, PerUnit, Update
from vastplan.schema.kind import Kind
from vastplan.schema.live import Metric
from vastplan.schema.markers import IDENTITY, IMMUTABLE, NAMED, SET, Codec, Opens, Refers, Wire
from vastplan.schema.types import MISSING, Bytes, ReferenceName, Spec, VendorName

_PATHS = {"workspace": "workspaces", "training": "trainings", "inference": "inferences"}
_STORAGE = ("policy", "rules", "storage")
_RULES = (*_STORAGE, "pvc", "attributes", "claimInfo")
_DEFAULTS = ("policy", "defaults", "storage", "pvc", "attributes", "claimInfo")


def _value(option: object) -> object:
    return option.get("value") if isinstance(option, dict) else option


_OPTION = Codec(lambda value: {"value": value}, _value)
_SIZE_OPTION = Codec(
    lambda size: {"value": QUANTITY.write(size)}, lambda raw: QUANTITY.read(str(_value(raw)).removesuffix("B"))
)
_SOURCES = (
    "data_source", "nfs_data_source", "s3_data_source", "git_data_source", "host_path_data_source", "config_map_data_source",
    "secret_data_source",
)  # fmt: skip


class WorkloadPolicy(Spec):
    """Rules on storage for workloads of one type in a project, a department or (`scope: cluster`) the cluster."""

    name: Annotated[VendorName | MISSING, NAMED, Wire("meta", "name")] = MISSING
    """Name of the policy in Run:AI, where it is not the entry's key."""
    type: Annotated[Literal["workspace", "training", "inference"], IDENTITY, IMMUTABLE]
    """Type of the workloads that the policy is for."""
    project: OfProject = MISSING
    """Project whose workloads the policy is for. Excludes `department` and `scope`."""
    department: OfDepartment = MISSING
    """Department whose projects the policy is for. Excludes `project` and `scope`."""
    scope: OfCluster = MISSING
    """`cluster` for a policy that holds in all projects of the cluster. Excludes `project` and `department`."""
    storage_classes: Annotated[
        Annotated[list[ReferenceName], Field(min_length=1)] | None | MISSING,
        Refers("storage_class.name", blocks_delete=False),
        Wire(*_RULES, "storageClass", "options"),
        _OPTION,
        SET,
        Opens(at_create=False),
    ] = MISSING
    """Storage classes that new claims of workloads may name; null lifts the rule."""
    claim_sizes: Annotated[
        Annotated[list[Bytes], Field(min_length=1)] | None | MISSING,
        Wire(*_RULES, "size", "options"),
        _SIZE_OPTION,
        SET,
        Opens(at_create=False),
    ] = MISSING
    """Sizes in bytes that new claims of workloads may have: these sizes only, not a range; null lifts the rule."""
    default_storage_class: Annotated[
        ReferenceName | None | MISSING,
        Refers("storage_class.name", blocks_delete=False),
        Wire(*_DEFAULTS, "storageClass"),
        Opens(at_create=False),
    ] = MISSING
    """Storage class of new claims of workloads that name none; null for no default."""
    add_nfs: Annotated[
        bool | None | MISSING, Wire(*_STORAGE, "nfs", "instances", "canAdd"), Opens(shut=(False,), at_create=False)
    ] = MISSING
    """Whether workloads may mount an NFS server that they name themselves; null lifts the rule."""
    add_host_path: Annotated[
        bool | None | MISSING, Wire(*_STORAGE, "hostPath", "instances", "canAdd"), Opens(shut=(False,), at_create=False)
    ] = MISSING
    """Whether workloads may mount a directory of their node; null lifts the rule."""
    data_sources: Annotated[
        Annotated[list[ReferenceName], Field(min_length=1)] | None | MISSING,
        Refers(*_SOURCES),
        Wire("policy", "imposedAssets"),
        SET,
        Opens(),
    ] = MISSING
    """Data sources that every workload mounts, whether it asks for them or not; null for none."""

    @model_validator(mode="after")
    def _one_scope(self) -> "WorkloadPolicy":
        refuse_other_than_one_scope(self)
        return self


KIND = Kind(
    WorkloadPolicy,
    name="workload_policy",
    system="runai",
    section="workload_policies",
    endpoint=Endpoint(
        "/api/v2/policy",
        update=Update.PUT,
        rows="policies",
        paged=False,
        id=("meta", "id"),
        keep=("policy",),
        detailed=True,
        shape=PerUnit(_PATHS),
        owned=((("meta", "scope"), SCOPES), (("meta", "clusterId"), ("{cluster}",))),
    ),
    metrics=(Metric("rules and defaults of others in it", ("beside",), absent=0),),
    in_use=("rules and defaults of others in it",),
    finish_encode=with_scope,
    finish_decode=unit_of_scope,
)
