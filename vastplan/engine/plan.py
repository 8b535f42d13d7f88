"""From desired, live and last applied to a plan. No I/O, no clock of its own, no vendor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any

from vastplan.engine.diff import (
    Difference,
    diff,
    digests,
    fingerprint,
    from_nothing,
    leaf_digest,
    leaves,
    same,
    value_at,
)
from vastplan.engine.guard import Consent, Context, evidence, hold_back, judge
from vastplan.engine.match import Match, Matcher, NotKnown, NotYet
from vastplan.engine.observe import Observed
from vastplan.engine.order import Order, fields_with_references
from vastplan.model.address import Address
from vastplan.model.diagnostic import Diagnostic, error
from vastplan.model.errors import VastplanError
from vastplan.model.plan import FORMAT_VERSION, Action, Block, Cause, Operation, Part, Plan, Unknown, Verb
from vastplan.model.state import Intent, LedgerPart, path_text
from vastplan.model.value import Secret, canonical, references, to_json
from vastplan.words.document import Entry
from vastplan.words.kind import Kind, Values
from vastplan.words.marks import Mark

LIFETIME = timedelta(hours=24)
Reveal = Callable[[Secret], str]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a plan is made from."""

    document: str
    digest: str
    source: str
    kinds: Mapping[str, Kind]
    entries: tuple[Entry, ...]
    observed: Observed
    ledger: Mapping[str, LedgerPart]
    endpoints: Mapping[str, Mapping[str, str]]
    consent: Consent
    reveal: Reveal
    now: datetime
    targets: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = field(default_factory=tuple)


def wanted(
    kinds: Mapping[str, Kind],
    entries: Iterable[Entry],
    ledger: Mapping[str, LedgerPart],
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
        for target in targets_of(kind):
            found |= {(site, name) for site, one in used if one == target and kind.system in systems.get(site, ())}
    return {(site, name) for site, name in found if name in kinds}


def targets_of(kind: Kind) -> set[str]:
    """The kinds that a live object of a kind can refer to."""

    def walk(fields: Iterable[Any]) -> set[str]:
        found: set[str] = set()
        for one in fields:
            if one.has(Mark.DOCUMENT):
                continue
            if Mark.DOCUMENT in one.marks:
                continue
            found |= {target for target, _ in one.refers.targets} if one.refers else set()
            found |= walk(one.fields)
        return found

    return walk(kind.fields)


def build(request: Request) -> Plan:
    """The plan."""
    desired = {entry.address: entry for entry in request.entries}
    matcher = Matcher(request.kinds, request.observed, request.ledger, desired)
    builder = _Builder(request, matcher, desired)
    actions = builder.actions()
    order = Order(matcher, desired, actions)
    operations = order.operations()
    owned: dict[tuple[str, str], int] = {}
    for address in matcher.owned():
        owned[address.site, address.kind] = owned.get((address.site, address.kind), 0) + 1
    context = Context(request.consent, matcher, order, request.now, owned)
    judge(context)
    final = hold_back(order.actions, operations)
    users = _users(request.entries)
    rank = {operation.address: index for index, operation in enumerate(operations)}
    shown = tuple(
        replace(action, evidence=evidence(action, context), dependents=_dependents(str(action.address), users))
        for action in sorted(final.values(), key=lambda one: (rank.get(one.address, -1), one.address))
    )
    return Plan(
        format_version=FORMAT_VERSION,
        document=request.document,
        digest=request.digest,
        source=request.source,
        created=request.now.isoformat(timespec="seconds"),
        expires=(request.now + LIFETIME).isoformat(timespec="seconds"),
        parts=tuple(
            # a part that was never written has no lineage yet: every reading would make up another
            Part(site, part.lineage if part.serial else "", part.serial, request.endpoints.get(site, {}))
            for site, part in sorted(request.ledger.items())
        ),
        actions=shown,
        operations=operations,
        unknown=tuple(sorted(builder.unknown, key=lambda one: (one.site, one.system, one.kind))),
        findings=(*request.findings, *builder.findings, *order.findings),
        in_sync=builder.in_sync,
        targets=request.targets,
    )


class _Builder:
    """Decides one action per address."""

    def __init__(self, request: Request, matcher: Matcher, desired: Mapping[Address, Entry]) -> None:
        self._request = request
        self._matcher = matcher
        self._desired = desired
        self.unknown: set[Unknown] = set()
        self._blind: set[Address] = set()
        self.findings: list[Diagnostic] = []
        self.in_sync = 0

    def actions(self) -> dict[Address, Action]:
        found: dict[Address, Action] = {}
        aimed = self._aimed()
        for entry in self._request.entries:
            if aimed is None or entry.address in aimed:
                action = self._desired_action(entry)
                if action is not None:
                    found[entry.address] = action
                elif entry.address not in self._blind:
                    self.in_sync += 1
        for address in self._matcher.owned():
            if address not in self._desired and (aimed is None or address in aimed):
                action = self._gone_action(address)
                if action is not None:
                    found[address] = action
        return self._seeing(found)

    def _aimed(self) -> set[Address] | None:
        """The targets and everything that they need; `None` when all is aimed at."""
        targets = self._request.targets
        if not targets:
            return None
        known = {*self._desired, *self._matcher.owned()}
        queue = [address for address in known if any(fnmatchcase(str(address), target) for target in targets)]
        if not queue:
            self.findings.append(
                error("VP303", f"no object matches {', '.join(targets)}", fix="an address is site/kind/name")
            )
        found: set[Address] = set()
        while queue:
            address = queue.pop()
            if address not in found:
                found.add(address)
                entry = self._desired.get(address)
                if entry is not None:
                    needs = [ref.target for ref in references(dict(entry.values))]
                    queue += [one for one in (*needs, *entry.after) if one in known]
        return found

    def _seeing(self, actions: dict[Address, Action]) -> dict[Address, Action]:
        """Without the actions that stand on something that could not be seen."""
        while True:
            lost = {}
            for address in actions:
                entry = self._desired.get(address)
                needs = [ref.target for ref in references(dict(entry.values))] if entry else []
                blind = next((one for one in (*needs, *(entry.after if entry else ())) if one in self._blind), None)
                if blind is not None:
                    lost[address] = blind
            if not lost:
                return actions
            for address, blind in lost.items():
                self._unknown(address, f"it needs {blind}, which is unknown")
            actions = {address: action for address, action in actions.items() if address not in lost}

    def _unknown(self, address: Address, reason: str) -> None:
        kind = self._request.kinds[address.kind]
        self._blind.add(address)
        self.unknown.add(Unknown(address.site, kind.system, kind.name, reason))

    def _desired_action(self, entry: Entry) -> Action | None:
        kind = self._request.kinds[entry.address.kind]
        match = self._matcher.match(entry.address)
        part = self._request.ledger[entry.address.site]
        if match.unknown:
            self._unknown(entry.address, match.unknown)
            return None
        unread = self._unread_reference(kind, entry)
        if unread:
            self._unknown(entry.address, unread)
            return None
        base = Action(
            address=entry.address,
            verb=Verb.CREATE,
            reason="not there yet",
            desired=to_json(dict(entry.values)),
            origin=entry.origin,
            notes=entry.chosen,
            after=tuple(map(str, entry.after)),
        )
        base = replace(base, blocked=self._missing(kind, entry))
        if match.live is None:
            base = replace(base, changes=from_nothing(kind, entry.values))
            return replace(base, reason="it was deleted behind our back") if match.owned else base
        try:
            revealed = self._revealed(entry.values)
        except VastplanError as problem:
            self.findings.append(error("VP302", str(problem), address=str(entry.address), where=entry.where))
            return None
        return self._compared(base, kind, match, revealed, part, entry)

    def _compared(
        self, base: Action, kind: Kind, match: Match, revealed: Values, part: LedgerPart, entry: Entry
    ) -> Action | None:
        assert match.live is not None
        current = self._matcher.symbolic(kind, match.live, entry.values)
        intent = part.intents.get(str(entry.address))
        applied = match.owned.fields if match.owned else None
        recovered = match.owned is None and intent is not None and _made_by(intent, kind, revealed, current, part.key)
        if recovered and intent is not None:
            applied = intent.fields
        found = diff(kind, revealed, current, applied, part.key)
        base = replace(
            base,
            id=match.live.id,
            locator=match.live.locator,
            changes=found.changes,
            released=found.released,
            fingerprint=fingerprint(kind, entry.values, current),
        )
        if match.owned is None and not recovered:
            return replace(base, verb=Verb.ADOPT, reason="it exists and is not ours")
        if found.changes:
            fixed = [change.path for change in found.changes if change.replaces]
            if fixed:
                return replace(base, verb=Verb.REPLACE, reason=f"{', '.join(fixed)} cannot be changed in place")
            return replace(base, verb=Verb.UPDATE, reason=_moved_by(found))
        if recovered:
            return replace(base, verb=Verb.RELEASE, reason="made by an apply that was interrupted; noted as ours")
        if intent is not None and dict(applied or {}) != digests(kind, revealed, part.key):
            return replace(base, verb=Verb.RELEASE, released=(), reason="done by an apply that was interrupted; noted")
        if str(entry.address) not in part.entries:
            return replace(base, verb=Verb.RELEASE, reason=f"renamed from {entry.renamed_from}; nothing changes there")
        if found.released:
            return replace(base, verb=Verb.RELEASE, reason="no longer in the document; left as they are")
        return None

    def _gone_action(self, address: Address) -> Action | None:
        match = self._matcher.match(address)
        if match.unknown:
            self._unknown(address, match.unknown)
            return None
        assert match.owned is not None
        base = Action(
            address=address,
            verb=Verb.DELETE,
            reason="no longer in the document",
            id=match.owned.id,
            locator=match.owned.locator,
        )
        if match.live is None:
            return replace(base, verb=Verb.RELEASE, reason="no longer in the document, and already gone")
        return replace(base, locator=match.live.locator)

    def _unread_reference(self, kind: Kind, entry: Entry) -> str:
        for _, ref in fields_with_references(kind.fields, entry.values):
            problem = self._matcher.observed.error(ref.target.site, ref.target.kind)
            named = not ref.managed and self._matcher.observed.absent(ref.target.site, ref.target.kind)
            if problem and not named:
                return f"it refers to {ref.target}: {problem}"
        return ""

    def _missing(self, kind: Kind, entry: Entry) -> tuple[Block, ...]:
        """What is said to exist and does not, unless something that comes first makes it (the mirror of a peer)."""
        found = []
        for one_field, ref in fields_with_references(kind.fields, entry.values):
            if ref.managed or one_field.refers is None:
                continue
            if any((one.kind, one.name) == (ref.target.kind, ref.target.name) for one in entry.after):
                continue
            try:
                self._matcher.resolve(ref, one_field.refers.attribute(ref.target.kind))
            except (NotYet, NotKnown):
                text = f"{one_field.name} refers to an existing {ref.target.kind} {ref.target.name}, and {ref.target.site} has none"
                found.append(Block("missing", text, "another name, or make it first"))
        return tuple(found)

    def _revealed(self, value: Any) -> Any:
        if isinstance(value, Secret):
            return self._request.reveal(value)
        if isinstance(value, Mapping):
            return {key: self._revealed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._revealed(item) for item in value]
        return value


def _made_by(intent: Intent, kind: Kind, desired: Values, current: Values, key: str) -> bool:
    """Whether a live object is what an interrupted create meant to make: every leaf it sent is there as it was sent.

    A leaf that the document still says counts as there when it needs no change: a system shows null in ways of its own.
    """
    if intent.verb not in ("create", "replace"):
        return False
    there = digests(kind, current, key)
    unseen = {field.name for field in kind.fields if field.has(Mark.WRITE_ONLY) or field.has(Mark.AFTER_CREATE)}
    kept = {
        path_text(leaf.path): leaf_digest(key, leaf.field, leaf.value)
        for leaf in leaves(kind.fields, desired)
        if same(leaf.field, leaf.value, value_at(current, leaf.path))
    }
    return all(
        one in (there.get(path), kept.get(path))
        for path, one in intent.fields.items()
        if path.partition(".")[0] not in unseen
    )


def _moved_by(found: Difference) -> str:
    causes = {change.cause for change in found.changes}
    if causes <= {Cause.SYSTEM}:
        return "it was changed behind our back"
    if causes <= {Cause.DOCUMENT, Cause.NEW}:
        return "the document changed"
    return "both the document and the system changed"


def _users(entries: Iterable[Entry]) -> dict[str, list[str]]:
    """Who refers to each address directly, derived parts counted as their origin's."""
    users: dict[str, list[str]] = {}
    for entry in entries:
        for ref in references(dict(entry.values)):
            users.setdefault(str(ref.target), []).append(str(entry.address))
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
    import hashlib

    resolved = {str(entry.address): to_json(dict(entry.values)) for entry in entries}
    return hashlib.sha256(canonical({"name": name, "entries": resolved}).encode()).hexdigest()


__all__ = ["LIFETIME", "Operation", "Request", "build", "document_digest", "targets_of", "wanted"]
