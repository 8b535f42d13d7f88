"""Namespace: a room of the cluster. Deleting one deletes every claim in it, and what the claims hold."""

from typing import Annotated

from pydantic import StringConstraints

from vastplan.kinds.kubernetes._common import Labelled, manifest
from vastplan.words.compile import kind
from vastplan.words.kind import Maker
from vastplan.words.marks import IDENTITY, IMMUTABLE, Wire
from vastplan.words.types import MISSING

_Label = Annotated[str, StringConstraints(max_length=63, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
_SYSTEM = ("default", "kube-system", "kube-public", "kube-node-lease")


class Namespace(Labelled):
    """A namespace. Those of Run:AI projects are made by Run:AI and are not written here."""

    name: Annotated[_Label | MISSING, Wire("metadata", "name"), IDENTITY, IMMUTABLE] = MISSING


KIND = kind(
    Namespace,
    name="namespace",
    system="kubernetes",
    section="namespaces",
    endpoint=manifest("v1", "Namespace", "namespaces", vanishes_later=True),
    data_bearing=True,
    made_by=(Maker("Run:AI", ("metadata", "labels", "runai/queue")), Maker("Run:AI", ("metadata", "name"), "runai")),
    foreign=tuple((("metadata", "name"), name) for name in _SYSTEM),
)
