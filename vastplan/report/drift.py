"""Drift for a terminal: what changed outside vastplan since the last apply, apart from changes of the document; and one object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vastplan.model.drift import Coverage, Drift, DriftedObject, IgnoredDrift
from vastplan.model.escaping import inert
from vastplan.model.live_state import state_text, users_text
from vastplan.model.plan import Cause
from vastplan.model.value import with_names
from vastplan.model.wording import some
from vastplan.report.drift_groups import (
    COVERAGE,
    IGNORED,
    UNKNOWN,
    drift_groups,
    full_coverage,
    gone_title,
    partial_coverage,
    unmanaged_title,
)
from vastplan.report.drift_next import next_commands
from vastplan.report.findings import findings_lines
from vastplan.report.replication import line, replication_lines
from vastplan.report.sets import NO_CHANGE, set_change
from vastplan.report.style import Style
from vastplan.report.text import unknown_lines
from vastplan.report.values import CAUSES, author_text, counted, plain_value
from vastplan.report.view import AS_A_WHOLE, drift_verdict, of_drifted, of_ignored

_SHOWN_UNMANAGED, _SHOWN_KINDS = 20, 40


def controller_owned(drift: Drift) -> list[tuple[str, int]]:
    """How many objects each driver or system created for itself, in the order of their names."""
    counts: dict[str, int] = {}
    for owned in drift.made:
        counts[owned.by] = counts.get(owned.by, 0) + owned.count
    return sorted(counts.items())


def other_documents(drift: Drift) -> list[tuple[str, int]]:
    """How many objects each other document manages, in the order of their names."""
    counts: dict[str, int] = {}
    for managed in drift.elsewhere:
        counts[managed.document] = counts.get(managed.document, 0) + managed.count
    return sorted(counts.items())


def drift_text(
    drift: Drift,
    style: Style,
    paths: Sequence[Path] | None = None,
    acceptable: str = "",
    connections: Path | None = None,
) -> str:
    """The whole check. With `paths` and `connections`, the document
    as typed, it ends with what to type next; `acceptable` is the argument of `--accept`."""
    lines = [*findings_lines(drift.findings, style)]
    for title, objects in drift_groups(drift):
        lines.append(style.paint(f"{title} ({len(objects):,}):", "bold"))
        for drifted in objects:
            lines += _object(drifted, style)
    if drift.gone:
        lines.append(style.paint(f"{gone_title(drift)} ({len(drift.gone):,}):", "green"))
        lines += [f"  {inert(drift_place(gone.address, gone.path))}  {inert(gone.state)}" for gone in drift.gone]
    lines += _unmanaged(drift, style)
    lines += _coverage(drift, style)
    if drift.ignored:
        lines.append(style.paint(f"{IGNORED} ({len(drift.ignored):,}):", "dim"))
        lines += [
            f"  {inert(drift_place(ignored.address, ignored.path))}{ignored_words(ignored)}"
            for ignored in drift.ignored
        ]
    lines += replication_lines(drift.replications, style)
    if drift.unknown:
        lines.append(style.paint(f"{UNKNOWN} ({len(drift.unknown):,}):", "yellow"))
        lines += unknown_lines(drift.unknown)
    lines.append(
        style.paint(_headline(drift), "bold" if drift.drift or drift.unknown else "green") + drift_verdict(drift)
    )
    commands = next_commands(drift, paths, acceptable, connections) if paths is not None else []
    if commands:
        lines.append("Next:")
        lines += [f"  {inert(command)}{style.paint(f'  # {effect}', 'dim')}" for command, effect in commands]
    return "\n".join(lines) + "\n"


def _headline(drift: Drift) -> str:
    """It is `none` only if everything was read."""
    if drift.drift or drift.astray() or drift.ailing() or drift.not_ours:
        return "Drift: "
    return "Drift: incomplete. " if drift.unknown else "Drift: none. "


def drift_place(address: str, path: str) -> str:
    """An object, or a field of it."""
    return f"{address} {path}" if path else address


def ignored_words(ignored: IgnoredDrift) -> str:
    """What is ignored, and why: ` is 15 TiB, was applied as 10 TiB: the reason (until 2026-12-31)`."""
    field = of_ignored(ignored)
    state = f" {field.found()}" if ignored.path else " is gone"
    until = f" (until {inert(ignored.until, 20)})" if ignored.until else ""
    return f"{state}: {inert(ignored.reason)}{until}"


def _object(drifted: DriftedObject, style: Style) -> Iterator[str]:
    since = f"  last applied {inert(drifted.since, 40)}" if drifted.since else ""
    if drifted.what in AS_A_WHOLE:
        yield style.paint(f"{drifted.what:<8} {inert(drifted.address)}", "red") + since
        if drifted.what == "replaced":
            yield f"           {AS_A_WHOLE[drifted.what]}; apply --adopt adopts it"
        elif drifted.what == "undelivered":
            yield f"           {AS_A_WHOLE[drifted.what]}; apply creates another and delivers it"
        if drifted.opens:
            yield "           lets somebody in: what it kept closed is open"
        if author := author_text(drifted.author):
            yield f"           {author}"
        return
    yield style.paint(f"changed  {inert(drifted.address)}", "yellow") + since
    for drifted_field, field in zip(drifted.fields, map(of_drifted, drifted.fields), strict=True):
        opens = ", lets somebody in" if drifted_field.opens else ""
        yield f"           {inert(field.path)}  {field.found()}  [{field.cause}{opens}]"
        if field.author:
            yield f"             {field.author}"


def _unmanaged(drift: Drift, style: Style) -> Iterator[str]:
    strangers = drift.strangers()
    if strangers:
        yield style.paint(f"{unmanaged_title(drift)} ({len(strangers):,}):", "cyan")
        for stranger in strangers[:_SHOWN_UNMANAGED]:
            yield f"  {inert(f'{stranger.site}/{stranger.kind}')} {inert(stranger.name, 120)}"
        if len(strangers) > _SHOWN_UNMANAGED:
            yield f"  and {len(strangers) - _SHOWN_UNMANAGED} more"


def _coverage(drift: Drift, style: Style) -> Iterator[str]:
    partial, full = partial_coverage(drift), full_coverage(drift)
    if partial:
        yield style.paint(f"{COVERAGE} ({len(partial):,}):", "cyan")
        for coverage in partial[:_SHOWN_KINDS]:
            yield f"  {inert(f'{coverage.site}/{coverage.kind}')} {share_managed(coverage)}"
        if len(partial) > _SHOWN_KINDS:
            yield f"  and {counted(len(partial) - _SHOWN_KINDS, 'more kind')}"
    if full:
        yield full
    for document, count in other_documents(drift):
        yield f"Managed by the document {inert(document, 60)}, and not counted: {counted(count, 'object')}."
    for by, count in controller_owned(drift):
        yield f"Created by {inert(by, 60)}, and not counted: {counted(count, 'object')}."


def share_managed(coverage: Coverage) -> str:
    """`75 % (3 of 4)`."""
    return f"{coverage.percent} % ({coverage.managed} of {coverage.managed + coverage.unmanaged})"


def object_text(described: dict[str, Any], style: Style) -> str:
    """One object: every field, its value in the document and in the system, and which side changed."""
    lines = [style.paint(inert(described["address"]), "bold")]
    for name in ("origin", "id", "applied", "state"):
        if described.get(name):
            lines.append(f"  {name}: {inert(described[name])}")
    lines += [f"  on two sites: {line(row)}" for row in described["replications"]]
    for row in described["states"]:
        whose = "" if row.address == described["address"] else f" {inert(row.address)}"
        lines.append(style.paint(f"  live{whose}: {state_text(row.state)}{users_text(row)}", "yellow"))
    lines += [f"  chosen: {inert(note)}" for note in described["chosen"]]
    for field in described["fields"]:
        desired, found = (with_names(field[side], field["names"]) for side in ("desired", "live"))
        values = plain_value(desired, field["unit"])
        if field["differs"]:
            live, cause = plain_value(found, field["unit"]), CAUSES[Cause(field["cause"])]
            items = set_change(desired, found, field["unit"]) if field["unordered"] else NO_CHANGE
            live_text = f"live {items.found('what the document says')}" if items else f"live {live}"
            values += style.paint(f"  {live_text}  [{cause}]", "yellow")
        lines.append(f"  {inert(field['path'])}: {values}")
    unsaid = described["unsaid"]
    taken = [inert(row["path"]) for row in unsaid if row["evidence"]]
    if taken:
        lines.append(f"  left out, because it is the system's default: {some(taken, 12)}")
    lines += [
        f"  left out: {inert(row['path'])}, which is {plain_value(row['live'], row['unit'])}"
        for row in unsaid
        if not row["evidence"]
    ]
    lines += [f"  also written by: {inert(writer)}" for writer in described["writers"]]
    lines += [f"  part {inert(part['address'])}: {inert(part['state'])}" for part in described["parts"]]
    return "\n".join(lines) + "\n"
