"""Shared parts of assets of Run:AI (data sources, credentials): who may use them, how they are listed, when they are ready.

An asset is for one project, one department or the whole cluster, and for everything below that, also for later projects. Assets of
the whole control plane (Run:AI's scopes `tenant` and `system`) belong to no site, so no document has them.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import StringConstraints, model_validator

from vastplan.kinds.runai._common import INTEGER
from vastplan.schema.dependents import Linked, RefusesDelete
from vastplan.schema.endpoint import Endpoint, Update, WirePath
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Metric, States
from vastplan.schema.markers import (
    ANOTHER,
    IDENTITY,
    IMMUTABLE,
    Opens,
    Refers,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, PATH, ReferenceName, Says, Spec, VendorName

_UNITS = ("project", "department")
SCOPES = (*_UNITS, "cluster")
Mount = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=r"^/[^\x00-\x1f\x7f:]*$"),
    Says("an absolute path in the container, which starts with / and has no :"),
    PATH,
    ANOTHER,
]
FileMode = Annotated[
    Annotated[str, StringConstraints(pattern=r"^0[0-7]{3}$"), Says("a mode in octal, such as '0440'")] | MISSING,
    Wire("spec", "defaultMode"),
    IMMUTABLE,
    Opens(at_create=False),
    Since("runai", "2.23"),
]
"""Mode of files, in octal as text: "0440"."""
OfProject = Annotated[
    ReferenceName | MISSING, Refers("project"), Wire("meta", "projectId"), INTEGER, IDENTITY, IMMUTABLE
]
OfDepartment = Annotated[
    ReferenceName | MISSING, Refers("department"), Wire("meta", "departmentId"), IDENTITY, IMMUTABLE
]
OfCluster = Annotated[Literal["cluster"] | MISSING, Wire("meta", "scope"), IDENTITY, IMMUTABLE]
Description = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=250)] | None | MISSING, Wire("meta", "description")
]


def refuse_other_than_one_scope(entry: Any) -> None:
    """Raises `ValueError` unless exactly one of project, department and scope is written."""
    given = [name for name in (*_UNITS, "scope") if getattr(entry, name) is not MISSING]
    if not given:
        raise ValueError("write project, department or scope: cluster")
    if len(given) > 1:
        raise ValueError(f"give either {given[0]} or {given[1]}")


class Scoped(Spec):
    """An asset of Run:AI and where it can be used: `project: NAME`, `department: NAME`, or `scope: cluster`."""

    name: Annotated[VendorName | MISSING, IDENTITY, Wire("meta", "name")] = MISSING
    """Name of the asset in Run:AI, where it is not the entry's key."""
    project: OfProject = MISSING
    """Project whose workloads may use the asset. Excludes `department` and `scope`."""
    department: OfDepartment = MISSING
    """Department whose projects may all use the asset, also later ones. Excludes `project` and `scope`."""
    scope: OfCluster = MISSING
    """`cluster` lets all projects use the asset, also later ones. Excludes `project` and `department`."""

    @model_validator(mode="after")
    def _one_scope(self) -> Scoped:
        refuse_other_than_one_scope(self)
        return self


def with_scope(body: Row, _values: Values) -> Row:
    """The body of a create with the scope that follows from its project or department."""
    meta = body.get("meta", {})
    for unit in _UNITS:
        if f"{unit}Id" in meta:
            meta["scope"] = unit
    return body


def unit_of_scope(values: Values, _row: Row) -> Values:
    """The values with only the unit that the asset is for: Run:AI also returns the units that contain it."""
    scope = values.get("scope")
    if scope in SCOPES:
        for name in (*_UNITS, *(("scope",) if scope in _UNITS else ())):
            if name != scope:
                values.pop(name, None)
    return values


def assets(path: str, *, status: bool = True, keep_before: tuple[tuple[WirePath, str], ...] = ()) -> Endpoint:
    """The endpoint of the assets of a type, which lists those of all scopes and clusters. Without `status`, Run:AI
    reports no status for the type."""
    return Endpoint(
        f"/api/v1/asset/{path}",
        update=Update.PUT,
        rows="entries",
        paged=False,
        query={**({"statusInfo": "true"} if status else {}), "usageInfo": "true"},
        id=("meta", "id"),
        constants={"meta": {"clusterId": "{cluster}"}},
        keep_before=keep_before,
        owned=((("meta", "scope"), SCOPES), (("meta", "clusterId"), ("{cluster}",))),
        vanishes_later=True,
    )


# In the API document each list is optional, and so is `usedBy`: without it, use is unknown.
_USERS = tuple(
    Metric(f"{name} that use it", ("usedBy", key), absent=0)
    for name, key in (
        ("workspaces", "workspaces"),
        ("trainings", "trainings"),
        ("distributed trainings", "distributed"),
        ("inferences", "inferences"),
        ("templates", "templates"),
    )
)
# "Issues found" may still be resolved, when a missing object is created.
_STATES = States(
    ("status", "status"),
    well=frozenset({"No issues found", "No status"}),
    failed=frozenset({"Failed"}),
    ailing=frozenset({"Issues found"}),
    leaving=frozenset({"Deleting", "Deletion failed"}),
    message=("status", "message"),
)
asset_kind = partial(
    Kind,
    system="runai",
    keyed=Keyed(within="project"),
    metrics=_USERS,
    in_use=tuple(metric.name for metric in _USERS),
    refuses_delete=tuple(
        RefusesDelete(
            metric.name,
            "Run:AI deletes no data source or credential that is in use",
            "end or delete those first, then plan again",
        )
        for metric in _USERS
    ),
    states=_STATES,
    finish_encode=with_scope,
    finish_decode=unit_of_scope,
)
"""Declares a kind of asset, with all that assets have in common."""
data_source_kind = partial(
    asset_kind, users=(Linked("workload", (("id", "data_volumes"),), counted="at work"),), user_word="data sources"
)
"""Declares a kind of asset that workloads mount."""
