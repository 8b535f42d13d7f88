"""The command line: the only package that prints, and the only one that decides on exit codes."""

from __future__ import annotations

import gc
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command; answers the exit code. Whatever a user can cause ends in one short message, not in a traceback."""
    # Documents and answers are large trees without cycles: looking for garbage in them as often as Python does by
    # default costs a fifth of a plan's time and finds none.
    gc.set_threshold(100_000, 50, 100)
    from vastplan.cli.parser import parser

    words = parser().parse_args(arguments)
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import ERROR, Invalid, VastplanError

    screen = Screen(sys.stdout, sys.stderr, colour=words.colour)
    try:
        from vastplan.cli import commands

        return int(getattr(commands, words.command)(words, screen))
    except Invalid as invalid:
        screen.findings(invalid.findings)
        return ERROR
    except VastplanError as problem:
        screen.error(str(problem))
        return problem.exit_code
    except KeyboardInterrupt:
        screen.error("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left; there is nobody to tell
        return 0
