"""What to type next after a check for drift: three commands at most, the most urgent first. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from vastplan.model.drift import Drift
from vastplan.model.replication import ReplicationState
from vastplan.model.shell import word, words
from vastplan.model.yaml_text import ENDINGS

_MOST = 3


def next_commands(
    drift: Drift, paths: Sequence[Path], acceptable: str = "", connections: Path | None = None
) -> list[tuple[str, str]]:
    """Each command with what it does; `paths` and `connections` are the document as typed, `acceptable` is the argument of
    `--accept`."""
    options = "" if connections is None else f" --connections {word(connections)}"
    return [(command + options, effect) for command, effect in _commands(drift, paths, acceptable)][:_MOST]


def _commands(drift: Drift, paths: Sequence[Path], field: str) -> Iterator[tuple[str, str]]:
    document, moved = words(paths), drift.reported()
    for row in drift.astray():
        if row.state is ReplicationState.FAILED_OVER:
            returned = next((member.site for member in row.members if member.site != row.leads), row.active)
            way = f"vastplan move plan {document} {word(row.address)} --rejoin {word(returned)}".replace("  ", " ")
            yield way, f"shows what only {returned} has, and makes it the destination again"
            break
        if row.state is ReplicationState.MOVED:
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
    if any(stranger.take is not None for stranger in drift.strangers()):
        yield (
            _of("vastplan import", document, *_out(paths), "--dry-run", *_takes(drift)),
            "prints what nobody manages as a document, and writes no file",
        )


def _out(paths: Sequence[Path]) -> list[str]:
    """The folder that import writes to, where the document is not one folder."""
    if all(path.suffix not in ENDINGS for path in paths) and len(paths) < 2:
        return []
    return ["--out", word(paths[0].parent)]


def _takes(drift: Drift) -> Iterator[str]:
    """What import skips unless it is asked for, by name, or of many objects of a kind the kind."""
    by_kind: dict[str, list[str]] = {}
    for stranger in drift.strangers():
        if stranger.take:
            by_kind.setdefault(stranger.kind, []).append(stranger.take)
    for kind, patterns in by_kind.items():
        for pattern in dict.fromkeys(patterns) if len(set(patterns)) <= _MOST else (f"*/{kind}/*",):
            yield f"--take {word(pattern)}"


def _of(command: str, document: str, *more: str) -> str:
    return " ".join(part for part in (command, document, *more) if part)
