"""What is open because that which kept it closed is gone, or was changed outside vastplan so that it keeps nobody out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.app.planning.request import Planned
from vastplan.model.address import Address
from vastplan.model.drift import DriftedObject
from vastplan.model.finding import Finding, Severity
from vastplan.model.value import Ref, from_json
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_HOW = {
    "gone": "is gone",
    "replaced": "was deleted and recreated outside vastplan",
    "changed": "was changed outside vastplan",
}


def opened_findings(planned: Planned, drift: Iterable[DriftedObject]) -> Iterator[Finding]:
    """A warning for each object of the document that is open to everybody now, with what does not keep it closed any more."""
    entries = {entry.address: entry for entry in planned.entries}
    opened: dict[Address, list[str]] = {}
    for drifted in drift:
        entry = entries.get(Address.parse(drifted.address))
        kind = planned.matches.kinds[entry.address.kind] if entry is not None else None
        if entry is None or kind is None or not drifted.opens or not _keeps_nobody_out(drifted, kind, entry.values):
            continue
        for target in _shielded(entry, kind):
            if planned.matches.match(target).live is not None:
                opened.setdefault(target, []).append(f"{drifted.address} {_HOW[drifted.what]}")
    for target, causes in sorted(opened.items()):
        text = f"it is open to every namespace: {some(causes)}"
        fix = "vastplan apply PATH closes it again"
        yield Finding("VP361", Severity.WARNING, text, fix, str(target), entries[target].where)


def _keeps_nobody_out(drifted: DriftedObject, kind: Kind, desired: Mapping[str, Any]) -> bool:
    if any(desired.get(rule.unless) is True for rule in kind.closes):
        return False
    if drifted.what != "changed":
        return True
    live = {field.path: from_json(field.live) for field in drifted.fields}
    if kind.enforces is not None:
        return any(path in live for path in kind.enforces.by if path != _mode(kind)) or not kind.enforces.enforced(live)
    return any(live.get(rule.unless) is True or not live.keys().isdisjoint(rule.by) for rule in kind.closes)


def _mode(kind: Kind) -> str:
    return kind.enforces.when[0] if kind.enforces is not None and kind.enforces.when is not None else ""


def _shielded(entry: Entry, kind: Kind) -> Iterator[Address]:
    for field in kind.fields:
        ref = entry.values.get(field.name)
        if field.refers is not None and field.refers.shields and isinstance(ref, Ref) and ref.managed:
            yield ref.target
