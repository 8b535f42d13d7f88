"""Drift for a terminal: what the system moved since the last apply, told apart from what the document wants; and one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.model.drift import Coverage, Drift, DriftedField, DriftedObject, IgnoredDrift
from vastplan.model.escaping import inert
from vastplan.model.plan import Cause
from vastplan.report.text import Style, findings_lines
from vastplan.report.values import CAUSES, counted, plain, told

_SHOWN_STRANGERS, _SHOWN_KINDS = 20, 40
HIDDEN = "(sensitive)"


def sides(one: DriftedField | IgnoredDrift) -> tuple[str, str]:
    """The live value, and the one that was applied."""
    if one.sensitive:
        return HIDDEN, HIDDEN
    units = one.units if isinstance(one, DriftedField) else {}
    return plain(one.live, one.unit, units), plain(one.applied, one.unit, units)


def controller_owned(found: Drift) -> dict[str, int]:
    """How many objects each driver or system made for itself."""
    counts: dict[str, int] = {}
    for one in found.made:
        counts[one.by] = counts.get(one.by, 0) + one.count
    return counts


def verdict(found: Drift) -> str:
    """One line: how much moved, how much of it is new, what is still to be applied."""
    moved, new = len(found.drift), len(found.news())
    if not moved:
        said = "Nothing moved behind our back."
    elif found.compared_with:
        said = f"{counted(new, 'object')} moved behind our back since {inert(found.compared_with, 40)}, {moved - new} before."
    else:
        said = f"{counted(moved, 'object')} moved behind our back."
    if found.pending:
        said += f" {counted(found.pending, 'change')} of the document not applied yet."
    if found.ignored:
        said += f" {counted(len(found.ignored), 'difference')} ignored by rules of the document."
    if found.unknown:
        said += f" {counted(len(found.unknown), 'collection')} could not be read."
    return said


def text(found: Drift, style: Style) -> str:
    """The whole check; of one that was compared with an earlier one only what is new."""
    lines = [*findings_lines(found.findings, style)]
    for one in found.news():
        lines += _object(one, style)
    if found.gone:
        lines.append(style.paint(f"Drift of {inert(found.compared_with, 40)} that is not found any more:", "green"))
        lines += [f"  {inert(place(each.address, each.path))}  {inert(each.state)}" for each in found.gone]
    lines += _strangers(found, style)
    lines += _coverage(found, style)
    if found.ignored:
        lines.append(style.paint(f"Ignored by rules of the document ({len(found.ignored)}):", "dim"))
        lines += [f"  {inert(place(each.address, each.path))}{ignored_words(each)}" for each in found.ignored]
    if found.unknown:
        lines.append(style.paint("Unknown (could not be read, so it cannot be told):", "yellow"))
        lines += [
            f"  ? {inert(f'{each.site} {each.system} {each.kind}')}: {inert(each.reason)}" for each in found.unknown
        ]
    clean = not found.news()
    lines.append(
        style.paint("Drift: none. " if clean and not found.drift else "Drift: ", "green" if clean else "bold")
        + verdict(found)
    )
    return "\n".join(lines) + "\n"


def place(address: str, path: str) -> str:
    """An object, or a field of it."""
    return f"{address} {path}" if path else address


def ignored_words(one: IgnoredDrift) -> str:
    """What is ignored, and why: ` is 15 TiB, was applied as 10 TiB: the reason (until 2026-12-31)`."""
    live, applied = sides(one)
    what = f" is {live}, was applied as {applied}" if one.path else " is gone"
    until = f" (until {inert(one.until, 20)})" if one.until else ""
    return f"{what}: {inert(one.reason)}{until}"


def _object(one: DriftedObject, style: Style) -> Iterator[str]:
    since = f"  last applied {inert(one.since, 40)}" if one.since else ""
    if one.what == "gone":
        yield style.paint(f"gone     {inert(one.address)}", "red") + since
        if said := told(one.author):
            yield f"           {said}"
        return
    yield style.paint(f"changed  {inert(one.address)}", "yellow") + since
    for each in one.fields:
        live, applied = sides(each)
        yield f"           {inert(each.path)}  is {live}, was applied as {applied}  [{CAUSES[each.cause]}]"
        if said := told(each.author):
            yield f"             {said}"


def _strangers(found: Drift, style: Style) -> Iterator[str]:
    strangers = found.strangers()
    if strangers:
        new = " that are new" if found.compared_with else ""
        yield style.paint(f"Nobody manages {counted(len(strangers), 'object')}{new} here:", "cyan")
        for one in strangers[:_SHOWN_STRANGERS]:
            yield f"  {inert(f'{one.site}/{one.kind}')} {inert(one.name, 120)}"
        if len(strangers) > _SHOWN_STRANGERS:
            yield f"  and {len(strangers) - _SHOWN_STRANGERS} more"


def _coverage(found: Drift, style: Style) -> Iterator[str]:
    partial = [one for one in found.coverage if one.unmanaged]
    if partial:
        yield style.paint("Managed here, of what somebody could manage:", "cyan")
        yield from (f"  {covered(one)}" for one in partial[:_SHOWN_KINDS])
        if len(partial) > _SHOWN_KINDS:
            yield f"  and {counted(len(partial) - _SHOWN_KINDS, 'more kind')}"
    for by, count in sorted(controller_owned(found).items()):
        yield f"Made by {inert(by, 60)}, and not counted: {counted(count, 'object')}."


def covered(one: Coverage) -> str:
    """`iad/view 75 % (3 of 4)`."""
    return f"{inert(f'{one.site}/{one.kind}')} {one.percent} % ({one.managed} of {one.managed + one.unmanaged})"


def object_text(found: dict[str, Any], style: Style) -> str:
    """One object: every field, what the document says, what the system says, and who moved."""
    lines = [style.paint(inert(found["address"]), "bold")]
    for name in ("origin", "id", "applied", "state"):
        if found.get(name):
            lines.append(f"  {name}: {inert(found[name])}")
    lines += [f"  chosen: {inert(one)}" for one in found["chosen"]]
    for one in found["fields"]:
        words = f"{plain(one['desired'], one['unit'])}"
        if one["differs"]:
            words += style.paint(f"  live {plain(one['live'], one['unit'])}  [{CAUSES[Cause(one['cause'])]}]", "yellow")
        lines.append(f"  {inert(one['path'])}: {words}")
    for one in found["writers"]:
        lines.append(f"  also written by: {inert(one)}")
    return "\n".join(lines) + "\n"
