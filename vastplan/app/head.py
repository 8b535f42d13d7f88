"""The settings of a document (all that is not objects) by path, and their differences from earlier ones. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.app.endpoints import LEDGER
from vastplan.document.load import Document
from vastplan.document.specs import LedgerSpec, LimitsSpec
from vastplan.engine.live.consent import ChangeLimits, limits_of
from vastplan.model.plan import Cause, DocumentHead, FieldChange, HeldAgainst, Plan
from vastplan.model.regular_files import LEDGER_FOLDER
from vastplan.model.site_ledger import SiteLedger

_NOT_SETTINGS = frozenset({"version"})


def requested_limits(document: Document) -> ChangeLimits:
    """The change limits in the document, with the defaults for those that it leaves out."""
    spec, usual = document.head.limits, ChangeLimits()
    if not isinstance(spec, LimitsSpec):
        return usual
    return ChangeLimits(
        spec.max_changes if isinstance(spec.max_changes, int) else usual.count,
        spec.max_changes_percent if isinstance(spec.max_changes_percent, int) else usual.percent,
    )


def head_settings(document: Document) -> dict[str, Any]:
    """The settings of a document, by path: `{"limits.max_changes": 10, "sites.iad.csi": "2.6.6"}`. Limits and the ledger's place
    have the value in force even if not written; a credential has its source."""
    settings = document.head.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=set(_NOT_SETTINGS))
    spec = document.head.ledger
    if not isinstance(spec, LedgerSpec):
        settings[LEDGER] = {"local": LEDGER_FOLDER}
    return dict(_leaves(settings, "")) | of_files(document) | _limits(requested_limits(document))


def of_files(document: Document) -> dict[str, str]:
    """The contents of the files that a document names for its systems, by path: `{"sites.iad.vast.ca_file content": DIGEST}`."""
    return {
        f"{'.'.join(path)}.{field}": digest
        for path, of_system in document.contents.items()
        for field, digest in of_system.items()
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
    """The plan with the document's settings, compared with those that the last apply recorded, if any."""
    now = head_settings(document)
    files = of_files(document)
    noted = next((before for part in ledger if (before := _noted(part, now, files)) and before != now), None)
    changes, against = ((), HeldAgainst.NOTHING) if noted is None else (_changes(noted, now), HeldAgainst.LEDGER)
    return replace(plan, head=DocumentHead(now, changes, against))


def _noted(part: SiteLedger, now: Mapping[str, Any], files: Mapping[str, str]) -> Mapping[str, Any]:
    """The settings that a site's ledger recorded. Old ledgers lack some: missing file contents, or all settings but the limits, count as
    unchanged."""
    if part.head:
        return {**files, **part.head}
    if not part.serial:
        return part.head
    return {**now, **_limits(limits_of(part.limits))}


def against_base(plan: Plan, base: Plan) -> Plan:
    """The plan with its settings compared with those of its base."""
    if plan.head is None or base.head is None:
        return plan
    changes = _changes(base.head.settings, plan.head.settings)
    return replace(plan, head=DocumentHead(plan.head.settings, changes, HeldAgainst.BASE))


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    changes = []
    # settings of the whole document come before those of single sites
    for path in sorted(before.keys() | after.keys(), key=lambda path: (path.startswith("sites."), path)):
        was, now = before.get(path), after.get(path)
        if was != now:  # a missing list of rules equals an empty one
            was, now = (
                ([] if was is None and isinstance(now, list) else was),
                ([] if now is None and isinstance(was, list) else now),
            )
            changes.append(FieldChange(path, was, now, Cause.DOCUMENT, unordered=True))
    return tuple(changes)
