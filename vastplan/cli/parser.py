"""What can be typed, and the help for it. Imports nothing heavy: `--version` and `-h` answer at once."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from vastplan import __version__

EXIT_CODES = """\
exit codes:
  0  fine           1  error                     2  changes or drift present
  3  blocked by a guard or check                 4  applied in part
  5  refused: the plan is stale                  6  incomplete: a system could not be read
Where several hold, the first of 1, 5, 4, 3, 2, 6 is the exit code.
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="vastplan",
        description="Plan and apply AI storage across VAST, Kubernetes and NVIDIA Run:AI from one YAML document.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"vastplan {__version__}")
    top.add_argument(
        "--no-colour", "--no-color", dest="colour", action="store_false", default=_colour(), help="plain output"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _validate(commands)
    _plan(commands)
    _apply(commands)
    _drift(commands)
    _show(commands)
    _ledger(commands)
    _sim(commands)
    _schema(commands)
    _completion(commands)
    return top


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, example: str
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name, help=text, description=text[:1].upper() + text[1:] + ".", epilog=f"example:\n  {example}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip


def _paths(one: argparse.ArgumentParser, *, needed: bool = True) -> None:
    text = "a document: YAML files, or a folder of them"
    one.add_argument("paths", nargs="+" if needed else "*", type=Path, metavar="PATH", help=text)
    one.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )


def _site(one: argparse.ArgumentParser) -> None:
    one.add_argument("--site", metavar="SITE[,SITE]", help="only these sites")


def _commitments(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--commitments", action="store_true", help="show what each site promises together, and what it has"
    )


def _isolation(one: argparse.ArgumentParser, text: str) -> None:
    one.add_argument(
        "--isolation", action="store_true",
        help=f"{text}; 3 unless every two projects meet in nothing, or a waiver says why they may",
    )  # fmt: skip


def _formats(one: argparse.ArgumentParser, *formats: str) -> None:
    one.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")


def _reports(one: argparse.ArgumentParser, *endings: str) -> None:
    one.add_argument(
        "--report",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help=f"also write a report; the ending says which: {', '.join(endings)}; repeatable",
    )


def _consents(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="only this address; patterns allowed; repeatable",
    )
    one.add_argument("--adopt", action="store_true", help="take over what exists and is not ours")
    one.add_argument(
        "--allow-delete",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="consent to this delete or replace; patterns allowed; repeatable",
    )
    one.add_argument(
        "--allow-narrow",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="consent to letting fewer clients in while it is in use; patterns allowed; repeatable",
    )
    one.add_argument(
        "--believe-gone",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="these are gone though much is gone at once: make them again, or forget them; patterns allowed; repeatable",
    )
    one.add_argument(
        "--approvals",
        type=Path,
        metavar="FILE",
        help="approvals for the loss of data, by address, with reason and date",
    )
    one.add_argument(
        "--max-changes",
        type=int,
        metavar="N",
        help="how many objects of one kind on one site may change or go at once "
        "(default 10, or 30 %% if that is more; of those that go, two or half of them)",
    )


def _validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(commands, "validate", "check a document without a network", "vastplan validate examples/ai-factory")
    _paths(one, needed=False)
    _isolation(one, "show which projects the document keeps apart")
    _commitments(one)
    one.add_argument("--list-checks", action="store_true", help="list the checks instead; needs no document")
    one.add_argument("--explain", metavar="CODE", help="say what a check finds, why and what to do; needs no document")
    _formats(one, "text", "json")
    _reports(one, ".json", ".xml (JUnit)", ".sarif")


def _plan(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(
        commands, "plan", "show what would change, and save it", "vastplan plan examples/ai-factory --out plan.json"
    )
    _paths(one)
    _site(one)
    _consents(one)
    one.add_argument("--out", type=Path, metavar="FILE", help="save the plan for vastplan apply FILE")
    one.add_argument(
        "--detailed-exitcode", action="store_true", help="2 when there are changes, 3 when some are blocked"
    )
    _isolation(one, "show which projects the document keeps apart")
    _commitments(one)
    _formats(one, "text", "json", "markdown", "html")
    _reports(one, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _apply(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(commands, "apply", "carry out a saved plan, or plan, show and ask", "vastplan apply plan.json")
    _paths(one)
    _site(one)
    _consents(one)
    one.add_argument("--auto-approve", action="store_true", help="do not ask")
    one.add_argument(
        "--document",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="where the plan's document is now, if it moved",
    )
    _formats(one, "text", "json")
    _reports(one, ".json", ".xml (JUnit)", ".sarif")


def _drift(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(
        commands,
        "drift",
        "say what moved since the last apply, and what nobody manages",
        "vastplan drift examples/ai-factory",
    )
    _paths(one)
    _site(one)
    _isolation(one, "show which projects the live state keeps apart")
    _formats(one, "text", "json")
    _reports(one, ".json", ".xml (JUnit)", ".sarif", ".prom")


def _show(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(
        commands,
        "show",
        "show a saved plan, or one object: desired, live and who moved which field",
        "vastplan show examples/ai-factory iad/tenant/team-a",
    )
    one.add_argument("paths", nargs=1, type=Path, metavar="PLAN|PATH", help="a saved plan, or a document")
    one.add_argument("address", nargs="?", metavar="ADDRESS", help="an object of the document")
    one.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )
    _formats(one, "text", "json", "markdown", "html")
    _reports(one, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _ledger(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(commands, "ledger", "look at and mend what we own", "vastplan ledger list examples/ai-factory")
    one.add_argument(
        "verb",
        choices=("list", "forget", "unlock"),
        help="list; forget ADDRESS without touching it; unlock SITE: say who holds it, break a lock whose holder is gone",
    )
    one.add_argument("paths", nargs=1, type=Path, metavar="PATH", help="a document")
    one.add_argument("what", nargs="?", metavar="ADDRESS|SITE")
    one.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )
    _formats(one, "text", "json")


def _sim(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(
        commands, "sim", "serve the simulators: a document's sites, or one control plane",
        "vastplan sim vast --port 8443 --user admin --password secret",
    )  # fmt: skip
    one.add_argument("what", metavar="PATH|vast|kubernetes|runai")
    one.add_argument("--port", type=int, default=0, help="the port of a single plane; 0 takes a free one")
    one.add_argument("--user", default="admin", help="the user (vast) or client id (runai) of a single plane")
    one.add_argument("--password", help="its password, client secret or token; made up when left out")
    one.add_argument("--state", type=Path, metavar="FILE", help="keep a single plane's objects in this file")
    one.add_argument(
        "--rate", type=int, metavar="N", help="refuse more than N requests a second (429) on a single plane"
    )
    one.add_argument(
        "--api-version",
        metavar="VERSION",
        help="the product version to simulate (vast 5.3, 5.5; runai 2.20 to 2.24; kubernetes 1.34)",
    )


def _schema(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(
        commands, "schema", "print a JSON Schema", "vastplan schema desired-state > schemas/desired-state.schema.json"
    )
    one.add_argument(
        "which",
        nargs="?",
        choices=(
            "desired-state",
            "plan",
            "ledger",
            "approvals",
            "connections",
            "validate",
            "apply",
            "drift",
            "show",
            "budget",
            "ledger-list",
            "problems",
            "checks",
        ),
        default="desired-state",
    )


def _completion(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    one = _command(
        commands,
        "completion",
        "print a completion script for a shell",
        "vastplan completion bash > /etc/bash_completion.d/vastplan",
    )
    one.add_argument("shell", choices=("bash", "zsh", "tcsh"))
