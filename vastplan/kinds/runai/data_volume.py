"""Data volume: a claim of one project as a data set that others may mount, whoever it is shared with.

The claim is there and bound; Run:AI makes a second claim of the same volume where somebody mounts it. An administrator has to
switch the feature on. Only the description and whom it is shared with can change, and what is shared has a call of its own.
"""

from typing import Annotated, Any

from pydantic import StringConstraints

from vastplan.schema.compile import kind
from vastplan.schema.endpoint import Delta, Endpoint, Update
from vastplan.schema.kind import Ready, Row, Values
from vastplan.schema.markers import (
    AFTER_CREATE,
    CREATE_ONLY,
    IDENTITY,
    IMMUTABLE,
    SET,
    Clears,
    Opens,
    Refers,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, ReferenceName, Spec

_Name = Annotated[str, StringConstraints(max_length=63, pattern=r"^[a-z][-a-z0-9]*$")]
_Description = Annotated[str, StringConstraints(max_length=127, pattern=r"^[^\x00-\x1f\x7f]+$")]
_LISTS = {"project": "projects", "department": "departments"}
_OF_THE_SITE = "{cluster}"  # which the client fills in


class SharedWith(Spec):
    """Who may mount it, besides its own project."""

    projects: Annotated[list[ReferenceName] | MISSING, Refers("project"), Wire("project"), SET, Opens()] = MISSING
    departments: Annotated[list[ReferenceName] | MISSING, Refers("department"), Wire("department"), SET, Opens()] = (
        MISSING
    )
    cluster: Annotated[bool | MISSING, Opens(True)] = MISSING
    """All projects of the cluster."""


class DataVolume(Spec):
    """A data set: the claim that it is of, and whom it is shared with."""

    name: Annotated[_Name | MISSING, IDENTITY, IMMUTABLE] = MISSING
    project: Annotated[ReferenceName, Refers("project"), Wire("projectId"), IMMUTABLE]
    claim: Annotated[
        ReferenceName,
        Refers("persistent_volume_claim.name", blocks_delete=False),
        Wire("originPvcName"),
        IMMUTABLE,
        Opens(),
    ]
    """A claim in the namespace of its project."""
    description: Annotated[_Description | None | MISSING, Clears("")] = MISSING
    shared_with: Annotated[SharedWith | MISSING, Wire("sharedScopes"), AFTER_CREATE] = MISSING
    use_original_volume: Annotated[bool | MISSING, Wire("useOriginalVolume"), CREATE_ONLY, Since("runai", "2.22")] = (
        MISSING
    )
    """Whether the claim goes on being used beside it; left out it does."""


def _as_scopes(body: Row, _values: Values) -> Row:
    """Whom it is shared with as one list, as the API has it."""
    shared = body.get("sharedScopes")
    if isinstance(shared, dict):
        scopes = [(of, str(unit)) for of in _LISTS for unit in shared.get(of) or ()]
        scopes += [("cluster", _OF_THE_SITE)] if shared.get("cluster") else []
        body["sharedScopes"] = [{"scopeType": of, "scopeId": unit} for of, unit in scopes]
    return body


def _by_scope(values: Values, row: Row) -> Values:
    """The list of an answer by what the scopes are. One that is shared with a cluster is so with ours: it is of no other."""
    listed = row.get("sharedScopes")
    if not isinstance(listed, list):
        return values
    scopes = [scope for scope in listed if isinstance(scope, dict)]
    shared: dict[str, Any] = {
        name: sorted(str(scope.get("scopeId")) for scope in scopes if scope.get("scopeType") == of)
        for of, name in _LISTS.items()
    }
    shared["cluster"] = any(scope.get("scopeType") == "cluster" for scope in scopes)
    return {**values, "shared_with": shared}


KIND = kind(
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
        deltas=(Delta("sharedScopes", "sharedScopes"),),
        vanishes_later=True,
    ),
    data_bearing=True,
    # NotReady may still come right, when the claim is bound.
    ready=Ready(("status", "phase"), frozenset({"Ready"}), message=("status", "phaseMessage")),
    finish_encode=_as_scopes,
    finish_decode=_by_scope,
)
