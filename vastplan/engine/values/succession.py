"""Reasons and findings for objects that another one succeeds, because only a create returns their values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from vastplan.engine.live.matches import Former, Matches, ValueFault
from vastplan.engine.values.delivery import generation_of
from vastplan.engine.values.formers import ASKED
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Verb
from vastplan.model.shell import word
from vastplan.model.site_ledger import Owned
from vastplan.model.units import SECONDS, show_amount
from vastplan.model.wording import some
from vastplan.schema.creation import Delivers
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_MADE = {
    ValueFault.HOLDER: "it gets another holder: another is created",
    ValueFault.GENERATION: "the document asks for another generation",
    ValueFault.LOST: "its value was lost before it was delivered: another is created",
    ValueFault.MOVED: "it is delivered elsewhere now, and the system never returns its value again: another is created",
    ValueFault.GONE: "its value is no longer at its destination: another is created",
    ValueFault.DELETED: "vastplan deleted its destination, and the system never returns its value again: another is created",
}
_DRAWN = {
    ValueFault.GENERATION: "the document asks for another generation",
    ValueFault.LOST: "it was lost before it was delivered",
    ValueFault.MOVED: "it is delivered elsewhere now",
    ValueFault.GONE: "it is no longer at its destination",
    ValueFault.DELETED: "vastplan deleted its destination",
    ValueFault.OTHER: "what is delivered with it has changed",
}
_SUCCEEDED = {
    ValueFault.HOLDER: "the document gives that another holder",
    ValueFault.GENERATION: "the document asks for another generation",
    ValueFault.MOVED: "the document delivers that elsewhere",
    ValueFault.GONE: "its value was no longer at its destination",
    ValueFault.DELETED: "vastplan deleted its destination",
}
_GOES = {
    ValueFault.HOLDER: "{by} has another holder now, and another value",
    ValueFault.GENERATION: "{by} has another generation now",
    ValueFault.LOST: "its value was lost before it was delivered; {by} has another now",
    ValueFault.MOVED: "{by} is delivered elsewhere now, and has another value",
    ValueFault.GONE: "its value was no longer at its destination; {by} has another now",
    ValueFault.DELETED: "vastplan deleted its destination; {by} has another value now",
    ValueFault.PRESUMED: "an interrupted apply of {by} probably created it, and its value is lost",
}


def made_because(former: Former, kind: Kind, entry: Entry, had: Owned) -> str:
    """Why an entry gets another object in place of its former one."""
    number = generation_of(kind.delivers, entry.values) if kind.delivers is not None else 0
    numbers = f": {number} after {had.generation}" if former.fault is ValueFault.GENERATION and had.generation else ""
    return f"{_MADE[former.fault]}{numbers}"


def drawn_because(delivers: Delivers, fault: ValueFault) -> str:
    """Why a value is drawn again, and the effect."""
    name = some([rule.name for rule in delivers.drawn])
    return f"another {name} is created, and the former one stops working at once: {_DRAWN[fault]}"


def goes_because(former: Former) -> str:
    """Why a former object is deleted."""
    return _GOES[former.fault].format(by=former.of)


def replaced_at(matches: Matches, address: Address, former: Former) -> datetime | None:
    """When the direct successor of a former object was delivered; `None` where that is still to be created.

    Of objects that were delivered within the same second, the higher generation is the later one.
    """
    now, since = matches.owned.get(former.of), _turn(matches.owned[address])
    others = (
        _turn(matches.owned[other]) for other, other_former in matches.formers.items() if other_former.of == former.of
    )
    came = [turn[0] for turn in others if turn is not None and since is not None and turn > since]
    if now is not None and (is_now := _when(now.delivered_at or now.applied)) is not None:
        came.append(is_now)
    return min(came, default=None)


def _turn(owned: Owned) -> tuple[datetime, int] | None:
    """The place of an object among the successive ones of its entry; `None` where it was never delivered."""
    delivered = _when(owned.delivered_at)
    return None if delivered is None else (delivered, owned.generation)


def going_with(kind: Kind, owned: Owned, decided: Mapping[Address, Action]) -> tuple[str, ...]:
    """The targets of a former object's references that the plan deletes and that the object blocks: its overlap ends with them."""
    holds = {
        name for field in kind.fields if field.refers and field.refers.blocks_delete for name in field.refers.attributes
    }
    targets = map(Address.parse, owned.refers)
    return tuple(
        str(target)
        for target in targets
        if target.kind in holds and target in decided and decided[target].verb is Verb.DELETE
    )


def _when(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def stays_until(
    kind: Kind, former: Former, entry: Entry, replaced: datetime | None, now: datetime, address: Address
) -> Finding | None:
    """VP334, a note: until when a former object is kept that was `replaced` at that time; `None` where nothing keeps it any more.

    A value that was never delivered has no overlap. Unless the document asked for another generation, the delete needs consent by
    address.
    """
    assert kind.delivers is not None
    overlap = entry.values.get(kind.delivers.overlap) or 0
    if former.fault in (ValueFault.LOST, ValueFault.PRESUMED) or not overlap:
        return None
    if replaced is None:
        period = f"until {show_amount(overlap, SECONDS)} after its successor is delivered"
    else:
        end = replaced + timedelta(seconds=overlap)
        if end <= now:
            return None
        period = f"until {end.isoformat(timespec='minutes')}"
    becomes = "is to be" if replaced is None else "is"
    text = f"it {becomes} a former object of {former.of}, because {_SUCCEEDED[former.fault]}; it stays {period}"
    text += ", and gives access only to what its holder may still use" if former.fault is ValueFault.HOLDER else ""
    consent = "" if former.fault in ASKED else f" with --allow-delete {word(address)}"
    fix = f"the first apply after that deletes it{consent}"
    return Finding("VP334", Severity.NOTE, text, fix, str(address), entry.where)
