"""Workload: read only, and only where the project or department it is in is to go, or who may enter that."""

from typing import Annotated

from vastplan.schema.compile import kind
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Dependents, Metric
from vastplan.schema.markers import IDENTITY, Wire
from vastplan.schema.types import Spec

_OVER = frozenset({"Stopped", "Failed", "Completed"})
_AT_WORK = frozenset(
    {
        "Creating", "Initializing", "Resuming", "Pending", "Deleting", "Running", "Updating", "Stopping", "Degraded",
        "Terminating", "Unknown",
    }
)  # fmt: skip


class Workload(Spec):
    """A workload, with the ids of its project, its department and its cluster."""

    name: Annotated[str, IDENTITY]
    project: Annotated[str, Wire("projectId")]
    department: Annotated[str, Wire("departmentId")]
    cluster: Annotated[str, Wire("clusterId")]


def running(within: str) -> Dependents:
    """The workloads of a project or department that have not ended; a phase that nobody knows has not."""
    return Dependents("workload", "running workloads", (("id", within),), counted="at work")


KIND = kind(
    Workload,
    name="workload",
    system="runai",
    endpoint=Endpoint(
        "/api/v1/workloads", update=Update.NONE, rows="workloads", query={"filterBy": "clusterId=={cluster}"}
    ),
    metrics=(Metric("at work", ("phase",), ones=_AT_WORK, zeros=_OVER),),
)
