"""The snapshots of a directory as text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vastplan.model.escaping import inert
from vastplan.model.formatting import size
from vastplan.model.shell import word
from vastplan.model.snapshot_list import ListedSnapshot
from vastplan.report.style import Style


def snapshots_text(address: str, snapshots: Sequence[ListedSnapshot], style: Style, document: str) -> str:
    """A line for each snapshot, by place, and how to restore one; `document` is what names the document on the command line."""
    if not snapshots:
        return f"{inert(address)} has no snapshots"
    places: dict[tuple[str, str], list[ListedSnapshot]] = {}
    for snapshot in snapshots:
        places.setdefault((snapshot.address, snapshot.directory), []).append(snapshot)
    lines: list[str] = []
    for (place, directory), listed in places.items():
        lines.append(style.paint(f"{inert(place)}  {inert(directory, 300)}", "bold"))
        broad = max(len(inert(snapshot.name, 200)) for snapshot in listed)
        lines += [f"  {inert(snapshot.name, 200):<{broad}}  {_facts(snapshot)}" for snapshot in listed]
    ready = [snapshot for snapshot in snapshots if snapshot.ready and snapshot.address == address] or [
        snapshot for snapshot in snapshots if snapshot.ready
    ]
    if ready:
        newest = ready[-1]
        lines += [
            "To restore one into a new volume (with --in-place: in its own directory):",
            f"  vastplan restore plan {document} {word(newest.address)} --snapshot {word(newest.name)} --out restore.json",
        ]
    return "\n".join(lines)


def _facts(snapshot: ListedSnapshot) -> str:
    facts = [
        f"created {inert(snapshot.created, 40) or 'at an unknown time'}",
        f"expires {inert(snapshot.expires, 40)}" if snapshot.expires else "does not expire",
        *([f"{size(snapshot.size)} of its own"] if snapshot.size is not None else []),
        *(["locked"] if snapshot.locked else []),
        *([] if snapshot.ready else ["not ready"]),
    ]
    return ", ".join(facts)
