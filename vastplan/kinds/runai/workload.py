"""Workload: read only, and only where its project, or storage that it mounts, is deleted or closed to it."""

from typing import Annotated

from vastplan.schema.dependents import Dependents
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Metric
from vastplan.schema.markers import IDENTITY, Refers, Wire
from vastplan.schema.types import MISSING, Spec

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
    """Name of the workload in Run:AI."""
    project: Annotated[str, Wire("projectId")]
    """Id of the project that the workload is in."""
    department: Annotated[str, Wire("departmentId")]
    """Id of the department that the workload is in."""
    cluster: Annotated[str, Wire("clusterId")]
    """Id of the cluster that the workload runs in."""
    data_volumes: Annotated[list[str] | MISSING, Refers("data_volume", blocks_delete=False)] = MISSING
    """Ids of data volumes and other data sources that the workload mounts, as far as its list shows them."""


def _with_volumes(values: Values, row: Row) -> Values:
    """The ids in `datasources`; a workload that has ended no longer mounts anything."""
    listed = row.get("datasources") if row.get("phase") not in _OVER else ()
    ids = {str(source["id"]) for source in listed or () if isinstance(source, dict) and source.get("id")}
    return {**values, "data_volumes": sorted(ids)}


def running(within: str) -> Dependents:
    """The workloads of a project or department that have not ended, those in an unknown phase included."""
    return Dependents("workload", "running workloads", (("id", within),), counted="at work")


KIND = Kind(
    Workload,
    name="workload",
    system="runai",
    endpoint=Endpoint(
        "/api/v1/workloads", update=Update.NONE, rows="workloads", query={"filterBy": "clusterId=={cluster}"}
    ),
    metrics=(Metric("at work", ("phase",), ones=_AT_WORK, zeros=_OVER),),
    in_use=("at work",),
    user_word="jobs",
    finish_decode=_with_volumes,
)
