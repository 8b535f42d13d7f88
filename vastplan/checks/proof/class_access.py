"""Which namespaces each storage class of a site is open to, by its admission policies and quotas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.index import Index
from vastplan.kinds.kubernetes._rules import AS_WRITTEN
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

Namespaces = frozenset[str] | None  # `None` means every namespace
Projects = tuple[str, ...] | None  # `None` means every project


def reference_name(value: Any, namespaces: Mapping[str, str]) -> str:
    """The name that a reference has; for a project that of its namespace."""
    if isinstance(value, Ref):
        name = value.target.name
        return namespaces.get(name, name) if value.target.kind == "project" else name
    return str(value)


def open_namespaces(site: str, objects: Index, namespaces: Mapping[str, str]) -> dict[str, Namespaces]:
    """Each class with the namespaces that may create claims of it; `None` for a class that nothing restricts."""
    allowed = _allowed_by_policy(site, objects, namespaces)
    refused = _refused_by_quota(site, objects, namespaces)
    open_to: dict[str, Namespaces] = {}
    for name in objects.on(site, "storage_class"):
        if name in allowed:
            open_to[name] = allowed[name] - refused.get(name, frozenset())
        elif name in refused:
            open_to[name] = frozenset(namespaces.values()) - refused[name]
        else:
            open_to[name] = None
    return open_to


def seen_namespaces(site: str, objects: Index, namespaces: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Each class whose isolation is reported and not enforced, with the namespaces that it is meant for."""
    denied = _allowed_by_policy(site, objects, namespaces)
    unenforced = _allowed_by_policy(site, objects, namespaces, enforced=False)
    classes = objects.on(site, "storage_class")
    return {name: allowed for name, allowed in unenforced.items() if name not in denied and name in classes}


def policies_in_force(site: str, objects: Index, *, enforced: bool = True) -> Iterator[Entry]:
    """The policies with vastplan's own rule that a binding of the whole cluster enforces, or without `enforced` only reports."""
    policies = (
        binding.values.get("policy")
        for binding in objects.on(site, "admission_binding").values()
        if ("Deny" in (binding.values.get("validation_actions") or ())) is enforced and not binding.values.get("only")
    )
    bound = {policy.target.name if isinstance(policy, Ref) else str(policy) for policy in policies}
    for name, policy in objects.on(site, "admission_policy").items():
        if name in bound and policy.values.get("rule") == AS_WRITTEN:
            yield policy


def _allowed_by_policy(
    site: str, objects: Index, namespaces: Mapping[str, str], *, enforced: bool = True
) -> dict[str, frozenset[str]]:
    """What enforced policies allow, or policies that only report; a class under several is open to what all of them allow."""
    allowed: dict[str, frozenset[str]] = {}
    for policy in policies_in_force(site, objects, enforced=enforced):
        values = policy.values
        if not values.get("storage_class") or values.get("open") is True:
            continue
        names = frozenset(reference_name(namespace, namespaces) for namespace in values.get("namespaces") or ())
        class_name = reference_name(values["storage_class"], {})
        allowed[class_name] = allowed[class_name] & names if class_name in allowed else names
    return allowed


def quotas_of_zero(site: str, objects: Index) -> Iterator[tuple[str, Entry]]:
    """The classes that resource quotas of zero keep a namespace out of, each time with the quota."""
    for quota in objects.on(site, "resource_quota").values():
        for resource, amount in (quota.values.get("hard") or {}).items():
            class_name, separator, _ = resource.partition(".storageclass.storage.k8s.io/")
            if separator and amount == "0":
                yield class_name, quota


def _refused_by_quota(site: str, objects: Index, namespaces: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The namespaces that a resource quota of zero keeps out of a class."""
    refused: dict[str, set[str]] = {}
    for class_name, quota in quotas_of_zero(site, objects):
        refused.setdefault(class_name, set()).add(reference_name(quota.values["namespace"], namespaces))
    return {class_name: frozenset(names) for class_name, names in refused.items()}
