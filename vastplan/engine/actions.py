"""One action per address: what is desired, what is there and what was last applied, put side by side."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from vastplan.engine.diff import (
    diff,
    digests,
    fingerprint,
    from_nothing,
    leaf_digest,
    leaves,
    moved_by,
    same,
    value_at,
)
from vastplan.engine.match import Ambiguous, Match, Matcher, NotKnown, NotYet
from vastplan.engine.stale import seen
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.plan import Action, Block, UnknownCollection, Verb
from vastplan.model.site_ledger import REDACTED_DIGEST, Intent, SiteLedger, path_text
from vastplan.model.value import Ref, Reveal, references, revealed, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Field, Kind, Values
from vastplan.schema.markers import Marker
from vastplan.schema.references import fields_with_references


class Decider:
    """Decides what to do about each address. `unknown`, `findings` and `in_sync` say what came beside the actions."""

    def __init__(
        self,
        matcher: Matcher,
        ledger: Mapping[str, SiteLedger],
        desired: Mapping[Address, Entry],
        reveal: Reveal | None,
        targets: tuple[str, ...],
    ) -> None:
        self._matcher = matcher
        self._ledger = ledger
        self._desired = desired
        self._reveal = reveal
        self._targets = targets
        self.unknown: set[UnknownCollection] = set()
        self._blind: set[Address] = set()
        self._untold: set[Address] = set()
        self.findings: list[Finding] = []
        self.in_sync = 0

    def actions(self) -> dict[Address, Action]:
        """What is to be done, by address; what is in sync or unknown is not in it."""
        found: dict[Address, Action] = {}
        aimed = self._aimed()
        for entry in self._desired.values():
            if aimed is None or entry.address in aimed:
                action = self._desired_action(entry)
                if action is not None:
                    found[entry.address] = action
                elif entry.address not in self._blind and entry.address not in self._untold:
                    self.in_sync += 1
        for address in self._matcher.owned():
            if address not in self._desired and (aimed is None or address in aimed):
                action = self._gone_action(address)
                if action is not None:
                    found[address] = action
        return self._seeing(found)

    def _aimed(self) -> set[Address] | None:
        """The targets and everything that they need; `None` when all is aimed at."""
        targets = self._targets
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
                    needs = [ref.target for ref in references(entry.values)]
                    queue += [one for one in (*needs, *entry.after) if one in known]
        return found

    def _seeing(self, actions: dict[Address, Action]) -> dict[Address, Action]:
        """Without the actions that stand on something that could not be seen."""
        while True:
            lost = {}
            for address in actions:
                entry = self._desired.get(address)
                needs = [ref.target for ref in references(entry.values)] if entry else []
                blind = next((one for one in (*needs, *(entry.after if entry else ())) if one in self._blind), None)
                if blind is not None:
                    lost[address] = blind
            if not lost:
                return actions
            for address, blind in lost.items():
                self._unknown(address, f"it needs {blind}, which is unknown")
            actions = {address: action for address, action in actions.items() if address not in lost}

    def _unknown(self, address: Address, reason: str) -> None:
        kind = self._matcher.kinds[address.kind]
        self._blind.add(address)
        self.unknown.add(UnknownCollection(address.site, kind.system, kind.name, reason))

    def _desired_action(self, entry: Entry) -> Action | None:
        kind = self._matcher.kinds[entry.address.kind]
        match = self._matcher.match(entry.address)
        named = list(fields_with_references(kind.fields, entry.values))
        unknown = match.unknown or self._unread(named)
        if unknown:
            self._unknown(entry.address, unknown)
            return None
        if match.live is None:
            reason = "it was deleted behind our back" if match.owned else "not there yet"
            changes = from_nothing(kind, entry.values)
            return self._action(entry, named, verb=Verb.CREATE, reason=reason, changes=changes)
        try:
            # most kinds hold no secret, and there is nothing to look for in each of their objects
            secretive = any(field.secret for field in kind.fields)
            values = revealed(entry.values, self._reveal) if secretive and self._reveal else entry.values
        except VastplanError as problem:
            self.findings.append(error("VP302", str(problem), address=str(entry.address), where=entry.where))
            return None
        action = self._compared(entry, named, kind, match, values)
        if action is None:  # nothing to do, and nothing that would hold it back: but somebody ought to know
            self.findings += [
                Finding("VP304", Severity.WARNING, one.message, one.fix, str(entry.address), entry.where)
                for one in self._missing(entry, named)
            ]
        return action

    def _action(self, entry: Entry, named: list[tuple[Field, Ref]], **more: Any) -> Action:
        return Action(
            address=entry.address,
            desired=to_json(entry.values),
            origin=entry.origin,
            notes=entry.chosen,
            after=tuple(map(str, entry.after)),
            blocked=self._missing(entry, named),
            **more,
        )

    def _compared(
        self, entry: Entry, named: list[tuple[Field, Ref]], kind: Kind, match: Match, values: Values
    ) -> Action | None:
        assert match.live is not None
        part = self._ledger[entry.address.site]
        current = self._matcher.symbolic(kind, match.live, entry.values)
        intent = part.intents.get(str(entry.address))
        applied = match.owned.fields if match.owned else None
        recovered = match.owned is None and intent is not None and _made_by(intent, kind, values, current, part.key)
        if recovered and intent is not None:
            applied = intent.fields
        found = diff(kind, values, current, applied, part.key)
        released = found.released
        self._cannot_compare(entry, found.untold)
        fixed = [change.path for change in found.changes if change.replaces]
        if match.owned is None and not recovered:
            verb, reason = Verb.ADOPT, "it exists and is not ours"
        elif fixed:
            verb, reason = Verb.REPLACE, f"{', '.join(fixed)} cannot be changed in place"
        elif found.changes:
            verb, reason = Verb.UPDATE, moved_by(found.changes)
        elif recovered:
            verb, reason = Verb.RELEASE, "made by an apply that was interrupted; noted as ours"
        elif intent is not None and not _is_noted(applied or {}, digests(kind, values, part.key)):
            verb, reason, released = Verb.RELEASE, "done by an apply that was interrupted; noted", ()
        elif str(entry.address) not in part.entries:
            verb, reason = Verb.RELEASE, f"renamed from {entry.renamed_from}; nothing changes there"
        elif found.released:
            verb, reason = Verb.RELEASE, "no longer in the document; left as they are"
        else:
            return None
        return self._action(
            entry,
            named,
            verb=verb,
            reason=reason,
            id=match.live.id,
            locator=match.live.locator,
            changes=found.changes,
            released=released,
            fingerprint=fingerprint(kind, entry.values, current),
        )

    def _cannot_compare(self, entry: Entry, untold: tuple[str, ...]) -> None:
        """Against a snapshot: what is secret, and what somebody else keeps under a free key, is neither in sync nor changed."""
        if untold:
            self._untold.add(entry.address)
            text = f"{', '.join(untold)}: not in the snapshot, so it cannot be told whether it would change"
            fix = "a live plan compares it"
            self.findings.append(
                Finding("VP330", Severity.NOTE, text, fix, address=str(entry.address), where=entry.where)
            )

    def _gone_action(self, address: Address) -> Action | None:
        match = self._matcher.match(address)
        if match.unknown:
            self._unknown(address, match.unknown)
            return None
        assert match.owned is not None
        if match.live is not None:
            kind = match.live.kind
            return Action(
                address=address,
                verb=Verb.DELETE,
                reason="no longer in the document",
                id=match.owned.id,
                locator=match.live.locator,
                seen=seen(kind, match.live.values, match.owned.fields),
            )
        reason = "no longer in the document, and already gone"
        return Action(address=address, verb=Verb.RELEASE, reason=reason, id=match.owned.id, locator=match.owned.locator)

    def _unread(self, named: list[tuple[Field, Ref]]) -> str:
        """Why something that is referred to is unknown."""
        for _, ref in named:
            problem = self._matcher.observed.error(ref.target.site, ref.target.kind)
            by_name = not ref.managed and self._matcher.observed.absent(ref.target.site, ref.target.kind)
            if problem and not by_name:
                return f"it refers to {ref.target}: {problem}"
        return ""

    def _missing(self, entry: Entry, named: list[tuple[Field, Ref]]) -> tuple[Block, ...]:
        """What is said to exist and does not, unless something that comes first makes it (the mirror of a peer)."""
        found = []
        for field, ref in named:
            if ref.managed or field.refers is None:
                continue
            if any((one.kind, one.name) == (ref.target.kind, ref.target.name) for one in entry.after):
                continue
            try:
                self._matcher.resolve(ref, field.refers.attribute(ref.target.kind))
            except Ambiguous as reason:
                text = f"{field.name} refers to {ref.target.name} by name alone, and {reason}"
                found.append(Block("ambiguous", text, "a name that only one of them has"))
            except (NotYet, NotKnown):
                text = f"{field.name} refers to an existing {ref.target.kind} {ref.target.name}, and {ref.target.site} has none"
                found.append(Block("missing", text, "another name, or make it first"))
        return tuple(found)


def _made_by(intent: Intent, kind: Kind, desired: Values, current: Values, key: str) -> bool:
    """Whether a live object is what an interrupted create meant to make: every leaf it sent is there as it was sent.

    A leaf that the document still says counts as there when it needs no change: a system shows null in ways of its own.
    """
    if intent.verb not in ("create", "replace"):
        return False
    there = digests(kind, current, key)
    unseen = {field.name for field in kind.fields if field.has(Marker.WRITE_ONLY) or field.has(Marker.AFTER_CREATE)}
    kept = {
        path_text(leaf.path): leaf_digest(key, leaf.field, leaf.value)
        for leaf in leaves(kind.fields, desired)
        if same(leaf.field, leaf.value, value_at(current, leaf.path))
    }
    return all(
        one in (there.get(path), kept.get(path), REDACTED_DIGEST)
        for path, one in intent.fields.items()
        if path.partition(".")[0] not in unseen
    )


def _is_noted(applied: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether the ledger's digests are those of what is desired, as far as a snapshot tells them."""
    return applied.keys() == now.keys() and all(was in (now[path], REDACTED_DIGEST) for path, was in applied.items())
