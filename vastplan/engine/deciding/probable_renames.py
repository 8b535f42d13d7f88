"""Objects with data that a plan deletes while it creates one with the same settings: perhaps a rename without `renamed_from`. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.engine.live.diff import digests
from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Verb
from vastplan.model.site_ledger import SiteLedger
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_Look = tuple[str, str, frozenset[tuple[str, str]]]  # site, kind, digests of fields except names, references


def renamed_perhaps(
    matches: Matches,
    ledger: Mapping[str, SiteLedger],
    desired: Mapping[Address, Entry],
    actions: Mapping[Address, Action],
) -> Iterator[Finding]:
    """VP319: a warning for each entry whose new object has the same settings as an object with data that the plan deletes.

    Only where exactly one is deleted and one is created: with several, the pairs cannot be determined. VP308 reports what the
    ledger can determine.
    """
    going: dict[_Look, list[Address]] = {}
    for address, action in actions.items():
        kind = matches.kinds[address.kind]
        if action.verb is Verb.DELETE and kind.data_bearing and address not in matches.wanted_as:
            look = _look(address, kind, matches.owned[address].fields)
            if look[2]:
                going.setdefault(look, []).append(address)
    if not going:
        return
    kinds_going = {look[:2] for look in going}
    coming: dict[_Look, list[Address]] = {}
    for address, action in actions.items():
        if action.verb is Verb.CREATE and address[:2] in kinds_going and address not in matches.owned:
            kind = matches.kinds[address.kind]
            fields = digests(kind, desired[address].values, ledger[address.site].key)
            coming.setdefault(_look(address, kind, fields), []).append(address)
    by_origin: dict[str, list[tuple[Address, Entry]]] = {}
    for look, leaving in going.items():
        arriving = coming.get(look, ())
        if len(leaving) == len(arriving) == 1:
            entry = desired[arriving[0]]
            by_origin.setdefault(entry.origin or str(entry.address), []).append((leaving[0], entry))
    for address_text, pairs in by_origin.items():
        yield _finding(address_text, pairs)


def _look(address: Address, kind: Kind, fields: Mapping[str, str]) -> _Look:
    named = {field.name for field in kind.fields if field.name in kind.identity or field.has_references}
    return (*address[:2], frozenset((path, of) for path, of in fields.items() if path.split(".", 1)[0] not in named))


def _finding(address: str, pairs: list[tuple[Address, Entry]]) -> Finding:
    entry = pairs[0][1]
    names = ", ".join(str(leaving) for leaving, _ in pairs)
    text = f"it has the same settings as {names}, which this plan deletes"
    former = "its former name as renamed_from" if entry.origin else f"renamed_from: {pairs[0][0].name} in its entry"
    return Finding(
        "VP319", Severity.WARNING, text, f"if it was renamed, write {former} to keep it", address, entry.where
    )
