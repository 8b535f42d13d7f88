"""Pod: read only, and only for policies that refuse volumes without a claim, for deletes of namespaces, and for the users of claims."""

from typing import Annotated

from vastplan.kinds.kubernetes._common import ObjectName, manifest
from vastplan.kinds.kubernetes._rules import SOURCES
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Metric
from vastplan.schema.markers import IDENTITY, Wire
from vastplan.schema.types import MISSING, Spec

_OVER = frozenset({"Succeeded", "Failed"})
_AT_WORK = frozenset({"Pending", "Running", "Unknown"})


class Pod(Spec):
    """A pod, with the CSI drivers whose volumes it brings itself, and the claims that it mounts."""

    name: ObjectName = MISSING
    """Name of the pod in Kubernetes."""
    namespace: Annotated[str, Wire("metadata", "namespace"), IDENTITY]
    """Namespace that the pod runs in."""
    inline_drivers: list[str] | MISSING = MISSING
    """CSI drivers of the volumes that the pod's own spec brings; empty for a pod that has ended."""
    sources: list[str] | MISSING = MISSING
    """Types of the volumes by which the pod reaches a server or its node without a claim; empty for a pod that has ended."""
    claims: list[str] | MISSING = MISSING
    """Names of the claims that the pod mounts; empty for a pod that has ended."""


def _read(values: Values, row: Row) -> Values:
    """The drivers of inline volumes, and the claims; a pod that has ended no longer mounts anything."""
    over = (row.get("status") or {}).get("phase") in _OVER
    volumes = (row.get("spec") or {}).get("volumes") or () if not over else ()
    inline = {volume["csi"]["driver"] for volume in volumes if volume.get("csi")}
    claims = {volume["persistentVolumeClaim"]["claimName"] for volume in volumes if volume.get("persistentVolumeClaim")}
    sources = [name for name in SOURCES if any(name in volume for volume in volumes)]
    return {**values, "inline_drivers": sorted(inline), "sources": sources, "claims": sorted(claims)}


KIND = Kind(
    Pod,
    name="pod",
    system="kubernetes",
    endpoint=manifest("v1", "Pod", "pods", namespaced=True),
    user_word="pods",
    metrics=(Metric("at work", ("status", "phase"), ones=_AT_WORK, zeros=_OVER),),
    finish_decode=_read,
)
