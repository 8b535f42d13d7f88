"""The budget as it is now: the volume of the document behind the QoS limits that were seen live.

Only limits are taken from what is live. What else a plan changes of a volume, its size or its snapshots, is the document's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.checkpoint.budget import Budget
from vastplan.checks.checkpoint.document import evaluate_guards
from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Scope

_READ = ("view", "qos_policy", "tenant")


def before(facts: Facts, volume: Entry) -> Budget | None:
    """The budget before the plan; `None` for a volume that is not there yet, and where its limits could not be read."""
    site, name = volume.address.site, volume.address.name
    live = facts.before
    if live is None or any((site, kind) not in facts.known for kind in _READ):
        return None
    if "path" in volume.values:
        view = live.on(site, "view").get(name)
        if view is None:
            return None
        volume = volume.standing_for(_behind(volume, view, live))
    elif Address(site, "persistent_volume_claim", name) not in facts.made:
        return None
    scope = Scope(facts.sites, _entries(facts, live, site))
    policy = live.get(volume.values.get("qos_policy"))
    if policy is not None:
        scope.add(policy)
    found, _ = evaluate_guards(volume, scope, facts.capability(site))
    return found


def _behind(volume: Entry, view: Entry, live: Index) -> dict[str, Any]:
    """The volume's values with the policy that its view has now, said in the way in which the document says it."""
    policy = live.get(view.values.get("qos_policy"))
    values = volume.without("qos", "qos_policy")
    if policy is None:
        return values
    if "qos" in volume.values and policy.address.name == volume.address.name:
        return {**values, "qos": _given(policy.values)}
    return {**values, "qos_policy": Ref(policy.address)}


def _entries(facts: Facts, live: Index, site: str) -> Iterator[Entry]:
    """The document with what is live of its tenants' QoS and its policies; a policy that is not there yet limits nothing."""
    for entry in facts.written:
        if entry.address.site != site or entry.address.kind not in ("tenant", "qos_policy"):
            yield entry
            continue
        there = live.on(site, entry.address.kind).get(entry.address.name)
        if entry.address.kind == "qos_policy":
            if there is not None:
                yield entry.standing_for({**_given(there.values), "tenant": entry.values.get("tenant")})
        else:
            qos = _given(there.values).get("qos") if there is not None else None
            yield entry.standing_for({**entry.without("qos"), **({"qos": qos} if qos else {})})


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
