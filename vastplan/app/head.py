"""What a document says beside its objects: its settings, by path, and how they differ from others. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.app.endpoints import LEDGER
from vastplan.document.load import Document
from vastplan.document.specs import LedgerSpec, LimitsSpec
from vastplan.engine.consent import ChangeLimits, limits_of
from vastplan.model.plan import Cause, DocumentHead, FieldChange, HeldAgainst, Plan
from vastplan.model.regular_files import LEDGER_FOLDER
from vastplan.model.site_ledger import SiteLedger

_NOT_SETTINGS = frozenset({"version"})


def requested_limits(document: Document) -> ChangeLimits:
    """The limits on changes that the document asks for, the usual ones where it asks for none."""
    spec, usual = document.head.limits, ChangeLimits()
    if not isinstance(spec, LimitsSpec):
        return usual
    return ChangeLimits(
        spec.max_changes if isinstance(spec.max_changes, int) else usual.count,
        spec.max_changes_percent if isinstance(spec.max_changes_percent, int) else usual.percent,
    )


def settings(document: Document) -> dict[str, Any]:
    """The settings of a document, by path: `{"limits.max_changes": 10, "sites.iad.csi": "2.6.6"}`. Of what holds whether or not
    it is written (limits, the ledger's place) the value in force; of credentials where they come from."""
    said = document.head.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=set(_NOT_SETTINGS))
    spec = document.head.ledger
    if not isinstance(spec, LedgerSpec):
        said[LEDGER] = {"local": LEDGER_FOLDER}
    return dict(_leaves(said, "")) | of_files(document) | _limits(requested_limits(document))


def of_files(document: Document) -> dict[str, str]:
    """What the files say that a document names for its systems, by path as well: `{"sites.iad.vast.ca_file content": DIGEST}`."""
    return {
        f"{'.'.join(path)}.{field}": said
        for path, of_system in document.contents.items()
        for field, said in of_system.items()
    }


def _limits(limits: ChangeLimits) -> dict[str, Any]:
    return {"limits.max_changes": limits.count, "limits.max_changes_percent": limits.percent}


def _leaves(value: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        place = f"{path}.{key}" if path else key
        if isinstance(item, dict) and item:
            yield from _leaves(item, place)
        else:
            yield place, item


def with_head(plan: Plan, document: Document, ledger: Iterable[SiteLedger]) -> Plan:
    """The plan with the document's settings, held against those that an apply noted last, if one did."""
    now = settings(document)
    files = of_files(document)
    noted = next((before for part in ledger if (before := _noted(part, now, files)) and before != now), None)
    changes, against = ((), HeldAgainst.NOTHING) if noted is None else (_changes(noted, now), HeldAgainst.LEDGER)
    return replace(plan, head=DocumentHead(now, changes, against))


def _noted(part: SiteLedger, now: Mapping[str, Any], files: Mapping[str, str]) -> Mapping[str, Any]:
    """What a site's ledger noted; of before it noted settings the limits alone, of before it noted files all but those."""
    if part.head:
        return {**files, **part.head}
    if not part.serial:
        return part.head
    return {**now, **_limits(limits_of(part.limits))}


def against_base(plan: Plan, base: Plan) -> Plan:
    """The plan with its settings held against those of its base."""
    if plan.head is None or base.head is None:
        return plan
    changes = _changes(base.head.settings, plan.head.settings)
    return replace(plan, head=DocumentHead(plan.head.settings, changes, HeldAgainst.BASE))


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    changes = []
    # what holds everywhere comes before what is said of one of many sites
    for path in sorted(before.keys() | after.keys(), key=lambda path: (path.startswith("sites."), path)):
        was, now = before.get(path), after.get(path)
        if was != now:  # no list of rules says the same as one without any
            was, now = (
                ([] if was is None and isinstance(now, list) else was),
                ([] if now is None and isinstance(was, list) else now),
            )
            changes.append(FieldChange(path, was, now, Cause.DOCUMENT, unordered=True))
    return tuple(changes)
