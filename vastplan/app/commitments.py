"""What is promised live, and what it becomes: the sums before and after an apply, without naming every reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.engine.match import Matches
from vastplan.engine.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_COUNTED: Mapping[str, tuple[tuple[str, str], ...]] = {  # the fields that refer, and what to
    "quota": (("tenant", "tenant"),),
    "view": (("qos_policy", "qos_policy"),),
    "qos_policy": (),
    "project": (),
    "tenant": (),
}


def with_live(facts: Facts, sites: Iterable[str], observed: Observed, matcher: Matches) -> Facts:
    """The facts with what stands now and what the document makes of it, where it was read."""
    before: list[Entry] = []
    strangers: list[Entry] = []
    known: set[tuple[str, str]] = set()
    claims: dict[Address, int] = {}
    for site in sites:
        for kind in _COUNTED:
            if observed.error(site, kind):
                continue
            known.add((site, kind))
            for entry, ours in _entries(site, kind, observed, matcher):
                before.append(entry)
                if not ours:
                    strangers.append(entry)
        if (site, "quota") in known:  # among them is the quota that the driver made for each claim that is there
            for claim in facts.objects.on(site, "persistent_volume_claim").values():
                live = matcher.match(claim.address).live
                if live is not None:
                    claims[claim.address] = live.values.get("size") or 0
    after = Index((*strangers, *(entry for kind in _COUNTED for entry in facts.objects.all(kind))))
    return replace(facts, before=Index(before), after=after, known=frozenset(known), made=claims)


def _entries(site: str, kind: str, observed: Observed, matcher: Matches) -> Iterator[tuple[Entry, bool]]:
    for live in observed.objects(site, kind):
        if live.system_owned:
            continue
        address = matcher.address_of(live)
        values: dict[str, Any] = dict(live.values)
        for field, of in _COUNTED[kind]:
            found = None if values.get(field) is None else observed.find(site, of, "id", values[field])
            values[field] = _named(found, matcher) if found is not None else None
        # two strangers may have one name, and none may stand for one of ours
        name = address.name if address else f"{live.name} (id {live.id})"
        yield Entry(Address(site, kind, name), values), address is not None


def _named(live: Live, matcher: Matches) -> Ref:
    address = matcher.address_of(live)
    if live.kind.name == "tenant":
        return Ref(address or Address(live.site, "tenant", live.name))
    return Ref(address or Address(live.site, live.kind.name, f"{live.name} (id {live.id})"))
