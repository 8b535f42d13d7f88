"""What the verbs of `move` and `restore` take: the same, in the words of the command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import ClassVar

from vastplan.cli.request import Request, option, optional_positional, positional, positionals, repeatable, switch
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_BEFORE, LOCK_TIMEOUT, formats


def not_blank(text: str) -> str:
    """Returns the text. Raises `ArgumentTypeError` if it is blank, which usually is a shell variable that was not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty")
    return text


def filled(flag: str, metavar: str, text: str, *, alternative: bool = False) -> str:
    """An option whose value must not be blank: "" if it was not typed."""
    return option(flag, not_blank, metavar, text, default="", alternative=alternative)


class OperationRequest(Request):
    """The base of all that moves and restores take."""

    operand: ClassVar[str]
    """The placeholder for an operation: `MOVE`."""
    about: ClassVar[str]
    """What else names an operation than its id."""
    lost_after: ClassVar[tuple[str, str]]
    """What `--lose` of a run names, and its help."""
    paths = DOCUMENT_BEFORE
    connections = CONNECTIONS
    subject: str = ""
    """An address, or what names an operation."""


class OperationPlanRequest(OperationRequest):
    """The verb `plan`."""

    verb = "plan"
    out = option("--out", Path, "FILE", "save the plan for vastplan {request.command} run FILE")
    format = formats("text", "json")


class OperationRunRequest(OperationRequest):
    """The verb `run`; its path is the saved plan."""

    verb = "run"
    summary = "carry out a planned {request.command}, or go on with one that stopped"
    example = "{request.command}.json"
    paths = positionals(
        "FILE", Path, "what vastplan {request.command} plan saved; or [PATH] ID of one that has begun, to go on", "+"
    )
    lose = filled("--lose", "{request.lost_after[0]}", "{request.lost_after[1]}")
    approvals = option("--approvals", Path, "FILE", "instead of --lose: an approval of each protected path")
    documents = repeatable("--document", Path, "PATH", "where the document is now, if it moved")
    lock_timeout = LOCK_TIMEOUT
    auto_approve = switch("--auto-approve", "do not ask")
    checkpoints: tuple[str, ...] = ()
    """The checkpoints from which the workloads of a move go on."""


class OperationStatusRequest(OperationRequest):
    """The verb `status`."""

    verb = "status"
    summary = "show how far {request.command}s are, from the ledger"
    example = "examples/ai-factory"
    subject = optional_positional("{request.operand}", "one of them: its id, or {request.about}", "")
    format = formats("text", "json")


class OperationAbortRequest(OperationRequest):
    """The verb `abort`."""

    verb = "abort"
    summary = "take a {request.command} back, up to its point of no return"
    example = "examples/ai-factory 1a2b3c4d"
    subject = positional("{request.operand}", str, "its id, or {request.about}")
    lock_timeout = LOCK_TIMEOUT
    auto_approve = switch("--auto-approve", "do not ask")
