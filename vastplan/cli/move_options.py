"""What can be typed after `vastplan move`. Imports nothing heavy."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

from vastplan.cli import options

_Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def move(commands: _Verbs) -> None:
    """The command and its commands."""
    command = options.command(
        commands, "move", "move a volume that replicates to its other site, stage by stage",
        "vastplan move plan examples/ai-factory iad/volume/team-a-checkpoints --to pdx --out move.json",
    )  # fmt: skip
    verbs = command.add_subparsers(dest="move_verb", required=True, metavar="COMMAND")
    for add in (_plan, _run, _status, _abort):
        add(verbs)


def _verb(verbs: _Verbs, name: str, text: str, example: str) -> argparse.ArgumentParser:
    return options.command(verbs, name, text, f"vastplan move {name} {example}")


def _of_document(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("paths", nargs=1, type=Path, metavar="PATH", help="a document")
    _connections(verb)


def _connections(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )


def _plan(verbs: _Verbs) -> None:
    example = "examples/ai-factory iad/volume/team-a-checkpoints --to pdx --out move.json"
    verb = _verb(verbs, "plan", "read both sites, and show and save what would be done", example)
    _of_document(verb)
    verb.add_argument("subject", metavar="ADDRESS", help="a volume, view or protected path that replicates")
    ways = verb.add_mutually_exclusive_group(required=True)
    ways.add_argument("--to", default="", metavar="SITE", help="the site that is to have it")
    ways.add_argument(
        "--rejoin",
        default="",
        metavar="SITE",
        help="a site that is back, and is to follow the other one again: what only it has is lost but for a snapshot",
    )
    ways.add_argument(
        "--keep",
        default="",
        metavar="SITE",
        help="where both led: the site that was right, which the other one is to follow",
    )
    verb.add_argument(
        "--unplanned", action="store_true", help="without the site that has it now, losing what has not arrived"
    )
    verb.add_argument("--broken", default="", metavar="REASON", help="why it is given up although it answers")
    verb.add_argument("--out", type=Path, metavar="FILE", help="save it for vastplan move run FILE")
    options.formats(verb, "text", "json")
    options.reports(verb, ".html")


def _run(verbs: _Verbs) -> None:
    verb = _verb(verbs, "run", "carry out a planned move, or go on with one that stopped", "move.json")
    verb.add_argument("paths", nargs=1, type=Path, metavar="FILE", help="what vastplan move plan saved")
    _connections(verb)
    verb.add_argument(
        "--lose",
        default="",
        metavar="RESTOREPOINT",
        help="go back to this restore point (or everything), losing what came later",
    )
    verb.add_argument(
        "--approvals", type=Path, metavar="FILE", help="in the place of --lose: an approval of the protected path"
    )
    verb.add_argument(
        "--document", dest="documents", action="append", default=[], type=Path, metavar="PATH",
        help="where the document is now, if it moved",
    )  # fmt: skip
    verb.add_argument("--yes", action="store_true", help="do not ask")


def _status(verbs: _Verbs) -> None:
    verb = _verb(verbs, "status", "say how far moves are, from the ledger", "examples/ai-factory")
    _of_document(verb)
    verb.add_argument("subject", nargs="?", default="", metavar="MOVE", help="one of them: its id, or what it moves")
    options.formats(verb, "text", "json")


def _abort(verbs: _Verbs) -> None:
    verb = _verb(verbs, "abort", "take a move back, up to its point of no return", "examples/ai-factory 1a2b3c4d")
    _of_document(verb)
    verb.add_argument("subject", metavar="MOVE", help="its id, or what it moves")
    verb.add_argument("--yes", action="store_true", help="do not ask")
