"""The two rules that vastplan writes as admission policies: who may use a class, and no volumes of VAST without a claim.

Everything that differs between two policies is in `variables`, as JSON, which is valid CEL, so it can be read back.
The rest is the same in every policy, and `read` reports where a live policy differs from it. The expressions use no
optional types, so that clusters from 1.30 on and plain CEL evaluators accept them alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.kinds.kubernetes._common import LEGACY_CLASS

AS_WRITTEN = "as vastplan writes it"
_LEGACY = json.dumps(LEGACY_CLASS)
_PARTS = ("failurePolicy", "matchConditions", "validations", "paramKind", "auditAnnotations")
_MATCHED = ("resourceRules", "excludeResourceRules", "namespaceSelector", "objectSelector", "matchPolicy")


def _spec(
    match: Mapping[str, Any], conditions: Mapping[str, str], variables: Mapping[str, Any], *rules: Mapping[str, str]
) -> dict[str, Any]:
    matched = {"apiGroups": [""], "apiVersions": ["v1"], "scope": "*", **match}
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {"matchPolicy": "Equivalent", "resourceRules": [matched]},
        "matchConditions": [{"name": name, "expression": text} for name, text in conditions.items()],
        "variables": [{"name": name, "expression": json.dumps(value)} for name, value in variables.items()],
        "validations": [*rules],
    }


def _named(claim: str) -> str:
    return f'(has({claim}.spec.storageClassName) ? {claim}.spec.storageClassName : "")'


def _annotated(claim: str) -> str:
    notes = f"{claim}.metadata.annotations"
    return f'(has({notes}) && {_LEGACY} in {notes} ? {notes}[{_LEGACY}] : "")'


def closed_class(storage_class: str, namespaces: Iterable[str], is_open: bool) -> dict[str, Any]:
    """The policy's spec: only the namespaces may have claims that name the class, or every namespace if it is open.

    An update that does not change a claim's class is allowed: old claims must be able to lose their finalizers.
    """
    name = json.dumps(storage_class)
    conditions = {
        "names-the-class": f"{_named('object')} == {name} || {_annotated('object')} == {name}",
        "names-it-anew": 'request.operation != "UPDATE"'
        f" || {_named('object')} != {_named('oldObject')} || {_annotated('object')} != {_annotated('oldObject')}",
    }
    variables = {"storageClass": storage_class, "namespaces": sorted(set(namespaces)), "open": is_open}
    rule = {
        "expression": "variables.open || request.namespace in variables.namespaces",
        "message": f"storage class {storage_class} is not open to this namespace",
        "messageExpression": '"storage class " + variables.storageClass'
        ' + " is not open to namespace " + request.namespace',
    }
    # A write of the status may carry annotations too.
    match = {
        "operations": ["CREATE", "UPDATE"],
        "resources": ["persistentvolumeclaims", "persistentvolumeclaims/status"],
    }
    return _spec(match, conditions, variables, rule)


SOURCES = ("flexVolume", "hostPath", "iscsi", "nfs")
"""Types of volumes by which a pod reaches a server, or what its node has mounted for others, without a claim."""
QUEUE = "runai/queue"
"""The label by which Run:AI, and the policy for pods, knows the namespace of a project."""
GUARD, REFUSING = "pod-security.kubernetes.io/enforce", ("baseline", "restricted")
"""The label by which Pod Security refuses pods that reach their node, and its values."""


def no_inline_volumes(drivers: Iterable[str], sources: Iterable[str] = ()) -> dict[str, Any]:
    """The policy's spec: no new pod may bring an inline volume of these CSI drivers, and none of a project one of these types.

    Without `sources` it is what vastplan wrote before it knew them.
    """
    types = sorted(set(sources))
    brought = " || ".join(f"has(v.{name})" for name in ("csi", *(SOURCES if types else ())))
    conditions = {"has-inline-volumes": f"has(object.spec.volumes) && object.spec.volumes.exists(v, {brought})"}
    whose = "CSI drivers that reach VAST" if types else "the VAST CSI drivers"
    inline = {
        "expression": "object.spec.volumes.all(v, !has(v.csi) || !(v.csi.driver in variables.drivers))",
        "message": f"inline volumes of {whose} are not allowed; use a persistent volume claim",
    }
    match = {"operations": ["CREATE"], "resources": ["pods"]}
    variables = {"drivers": sorted(set(drivers))}
    if not types:
        return _spec(match, conditions, variables, inline)
    labels = "namespaceObject.metadata.labels"
    lawful = " && ".join(f'!(has(v.{name}) && "{name}" in variables.sources)' for name in SOURCES)
    of_projects = {
        "expression": f"!has({labels}) || !({json.dumps(QUEUE)} in {labels}) || object.spec.volumes.all(v, {lawful})",
        "message": f"volumes of type {', '.join(SOURCES)} are not allowed in the namespace of a project; use a persistent volume claim",
    }
    return _spec(match, conditions, {**variables, "sources": types}, inline, of_projects)


def over_live(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec as a merge patch that removes everything that others added to it."""
    match = {
        **spec["matchConstraints"],
        **dict.fromkeys(("excludeResourceRules", "namespaceSelector", "objectSelector")),
    }
    return {**spec, "matchConstraints": match, "paramKind": None, "auditAnnotations": None}


def read(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a live policy, and as `rule` whether the rest is as vastplan writes it, or what differs."""
    variables: dict[str, Any] = {}
    for variable in spec.get("variables") or []:
        try:
            variables[variable["name"]] = json.loads(variable["expression"])
        except (ValueError, KeyError, TypeError):
            variables[str(variable.get("name"))] = None
    wanted = _wanted(variables)
    if wanted is None:
        return {**variables, "rule": "variables changed"}
    changed = [part for part in _PARTS if (spec.get(part) or None) != wanted.get(part)]
    matched = spec.get("matchConstraints") or {}
    changed += [part for part in _MATCHED if (matched.get(part) or None) != wanted["matchConstraints"].get(part)]
    return {**variables, "rule": f"{', '.join(sorted(changed))} changed" if changed else AS_WRITTEN}


def _wanted(variables: dict[str, Any]) -> dict[str, Any] | None:
    """The spec that vastplan writes for these variables, `None` when they belong to no rule."""
    if "drivers" in variables and set(variables) <= {"drivers", "sources"} and all(map(_texts, variables.values())):
        sources = variables.get("sources", [])
        return no_inline_volumes(variables["drivers"], sources) if {*sources} <= {*SOURCES} else None
    if set(variables) != {"storageClass", "namespaces", "open"} or not _texts(variables["namespaces"]):
        return None
    name, is_open = variables["storageClass"], variables["open"]
    complete = isinstance(name, str) and isinstance(is_open, bool)
    return closed_class(name, variables["namespaces"], is_open) if complete else None


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
