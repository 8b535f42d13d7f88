"""The command line: the only package that prints, and the only one that decides on exit codes."""

from __future__ import annotations

import argparse
import gc
import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import VastplanError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; answers the exit code. Whatever a user can cause ends in one short message, not in a traceback."""
    # Documents and answers are large trees without cycles: looking for garbage in them as often as Python does by
    # default costs a fifth of a plan's time and finds none.
    gc.set_threshold(100_000, 50, 100)
    from vastplan.cli.parser import parser

    words = parser().parse_args(arguments)
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import ERROR, Invalid, VastplanError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows fewer characters still gets the text
    screen = Screen(sys.stdout, sys.stderr, colour=words.colour)
    try:
        from vastplan.cli import commands, reporting

        reporting.check(words)
        return int(getattr(commands, words.command)(words, screen))
    except Invalid as invalid:
        screen.findings(invalid.findings)
        _tell_machine(words, screen, invalid)
        return invalid.exit_code
    except VastplanError as problem:
        screen.error(str(problem))
        _tell_machine(words, screen, problem)
        return problem.exit_code
    except KeyboardInterrupt:
        screen.error("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left; there is nobody to tell
        return 0
    except Exception as bug:
        told = VastplanError(_where(bug))
        screen.error(str(told))
        _tell_machine(words, screen, told)
        return ERROR


def _where(bug: Exception) -> str:
    """A bug in one line: a traceback would show people lines of ours, and a message may quote what is secret."""
    frame = bug.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_code.co_qualname}:{frame.tb_lineno}"
    return f"this is a bug in vastplan, please report it: {type(bug).__name__}{place}: {bug}"


def _tell_machine(words: argparse.Namespace, screen: Screen, problem: VastplanError) -> None:
    """However the command ends, standard output holds JSON with `--format json`, and a report says that it did not work."""
    if getattr(words, "format", "text") == "json" or getattr(words, "report", ()):
        from vastplan.cli import reporting
        from vastplan.model.errors import Invalid
        from vastplan.report.json_report import Problems

        found = Problems(str(problem), problem.findings if isinstance(problem, Invalid) else ())
        if words.format == "json":
            screen.machine(found)
        if getattr(words, "report", ()):
            reporting.problems(words, screen, found)
