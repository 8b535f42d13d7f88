"""The stage that decides for each live object whether it may become an entry, or why it is left out."""

from __future__ import annotations

from collections.abc import Mapping, Set

from vastplan.engine.live.creator import ITSELF, creator_of
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import Owners
from vastplan.engine.live.twins import SiteId, twins
from vastplan.engine.state.responsibility import Responsibility, standings
from vastplan.engine.values.formers import entry_of
from vastplan.importing.lookup import Lookup
from vastplan.importing.model import Left, LeftReason, LiveKey, Selection, object_key, take_pattern
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.shell import word


@dataclass(frozen=True, slots=True)
class Classified:
    """The objects that may become entries, those that the document already has, and those that are left out."""

    free: tuple[Live, ...]
    managed: Mapping[LiveKey, Address]
    kept: tuple[Live, ...]
    """The objects that the document has."""
    left: tuple[Left, ...]


def classify(
    lookup: Lookup, matches: Matches, owners: Owners, selection: Selection, importable: Set[str]
) -> Classified:
    """Sort what was read, in the order of sites, kinds and names. `matches` are those of the document before the import, `importable`
    the kinds that a document can have."""
    free: list[Live] = []
    managed: dict[LiveKey, Address] = {}
    kept: list[Live] = []
    left: list[Left] = []
    together: dict[str, Mapping[SiteId, tuple[str, ...]]] = {}
    standing = standings(matches, owners, matches.desired)
    for (_, name), collection in sorted(lookup.observed.collections.items()):
        if name not in importable:
            continue
        kind = matches.kinds[name]
        if name not in together:
            together[name] = twins(lookup.observed, kind)
        for live in sorted(collection.objects, key=lambda live: (live.name, live.locator)):
            address = matches.address_of(live)
            if address is not None and matches.desires(live):
                managed[object_key(live)] = address
                kept.append(live)
                left.append(leave(live, LeftReason.MANAGED, f"the document has it as {address}"))
                continue
            reason = _reason(live, standing.of(live), address, matches, lookup, owners, selection, together[name])
            if reason is None:
                free.append(live)
            else:
                left.append(reason)
    return Classified(tuple(free), managed, tuple(kept), tuple(left))


def leave(live: Live, reason: LeftReason, why: str, fix: str = "", path: str = "") -> Left:
    """An object that is left out, with the reason."""
    name = live.locator if live.kind.endpoint.namespaced else live.name
    return Left(live.site, live.kind.name, live.id, name, reason, why, fix, path)


def _reason(
    live: Live,
    standing: Responsibility,
    address: Address | None,
    matches: Matches,
    lookup: Lookup,
    owners: Owners,
    selection: Selection,
    twins: Mapping[SiteId, tuple[str, ...]],
) -> Left | None:
    kind = live.kind
    if standing is Responsibility.COPY or (live.system_owned and lookup.has_source(live)):
        return leave(live, LeftReason.MIRROR, "it is a copy of an object on another site")
    if creator_of(live) == ITSELF:
        return leave(live, LeftReason.SYSTEM, "it ships with the product")
    if standing is Responsibility.MADE:
        return leave(live, LeftReason.MADE, f"{creator_of(live)} created it for itself")
    if standing is Responsibility.ELSEWHERE:
        return leave(
            live, LeftReason.OTHER, f"the document {owners.of(live)} owns it", "type vastplan ledger forget there first"
        )
    former = entry_of(address, matches.owned[address]) if address is not None and address in matches.owned else None
    if former is not None and former in matches.desired:
        text = f"it is a former object of {former}, which the document has: it is deleted when its overlap has ended"
        return leave(live, LeftReason.MANAGED, text)
    if address is not None and former is not None:
        text = f"it is a former object of {former}, which the document does not have: the next apply deletes it"
        fix = f"put {former} back, or type vastplan ledger forget PATH {word(address)}"
        return leave(live, LeftReason.PENDING, text, fix)
    if address is not None:
        text = f"the ledger has it as {address}, but the document does not: the next apply deletes it"
        fix = f"put {address} back, write renamed_from: {address.name} if it has a new name, or type vastplan ledger forget PATH {word(address)}"
        return leave(live, LeftReason.PENDING, text, fix)
    if kind.on_request and not selection.asked_for(live):
        text = f"import skips every {kind.name} unless you ask for it"
        return leave(live, LeftReason.UNASKED, text, f"--take {word(take_pattern(live))}")
    if kind.distinct_by_id:
        text = f"no system returns where the value of a {kind.name} is; an entry has to say it"
        fix = "write an entry whose deliver names the Secret with the value, and apply with --adopt; or write a new one"
        return leave(live, LeftReason.FORM, text, fix)
    if (live.site, live.id) in twins:
        ids = ", ".join(twins[live.site, live.id])
        text = f"several objects of kind {kind.name} have its identity (ids {ids}): vastplan cannot determine which one is meant"
        return leave(live, LeftReason.TWINS, text, "rename or delete all but one")
    excluded = selection.excludes(live)
    if excluded:
        return leave(live, LeftReason.UNSELECTED, f"{excluded} leaves it out")
    return None
