"""Which namespaces each storage class of a site is open to, as its admission policies and quotas have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.checks.index import Index
from vastplan.kinds.kubernetes._rules import AS_WRITTEN
from vastplan.model.value import Ref

Open = frozenset[str] | None  # the namespaces; `None` is every one


def named(value: Any, namespaces: Mapping[str, str]) -> str:
    """The name of what is referred to; of a project, that of its namespace."""
    if isinstance(value, Ref):
        name = value.target.name
        return namespaces.get(name, name) if value.target.kind == "project" else name
    return str(value)


def openings(site: str, objects: Index, namespaces: Mapping[str, str]) -> dict[str, Open]:
    """Each class with the namespaces that may make claims of it. What nothing closes is open to every one."""
    closed = _closed(site, objects, namespaces)
    zero = _zero_quotas(site, objects, namespaces)
    found: dict[str, Open] = {}
    everyone = frozenset(namespaces.values())
    for name in objects.on(site, "storage_class"):
        if name in closed:
            found[name] = closed[name] - zero.get(name, frozenset())
        elif name in zero:
            found[name] = everyone - zero[name]
        else:
            found[name] = None
    return found


def _closed(site: str, objects: Index, namespaces: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """What policies in force leave open; a class under several is open where all of them let it be."""
    bound = {
        binding.values["policy"].target.name
        if isinstance(binding.values["policy"], Ref)
        else str(binding.values["policy"])
        for binding in objects.on(site, "admission_binding").values()
        if "Deny" in (binding.values.get("validation_actions") or ()) and not binding.values.get("only")
    }
    found: dict[str, frozenset[str]] = {}
    for name, policy in objects.on(site, "admission_policy").items():
        values = policy.values
        if name not in bound or not values.get("storage_class") or values.get("rule") != AS_WRITTEN:
            continue
        if values.get("open") is True:
            continue
        allowed = frozenset(named(one, namespaces) for one in values.get("namespaces") or ())
        of = named(values["storage_class"], {})
        found[of] = found[of] & allowed if of in found else allowed
    return found


def _zero_quotas(site: str, objects: Index, namespaces: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for quota in objects.on(site, "resource_quota").values():
        for resource, amount in (quota.values.get("hard") or {}).items():
            of, mark, _ = resource.partition(".storageclass.storage.k8s.io/")
            if mark and amount == "0":
                found.setdefault(of, set()).add(named(quota.values["namespace"], namespaces))
    return {of: frozenset(names) for of, names in found.items()}
