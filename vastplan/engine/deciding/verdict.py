"""The verdict on one address: the desired, the live and the last applied values, compared."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from vastplan.engine.access.opening import adopted_openings
from vastplan.engine.deciding.departure import Departures
from vastplan.engine.deciding.missing_targets import (
    Named,
    contested_target,
    missing_names,
    missing_targets,
    unread_target,
)
from vastplan.engine.deciding.refused import with_refused
from vastplan.engine.deciding.verb import INTERRUPTED, RUNNING, Verdict, verb_of
from vastplan.engine.live.diff import Difference, applied_with, diff, digests, live_fingerprint
from vastplan.engine.live.groups import MemberRole, costs, is_lost, part_of, turned, undetermined_role
from vastplan.engine.live.matches import Match, Matches, ValueFault
from vastplan.engine.live.new_names import called_as_it_is
from vastplan.engine.live.observe import Live
from vastplan.engine.live.renames import way_to_rename
from vastplan.engine.live.secret_sources import created_fields, with_sources
from vastplan.engine.matching.interrupted import is_created_by, is_noted, standing_intent
from vastplan.engine.values import creation as once
from vastplan.engine.values.delivery import delivers_of, fault, generation_of, is_lower, is_pending
from vastplan.engine.values.succession import (
    drawn_because,
    made_because,
)
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.plan import DOES_NOT_EXIST, Action, Block, Cause, FieldChange, Verb
from vastplan.model.site_ledger import NO_DIGESTS, UNKNOWN_DIGEST, Owned, SiteLedger
from vastplan.model.value import Ref, Reveal, Unknown, revealed, to_json
from vastplan.schema.creation import Delivers
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Refers
from vastplan.schema.references import fields_with_references
from vastplan.schema.site_groups import Grouped
from vastplan.schema.walk import in_sync

_IN_SYNC = Verdict()
_CAUSES = {ValueFault.GONE: Cause.SYSTEM, ValueFault.OTHER: Cause.DOCUMENT, ValueFault.MOVED: Cause.DOCUMENT}
_NO_SOURCES: Mapping[str, str] = {}


class Verdicts:
    """The data that all verdicts use; it does not change while addresses are decided."""

    def __init__(
        self,
        matches: Matches,
        ledger: Mapping[str, SiteLedger],
        desired: Mapping[Address, Entry],
        reveal: Reveal | None,
        retired: Set[str],
        now: datetime,
        held: Set[str],
    ) -> None:
        self._matches, self._ledger, self._desired, self._reveal = matches, ledger, desired, reveal
        self._departures, self._held = Departures(matches, desired, retired, now), held

    def verdict(self, address: Address, decided: Mapping[Address, Action]) -> Verdict:
        """The verdict on an address of the document or of the ledger; for a former object all others must be `decided` before."""
        entry = self._desired.get(address)
        decision = self._departures.verdict(address, decided) if entry is None else self._of_entry(entry)
        if entry is not None and entry.named and decision.action is not None:
            decision = replace(decision, findings=(*decision.findings, *missing_names(self._matches, entry)))
        if not self._matches.renames.contested:
            return decision
        contested = self._matches.renames.contested.get(address)
        findings = [*decision.findings]
        if contested is not None and entry is not None and entry.renamed_from:
            finding = Finding("VP309", Severity.WARNING, contested.message, contested.fix, str(address), entry.where)
            findings.append(finding)
        block = contested or contested_target(self._matches, entry)
        action = decision.action
        if action is not None and block is not None:
            action = replace(action, blocked=(*action.blocked, block))
        return replace(decision, action=action, findings=findings)

    def _of_entry(self, entry: Entry) -> Verdict:
        kind = self._matches.kinds[entry.address.kind]
        match = self._matches.match(entry.address)
        if self._plainly_in_sync(entry, kind, match):
            return _IN_SYNC
        delivers = delivers_of(kind, entry.values)
        had = self._had(entry.address, match) if delivers is not None else None
        if delivers is not None and had is not None and is_lower(delivers, entry.values, had):
            return Verdict(compared=False, findings=[_lower(entry, delivers, had)])
        named = list(fields_with_references(kind.fields, entry.values))
        if kind.grouped is not None and match.live is not None:
            entry, named = self._as_a_member(entry, named, match.live)
        unknown = match.unknown or self._changing(match.live) or unread_target(self._matches, named)
        if unknown:
            return Verdict(unknown=unknown)
        if match.live is None:
            key = self._ledger[entry.address.site].key
            recreation = None if match.owned is None else once.recreation_finding(entry, kind, match.owned, key)
            if recreation is None:
                return Verdict(self._create(entry, named, kind, match))
            return Verdict(compared=recreation.severity is not Severity.ERROR, findings=[recreation])
        if match.owned is not None and entry.defaults:
            entry = called_as_it_is(entry, match.live)
        try:
            # most kinds have no secret fields, so their objects are not searched for secrets
            values = revealed(entry.values, self._reveal) if self._reveal and kind.secretive else entry.values
        except VastplanError as problem:
            finding = error("VP302", str(problem), address=str(entry.address), where=entry.where)
            return Verdict(compared=False, findings=[finding])
        return self._compared(entry, named, kind, match, match.live, values)

    def _changing(self, live: Live | None) -> str:
        """Why the role of an object shared by several sites cannot be determined."""
        return "" if live is None or live.kind.grouped is None else undetermined_role(self._matches.observed, live)

    def _as_a_member(self, entry: Entry, named: Named, live: Live) -> tuple[Entry, Named]:
        """The entry of a group member as far as it can be compared: fields that refer to a site without an answer get live values."""
        site = entry.address.site
        unread = {
            field.name for field, ref in named if ref.target.site != site and self._matches.unread(ref)
        } & live.values.keys()
        if not unread:
            return entry, named
        values = {**entry.values, **{name: live.values[name] for name in unread}}
        return replace(entry, values=values), [(field, ref) for field, ref in named if field.name not in unread]

    def _plainly_in_sync(self, entry: Entry, kind: Kind, match: Match) -> bool:
        """Whether an object is in sync, determined without naming its references; false decides nothing.

        It is true of nearly all objects, and takes a third of the time of a full comparison.
        """
        live, owned, part = match.live, match.owned, self._ledger[entry.address.site]
        if (
            live is None
            or owned is None
            or self._changing(live)
            or is_lost(live)
            or match.unknown
            or part.intents
            or entry.address in self._matches.renames.moves
        ):
            return False
        if kind.secretive or not NO_DIGESTS.isdisjoint(owned.fields.values()):
            return False
        site, resolve = live.site, self._matches.resolve

        def same_reference(refers: Refers, ref: Ref, raw: Any) -> bool:
            attribute = refers.attributes.get(ref.target.kind)
            if attribute is None or (attribute == "id" and ref.target.site != site):
                return False
            value = resolve(ref, attribute)
            return not isinstance(value, Unknown) and raw is not None and str(value) == str(raw)

        applied_as = applied_with(kind, part.key)
        return in_sync(kind.fields, entry.values, live.values, owned.fields, same_reference, applied_as)

    def _create(self, entry: Entry, named: Named, kind: Kind, match: Match) -> Action:
        blocked, outside, reason = (
            missing_targets(self._matches, self._desired, entry, named, kind),
            False,
            DOES_NOT_EXIST,
        )
        key = self._ledger[entry.address.site].key
        if match.owned is not None:
            intent = standing_intent(self._matches, self._ledger, entry.address)
            outside = intent is None or not intent.takes_away
            reason = "deleted outside vastplan" if outside else f"deleted by {self._writer(entry.address.site)}"
        former = self._matches.remade.get(entry.address)
        if former is not None:
            reason = made_because(self._matches.formers[former], kind, entry, self._matches.owned[former])
            outside = self._matches.formers[former].fault is ValueFault.GONE
        if match.holder is not None and match.holder not in self._desired:
            text = f"it exists: the ledger has it as {match.holder}, which is no longer in the document"
            blocked = (*blocked, Block("renamed", text, way_to_rename(match.holder, entry, self._matches.typed)))
        if match.member_of is not None and kind.grouped is not None and kind.grouped.role:
            blocked = (*blocked, _led_elsewhere(entry, kind.grouped, match.member_of))
        return Action(
            address=entry.address,
            verb=Verb.CREATE,
            reason=self._reason(entry, reason),
            changes=created_fields(kind, entry.values),
            desired=to_json(entry.values),
            origin=entry.origin,
            notes=(*entry.chosen, *(costs(kind, entry.values, match.owned, key) if match.owned is not None else ())),
            after=tuple(map(str, entry.after)),
            blocked=blocked,
            deleted_outside=outside,
            renamed_from=self._renamed_from(entry.address),
            supersedes="" if former is None else str(former),
        )

    def _had(self, address: Address, match: Match) -> Owned | None:
        """The ledger's record of an entry's object, also of one that becomes a former object now."""
        former = self._matches.remade.get(address)
        return match.owned if former is None else self._matches.owned[former]

    def _renamed_from(self, address: Address) -> str:
        """The address under which the ledger still has a renamed object; "" for one that is not renamed."""
        old = self._matches.renames.moves.get(address)
        return "" if old is None else str(old)

    def _reason(self, entry: Entry, reason: str, replaced: str = "") -> str:
        """The reason, with the former name of a renamed object; if that is `replaced` for its name, also how to keep it instead."""
        old = self._matches.renames.moves.get(entry.address)
        if old is None:
            return reason
        other = f"; to keep the live object instead: {entry.kept_by}" if replaced and entry.kept_by else ""
        return f"renamed from {old.name}: {reason}{other}"

    def _compared(self, entry: Entry, named: Named, kind: Kind, match: Match, live: Live, values: Values) -> Verdict:
        part = self._ledger[entry.address.site]
        current = turned(live, values, self._matches.symbolic(kind, live, [ref for _, ref in named]))
        renamed_from = self._renamed_from(entry.address)
        intent = standing_intent(self._matches, self._ledger, entry.address)
        applied = match.owned.fields if match.owned else None
        recovered = (
            match.owned is None and intent is not None and is_created_by(intent, kind, values, current, part.key)
        )
        if recovered and intent is not None:
            applied = intent.fields
        wire = match.owned.wire if match.owned else None
        difference = diff(kind, values, current, applied, part.key, live.values, wire)
        difference, refused = with_refused(difference, kind, part)
        difference, resourced = with_sources(
            difference, kind, entry.values, match.owned.sources if match.owned else _NO_SOURCES
        )
        difference, drawn = self._with_delivery(difference, kind, entry, match.owned or _as_noted(kind, applied))
        if fields := once.remade(kind, difference.changes):
            return Verdict(compared=False, findings=[once.changed_source(entry, kind, fields)])
        findings = [_not_in_the_snapshot(entry, difference.unknown)] if difference.unknown else []
        noted = intent is None or is_noted(applied or {}, digests(kind, values, part.key))
        noted = noted and (match.owned is None or not is_pending(match.owned))
        imported = UNKNOWN_DIGEST in (applied or {}).values()
        decision = verb_of(
            difference, match, recovered=recovered, noted=noted, renamed_from=renamed_from, imported=imported,
            resourced=resourced, writer=self._writer(entry.address.site), refused=refused,
        )  # fmt: skip
        blocked = missing_targets(self._matches, self._desired, entry, named, kind)
        if decision is None:  # nothing to do, so nothing to block: the blocks become warnings
            findings += [
                Finding("VP304", Severity.WARNING, block.message, block.fix, str(entry.address), entry.where)
                for block in blocked
            ]
            return Verdict(compared=not difference.unknown, findings=findings)
        verb, reason, released = decision
        if match.member_of is not None and kind.grouped is not None:
            reason = f"it belongs to {match.member_of}, which is in the ledger"
            if part_of(live) not in (MemberRole.SOURCE, MemberRole.MEMBER):
                blocked = (*blocked, _led_elsewhere(entry, kind.grouped, match.member_of))
        made_again = verb is Verb.ADOPT and intent is None and entry.address in self._matches.owned
        if made_again:
            reason = (
                once.another_exists(kind, self._matches.owned[entry.address])
                or "deleted and recreated outside vastplan: the live object is not in the ledger"
            )
        action = Action(
            address=entry.address,
            verb=verb,
            reason=reason if verb is Verb.RELEASE else self._reason(entry, reason, _renaming(kind, difference)),
            changes=difference.changes,
            released=released,
            desired=to_json(entry.values),
            origin=entry.origin,
            id=live.id,
            locator=live.locator,
            fingerprint=live_fingerprint(kind, entry.values, current),
            notes=(
                *(() if verb is Verb.UPDATE else entry.chosen),  # what was chosen when the object was made
                *drawn,
                *(costs(kind, entry.values, match.owned, part.key) if verb is Verb.REPLACE else ()),
            ),
            after=tuple(map(str, entry.after)),
            blocked=blocked,
            deleted_outside=made_again,
            renamed_from=renamed_from,
            opens=tuple(adopted_openings(kind, entry.values, difference.unrecorded)) if verb is Verb.RELEASE else (),
        )
        return Verdict(action, findings=findings)

    def _writer(self, site: str) -> str:
        """The apply that has not recorded the outcome of a write."""
        return RUNNING if site in self._held else INTERRUPTED

    def _with_delivery(
        self, difference: Difference, kind: Kind, entry: Entry, owned: Owned
    ) -> tuple[Difference, tuple[str, ...]]:
        """The difference, with a change for a value that has to be drawn again, and the notes about that."""
        delivers = delivers_of(kind, entry.values)
        if delivers is None:
            return difference, ()
        if owned.imported:  # the generation of the delivered value is not known here: the live value is taken for it
            changes = tuple(change for change in difference.changes if change.path != delivers.generation)
            difference = replace(difference, changes=changes, paths=difference.paths - {(delivers.generation,)})
        if owned.generation:  # only the ledger knows it
            changes = tuple(
                replace(change, before=owned.generation) if change.path == delivers.generation else change
                for change in difference.changes
            )
            difference = replace(difference, changes=changes)
        if not delivers.drawn:
            return difference, ()
        why = fault(kind, delivers, owned, entry.values, self._matches, self._ledger[entry.address.site].key)
        if why is None:
            return difference, ()
        notes = (drawn_because(delivers, why),)
        if why is ValueFault.GENERATION:  # another generation is a change already
            return difference, notes
        change = FieldChange(delivers.to, None, None, _CAUSES.get(why, Cause.NEW), sensitive=True)
        return replace(difference, changes=(*difference.changes, change)), notes


def _led_elsewhere(entry: Entry, grouped: Grouped, first: Address) -> Block:
    """The block for an entry whose site is not the source of its group yet."""
    text = f"{first} is still its source: nothing here is created or changed"
    back = f"{grouped.chosen_by}: {first.site}" if entry.origin else f"write it for {first.site}"
    return Block("copy", text, f"make {entry.address.site} its source first, or {back}")


def _as_noted(kind: Kind, applied: Mapping[str, str] | None) -> Owned:
    """A record for an object that the ledger does not have: with the digests of an interrupted create, else with none known."""
    assert kind.delivers is None or applied is None or applied
    generation = "" if kind.delivers is None else kind.delivers.generation
    return Owned("", "", applied or {generation: UNKNOWN_DIGEST})


def _lower(entry: Entry, delivers: Delivers, had: Owned) -> Finding:
    """VP336: a lower generation asks for a former value, which cannot be restored; 1 is the default."""
    name, number = delivers.generation, generation_of(delivers, entry.values)
    left_out = " (the default)" if number == 1 else ""
    text = f"{name} {number}{left_out} is lower than {had.generation} in the ledger: no former value can be restored"
    fix = f"{name}: {had.generation} to leave it as it is, {name}: {had.generation + 1} for another value"
    return error("VP336", text, fix=fix, address=str(entry.address), where=entry.where)


def _renaming(kind: Kind, difference: Difference) -> str:
    """The fields of the identity that change and cannot be changed in place; "" for none."""
    return ", ".join(change.path for change in difference.changes if change.replaces and change.path in kind.identity)


def _not_in_the_snapshot(entry: Entry, paths: tuple[str, ...]) -> Finding:
    """VP330, a note: leaves that a snapshot does not contain (secrets, others' values under free keys) are neither in sync nor changed."""
    text = f"{', '.join(paths)}: not in the snapshot; cannot determine whether it would change"
    fix = "compare it with a live plan"
    return Finding("VP330", Severity.NOTE, text, fix, address=str(entry.address), where=entry.where)
