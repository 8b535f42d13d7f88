"""Parses the command line into a request: the only place that sees argparse's result."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vastplan.cli.parser import parser

if TYPE_CHECKING:
    from vastplan.cli.request import Request


def parse(arguments: Sequence[str] | None = None) -> Request:
    """The request. Like argparse, ends the process for `--version`, `-h` and invalid arguments."""
    typed = sys.argv[1:] if arguments is None else arguments
    # If the command comes first, only its parser is built.
    as_json = "--format=json" in typed or ("--format", "json") in itertools.pairwise(typed)
    values = vars(parser(typed[0] if typed else "", as_json=as_json).parse_args(typed))
    # Imported late: not needed if the process has ended above.
    from vastplan.cli.request import REQUESTS

    command = values.pop("command")
    (request_type,) = (request for request in REQUESTS if request.command == command)
    frozen = {name: _frozen(name, value) for name, value in values.items()}
    return request_type(**{name.removeprefix("operation_"): value for name, value in frozen.items()})


def _frozen(name: str, value: Any) -> Any:
    from vastplan.cli.request import Format, LedgerVerb, OperationVerb

    if name == "format":
        return Format(value)
    if name == "verb":
        return LedgerVerb(value)
    if name == "operation_verb":
        return OperationVerb(value)
    if name == "paths" and not isinstance(value, list):  # an optional path
        return () if value is None else (value,)
    return tuple(value) if isinstance(value, list) else value
