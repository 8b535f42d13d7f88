"""Shared parts of the kinds of volume snapshots: their endpoint, and the annotations that record the source of an object.

Source: the CRDs of external-snapshotter (snapshot.storage.k8s.io/v1), and https://kubernetes.io/docs/concepts/storage/volume-snapshots/.
"""

from __future__ import annotations

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


def note(name: str) -> tuple[str, ...]:
    """The path of an annotation that records the source of an object, as Kubernetes does not."""
    return ("metadata", "annotations", f"vastplan.io/{name}")


NEWEST_OF, UNTIL, MADE_OF = note("newest-of"), note("until"), note("made-of")
NAMESPACE_OF, NAMED, WHOSE = note("of-namespace"), note("of-snapshot"), note("of-claim")
