"""ValidatingAdmissionPolicy: closes a storage class to all namespaces but some, or refuses pods that would mount VAST without a claim.

It has no effect without an `admission_binding`. Needs Kubernetes 1.30.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import model_validator

from vastplan.kinds.kubernetes import _rules
from vastplan.kinds.kubernetes._common import (
    BLOCK_DRIVER,
    FILE_DRIVER,
    NAMESPACE,
    SERVER_DRIVERS,
    Labelled,
    ObjectName,
    manifest,
)
from vastplan.model.value import Ref
from vastplan.schema.access import Backs, Closes
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.markers import ATOMIC, SET, FollowsFrom, Opens, Refers, Since, Wire
from vastplan.schema.types import MISSING, ReferenceName, Text

GROUP = "admissionregistration.k8s.io"
_WIRE = ("spec", "variables")
_FIX = "isolation: audit on the site, or inline_volumes: {allow: true, reason: ...} there"
_UNSEEN = "pods that Jobs, Deployments and workloads of Run:AI have yet to create"


class AdmissionPolicy(Labelled):
    """A policy that closes a storage class to all namespaces but some, or refuses volumes that pods bring themselves.

    It has either `storage_class` with `namespaces` and `open`, or `drivers` with `sources`. A change rewrites the whole rule, in
    place.
    """

    name: ObjectName = MISSING
    """Name of the ValidatingAdmissionPolicy in Kubernetes."""
    storage_class: Annotated[
        ReferenceName | MISSING,
        Refers("storage_class.name", blocks_delete=False, shields=True),
        Wire(*_WIRE, "storageClass"),
        ATOMIC,
        Opens(at_create=False),
    ] = MISSING
    """Storage class that only `namespaces` may use. Needs `namespaces` and `open`; excludes `drivers`."""
    namespaces: Annotated[
        list[ReferenceName] | MISSING,
        NAMESPACE,
        Wire(*_WIRE, "namespaces"),
        SET,
        ATOMIC,
        Opens(),
        FollowsFrom("open_to: [NAMESPACE] in the class, or the class in storage_classes of a project"),
    ] = MISSING
    """Namespaces that may use the class; none may where the list is empty and `open` is false."""
    open: Annotated[
        bool | MISSING,
        Wire(*_WIRE, "open"),
        ATOMIC,
        Opens(True, whom="every namespace of the cluster"),
        FollowsFrom("shared: true in the class"),
    ] = MISSING
    """Whether every namespace may use the class, whatever `namespaces` lists."""
    drivers: Annotated[
        list[Text] | MISSING,
        Wire(*_WIRE, "drivers"),
        SET,
        ATOMIC,
        Opens(lost=True),
        FollowsFrom("inline_volumes: {allow: true, reason: WHY} on the site"),
    ] = MISSING
    """CSI drivers, by name, whose inline volumes new pods may not bring. Excludes `storage_class`."""
    sources: Annotated[
        list[Literal["flexVolume", "hostPath", "iscsi", "nfs"]] | MISSING,
        Wire(*_WIRE, "sources"),
        SET,
        ATOMIC,
        Opens(lost=True),
        FollowsFrom("inline_volumes: {allow: true, reason: WHY} on the site"),
    ] = MISSING
    """Types of volumes, as Kubernetes names them, that new pods in namespaces of Run:AI projects may not bring. Needs `drivers`."""
    rule: Annotated[Literal["as vastplan writes it"], Wire(*_WIRE, "rule"), ATOMIC, FollowsFrom()] = (
        "as vastplan writes it"
    )
    """Rest of the policy, which is the same in all; for a live policy that differs, what differs."""

    @model_validator(mode="after")
    def _one_rule(self) -> "AdmissionPolicy":
        of_a_class = [value is not MISSING for value in (self.storage_class, self.namespaces, self.open)]
        if (self.drivers is MISSING) != of_a_class[0] or (self.drivers is not MISSING and any(of_a_class)):
            raise ValueError("give either storage_class with namespaces and open, or drivers")
        if any(of_a_class) and not all(of_a_class):
            raise ValueError("namespaces and open need storage_class")
        if self.sources is not MISSING and self.drivers is MISSING:
            raise ValueError("sources needs drivers")
        return self


def closing(name: str, storage_class: Ref, namespaces: Iterable[Ref], *, open: bool = False) -> dict[str, Any]:
    """The values of a policy that allows a class in `namespaces` only; with `open` it allows the class everywhere."""
    allowed = sorted(set(namespaces), key=lambda ref: (ref.target.name, ref.target.kind))
    rule = _rules.AS_WRITTEN
    return {"name": name, "storage_class": storage_class, "namespaces": allowed, "open": open, "rule": rule}


def without_inline_volumes(name: str) -> dict[str, Any]:
    """The values of a policy that refuses pods that would mount VAST without a claim."""
    return {
        "name": name, "drivers": [BLOCK_DRIVER, FILE_DRIVER, *SERVER_DRIVERS], "sources": list(_rules.SOURCES), "rule": _rules.AS_WRITTEN
    }  # fmt: skip


def _with_rule(body: Row, values: Values) -> Row:
    variables = body.get("spec", {}).get("variables")
    if variables is not None:
        if "drivers" in variables:
            spec = _rules.no_inline_volumes(variables["drivers"], variables.get("sources", ()))
        else:
            spec = _rules.closed_class(variables["storageClass"], variables["namespaces"], variables["open"])
        creating = "name" in body.get("metadata", {})
        body["spec"] = spec if creating else _rules.over_live(spec)
    return body


def _read(values: Values, row: Row) -> Values:
    rule = _rules.read(row.get("spec") or {})
    read = {"storage_class": rule.get("storageClass"), **{name: rule.get(name) for name in ("open", "rule")}}
    for name in ("namespaces", "drivers", "sources"):
        read[name] = sorted(rule[name], key=str) if isinstance(rule.get(name), list) else None
    return {**values, **{name: value for name, value in read.items() if value is not None}}


KIND = Kind(
    AdmissionPolicy,
    name="admission_policy",
    system="kubernetes",
    endpoint=manifest(f"{GROUP}/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    # the first version in which their API is stable
    versions=(Since("kubernetes", "1.30", subject="an admission policy", fix="isolation: resource_quota on the site"),),
    closes=(
        Closes(
            "persistent_volume_claim",
            "claim",
            "storage_class",
            "storage_class",
            "namespace",
            "namespaces",
            "open",
            by=("storage_class", "rule"),
            fix="open_to: [NAMESPACE] on the storage class",
            unseen="claims that StatefulSets, Jobs and workloads of Run:AI have yet to create, and those of the default class",
        ),
        Closes(
            "pod",
            "pod",
            "drivers",
            "inline_drivers",
            "namespace",
            by=("drivers", "rule"),
            fix=_FIX,
            backs=Backs("storage_class", "driver"),
            unseen=_UNSEEN,
            named=True,
        ),
        Closes(
            "pod",
            "pod",
            "sources",
            "sources",
            "namespace",
            by=("sources", "rule"),
            within=("project", "namespace"),
            fix=_FIX,
            unseen=_UNSEEN,
            named=True,
        ),
    ),
    finish_encode=_with_rule,
    finish_decode=_read,
)
