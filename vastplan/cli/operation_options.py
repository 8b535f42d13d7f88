"""The options of `vastplan move` and `vastplan restore`. Imports nothing heavy."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TypeAlias

from vastplan.cli import options

_Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def move(commands: _Verbs) -> None:
    """Add `move` and its subcommands."""
    example = "examples/ai-factory iad/volume/team-a-checkpoints --to pdx --out move.json"
    verbs = _command(commands, "move", "move a volume that replicates to its other site, stage by stage", example)
    _plan_move(_planned(verbs, "move", "read both sites, show what the move would do, and save it with --out", example))
    _run(
        verbs,
        "move",
        "RESTOREPOINT",
        "consent to go back to this restore point (or everything) and to lose what came later",
    )
    _status(verbs, "move", "what it moves")
    _abort(verbs, "move", "what it moves")


def restore(commands: _Verbs) -> None:
    """Add `restore` and its subcommands."""
    example = "examples/ai-factory iad/volume/team-a-checkpoints --snapshot good --out restore.json"
    text = "go back to a snapshot, in a new volume or in place, stage by stage"
    verbs = _command(commands, "restore", text, example)
    _plan_restore(
        _planned(verbs, "restore", "read the site, show what the restore would do, and save it with --out", example)
    )
    _run(verbs, "restore", "SNAPSHOT", "in place: consent to go back to this snapshot and to lose what came later")
    _status(verbs, "restore", "what it restores")
    _abort(verbs, "restore", "what it restores")


def _command(commands: _Verbs, kind: str, text: str, example: str) -> _Verbs:
    command = options.command(commands, kind, text, f"vastplan {kind} plan {example}")
    return command.add_subparsers(dest="operation_verb", required=True, metavar="COMMAND")


def _verb(verbs: _Verbs, kind: str, name: str, text: str, example: str) -> argparse.ArgumentParser:
    return options.command(verbs, name, text, f"vastplan {kind} {name} {example}")


def _of_document(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("paths", nargs=1, type=Path, metavar="PATH", help="a document")
    _connections(verb)


def _connections(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )


class Said(argparse.Action):
    """An option whose text must not be empty: an empty text usually is a shell variable that was not set."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the text. Raises `ArgumentError` if it is empty or blank."""
        if not str(values).strip():
            raise argparse.ArgumentError(self, "is empty")
        setattr(namespace, self.dest, values)


def _planned(verbs: _Verbs, kind: str, text: str, example: str) -> argparse.ArgumentParser:
    verb = _verb(verbs, kind, "plan", text, example)
    _of_document(verb)
    verb.add_argument("--out", type=Path, metavar="FILE", help=f"save the plan for vastplan {kind} run FILE")
    options.formats(verb, "text", "json")
    return verb


def _plan_move(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "subject",
        metavar="ADDRESS",
        help="a volume, view, bucket or protected path that two sites share, or a project or tenant: all its volumes",
    )
    ways = verb.add_mutually_exclusive_group(required=True)
    ways.add_argument("--to", default="", action=Said, metavar="SITE", help="the site to move it to")
    ways.add_argument(
        "--rejoin",
        default="",
        action=Said,
        metavar="SITE",
        help="a returned site that becomes the destination again: what only it has is lost, except for a snapshot",
    )
    ways.add_argument(
        "--keep",
        default="",
        action=Said,
        metavar="SITE",
        help="where both sites took writes: the site that stays the source",
    )
    verb.add_argument(
        "--unplanned", action="store_true", help="without the present source: what has not arrived is lost"
    )
    verb.add_argument(
        "--broken",
        default="",
        action=Said,
        metavar="REASON",
        help="why the present source is given up although it answers",
    )
    verb.add_argument(
        "--through-global-access", dest="through", action="store_true",
        help="move only the workloads, to a satellite of global access or back: no role changes, and every write there crosses the WAN",
    )  # fmt: skip
    verb.add_argument(
        "--warm",
        default="",
        action=Said,
        metavar="DIR",
        help="with --through-global-access: prefetch only this directory of the satellite",
    )
    verb.add_argument(
        "--fork",
        default="",
        action=Said,
        metavar="NAME",
        help="run the workloads at SITE too, on this volume of the document, a clone; the source stays the source",
    )
    verb.add_argument("--live", action="store_true", help="with --fork: suspend nothing; the clone is crash-consistent")
    verb.add_argument(
        "--rehearse", action="store_true",
        help="try the move on a temporary clone at SITE: no role changes, and nothing stops at the source",
    )  # fmt: skip
    options.reports(verb, ".html")


def _plan_restore(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("subject", metavar="ADDRESS", help="a volume, view, bucket or protected path")
    verb.add_argument("--snapshot", required=True, action=Said, metavar="NAME", help="a snapshot of its directory")
    verb.add_argument(
        "--as",
        dest="name",
        default="",
        action=Said,
        metavar="NAME",
        help="name of the new volume (default: NAME-restored)",
    )
    verb.add_argument(
        "--directory",
        default="",
        action=Said,
        metavar="DIR",
        help="directory of the new volume (default: beside the old one)",
    )
    verb.add_argument(
        "--in-place", action="store_true", help="restore the directory itself, which needs a protected path"
    )


def _run(verbs: _Verbs, kind: str, loses: str, text: str) -> None:
    verb = _verb(verbs, kind, "run", f"carry out a planned {kind}, or go on with one that stopped", f"{kind}.json")
    verb.add_argument("paths", nargs=1, type=Path, metavar="FILE", help=f"what vastplan {kind} plan saved")
    _connections(verb)
    verb.add_argument("--lose", default="", action=Said, metavar=loses, help=text)
    verb.add_argument(
        "--approvals", type=Path, metavar="FILE", help="instead of --lose: an approval of the protected path"
    )
    verb.add_argument(
        "--document", dest="documents", action="append", default=[], type=Path, metavar="PATH",
        help="where the document is now, if it moved",
    )  # fmt: skip
    verb.add_argument("--yes", action="store_true", help="do not ask")


def _status(verbs: _Verbs, kind: str, subject: str) -> None:
    verb = _verb(verbs, kind, "status", f"show how far {kind}s are, from the ledger", "examples/ai-factory")
    _of_document(verb)
    verb.add_argument("subject", nargs="?", default="", metavar=kind.upper(), help=f"one of them: its id, or {subject}")
    options.formats(verb, "text", "json")


def _abort(verbs: _Verbs, kind: str, subject: str) -> None:
    text = f"take a {kind} back, up to its point of no return"
    verb = _verb(verbs, kind, "abort", text, "examples/ai-factory 1a2b3c4d")
    _of_document(verb)
    verb.add_argument("subject", metavar=kind.upper(), help=f"its id, or {subject}")
    verb.add_argument("--yes", action="store_true", help="do not ask")
