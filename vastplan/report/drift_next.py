"""What to type next after a check for drift: three commands at most, the most urgent first. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from vastplan.model.drift import Drift
from vastplan.model.replication import ReplicationState
from vastplan.model.shell import word, words

_MOST = 3
_SOURCE_ELSEWHERE = (ReplicationState.MOVED, ReplicationState.FAILED_OVER)


def next_commands(drift: Drift, paths: Sequence[Path], acceptable: str = "") -> list[tuple[str, str]]:
    """Each command with what it does; `paths` are the document as typed, `acceptable` is the argument of `--accept`."""
    return [*_commands(drift, words(paths), acceptable)][:_MOST]


def _commands(drift: Drift, document: str, field: str) -> Iterator[tuple[str, str]]:
    moved = drift.news()
    for row in drift.astray():
        if row.state in _SOURCE_ELSEWHERE:
            way = f"vastplan move plan {document} {word(row.address)} --to {word(row.active)}".replace("  ", " ")
            yield way, f"shows how to make {row.active} the source again"
            break
    if drift.not_ours:
        yield _of("vastplan plan", document, "--adopt"), "shows what adopting what exists would change"
    elif any(change.what == "replaced" for change in moved):
        yield (
            _of("vastplan plan", document, "--adopt"),
            "shows what an apply would undo, and adopts what was recreated",
        )
    elif moved or drift.pending:
        yield (
            _of("vastplan plan", document),
            "shows what an apply would undo" if moved else "shows what an apply would do",
        )
    if field:
        yield _of("vastplan drift", document, "--accept", word(field)), "writes a live value into the document"
    if drift.strangers():
        yield (
            _of("vastplan import", document, "--dry-run"),
            "prints what nobody manages as a document, and writes no file",
        )


def _of(command: str, document: str, *more: str) -> str:
    return " ".join(part for part in (command, document, *more) if part)
