"""Secrets by purpose: the Secrets with which a CSI driver logs in for each of its calls, where one does not serve all.

Source: Kubernetes CSI, secrets of a StorageClass (`csi.storage.k8s.io/PURPOSE-secret-name` and `-namespace`, a pair for each purpose),
which become `PURPOSESecretRef` of its volumes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import model_validator

from vastplan.kinds.kubernetes._common import in_full, secret_of_parameters, secret_parameters
from vastplan.schema.markers import Clears, Codec, Opens, Refers, Since, Wire
from vastplan.schema.types import MISSING, ReferenceName, Spec

SECRET_SINCE = (
    Since("csi", "2.4.1"),
    Since("csi", "2.6.1", inside="data", values=("token",)),
    Since("csi", "2.6.3", inside="data", values=("tenant", "passphrase")),
)
_ELSEWHERE = Opens(at_create=False)  # another log-in may give access to other data


def _pair(purpose: str) -> tuple[Any, ...]:
    """The markers of a purpose, which is a pair of parameters; null means a class without the pair."""

    def write(path: str) -> dict[str, str | None]:
        return secret_parameters(path, (purpose,))

    def read(parameters: dict[str, Any]) -> str | None:
        return secret_of_parameters(parameters, (purpose,))

    named = Refers("secret.path", blocks_delete=False, needs=True)
    return named, Wire(), Codec(write, read), Clears({}), _ELSEWHERE, *SECRET_SINCE


def _reference(name: str) -> tuple[Any, ...]:
    """The markers of a Secret reference of a volume."""

    def write(path: str) -> dict[str, str]:
        namespace, _, secret = path.partition("/")
        return {"name": secret, "namespace": namespace}

    def read(reference: dict[str, Any]) -> str:
        return f"{reference.get('namespace', '')}/{reference.get('name', '')}"

    return Refers("secret.path"), Wire(name), Codec(write, read), _ELSEWHERE


class ByPurpose(Spec):
    """A Secret for each purpose that is written; null is none. A purpose that is left out stays as it is."""

    @model_validator(mode="after")
    def _in_full(self) -> ByPurpose:
        for purpose in type(self).model_fields:
            in_full(getattr(self, purpose))
        return self


class ClassSecrets(ByPurpose):
    """Secrets of a class by purpose. Only the block driver has `node_stage`, only the file driver `node_expand`."""

    provisioner: Annotated[ReferenceName | None | MISSING, *_pair("provisioner")] = MISSING
    """Secret with which the driver creates, copies and deletes volumes on VAST; null for none."""
    controller_publish: Annotated[ReferenceName | None | MISSING, *_pair("controller-publish")] = MISSING
    """Secret with which the driver's controller attaches a volume to a node; null for none."""
    node_publish: Annotated[ReferenceName | None | MISSING, *_pair("node-publish")] = MISSING
    """Secret with which the driver mounts a volume into a pod on its node; null for none."""
    node_stage: Annotated[ReferenceName | None | MISSING, *_pair("node-stage")] = MISSING
    """Secret with which the block driver prepares a volume on a node, before pods get it; null for none."""
    controller_expand: Annotated[ReferenceName | None | MISSING, *_pair("controller-expand")] = MISSING
    """Secret with which the driver's controller grows a volume on VAST; null for none."""
    node_expand: Annotated[ReferenceName | None | MISSING, *_pair("node-expand"), Since("csi", "2.6.5")] = MISSING
    """Secret with which the file driver grows a volume on the node that mounts it; null for none."""


class VolumeSecrets(ByPurpose):
    """Secrets of a volume by purpose."""

    controller_publish: Annotated[ReferenceName | None | MISSING, *_reference("controllerPublishSecretRef")] = MISSING
    """Secret with which the driver's controller attaches the volume to a node; null for none."""
    node_publish: Annotated[ReferenceName | None | MISSING, *_reference("nodePublishSecretRef")] = MISSING
    """Secret with which the driver mounts the volume into a pod on its node; null for none."""
    node_stage: Annotated[ReferenceName | None | MISSING, *_reference("nodeStageSecretRef")] = MISSING
    """Secret with which the driver prepares the volume on a node, before pods get it; null for none."""
    controller_expand: Annotated[ReferenceName | None | MISSING, *_reference("controllerExpandSecretRef")] = MISSING
    """Secret with which the driver's controller grows the volume on VAST; null for none."""
    node_expand: Annotated[ReferenceName | None | MISSING, *_reference("nodeExpandSecretRef")] = MISSING
    """Secret with which the driver grows the volume on the node that mounts it; null for none."""


def one_form(secret: object, secrets: object) -> None:
    """Refuse `secret` and `secrets` at once."""
    if secret is not MISSING and secrets is not MISSING:
        raise ValueError("give either secret (for all purposes) or secrets")


def unused(secrets: object, purposes: Iterable[str], driver: str) -> None:
    """Refuse a Secret for a purpose that only the other driver, `driver`, has."""
    for purpose in purposes:
        if isinstance(secrets, ByPurpose) and getattr(secrets, purpose) is not MISSING:
            raise ValueError(f"secrets.{purpose} is for the {driver} driver")
