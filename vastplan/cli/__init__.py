"""The command line: the only package that prints. Each command returns its conditions; `model.errors` ranks their exit codes."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vastplan.cli.request import Request
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import VastplanError

INTERRUPTED = 130  # 128 plus the number of SIGINT, as in shells
COMPLETE = "__complete"  # called by the scripts of `vastplan completion`; not typed by people


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Every error that a user can cause ends in one short message, not in a traceback."""
    # Documents and responses are large trees without cycles: collecting garbage as often as Python does by default costs
    # a fifth of a plan's time and finds none. A small command makes fewer objects than the first threshold.
    gc.set_threshold(300_000, 50, 100)
    _no_plugins()
    # At exit Python collects garbage among all objects, a fifth of a small command's time, to free memory that the system
    # frees anyway. Frozen objects are skipped; everything that is still referenced is closed as usual.
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed the stream: not an error
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process lives
    typed = sys.argv[1:] if arguments is None else arguments
    if typed[:1] == [COMPLETE]:
        from vastplan.cli import completion

        return completion.run(typed[1:])
    from vastplan.cli.parser import parse

    request = parse(typed)
    from vastplan.cli.endings import ended_in_order
    from vastplan.cli.screen import Screen
    from vastplan.model.errors import ERROR, VastplanError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal with fewer characters still shows the text
    screen = Screen(sys.stdout, sys.stderr, colour=request.colour)
    try:
        with ended_in_order():
            return _run(request, screen)
    except VastplanError as problem:
        _report_problem(request, screen, problem)
        return problem.exit_code
    except KeyboardInterrupt as end:
        screen.error("stopped")
        return 128 + end.args[0] if end.args else INTERRUPTED
    except OSError as problem:  # a full disk, a read-only folder, an impossible file name
        screen.error(f"{_short(problem.filename)}{problem.strerror or problem}")
        return ERROR
    except Exception as bug:
        _report_problem(request, screen, VastplanError(_where(bug)))
        return ERROR


def _no_plugins() -> None:
    """Keep pydantic from looking for plugins, which reads what each installed package says of itself: a twentieth of a small command."""
    module = ModuleType("pydantic.plugin._loader")
    vars(module)["get_plugins"] = tuple
    sys.modules.setdefault(module.__name__, module)


def _run(request: Request, screen: Screen) -> int:
    from vastplan.cli import commands, default_document
    from vastplan.model.errors import Invalid, VastplanError

    try:
        _refuse_unknown_reports(request)
    except VastplanError as problem:
        _report_problem(request.replace(reports=()), screen, problem)
        return problem.exit_code
    with_document = default_document.with_document(request)
    try:
        return commands.run(with_document, screen)
    except Invalid as problem:
        from vastplan.app.current_folder import HERE, no_document

        if with_document is request and request.paths != (HERE,):
            raise
        raise no_document(request.typed_name()) or problem from None


def _refuse_unknown_reports(request: Request) -> None:
    """Raises `VastplanError` for a report whose ending names no format that the command writes."""
    from vastplan.model.errors import VastplanError

    for file in request.reports:
        endings = request.arguments["reports"].endings
        if file.suffix not in endings:
            raise VastplanError(
                f"--report {file}: {request.command} writes {', '.join(endings)}; write a FILE with one of these endings"
            )


def _short(name: object) -> str:
    """The file of a problem, as the beginning of a message; "" without one."""
    text = "" if name is None else str(name)
    return f"{text[:80]}{'…' if len(text) > 80 else ''}: " if text else ""


def _where(bug: Exception) -> str:
    """A bug in one line: a traceback would show source lines to users, and may quote secrets."""
    frame = bug.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_code.co_qualname}:{frame.tb_lineno}"
    return f"this is a bug in vastplan, please report it: {type(bug).__name__}{place}: {bug}"


def _report_problem(request: Request, screen: Screen, problem: VastplanError) -> None:
    """Report why a command stopped: for people, and as JSON and in the reports if requested."""
    from vastplan.cli.request import Format
    from vastplan.model.errors import Invalid

    findings = problem.findings if isinstance(problem, Invalid) else ()
    if isinstance(problem, Invalid):
        screen.findings(findings)
    else:
        screen.error(str(problem))
    if request.format is Format.JSON or request.reports:
        from vastplan.cli import output
        from vastplan.report.json_report import Problems

        problems = Problems(str(problem), findings)
        if request.format is Format.JSON:
            screen.machine(problems)
        if request.reports:
            output.problems(request, screen, problems)
