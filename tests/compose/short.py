"""Entries and what becomes of them, in short.

`KIND/NAME` is an address on the site iad, `SITE:KIND/NAME` one on another. A value `@ADDRESS` is a reference, `@?ADDRESS` one to
what the document does not manage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry, Site
from vastplan.schema.recovery import Pieces, Recovered, Sight, Unsayable

Said = dict[str, Any]
LEAVE_OUT = "LEAVE OUT"
"""In the place of a value: the field is not there."""


def address(text: str) -> Address:
    """An address that is written in short."""
    site, _, rest = text.rpartition(":") if ":" in text else ("iad", "", text)
    kind, _, name = rest.partition("/")
    return Address(site, kind, name)


def short(address: Address) -> str:
    """An address in short."""
    return (
        f"{address.kind}/{address.name}" if address.site == "iad" else f"{address.site}:{address.kind}/{address.name}"
    )


def value(written: Any) -> Any:
    """A value with its references."""
    if isinstance(written, str) and written.startswith("@"):
        return Ref(address(written[1:].removeprefix("?")), managed=not written.startswith("@?"))
    if isinstance(written, dict):
        return {name: value(inner) for name, inner in written.items() if inner != LEAVE_OUT}
    return [value(inner) for inner in written] if isinstance(written, list) else written


def said(of: Any) -> Any:
    """A value as it is written in short."""
    if isinstance(of, Ref):
        return f"@{'' if of.managed else '?'}{short(of.target)}"
    if isinstance(of, Mapping):
        return {name: said(inner) for name, inner in of.items()}
    return [said(inner) for inner in of] if isinstance(of, list) else of


def entry(text: str, values: Said | None = None, **more: Any) -> Entry:
    """An entry: its address, what it says, and what else is known of it."""
    return replace(Entry(address(text), value(values or {})), **more)


def entries(all_of_them: Mapping[str, Said | None]) -> list[Entry]:
    """Entries by their addresses; `None` is none."""
    return [entry(text, values) for text, values in all_of_them.items() if values is not None]


def sites(settings: Mapping[str, Any] | None = None) -> dict[str, Site]:
    """The sites iad and pdx, the first with these settings."""
    systems = frozenset({"vast", "kubernetes", "runai"})
    return {"iad": Site("iad", systems, settings or {}), "pdx": Site("pdx", systems)}


def made(
    composition: Composition, of: Entry, others: Mapping[str, Said | None], **settings: Any
) -> tuple[Said, list[Any]]:
    """What an entry is composed to beside others: the values by address, in parentheses what else is known of an object; and
    what is wrong: codes, messages and what to do."""
    scope = Scope(sites(settings), [*entries(others), of])
    found = {}
    for one in composition.compose(of, scope):
        assert short(one.address) not in found
        more: Said = {
            "chosen": list(one.chosen),
            "after": [short(each) for each in one.after],
            "defaults": list(one.defaults),
        }
        more |= {"common": one.common, "origin": one.origin if one.origin != str(of.address) else ""}
        found[short(one.address)] = said(one.values) | {f"({name})": what for name, what in more.items() if what}
    return found, [(finding.code, finding.message, finding.fix) for finding in scope.findings]


def pieces(
    objects: Mapping[str, Said | None],
    known: Mapping[str, Said | None] | None = None,
    full: Mapping[str, Said] | None = None,
    sight: Sight | None = None,
    **settings: Any,
) -> Pieces:
    """Objects that are to be written, beside what a document has; `full` has of some more than their entries say."""
    there = {one.address: one for one in entries(known or {})}
    whole = {address(text): value(values) for text, values in (full or {}).items()}
    return Pieces(sites(settings), entries(objects), whole, sight, there)


def back(composition: Composition, of: Pieces) -> list[Said]:
    """What objects are put together to, in short."""
    assert composition.recover is not None
    return [answer(one) for one in composition.recover(of)]


def answer(one: Recovered | Unsayable) -> Said:
    """One answer in short, without what it does not say."""
    if isinstance(one, Recovered):
        whole = {"entry": short(one.entry.address), "says": said(one.entry.values), "of": [short(part) for part in one.stands_for],
                 "note": one.note}  # fmt: skip
    else:
        whole = {
            "left": short(one.address),
            "why": one.why,
            "fix": one.fix,
            "unread": one.unread,
            "unasked": one.unasked,
        }
    return {name: what for name, what in whole.items() if what or name in ("entry", "says")}


def without(values: Said, *names: str) -> Said:
    """The values but those of `names`."""
    return {name: what for name, what in values.items() if name not in names}


def objects_of(found: Said, *others: Mapping[str, Said | None]) -> dict[str, Said | None]:
    """What was composed, as objects to put together again, and others beside them."""
    plain = {
        text: {name: what for name, what in values.items() if not name.startswith("(")}
        for text, values in found.items()
    }
    everything: dict[str, Said | None] = dict(plain)
    for more in others:
        everything |= more
    return everything


def live(objects: Mapping[str, Said]) -> Any:
    """What a way back may look up, by site, kind and name."""
    there = {tuple(address(text)): values for text, values in objects.items()}
    return lambda site, kind, name: there.get((site, kind, name))


def unread(*kinds: str) -> Any:
    """What could not be read on iad."""
    return lambda site, kind: "not allowed" if site == "iad" and kind in kinds else ""


def listed(them: Iterable[Address]) -> list[str]:
    """Addresses in short."""
    return [short(one) for one in them]
