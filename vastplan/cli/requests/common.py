"""Arguments of several commands: the document, the output, and what a plan shows."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

from vastplan.cli.request import Argument, Format, option, positionals, repeatable, switch


def duration(text: str) -> int:
    """Returns the seconds of a duration. Raises `ArgumentTypeError` for what is none."""
    from vastplan.model.units import parse_span

    try:
        return parse_span(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


_DOCUMENT = "a document: YAML files, or a folder of them"
_OR_HERE = "left out, that of the current folder"
DOCUMENT_OR_HERE = positionals("PATH", Path, f"{_DOCUMENT}; {_OR_HERE}", "*")
DOCUMENT_AFTER = positionals("PATH", Path, f"{_DOCUMENT}; {_OR_HERE}", "+", or_here=True)
"""The document after another operand."""
DOCUMENT_BEFORE = positionals("PATH", Path, f"a document; {_OR_HERE}", 1, or_here=True)
"""The document before other operands."""
CONNECTIONS = option("--connections", Path, "FILE", "addresses and credentials from outside the document")
LOCK_TIMEOUT = option(
    "--lock-timeout", duration, "DURATION", "wait for a ledger that another run holds, at most so long: 10m", default=0
)
SITE = option("--site", str, "SITE[,SITE]", "only these sites")
COMMITMENTS = switch("--commitments", "show the sums that the document promises on each site, and what the site has")
EVERY_REPORT = (".md", ".html", ".json", ".xml", ".sarif", ".prom")
"""The endings of the reports on a plan or a drift check, the commands with the most."""


def isolation_of(of: str) -> bool:
    """`--isolation`, the proof of which projects are isolated, of the document or of the live state."""
    text = f"show which projects {of} isolates from each other; exits with 3 if two projects share something and no waiver allows it"
    return switch("--isolation", text)


def formats(*names: str) -> Format:
    """`--format`; the first one is the default."""
    return cast(Format, Argument("--format", Format(names[0]), choices=names, help=f"default: {names[0]}"))


def report_files(*endings: str) -> tuple[Path, ...]:
    """`--report`, files to write reports to, in the format of their endings."""
    named = ", ".join(".xml (JUnit)" if ending == ".xml" else ending for ending in endings)
    text = f"also write a report in the format of its ending: {named}; repeatable"
    declared = Argument("--report", (), endings=endings, action="append", type=Path, metavar="FILE", help=text)
    return cast("tuple[Path, ...]", declared)


def not_a_path(otherwise: str) -> Callable[[str], str]:
    """The type of an address that is no path: a path was meant as the document, or is a `*` that the shell expanded. `otherwise`
    says what to type."""

    def address(text: str) -> str:
        if os.path.exists(text):
            raise argparse.ArgumentTypeError(f"{text} is a path, not an address; {otherwise}")
        return text

    return address


EXPAND = repeatable(
    "--expand", not_a_path("to show all in full type: --expand '*'"), "ADDRESS",
    "show this change in full where a long plan folds it, or all changes of this tenant; patterns allowed, '*' for all; repeatable",
)  # fmt: skip
