"""Options of several commands: the document, the output, and the consents."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

EXIT_CODES = """\
exit codes:
  0  fine           1  error                     2  changes or drift present
  3  blocked by a guard or check                 4  applied in part
  5  refused: the plan is stale                  6  incomplete: a system could not be read
Where several hold, the first of 1, 5, 4, 3, 2, 6 is the exit code.
"""


def command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, example: str
) -> argparse.ArgumentParser:
    """Add a command with its description, an example and the exit codes."""
    return commands.add_parser(
        name, help=text, description=text[:1].upper() + text[1:] + ".", epilog=f"example:\n  {example}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip


def paths(parser: argparse.ArgumentParser, *, needed: bool = True) -> None:
    """Add the document's paths and `--connections`."""
    text = "a document: YAML files, or a folder of them" + ("" if needed else "; left out, that of the current folder")
    parser.add_argument("paths", nargs="+" if needed else "*", type=Path, metavar="PATH", help=text)
    parser.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )


def site(parser: argparse.ArgumentParser) -> None:
    """Add `--site`."""
    parser.add_argument("--site", metavar="SITE[,SITE]", help="only these sites")


def commitments(parser: argparse.ArgumentParser) -> None:
    """Add `--commitments`, for the table of what the document promises on each site."""
    parser.add_argument(
        "--commitments",
        action="store_true",
        help="show the sums that the document promises on each site, and what the site has",
    )


def isolation(parser: argparse.ArgumentParser, text: str) -> None:
    """Add `--isolation`, for the proof of which projects are isolated."""
    parser.add_argument(
        "--isolation", action="store_true",
        help=f"{text}; exits with 3 if two projects share something and no waiver allows it",
    )  # fmt: skip


def formats(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Add `--format`; the first format is the default."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")


def reports(parser: argparse.ArgumentParser, *endings: str) -> None:
    """Add `--report`, for files to write reports to."""
    parser.add_argument(
        "--report",
        dest="reports",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help=f"also write a report in the format of its ending: {', '.join(endings)}; repeatable",
    )


def expand(parser: argparse.ArgumentParser) -> None:
    """Add `--expand`, for the changes of a long plan to show in full."""
    parser.add_argument(
        "--expand",
        action="append",
        default=[],
        type=_expandable,
        metavar="ADDRESS",
        help="show this change in full where a long plan folds it, or all changes of this tenant; patterns allowed, "
        "'*' for all; repeatable",
    )


def _expandable(text: str) -> str:
    """Returns the text. Raises `ArgumentTypeError` for an existing path, because a shell expands an unquoted `*` to file names."""
    if os.path.exists(text):
        raise argparse.ArgumentTypeError(f"{text} is a path, not an address; to show all in full type: --expand '*'")
    return text


def _pattern(text: str) -> str:
    """Returns the pattern. Raises `ArgumentTypeError` for an existing path, which was meant as the document or is an expanded `*`."""
    if os.path.exists(text):
        raise argparse.ArgumentTypeError(f"{text} is a path, not an address; to keep all drift type: --keep-drift '*'")
    return text


def consents(parser: argparse.ArgumentParser) -> None:
    """Add the options that select and allow changes in this run."""
    parser.add_argument(
        "--target",
        dest="targets",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="only this address, what it needs, and what uses its new name; patterns allowed; repeatable",
    )
    parser.add_argument(
        "--keep-drift",
        action="append",
        type=_pattern,
        default=[],
        metavar="ADDRESS",
        help="keep what was changed outside vastplan at this address, in this run; patterns allowed, '*' for all; repeatable",
    )
    parser.add_argument("--adopt", action="store_true", help="adopt objects that exist and are not in the ledger")
    parser.add_argument(
        "--allow-delete",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="consent to this delete or replace; patterns allowed; repeatable",
    )
    parser.add_argument(
        "--allow-narrow",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="consent to refusing clients of an object in use; patterns allowed; repeatable",
    )
    parser.add_argument(
        "--believe-gone",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="confirm that this object is gone when many are gone at once: recreate or forget it; patterns allowed; repeatable",
    )
    parser.add_argument(
        "--approvals",
        type=Path,
        metavar="FILE",
        help="approvals of data loss, by address, with reason and date",
    )
    parser.add_argument(
        "--max-changes",
        type=int,
        metavar="N",
        help="how many objects of one kind on one site may change at once "
        "(default: 10, or 30 %% if that is more; deletes: 2, or half of them)",
    )
