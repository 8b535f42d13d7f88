"""Data volume: a claim of one project as a data set that may be mounted in the projects with which it is shared.

The claim exists and is bound; Run:AI creates another claim of the same volume where a workload mounts it. An administrator must
switch the feature on. Only the description and the sharing can change; the sharing has a call of its own.
"""

from typing import Annotated, Any

from pydantic import StringConstraints

from vastplan.schema.access import LetsIn
from vastplan.schema.dependents import HeldData, Linked
from vastplan.schema.endpoint import Delta, Endpoint, Update
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import States
from vastplan.schema.markers import (
    AFTER_CREATE,
    IDENTITY,
    IMMUTABLE,
    SCHEMA,
    SET,
    Admits,
    Clears,
    Opens,
    Refers,
    ServerDefault,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, ReferenceName, Says, Spec

_Name = Annotated[
    str,
    StringConstraints(max_length=63, pattern=r"^[a-z][-a-z0-9]*$"),
    Says("the name of a data volume: a lowercase letter, then lowercase letters, digits and -, at most 63"),
]
_Description = Annotated[
    str,
    StringConstraints(min_length=1, max_length=127, pattern=r"^[^\x00-\x1f\x7f]+$"),
    Says("a description in one line, at most 127 characters", shown=False),
]
_SHARED = "sharedScopes"
_FIELDS = {"project": "shared_with_projects", "department": "shared_with_departments"}
_OF_THE_SITE = "{cluster}"  # the client fills this in
_IN_THE_CLUSTER = "shared_with_cluster"


class DataVolume(Spec):
    """A data volume: a bound claim of one project as a data set that other projects may mount."""

    name: Annotated[_Name | MISSING, IDENTITY, IMMUTABLE] = MISSING
    """Name of the data volume in Run:AI, where it is not the entry's key."""
    project: Annotated[ReferenceName, Refers("project"), Wire("projectId"), IMMUTABLE]
    """Project in whose namespace the claim is."""
    claim: Annotated[
        ReferenceName,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire("originPvcName"),
        IMMUTABLE,
        Opens(at_create=False),
    ]
    """Claim in the project's namespace, by the key of the volume or bucket that creates it; outside the document
    `{existing: NAMESPACE/NAME}`."""
    description: Annotated[_Description | None | MISSING, Clears("")] = MISSING
    """Description in one line that Run:AI shows with the data volume; null for none."""
    shared_with_projects: Annotated[
        list[ReferenceName] | MISSING,
        Refers("project"),
        Wire(_SHARED, "project"),
        SET,
        AFTER_CREATE,
        Admits(_IN_THE_CLUSTER),
    ] = MISSING
    """Other projects whose workloads may mount the data volume."""
    shared_with_departments: Annotated[
        list[ReferenceName] | MISSING,
        Refers("department"),
        Wire(_SHARED, "department"),
        SET,
        AFTER_CREATE,
        Admits(_IN_THE_CLUSTER),
    ] = MISSING
    """Departments whose projects may mount the data volume."""
    shared_with_cluster: Annotated[bool | MISSING, Wire(_SHARED, "cluster"), AFTER_CREATE, Admits()] = MISSING
    """Whether all projects of the cluster may mount the data volume, also later ones."""
    use_original_volume: Annotated[
        bool | MISSING, Wire("useOriginalVolume"), IMMUTABLE, Since("runai", "2.22"), ServerDefault(True, SCHEMA)
    ] = MISSING
    """Whether the claim's original volume stays in use together with the data volume."""


def _as_scopes(body: Row, _values: Values) -> Row:
    """The sharing as the one list that the API has."""
    shared = body.get(_SHARED)
    if isinstance(shared, dict):
        scopes = [(of, str(unit)) for of in _FIELDS for unit in shared.get(of) or ()]
        scopes += [("cluster", _OF_THE_SITE)] if shared.get("cluster") else []
        body[_SHARED] = [{"scopeType": of, "scopeId": unit} for of, unit in scopes]
    return body


def _by_scope(values: Values, row: Row) -> Values:
    """The sharing by types of scopes, from the list in a response. A cluster in it is always that of the data volume."""
    listed = row.get(_SHARED)
    if not isinstance(listed, list):  # left out for a user who may not see the sharing
        return values
    scopes = [scope for scope in listed if isinstance(scope, dict)]
    shared: dict[str, Any] = {
        name: sorted(str(scope.get("scopeId")) for scope in scopes if scope.get("scopeType") == of)
        for of, name in _FIELDS.items()
    }
    return {**values, **shared, _IN_THE_CLUSTER: any(scope.get("scopeType") == "cluster" for scope in scopes)}


KIND = Kind(
    DataVolume,
    name="data_volume",
    system="runai",
    section="data_volumes",
    endpoint=Endpoint(
        "/api/v1/datavolumes",
        update=Update.PATCH,
        rows="datavolumes",
        query={"requestType": "Originated", "filterBy": "clusterId=={cluster}"},
        detailed=True,
        deltas=(Delta(_SHARED, (_SHARED, "add"), (_SHARED, "remove"), most=50, says=("scopeType", "scopeId")),),
        vanishes_later=True,
    ),
    keyed=Keyed(within="project"),
    data_bearing=True,
    held=HeldData(
        links=(Linked("persistent_volume_claim", (("claim", "name"),), agree=(("project.namespace", "namespace"),)),)
    ),
    users=(Linked("workload", (("id", "data_volumes"),), counted="at work"),),
    user_word="data sources",
    lets_in=LetsIn("workloads that mount it lose its data", who=("project", "claim")),
    # NotReady may still become Ready, when the claim is bound.
    states=States(
        ("status", "phase"),
        frozenset({"Ready"}),
        ailing=frozenset({"NotReady"}),
        leaving=frozenset({"Deleting"}),
        message=("status", "phaseMessage"),
    ),
    finish_encode=_as_scopes,
    finish_decode=_by_scope,
)
