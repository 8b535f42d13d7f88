"""What an import took and left, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vastplan.model.escaping import inert
from vastplan.model.imported import Import, LeftObject
from vastplan.report.values import counted

_SHOWN = 20
"""Objects of one code that are listed; a JSON report has all."""


def import_text(result: Import) -> str:
    """Counts, coverage, what an apply makes, the errors of checks, what is left by code, and the next command."""
    return "\n".join(_lines(result))


def _lines(result: Import) -> Iterator[str]:
    for finding in result.findings:
        yield f"error {finding.code}: {inert(finding.message)} ({inert(finding.address)})"
    if result.findings:
        yield "These hold up every apply: mend them, or waive them under checks, with a reason."
    would = "would write" if result.tried else "wrote"
    for file in result.files:
        yield f"{would} {inert(file.path)}: {counted(file.entries, 'entry')} in {counted(file.lines, 'line')}"
    if not result.files:
        yield "Nothing new: no file was written."
    objects = sum(len(entry.objects) for entry in result.taken)
    entries = counted(len(result.taken), "entry")
    yield f"Took {counted(objects, 'object')} as {entries}; their plan takes over {result.adopts} and changes no field."
    if result.creates:
        yield f"An apply makes {counted(len(result.creates), 'object')}, which isolation asks for:"
        yield from (f"  + {inert(address)}" for address in result.creates[:_SHOWN])
        if len(result.creates) > _SHOWN:
            yield f"  and {len(result.creates) - _SHOWN} more"
    yield from _left(result)
    for unread in result.unread:
        yield f"  ? {inert(unread.site)} {inert(unread.kind)}: {inert(unread.reason)}"
    if result.unread:
        yield f"{counted(len(result.unread), 'collection')} could not be read: import again when they can."
    yield f"The document has {result.covered} % of what could be managed."
    yield from map(inert, result.notes)
    if result.next:
        yield f"Next: {result.next}"


def _left(result: Import) -> Iterator[str]:
    """What is left, by code; what is somebody else's is only counted."""
    told = [left for left in result.left if left.code != "MANAGED"]
    groups: dict[str, list[LeftObject]] = {}
    for left in told:
        groups.setdefault(left.code, []).append(left)
    for code, group in groups.items():
        kinds = Counter(left.kind for left in group)
        counts = ", ".join(f"{count} {inert(kind)}" for kind, count in sorted(kinds.items()))
        yield f"Left, {code}: {counts}"
        if not group[0].counts:
            continue
        for left in group[:_SHOWN]:
            where = f"{left.site}/{left.kind}/{left.name}" + (f", its {left.field}" if left.field else "")
            yield f"  {inert(where)}: {inert(left.why)}" + (f" ({inert(left.fix)})" if left.fix else "")
        if len(group) > _SHOWN:
            yield f"  and {len(group) - _SHOWN} more (--format json lists all)"
