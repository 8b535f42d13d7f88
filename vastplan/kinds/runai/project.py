"""Project: a team's share of a cluster, bound to one namespace, which stays when the project is deleted.

Deleting a project deletes the data sources in it, and with them the claims that Run:AI created.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import model_validator

from vastplan.kinds.runai._common import ProjectName
from vastplan.kinds.runai._org_unit import KEEP, OrgUnit, finish_decode, finish_encode
from vastplan.kinds.runai.workload import running
from vastplan.model.plan import Stage
from vastplan.schema.dependents import HeldData, Linked
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute, Measure, Metric, States
from vastplan.schema.markers import (
    DOCUMENT,
    IDENTITY,
    IMMUTABLE,
    SCHEMA,
    SET,
    Opens,
    Refers,
    ServerDefault,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, KubernetesName, ReferenceName

PREFIX = "runai-"
_LONGEST = 63  # a namespace's name


class Project(OrgUnit):
    """A project: a team's share of the cluster, bound to one namespace. Deleting it deletes its data sources.

    It may belong to a tenant. Without `department` Run:AI puts it into `default`.
    """

    name: Annotated[ProjectName | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name of the project in Run:AI, where it is not the entry's key."""
    tenant: Annotated[ReferenceName | MISSING, Refers("tenant"), DOCUMENT] = MISSING
    """Tenant whose storage classes the namespace of the project may use."""
    department: Annotated[
        ReferenceName | MISSING, Refers("department"), Wire("parentId"), IMMUTABLE, Opens(at_create=False)
    ] = MISSING
    """Department on whose quota the project draws."""
    namespace: Annotated[KubernetesName | MISSING, Wire("requestedNamespace"), IMMUTABLE, Opens()] = MISSING
    """Existing namespace with the label `runai/queue: PROJECT`; when left out, Run:AI creates `runai-PROJECT`."""
    enforce_runai_scheduler: Annotated[
        bool | MISSING, Wire("enforceRunaiScheduler"), Since("runai", "2.21"), ServerDefault(True, SCHEMA, since="2.22")
    ] = MISSING
    """Whether Run:AI's scheduler places all pods in the namespace of the project."""
    storage_classes: Annotated[list[ReferenceName] | MISSING, Refers("storage_class"), SET, DOCUMENT] = MISSING
    """Storage classes that the namespace of the project may use, besides those of its tenant."""
    storage_policies: Annotated[bool | MISSING, DOCUMENT] = MISSING
    """Whether workload policies of Run:AI limit new claims to the classes that the project may use, and refuse the volumes that the
    admission policy for pods refuses."""

    @model_validator(mode="after")
    def _namespace_fits(self) -> "Project":
        if self.namespace is MISSING and isinstance(self.name, str) and len(PREFIX + self.name) > _LONGEST:
            raise ValueError(
                f"the namespace {PREFIX}{self.name} would be longer than {_LONGEST} characters; write a shorter name"
            )
        if isinstance(self.namespace, str) and (len(self.namespace) > _LONGEST or "." in self.namespace):
            raise ValueError(f"a namespace name has at most {_LONGEST} lowercase letters, digits and -")
        return self


def namespace_of(values: Mapping[str, Any]) -> str | None:
    """The name of a project's namespace; `None` if the values have neither that nor the project's name."""
    given, name = values.get("namespace"), values.get("name")
    return str(given or f"{PREFIX}{name}") if given or name else None


KIND = Kind(
    Project,
    name="project",
    system="runai",
    section="projects",
    stage=Stage.TEAM,
    measures=(Measure("GPUs", ("node_pools", "*", "gpu", "deserved")),),
    endpoint=Endpoint(
        "/api/v1/org-unit/projects",
        update=Update.PUT,
        rows="projects",
        query={"filterBy": "clusterId=={cluster}"},
        constants={"clusterId": "{cluster}"},
        keep=(*KEEP, "enforceRunaiScheduler"),
        vanishes_later=True,
    ),
    attributes=(Attribute("namespace", ("status", "namespace"), namespace_of, ("namespace", "name")),),
    data_bearing=True,
    metrics=(
        Metric("GPUs allocated", ("status", "quotaStatus", "allocated", "gpu"), absent=0),
        Metric(
            "GPUs that cannot be preempted",
            ("status", "nodePoolQuotaStatuses"),
            by=("nodePoolName",),
            each=("allocatedNonPreemptible", "gpu"),
        ),
    ),
    in_use=("GPUs allocated",),
    held=HeldData(
        links=(Linked("persistent_volume_claim", (("namespace", "namespace"),)),),
        part="Run:AI reports no use of a project, and its claims hold 0 B",
    ),
    users=(Linked("workload", (("id", "project"),), counted="at work"),),
    dependents=(running("project"),),
    floors=(("node_pools.*.gpu.deserved", "GPUs that cannot be preempted"),),
    # NotReady may still become Ready, for example when the namespace gets its label.
    states=States(
        ("status", "phase"),
        frozenset({"Ready"}),
        ailing=frozenset({"NotReady"}),
        leaving=frozenset({"Deleting", "Deleted"}),
        message=("status", "phaseMessage"),
    ),
    finish_encode=finish_encode,
    finish_decode=finish_decode,
)
