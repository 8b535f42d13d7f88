"""Secrets by purpose: what each of the calls that a CSI driver gets logs in with, where that is not one secret for all.

Source: Kubernetes CSI, secrets of a StorageClass (`csi.storage.k8s.io/PURPOSE-secret-name` and `-namespace`, a pair for each
purpose), which become `PURPOSESecretRef` of the volumes that are made of it.
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
_ELSEWHERE = Opens(made=False)  # with another log-in somebody gets at something else


def _pair(purpose: str) -> tuple[Any, ...]:
    """What is said of the pair of parameters of a purpose; `null` is a class without it."""

    def write(path: str) -> dict[str, str | None]:
        return secret_parameters(path, (purpose,))

    def read(parameters: dict[str, Any]) -> str | None:
        return secret_of_parameters(parameters, (purpose,))

    named = Refers("secret.path", blocks_delete=False, needs=True)
    return named, Wire(), Codec(write, read), Clears({}), _ELSEWHERE, *SECRET_SINCE


def _reference(name: str) -> tuple[Any, ...]:
    """What is said of a reference of a volume."""

    def write(path: str) -> dict[str, str]:
        namespace, _, secret = path.partition("/")
        return {"name": secret, "namespace": namespace}

    def read(reference: dict[str, Any]) -> str:
        return f"{reference.get('namespace', '')}/{reference.get('name', '')}"

    return Refers("secret.path"), Wire(name), Codec(write, read), _ELSEWHERE


class ByPurpose(Spec):
    """A secret for each purpose that is written; `null` is none. What is left out stays as it is."""

    @model_validator(mode="after")
    def _in_full(self) -> ByPurpose:
        for purpose in type(self).model_fields:
            in_full(getattr(self, purpose))
        return self


class ClassSecrets(ByPurpose):
    """The secrets of a class: `node_stage` is for the block driver, `node_expand` for the file driver."""

    provisioner: Annotated[ReferenceName | None | MISSING, *_pair("provisioner")] = MISSING
    controller_publish: Annotated[ReferenceName | None | MISSING, *_pair("controller-publish")] = MISSING
    node_publish: Annotated[ReferenceName | None | MISSING, *_pair("node-publish")] = MISSING
    node_stage: Annotated[ReferenceName | None | MISSING, *_pair("node-stage")] = MISSING
    controller_expand: Annotated[ReferenceName | None | MISSING, *_pair("controller-expand")] = MISSING
    node_expand: Annotated[ReferenceName | None | MISSING, *_pair("node-expand"), Since("csi", "2.6.5")] = MISSING


class VolumeSecrets(ByPurpose):
    """The secrets of a volume."""

    controller_publish: Annotated[ReferenceName | None | MISSING, *_reference("controllerPublishSecretRef")] = MISSING
    node_publish: Annotated[ReferenceName | None | MISSING, *_reference("nodePublishSecretRef")] = MISSING
    node_stage: Annotated[ReferenceName | None | MISSING, *_reference("nodeStageSecretRef")] = MISSING
    controller_expand: Annotated[ReferenceName | None | MISSING, *_reference("controllerExpandSecretRef")] = MISSING
    node_expand: Annotated[ReferenceName | None | MISSING, *_reference("nodeExpandSecretRef")] = MISSING


def one_form(secret: object, secrets: object) -> None:
    """Refuse both forms at once."""
    if secret is not MISSING and secrets is not MISSING:
        raise ValueError("give secret, which is for all purposes, or secrets, not both")


def unused(secrets: object, purposes: Iterable[str], driver: str) -> None:
    """Refuse a secret for a purpose that a driver does not have."""
    for purpose in purposes:
        if isinstance(secrets, ByPurpose) and getattr(secrets, purpose) is not MISSING:
            raise ValueError(f"secrets.{purpose} is for the {driver} driver")
