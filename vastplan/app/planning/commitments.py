"""The live objects whose promised sizes are summed, before and after an apply; resolves only the references that the sums need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.live_sums import CLAIM_HOME, CLAIM_SIZE, CLAIMS, SUMMED_LIVE, Followed
from vastplan.checks.live_values import number_of
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def with_live(facts: Facts, sites: Iterable[str], observed: Observed, matches: Matches) -> Facts:
    """The facts with the live objects before the apply and those expected after it, for the collections that could be read."""
    before: list[Entry] = []
    strangers: list[Entry] = []
    read: set[tuple[str, str]] = set()
    claims: dict[Address, int] = {}
    for site in sites:
        for kind in SUMMED_LIVE:
            if observed.error(site, kind):
                continue
            read.add((site, kind))
            for entry, managed in _entries(site, kind, observed, matches):
                before.append(entry)
                if not managed:
                    strangers.append(entry)
        if (site, CLAIM_HOME) in read:  # these include the object that the CSI driver created for each existing claim
            for claim in facts.objects.on(site, CLAIMS).values():
                live = matches.match(claim.address).live
                if live is not None:
                    claims[claim.address] = int(number_of(live.values.get(CLAIM_SIZE)))
    planned = (entry for kind in SUMMED_LIVE for entry in facts.objects.all(kind))
    after = Index((*strangers, *planned)) if strangers else facts.objects
    return replace(facts, before=Index(before), after=after, known=frozenset(read), made=claims)


def _entries(site: str, kind: str, observed: Observed, matches: Matches) -> Iterator[tuple[Entry, bool]]:
    """The live objects of a kind, and whether each is in the ledger or in the document."""
    references: dict[tuple[str, str], Ref | None] = {}  # by field and referenced id
    for live in observed.objects(site, kind):
        if live.system_owned:
            continue
        address = matches.address_of(live)
        values = live.identified(live.values)
        for followed in SUMMED_LIVE[kind]:
            key = followed.field, repr(values.get(followed.field))
            if key not in references:
                references[key] = _reference(site, followed, values.get(followed.field), observed, matches)
            values[followed.field] = references[key]
        yield Entry(address or _stranger(live), values), address is not None


def _reference(site: str, followed: Followed, target_id: Any, observed: Observed, matches: Matches) -> Ref | None:
    live = None if target_id is None else observed.find(site, followed.kind, "id", target_id)
    if live is None:
        return None
    address = matches.address_of(live)
    return Ref(address or (Address(live.site, live.kind.name, live.name) if followed.by_name else _stranger(live)))


def _stranger(live: Live) -> Address:
    """An address with the id: objects outside the ledger may share a name, and must not count as an object of the document."""
    return Address(live.site, live.kind.name, f"{live.name} (id {live.id})")
