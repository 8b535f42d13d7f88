"""Builds a plan from the desired, the live and the last applied values. No I/O, no clock of its own, no vendor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Set
from dataclasses import field, replace
from datetime import datetime, timedelta

from vastplan.engine.access.narrowing import narrowings
from vastplan.engine.access.neighbours import with_owners
from vastplan.engine.access.opening import action_openings
from vastplan.engine.access.reaching import through_targets, with_reductions
from vastplan.engine.access.unmanaged import opened_outside
from vastplan.engine.deciding.actions import Decided, decide
from vastplan.engine.deciding.blocks import block_dependents
from vastplan.engine.deciding.ignore import IgnoreRule, KeptNames, ignore, kept_names
from vastplan.engine.guards import ownership
from vastplan.engine.guards.automatic_deletion import deletion
from vastplan.engine.guards.context import GuardContext, guard_context
from vastplan.engine.guards.evaluate import action_evidence, evaluate_guards
from vastplan.engine.guards.evidence_reads import kinds_to_index
from vastplan.engine.live.consent import ChangeLimits, Consent
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Observed
from vastplan.engine.live.open_operations import missing_entries
from vastplan.engine.live.owners import left_to_others, owners
from vastplan.engine.matching.dependents import going, index_dependents
from vastplan.engine.matching.match import match
from vastplan.engine.matching.referrers import index_referrers
from vastplan.engine.matching.topology import topology
from vastplan.engine.ordering.order import Ordered, order
from vastplan.engine.state.object_states import object_states, state_findings
from vastplan.engine.state.replication import replication_findings, replications
from vastplan.engine.values.system_names import with_system_names
from vastplan.engine.values.unowned import UnownedObjects, more_than_known, unowned_objects
from vastplan.model.address import Address, kind_of
from vastplan.model.claims import SiteClaims
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.plan import (
    FORMAT_VERSION,
    Action,
    FromSnapshot,
    IgnoredChange,
    Node,
    Plan,
    PlannedSite,
)
from vastplan.model.replication import ASTRAY
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.model.value import Reveal
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts
from vastplan.schema.references import fields_with_references

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
    ignore: tuple[IgnoreRule, ...] = ()  # drift that the plan keeps
    held: frozenset[str] = frozenset()  # sites whose ledger another apply holds
    retired: frozenset[str] = frozenset()  # sites that are to be emptied
    claims: Mapping[str, SiteClaims] = field(default_factory=dict)  # what other documents own, by site
    typed: str = "PATH"  # the document as words of the commands in messages


def collections_to_read(
    kinds: Mapping[str, Kind],
    entries: Iterable[Entry],
    ledger: Mapping[str, SiteLedger],
    systems: Mapping[str, Set[str]],
) -> set[tuple[str, str]]:
    """The collections to read: those of desired and owned objects, of what these refer to, and of what may refer to any of them.

    `systems` are the systems of each site: a kind of another system has no objects there that may refer to anything.
    """
    entries = tuple(entries)
    collections = {(entry.address.site, entry.address.kind) for entry in entries}
    for site, part in ledger.items():
        collections |= {(site, kind_of(text)) for text in (*part.entries, *part.intents)}
    fields = {name: kinds[name].fields for name in {entry.address.kind for entry in entries}}
    keyed = {
        name: [(field.name, field.key_refers.targets) for field in table if field.key_refers]
        for name, table in fields.items()
    }
    for entry in entries:
        site, name = entry.address.site, entry.address.kind
        for _, ref in fields_with_references(fields[name], entry.values):
            collections.add((ref.target.site, ref.target.kind))
            if ref.target.site != site and kinds[name].grouped is not None:
                collections.add((ref.target.site, name))  # where its other members are
        collections |= {(ref.target.site, ref.target.kind) for _, ref in entry.named}
        for field_name, targets in keyed[name]:
            if entry.values.get(field_name):
                collections |= {(site, target) for target, _ in targets}
    used = set(collections)
    for name, kind_facts in facts(kinds).items():
        if not kind_facts.as_evidence:
            collections |= {
                (site, name)
                for site, kind in used
                if kind in kind_facts.targets and kind_facts.system in systems.get(site, ())
            }
    return {(site, name) for site, name in collections if name in kinds}


@dataclass(frozen=True, slots=True)
class Draft:
    """The actions before they are ordered and guarded: enough to determine what else has to be read."""

    matches: Matches
    decided: Decided
    actions: Mapping[Address, Action]
    ignored: tuple[IgnoredChange, ...]
    beside: tuple[UnownedObjects, ...] = ()
    """Live objects that this ledger does not own: another document may own them."""

    def seeing(self, observed: Observed) -> Draft:
        """The same draft with more collections, none of which has desired, owned or referred objects."""
        return replace(self, matches=replace(self.matches, observed=observed))


def draft_plan(inputs: PlanInputs) -> Draft:
    """Match and diff."""
    desired = {entry.address: entry for entry in inputs.entries}
    matches = match(inputs.kinds, inputs.observed, inputs.ledger, desired, typed=inputs.typed)
    decided = _decide(inputs, matches, desired)
    actions, ignored = ignore(decided.actions, inputs.ignore)
    kept = kept_names(ignored, matches)
    if kept:  # references to these objects are compared with the names that they keep
        matches = match(inputs.kinds, inputs.observed, inputs.ledger, desired, kept, inputs.typed)
        decided = _decide(inputs, matches, desired)
        rule = KeptNames("*", "what it refers to keeps its live name", names=kept)
        actions, ignored = ignore(decided.actions, (*inputs.ignore, rule))
    return Draft(matches, decided, actions, ignored, unowned_objects(matches, inputs.ledger, inputs.entries))


def _decide(inputs: PlanInputs, matches: Matches, desired: Mapping[Address, Entry]) -> Decided:
    return decide(
        matches, inputs.ledger, desired, inputs.reveal, inputs.targets, inputs.retired, now=inputs.now, held=inputs.held
    )


def build(inputs: PlanInputs, drafted: Draft | None = None) -> tuple[Plan, Matches]:
    """The plan, and how its addresses match live objects. `drafted`, of the same inputs, is reused."""
    made = drafted or draft_plan(inputs)
    desired = {entry.address: entry for entry in inputs.entries}
    others = owners(inputs.document, inputs.claims)
    actions, left = left_to_others(made.actions, desired, made.matches, others)
    referrers = index_referrers(inputs.observed, kinds_to_index(inputs.kinds, actions))
    dependents = index_dependents(inputs.observed, going(inputs.kinds, actions.values()))
    narrowed = narrowings(made.matches, actions, referrers, dependents)
    ordered = order(made.matches, desired, actions, referrers, narrowed, dependents)
    context = guard_context(
        inputs.consent, made.matches, ordered.actions, referrers, dependents, desired, narrowed, inputs.now,
        inputs.limits, inputs.ledger, others,
    )  # fmt: skip
    guarded = block_dependents(evaluate_guards(context), ordered.operations)
    nodes = topology(made.matches, desired, guarded.values()) if guarded else ()
    strangers = more_than_known(made.beside, others)
    made = replace(made, decided=replace(made.decided, findings=(*made.decided.findings, *left, *strangers)))
    return _plan(inputs, made, ordered, context, _shown(guarded, ordered, context, nodes, desired), nodes), made.matches


def _shown(
    actions: Mapping[Address, Action],
    ordered: Ordered,
    context: GuardContext,
    nodes: tuple[Node, ...],
    desired: Mapping[Address, Entry],
) -> tuple[Action, ...]:
    """The actions in the order of their operations, with what a person should see beside them."""
    users = _users(nodes)
    rank = {operation.address: index for index, operation in enumerate(ordered.operations)}
    shown = (
        replace(
            action,
            changes=with_system_names(context.kind(action), action.changes, context.matches),
            evidence=action_evidence(action, context),
            dependents=_dependents(str(action.address), users),
            holds_data=context.holds_data(action) and not _protects(context.kind(action)),
            users=lost.users if (lost := context.losses.get(action.address)) is not None else (),
            opens=(*action.opens, *action_openings(action, context.matches, actions, context.referrers)),
            deletes=deleted.fields if (deleted := deletion(action, context)) is not None else (),
        )
        for action in sorted(actions.values(), key=lambda action: (rank.get(action.address, -1), action.address))
    )
    return with_owners(
        (
            with_reductions(through_targets(action, context.matches, actions), context.matches, actions)
            for action in shown
        ),
        context.matches,
        desired,
    )


def _protects(kind: Kind) -> bool:
    """Whether objects of a kind only protect data that is elsewhere."""
    return kind.held is not None and bool(kind.held.unprotected)


def _plan(
    inputs: PlanInputs,
    made: Draft,
    ordered: Ordered,
    context: GuardContext,
    actions: tuple[Action, ...],
    nodes: tuple[Node, ...],
) -> Plan:
    entries, noted = {entry.address: entry for entry in inputs.entries}, latest_operations(inputs.ledger)
    rows = replications(made.matches, entries, inputs.ledger, inputs.now)
    states = object_states(made.matches, entries)
    silent = {row.address for row in rows if made.matches.match(Address.parse(row.address)).live is None}
    return Plan(
        format_version=FORMAT_VERSION,
        document=inputs.document,
        digest=inputs.digest,
        source=inputs.source,
        created=inputs.now.isoformat(timespec="seconds"),
        expires=(inputs.now + LIFETIME).isoformat(timespec="seconds"),
        parts=tuple(_site(inputs, site, part) for site, part in sorted(inputs.ledger.items())),
        actions=actions,
        operations=ordered.operations,
        unknown=tuple(sorted(made.decided.unknown, key=lambda unknown: (unknown.site, unknown.system, unknown.kind))),
        replications=rows,
        states=states,
        findings=(
            *inputs.findings,
            *ownership.warnings(context),
            *replication_findings(rows, silent, {str(action.address): action for action in actions}),
            *state_findings(states, made.matches, entries, {row.address for row in rows if row.state in ASTRAY}),
            *opened_outside(made.matches, entries),
            *missing_entries(noted, inputs.entries, inputs.ledger.keys()),
            *made.decided.findings,
            *ordered.findings,
        ),
        in_sync=made.decided.in_sync,
        targets=inputs.targets,
        topology=nodes,
        snapshot=inputs.snapshot,
        left=tuple(
            replace(left, changes=with_system_names(inputs.kinds[left.address.kind], left.changes, made.matches))
            for left in made.ignored
        ),
    )


def _site(inputs: PlanInputs, site: str, part: SiteLedger) -> PlannedSite:
    # a part that was never written has no lineage yet: every read would generate another one
    lineage = part.lineage if part.serial else ""
    return PlannedSite(site, lineage, part.serial, inputs.endpoints.get(site, {}), inputs.asked)


def _users(nodes: Iterable[Node]) -> dict[str, list[str]]:
    """What depends on each address directly, by name or by order: a volume on its view, for example."""
    users: dict[str, list[str]] = {}
    for node in nodes:
        for target in node.refers:
            users.setdefault(target, []).append(node.address)
    return users


def _dependents(address: str, users: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Everything that depends on an address, nearest first."""
    dependents: dict[str, None] = {}
    queue = deque([address])
    while queue:
        for user in users.get(queue.popleft(), ()):
            if user not in dependents and user != address:
                dependents[user] = None
                queue.append(user)
    return tuple(dependents)
