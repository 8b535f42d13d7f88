"""Namespace of the cluster. Deleting one deletes every pod and claim in it, and the data of the claims."""

from typing import Annotated

from pydantic import StringConstraints

from vastplan.kinds.kubernetes._common import Labelled, manifest
from vastplan.schema.dependents import Dependents, HeldData, Linked, built_in
from vastplan.schema.kind import Kind
from vastplan.schema.live import ControllerOwned
from vastplan.schema.markers import IDENTITY, IMMUTABLE, Wire
from vastplan.schema.types import MISSING, Says

NamespaceName = Annotated[
    str,
    StringConstraints(max_length=63, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
    Says("the name of a namespace: lowercase letters and digits, with - between them, at most 63"),
]
_SYSTEM = ("default", "kube-system", "kube-public", "kube-node-lease")


class Namespace(Labelled):
    """A namespace of the cluster. Deleting it deletes every pod and claim in it.

    Run:AI creates the namespaces of its projects; they are not written here.
    """

    name: Annotated[NamespaceName | MISSING, Wire("metadata", "name"), IDENTITY, IMMUTABLE] = MISSING
    """Name of the namespace in Kubernetes, where it is not the entry's key."""


KIND = Kind(
    Namespace,
    name="namespace",
    system="kubernetes",
    section="namespaces",
    endpoint=manifest("v1", "Namespace", "namespaces", vanishes_later=True),
    on_request=True,
    data_bearing=True,
    held=HeldData(
        links=(Linked("persistent_volume_claim", (("name", "namespace"),)),),
        part="its claims hold 0 B, and other objects in it are not read",
    ),
    users=(Linked("pod", (("name", "namespace"),), counted="at work"),),
    dependents=(
        Dependents("persistent_volume_claim", "bound claims", (("name", "namespace"),), counted="bound"),
        Dependents("pod", "pods that have not ended", (("name", "namespace"),), counted="at work"),
    ),
    controller_owned=(
        ControllerOwned("Run:AI", ("metadata", "labels", "runai/queue")),
        ControllerOwned("Run:AI", ("metadata", "name"), "runai"),
    ),
    refuses_delete=(built_in("Kubernetes"),),
    system_owned=tuple((("metadata", "name"), name) for name in _SYSTEM),
)
