"""Shared parts of the kinds of volume snapshots: their endpoint, and the annotations that record the source of an object.

Source: the CRDs of external-snapshotter (snapshot.storage.k8s.io/v1), and https://kubernetes.io/docs/concepts/storage/volume-snapshots/.
"""

from __future__ import annotations

from vastplan.kinds._moments import in_time, take_one
from vastplan.schema.creation import CreatedFrom
from vastplan.schema.kind import Values
from vastplan.schema.live import Attribute, States
from vastplan.schema.markers import Since

GROUP_VERSION = "snapshot.storage.k8s.io/v1"
ROOT = f"/apis/{GROUP_VERSION}"
IN_NAMESPACE = f"{ROOT}/namespaces/{{namespace}}/volumesnapshots"
SNAPSHOT = "VolumeSnapshot"
SINCE = Since("kubernetes", "1.20", subject="a snapshot of a claim")
"""The first version with v1 of the group; a cluster without its CRDs shows no snapshots."""

STATES = States(("status", "readyToUse"), frozenset({True}), message=("status", "error", "message"))
CREATED = Attribute("created", ("status", "creationTime"))


def original(room: str, named: str) -> tuple[CreatedFrom, CreatedFrom]:
    """The VolumeSnapshot that an object is created from: the newest of the claim `newest_of`, or the one whose name is in the field
    `named`. The field `room` has its namespace."""

    def no_newest(values: Values) -> tuple[str, str]:
        if "until" in values:
            text = f"claim {values['newest_of']} has no VolumeSnapshot from {values['until']} or before"
            return text, "write snapshot: latest, or a later time"
        return f"claim {values['newest_of']} has no VolumeSnapshot", take_one("NAME")

    def not_named(values: Values) -> tuple[str, str]:
        text = f"no VolumeSnapshot {values[named]} of claim {values['of_claim']} exists"
        return text, f"{take_one(values[named])}, or write the name of one that exists"

    def in_its_time(values: Values, _name: str, created: str) -> bool:
        return "until" not in values or in_time(values["until"], created)

    newest = CreatedFrom(("claim_snapshot",), ((room, "namespace"), ("newest_of", "claim")), no_newest, in_its_time)
    kinds, same = ("claim_snapshot", "bound_snapshot"), ((room, "namespace"), (named, "name"))
    return newest, CreatedFrom(kinds, same, not_named, needs="of_claim")


def note(name: str) -> tuple[str, ...]:
    """The path of an annotation that records the source of an object, as Kubernetes does not."""
    return ("metadata", "annotations", f"vastplan.io/{name}")


NEWEST_OF, UNTIL, MADE_OF = note("newest-of"), note("until"), note("made-of")
NAMESPACE_OF, NAMED, WHOSE = note("of-namespace"), note("of-snapshot"), note("of-claim")
