"""The rules that the simulator of VMS has as tables: what is unique, and what stops a delete. Each is a fact of the kind, which guards read."""

from __future__ import annotations

from collections.abc import Iterator

from tests.lab import REGISTRY_KINDS
from vastplan.schema.kind import Kind
from vastplan.sim.vast.plane import COLLECTIONS
from vastplan.sim.vast.records import ApiCollection

KINDS = {kind.endpoint.path.strip("/"): kind for kind in REGISTRY_KINDS.values() if kind.system == "vast"}
OTHERWISE = {
    ("tenants", "snapshots"): "the guard `orphans` counts them",
    ("vippools", "views"): "no kind has the field of Kafka's pools",
    ("qospolicies", "volumes"): "no kind is a block volume; claims and volumes in Kubernetes count by name",
}


def of_kinds() -> Iterator[tuple[ApiCollection, Kind]]:
    yield from ((facts, KINDS[facts.name]) for facts in COLLECTIONS if facts.name in KINDS)


def test_what_is_unique_is_known_to_the_kind() -> None:
    for facts, kind in of_kinds():
        known = [{kind.field(name).wire[0] for name in names} for names in (kind.identity, *kind.unique)]
        assert [names for names in facts.unique if set(names) not in known] == [], kind.name


def test_what_stops_a_delete_is_a_reference_of_a_kind() -> None:
    stopped = {
        (facts.name, other) for facts, kind in of_kinds() for other, _ in facts.blockers if not _refers(other, kind)
    }
    assert stopped == set(OTHERWISE)


def _refers(collection: str, kind: Kind) -> bool:
    """Whether objects of a collection are seen to refer to those of a kind when these are to be deleted."""
    if collection in KINDS and any(rule.by and rule.kind == KINDS[collection].name for rule in kind.dependents):
        return True
    fields = KINDS[collection].fields if collection in KINDS else ()
    return any(field.refers and field.refers.blocks_delete and kind.name in field.refers.attributes for field in fields)
