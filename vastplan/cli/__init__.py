"""The command line: the only package that prints. Each command says which conditions hold; `model.errors` ranks their exit codes."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vastplan.cli.request import Request
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import VastplanError

INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it
COMPLETE = "__complete"  # what the scripts of `vastplan completion` call; nobody types it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; answers the exit code. Whatever a user can cause ends in one short message, not in a traceback."""
    # Documents and answers are large trees without cycles: looking for garbage in them as often as Python does by
    # default costs a fifth of a plan's time and finds none.
    gc.set_threshold(100_000, 50, 100)
    # At its end Python looks for garbage among all that is there, a fifth of what a small command takes, to give back
    # memory that the system takes back anyway. What is frozen is not looked at; all that is referred to is still closed.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started this: nobody listens, and that is no error
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process lives
    typed = sys.argv[1:] if arguments is None else arguments
    if typed[:1] == [COMPLETE]:
        from vastplan.cli import completing

        return completing.run(typed[1:])
    from vastplan.cli.parse import parse

    request = parse(typed)
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import ERROR, VastplanError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows fewer characters still gets the text
    screen = Screen(sys.stdout, sys.stderr, colour=request.colour)
    try:
        return _run(request, screen)
    except VastplanError as problem:
        _say(request, screen, problem)
        return problem.exit_code
    except KeyboardInterrupt:
        screen.error("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left; there is nobody to tell
        return 0
    except OSError as problem:  # a disk that is full, a folder that is read-only, a name that no file can have
        screen.error(f"{_short(problem.filename)}{problem.strerror or problem}")
        return ERROR
    except Exception as bug:
        _say(request, screen, VastplanError(_where(bug)))
        return ERROR


def _run(request: Request, screen: Screen) -> int:
    from dataclasses import replace

    from vastplan.app import reports
    from vastplan.cli import commands, here
    from vastplan.model.errors import Invalid, VastplanError

    try:
        reports.refuse_unknown(request.command, request.reports)
    except VastplanError as problem:
        _say(replace(request, reports=()), screen, problem)
        return problem.exit_code
    asked = here.placed(request)
    try:
        return commands.run(asked, screen)
    except Invalid as problem:
        if asked is request:
            raise
        from vastplan.app.here import no_document

        raise no_document(here.typed(request)) or problem from None


def _short(name: object) -> str:
    """The file that a problem is about, as the beginning of a message."""
    text = "" if name is None else str(name)
    return f"{text[:80]}{'…' if len(text) > 80 else ''}: " if text else ""


def _where(bug: Exception) -> str:
    """A bug in one line: a traceback would show people lines of ours, and a message may quote what is secret."""
    frame = bug.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_code.co_qualname}:{frame.tb_lineno}"
    return f"this is a bug in vastplan, please report it: {type(bug).__name__}{place}: {bug}"


def _say(request: Request, screen: Screen, problem: VastplanError) -> None:
    """Why a command could not go on: for people, and as JSON and in the reports where they were asked for."""
    from vastplan.cli.request import Format
    from vastplan.model.errors import Invalid

    findings = problem.findings if isinstance(problem, Invalid) else ()
    if isinstance(problem, Invalid):
        screen.findings(findings)
    else:
        screen.error(str(problem))
    if request.format is Format.JSON or request.reports:
        from vastplan.cli import reporting
        from vastplan.report.json_report import Problems

        problems = Problems(str(problem), findings)
        if request.format is Format.JSON:
            screen.machine(problems)
        if request.reports:
            reporting.problems(request, screen, problems)
