"""The verdict on an address that only the ledger has: deleted, released, or kept for a while."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import datetime

from vastplan.engine.deciding.staleness import owned_values
from vastplan.engine.deciding.verb import Verdict
from vastplan.engine.live.groups import MemberRole, part_of, undetermined_role
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.renames import way_to_rename
from vastplan.engine.matching.counterparts import Elsewhere
from vastplan.engine.values.succession import goes_because, going_with, replaced_at, stays_until
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.site_ledger import Owned
from vastplan.schema.entries import Entry


class Departures:
    """The data that these verdicts use; it does not change while addresses are decided."""

    def __init__(self, matches: Matches, desired: Mapping[Address, Entry], retired: Set[str], now: datetime) -> None:
        self._matches, self._desired, self._retired, self._now = matches, desired, retired, now
        self._elsewhere = Elsewhere(matches, desired)

    def verdict(self, address: Address, decided: Mapping[Address, Action]) -> Verdict:
        """The verdict; for a former object all addresses of the document must be `decided` before."""
        match = self._matches.match(address)
        if match.unknown:
            return Verdict(unknown=match.unknown)
        owned, live = match.owned, match.live
        assert owned is not None
        if live is not None and live.kind.grouped is not None:
            verdict = self._of_a_member(address, owned, live)
            if verdict is not None:
                return verdict
        reason = "its site is retired" if address.site in self._retired else "no longer in the document"
        former = self._matches.formers.get(address)
        entry = None if former is None else self._desired.get(former.of)
        together: tuple[str, ...] = ()
        if former is not None and entry is not None:
            reason = goes_because(former)
            replaced = replaced_at(self._matches, address, former)
            kept = stays_until(self._matches.kinds[address.kind], former, entry, replaced, self._now, address)
            if live is not None and kept is not None:
                together = going_with(self._matches.kinds[address.kind], owned, decided)
                if not together:
                    return Verdict(findings=[kept])
                reason = f"{reason}, and what it belongs to is deleted: {', '.join(together)}"
        if live is None:
            reason = f"{reason}, and already gone"
            return Verdict(Action(address, Verb.RELEASE, reason, id=owned.id, locator=owned.locator))
        other = self._matches.address_of(live)
        if other is not None and other != address:
            reason = f"{reason}; the object stays, as {other} is the same object"
            return Verdict(Action(address, Verb.RELEASE, reason, id=owned.id, locator=owned.locator))
        wanted = self._matches.wanted_as.get(address)
        blocked: tuple[Block, ...] = ()
        if wanted is not None:
            text = f"{wanted} would create the same object"
            blocked = (Block("renamed", text, way_to_rename(address, self._desired[wanted], self._matches.typed)),)
        return Verdict(
            Action(
                address=address,
                verb=Verb.DELETE,
                reason=reason,
                id=owned.id,
                locator=live.locator,
                seen=owned_values(live.kind, live.values, owned.fields),
                blocked=blocked,
                together=together,
            )
        )

    def _of_a_member(self, address: Address, owned: Owned, live: Live) -> Verdict | None:
        """The verdict on a member whose group the document has on another site now: it is released once the source is there.

        The live object stays. `None` where no entry on another site means the group.
        """
        unknown = undetermined_role(self._matches.observed, live)
        if unknown:
            return Verdict(unknown=unknown)
        other = self._elsewhere.of(address, live)
        if other is None:
            return None
        match = self._matches.match(other)
        if match.live is None or part_of(match.live) not in (MemberRole.SOURCE, MemberRole.MEMBER):
            return Verdict()
        reason = f"it belongs to {other}, which is in the document; the object here stays"
        return Verdict(Action(address, Verb.RELEASE, reason, id=owned.id, locator=owned.locator))
