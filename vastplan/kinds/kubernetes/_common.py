"""Shared parts of the Kubernetes kinds: endpoints, names, labels, quantities, and references to Secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any

from pydantic import StringConstraints

from vastplan.model.units import parse_bytes
from vastplan.model.wording import quoted
from vastplan.schema.endpoint import COLLECTION, Collection, Endpoint, Room, Update, WirePath
from vastplan.schema.live import ControllerOwned, Leaving
from vastplan.schema.markers import IDENTITY, IMMUTABLE, PROSE, Codec, KeysOfOthers, Refers, ServerDefault, Wire
from vastplan.schema.types import MISSING, Existing, KubernetesName, ReferenceName, Says, Spec

LabelValue = Annotated[
    str,
    StringConstraints(max_length=63, pattern=r"^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$"),
    Says("the value of a label: letters and digits, with -, _ and . between them, at most 63"),
]
LabelKey = Annotated[
    str,
    StringConstraints(max_length=317, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$"),
    Says("the key of a label, such as team or example.com/team"),
]
ObjectName = Annotated[KubernetesName | MISSING, Wire("metadata", "name"), IDENTITY, IMMUTABLE]
NAMESPACE = Refers("namespace.name", "project.namespace", blocks_delete=False)
InNamespace = Annotated[ReferenceName, NAMESPACE, Wire("metadata", "namespace"), IDENTITY, IMMUTABLE]

FILE_DRIVER, BLOCK_DRIVER = "csi.vastdata.com", "block.csi.vastdata.com"
SERVER_DRIVERS = ("nfs.csi.k8s.io", "smb.csi.k8s.io")
"""Drivers of others, whose inline volumes name a server in the pod's spec."""
LEGACY_CLASS = "volume.beta.kubernetes.io/storage-class"
"""The annotation by which claims once named their class: clusters still obey it, and it has priority over the spec."""
RUNAI_CREATED = (
    ControllerOwned("Run:AI", ("metadata", "labels", "run.ai/asset"), ".*"),
)  # the objects that its asset sync copies into projects
# The core API of Kubernetes: "Value of Filesystem is implied when not included in claim spec"; the same for volumes.
FILESYSTEM = ServerDefault("Filesystem", PROSE)
_ROOM = Room("namespace", ("metadata", "namespace"))
# The API conventions of Kubernetes: an object with finalizers that is deleted stays, with this time, until the last of them is gone. A
# namespace has one of its own in its spec, until it is empty.
_LEAVING = Leaving(("metadata", "deletionTimestamp"), (("metadata", "finalizers"), ("spec", "finalizers")))
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"  # the whole object as it was given to kubectl
PARAMETER_PREFIX = "csi.storage.k8s.io/"  # of parameters for the sidecars, not for the driver


def manifest(
    group_version: str,
    kind: str,
    plural: str,
    *,
    namespaced: bool = False,
    vanishes_later: bool = False,
    names_only: bool = False,
    shape: Collection = COLLECTION,
    having: WirePath = (),
) -> Endpoint:
    """A Kubernetes collection: lists in pages, JSON merge patches that carry the resourceVersion.

    With `names_only` a list requests metadata alone; `having` is the path of a field that only objects of this kind have.
    """
    root = "/api/v1" if group_version == "v1" else f"/apis/{group_version}"
    return Endpoint(
        path=f"{root}/{plural}",
        update=Update.MERGE_PATCH,
        rows="items",
        id=("metadata", "uid"),
        manifest=(group_version, kind),
        namespaced=namespaced,
        room=_ROOM if namespaced else None,
        leaving=_LEAVING,
        vanishes_later=vanishes_later,
        listed=("metadata",) if names_only else (),
        shape=shape,
        having=having,
    )


_SUFFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_LONGEST_QUANTITY = 1000  # characters: the number in it can still be printed
_DECIMAL = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_FACTORS: dict[str, int | Fraction] = {
    **_SUFFIXES, **_DECIMAL, "": 1, "m": Fraction(1, 10**3), "u": Fraction(1, 10**6), "n": Fraction(1, 10**9)
}  # fmt: skip
_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([+-]?[0-9]{1,2})|([KMGTPE]i|[numkMGTPE]|))", re.ASCII
)


def _write_quantity(size: int) -> str:
    for suffix, factor in reversed(_SUFFIXES.items()):
        if size and size % factor == 0:
            return f"{size // factor}{suffix}"
    return str(size)


def _read_quantity(raw: object) -> int:
    amount = read_amount(str(raw))
    if amount.denominator != 1:
        raise ValueError(f"{raw} is not a whole number of bytes")
    return int(amount)


@lru_cache(1024)  # a cluster has the same few sizes
def read_amount(text: str) -> Fraction:
    """The number of a quantity of Kubernetes in any of its forms: `1Ti`, `0.5Gi`, `1e12`, `1500m`. Raises `ValueError`."""
    if len(text) > _LONGEST_QUANTITY:
        raise ValueError("the quantity is too long")
    quantity = _QUANTITY.fullmatch(text)
    if quantity is None:
        raise ValueError("it is not a quantity of Kubernetes")
    number, exponent, suffix = quantity.groups()
    return Fraction(number) * (Fraction(10) ** int(exponent) if exponent else _FACTORS[suffix])


QUANTITY = Codec(_write_quantity, _read_quantity)
BOOL_TEXT = Codec(lambda value: "true" if value else "false", lambda raw: raw == "true")
_DRIVERS = {"file": FILE_DRIVER, "block": BLOCK_DRIVER}
DRIVER = Codec(_DRIVERS.__getitem__, {name: word for word, name in _DRIVERS.items()}.__getitem__)

__all__ = [
    "BLOCK_DRIVER", "BOOL_TEXT", "DRIVER", "FILESYSTEM", "FILE_DRIVER", "LEGACY_CLASS", "NAMESPACE", "PARAMETER_PREFIX", "QUANTITY", "RUNAI_CREATED", "SERVER_DRIVERS",
    "InNamespace", "LabelKey", "LabelValue", "Labelled", "ObjectName", "in_full", "manifest", "parse_bytes", "read_amount", "secret_of_parameters",
    "secret_parameters",
]  # fmt: skip


class Labelled(Spec):
    """Labels and annotations; only the keys that are written here are managed."""

    labels: Annotated[dict[LabelKey, LabelValue | None] | MISSING, Wire("metadata", "labels"), KeysOfOthers()] = MISSING
    """Labels of the object in Kubernetes. Only the keys written here are managed; null removes one."""
    annotations: Annotated[
        dict[LabelKey, str | None] | MISSING, Wire("metadata", "annotations"), KeysOfOthers(_APPLIED)
    ] = MISSING
    """Annotations of the object in Kubernetes. Only the keys written here are managed; null removes one."""


def in_full(secret: object) -> None:
    """Refuse `{existing: NAME}` for a Secret: one outside the document needs its namespace, too."""
    if isinstance(secret, Existing) and len([part for part in secret.existing.split("/") if part]) != 2:
        raise ValueError(f"secret: {quoted(secret.existing)} has no namespace; write {{existing: NAMESPACE/NAME}}")


def secret_parameters(path: str | None, purposes: Iterable[str]) -> dict[str, str | None]:
    """The class parameters by which sidecars find the Secret at NAMESPACE/NAME, a pair for each purpose."""
    namespace, _, name = path.partition("/") if path else (None, "", None)
    parts = {"name": name, "namespace": namespace}
    return {
        f"{PARAMETER_PREFIX}{purpose}-secret-{part}": value for purpose in purposes for part, value in parts.items()
    }


def secret_of_parameters(parameters: dict[str, Any], purposes: Iterable[str]) -> str | None:
    """The NAMESPACE/NAME of the Secret for all purposes; if they differ, a text with each of them; `None` without a Secret."""
    purposes_by_path: dict[str, list[str]] = {}
    for purpose in purposes:
        start = f"{PARAMETER_PREFIX}{purpose}-secret"
        path = f"{parameters.get(f'{start}-namespace', '')}/{parameters.get(f'{start}-name', '')}"
        purposes_by_path.setdefault(path, []).append(purpose)
    if len(purposes_by_path) == 1:
        (path,) = purposes_by_path
        return None if path == "/" else path
    return "; ".join(f"{path} for {', '.join(purposes)}" for path, purposes in purposes_by_path.items())
