"""What a project would send to reach data without a right to it: requests that a server answers without carrying them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vastplan.kinds.kubernetes._common import BLOCK_DRIVER, FILE_DRIVER, LEGACY_CLASS, SERVER_DRIVERS
from vastplan.model.dataclass import dataclass

Body = dict[str, Any]
_NAME = {"generateName": "vastplan-try-"}


@dataclass(frozen=True, slots=True)
class Trial:
    """A way by its name in the table of ways, and the create by which a pod or claim would take it to a name: in which collection of a namespace, and what.

    The names are `names`, or with `to_server` the address of a VIP pool of others.
    """

    way: str
    collection: str
    body: Callable[[str], Body]
    names: tuple[str, ...] = ("",)
    to_server: bool = False


def _pod(volume: Mapping[str, Any]) -> Body:
    container = {"name": "try", "image": "registry.k8s.io/pause:3.10"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _NAME,
        "spec": {"containers": [container], "volumes": [{"name": "data", **volume}]},
    }


def _claim(storage_class: str, **more: Body) -> Body:
    spec = {
        "storageClassName": storage_class,
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {**_NAME, **more}, "spec": spec}


CLAIMS = (
    Trial("claim", "persistentvolumeclaims", _claim),
    Trial("claim", "persistentvolumeclaims", lambda name: _claim("", annotations={LEGACY_CLASS: name})),
)
"""Those that a namespace with a right to the class may send."""
TRIALS = (
    Trial("inline CSI", "pods", lambda driver: _pod({"csi": {"driver": driver}}), names=(BLOCK_DRIVER, FILE_DRIVER)),
    Trial("inline CSI of others", "pods", lambda driver: _pod({"csi": {"driver": driver}}), names=SERVER_DRIVERS),
    Trial("nfs", "pods", lambda server: _pod({"nfs": {"server": server, "path": "/"}}), to_server=True),
    Trial("flexVolume", "pods", lambda _: _pod({"flexVolume": {"driver": "example.com/try"}})),
    Trial("hostPath", "pods", lambda _: _pod({"hostPath": {"path": "/var/lib/kubelet"}})),
)  # fmt: skip
"""Those that no project may send, whatever they name."""
