"""From desired, live and last applied to a plan. No I/O, no clock of its own, no vendor."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from vastplan.engine.actions import Decider
from vastplan.engine.guards import access, ownership
from vastplan.engine.guards.consent import ChangeLimits, Consent
from vastplan.engine.guards.context import GOING, GuardContext
from vastplan.engine.guards.evaluate import block_dependents, evaluate_guards, evidence
from vastplan.engine.ignore import IgnoreRule, leave
from vastplan.engine.match import Matcher
from vastplan.engine.observe import Observed
from vastplan.engine.order import Order
from vastplan.engine.topology import topology
from vastplan.model.address import Address
from vastplan.model.finding import Finding
from vastplan.model.plan import FORMAT_VERSION, Action, FromSnapshot, Node, Plan, PlannedSite
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.value import Reveal, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.references import fields_with_references, reaching, targets_of

LIFETIME = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Everything a plan is made from."""

    document: str
    digest: str
    source: str
    kinds: Mapping[str, Kind]
    entries: tuple[Entry, ...]
    observed: Observed
    ledger: Mapping[str, SiteLedger]
    endpoints: Mapping[str, Mapping[str, str]]
    consent: Consent
    reveal: Reveal | None  # `None` where no secret may be resolved: against a snapshot
    now: datetime
    targets: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default_factory=tuple)
    limits: Mapping[str, ChangeLimits] = field(default_factory=dict)  # in force, by site
    asked: Mapping[str, int] = field(default_factory=dict)  # the limits that the document asks for
    snapshot: FromSnapshot | None = None
    leave: tuple[IgnoreRule, ...] = ()  # changes by hand that are left alone


def wanted(
    kinds: Mapping[str, Kind],
    entries: Iterable[Entry],
    ledger: Mapping[str, SiteLedger],
    systems: Mapping[str, Set[str]],
) -> set[tuple[str, str]]:
    """The collections to read: of what is desired or owned, of what that refers to, and of what could refer to that.

    `systems` says what each site has: what is not there refers to nothing.
    """
    found = {(entry.address.site, entry.address.kind) for entry in entries}
    for site, part in ledger.items():
        found |= {(site, Address.parse(text).kind) for text in (*part.entries, *part.intents)}
    for entry in entries:
        kind = kinds[entry.address.kind]
        found |= {(ref.target.site, ref.target.kind) for _, ref in fields_with_references(kind.fields, entry.values)}
        for one in kind.fields:
            if one.key_refers and entry.values.get(one.name):
                found |= {(entry.address.site, target) for target, _ in one.key_refers.targets}
    used = set(found)
    for name, kind in kinds.items():
        for target in targets_of(kind.fields):
            found |= {(site, name) for site, one in used if one == target and kind.system in systems.get(site, ())}
    return {(site, name) for site, name in found if name in kinds}


def second_read(
    kinds: Mapping[str, Kind], actions: Iterable[Action], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """What only some actions need to be read for: what hangs on objects that are to go, and what would be cut off."""
    found: set[tuple[str, str]] = set()
    for action in actions:
        kind, site = kinds[action.address.kind], action.address.site
        if action.verb in GOING:
            found |= {(site, one.kind) for one in kind.dependents}
        if access.lost_clients(action, kind, None):
            names = reaching(kinds, kind)
            found |= {(site, name) for name in names if kinds[name].system in systems.get(site, ())}
    return found


def build(request: PlanInputs) -> tuple[Plan, Matcher]:
    """The plan, and how its addresses were matched with what is there."""
    desired = {entry.address: entry for entry in request.entries}
    matcher = Matcher(request.kinds, request.observed, request.ledger, desired)
    decider = Decider(matcher, request.ledger, desired, request.reveal, request.targets)
    actions, left = leave(decider.actions(), request.leave)
    order = Order(matcher, desired, actions)
    operations = order.operations()
    context = GuardContext(request.consent, matcher, order, request.now, request.limits, request.ledger)
    evaluate_guards(context)
    final = block_dependents(order.actions, operations)
    nodes = topology(matcher, desired, final.values()) if final else ()
    users = _users(nodes)
    rank = {operation.address: index for index, operation in enumerate(operations)}
    shown = tuple(
        replace(
            action,
            evidence=evidence(action, context),
            dependents=_dependents(str(action.address), users),
            holds_data=context.kind(action).data_bearing,
        )
        for action in sorted(final.values(), key=lambda one: (rank.get(one.address, -1), one.address))
    )
    made = Plan(
        format_version=FORMAT_VERSION,
        document=request.document,
        digest=request.digest,
        source=request.source,
        created=request.now.isoformat(timespec="seconds"),
        expires=(request.now + LIFETIME).isoformat(timespec="seconds"),
        parts=tuple(
            # a part that was never written has no lineage yet: every reading would make up another
            PlannedSite(
                site, part.lineage if part.serial else "", part.serial, request.endpoints.get(site, {}), request.asked
            )
            for site, part in sorted(request.ledger.items())
        ),
        actions=shown,
        operations=operations,
        unknown=tuple(sorted(decider.unknown, key=lambda one: (one.site, one.system, one.kind))),
        findings=(*request.findings, *ownership.warnings(context), *decider.findings, *order.findings),
        in_sync=decider.in_sync,
        targets=request.targets,
        topology=nodes,
        snapshot=request.snapshot,
        left=left,
    )
    return made, matcher


def _users(nodes: Iterable[Node]) -> dict[str, list[str]]:
    """Who stands on each address directly, by name or because it comes after: a volume on its view, say."""
    users: dict[str, list[str]] = {}
    for node in nodes:
        for target in node.refers:
            users.setdefault(target, []).append(node.address)
    return users


def _dependents(address: str, users: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Everything that stands on an address, nearest first."""
    found: dict[str, None] = {}
    queue = [address]
    while queue:
        for user in users.get(queue.pop(0), ()):
            if user not in found and user != address:
                found[user] = None
                queue.append(user)
    return tuple(found)


def document_digest(name: str, entries: Iterable[Entry]) -> str:
    """A digest of what the document resolves to: equal for two ways of writing the same."""
    resolved = {str(entry.address): to_json(entry.values) for entry in entries}
    return hashlib.sha256(json.dumps({"name": name, "entries": resolved}, sort_keys=True).encode()).hexdigest()
