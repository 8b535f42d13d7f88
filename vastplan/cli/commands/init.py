"""`vastplan init`: writes a first document from options, and at a terminal from questions about the missing ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from vastplan.app import init as first_document
from vastplan.cli.requests.init import InitRequest
from vastplan.cli.screen import Screen
from vastplan.document.first_document import NO_RUNAI, First
from vastplan.model import errors
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word
from vastplan.report.values import counted

_USUAL = First("", "", "")
_REAL = ("vast_url", "kubeconfig", "context", "runai_url")
"""What a site on simulators does not have."""


@dataclass(frozen=True, slots=True)
class _Question:
    """The question for a field; `usual` returns the default from earlier answers, "" if there is none."""

    field: str
    text: str
    usual: Callable[[Mapping[str, str]], str] = lambda _: ""
    may_be_left_out: bool = False


_QUESTIONS = (
    _Question("site", "Name of the site, such as iad?"),
    _Question("vast_url", "Address of its VMS, such as https://vms.iad.example.com?"),
    _Question("context", "Its context in your kubeconfig?", lambda answers: answers["site"]),
    _Question(
        "runai_url",
        f"Address of its Run:AI control plane, such as https://acme.run.ai; {NO_RUNAI} for a site without Run:AI?",
    ),
    _Question("tenant", "Tenant of the first team, such as team-a?"),
    _Question("project", "Its Run:AI project?", lambda answers: answers["tenant"]),
    _Question("vips", "Free addresses of the data network?", lambda _: _USUAL.vips, may_be_left_out=True),
    _Question("clients", "Addresses of the nodes that mount?", lambda _: _USUAL.clients, may_be_left_out=True),
)


def run(request: InitRequest, screen: Screen) -> int:
    """Write the document, and show what to type next."""
    path = request.paths[0] if request.paths else None
    folder = first_document.folder_for(path)
    values = _typed(request, folder)
    simulated = request.sim or _simulated(values, screen)
    unanswered = [question for question in _QUESTIONS if question.field not in values]
    if simulated:
        unanswered = [question for question in unanswered if question.field not in _REAL]
    if values.get("kubeconfig"):
        unanswered = [question for question in unanswered if question.field != "context"]
    if not sys.stdin.isatty():
        _refuse_missing([question for question in unanswered if _matters(question, values)])
        unanswered = []
    for question in unanswered:
        if _matters(question, values):
            values[question.field] = _answer(question, values, folder, screen)
    first = First(**values)
    file, checked = first_document.write_document(path, first)
    screen.show(
        f"Wrote {word(file)}: {counted(checked.objects, 'object')} on site {values['site']}, valid. "
        "Replace the example values: their lines say `change`."
    )
    screen.show(_next(file, first))
    return errors.OK


def _typed(request: InitRequest, folder: Path) -> dict[str, str]:
    """The values of the options. Raises `VastplanError` for an invalid value, or one that the site cannot have."""
    fields = (*(question.field for question in _QUESTIONS), "kubeconfig")
    values = {field: value for field in fields if (value := getattr(request, field)) is not None}
    real = [field for field in _REAL if field in values]
    if request.sim and real:
        raise VastplanError(f"--sim makes a site without addresses: leave {_option(real[0])} out, or --sim")
    if "project" in values and not _has_runai(values):
        raise VastplanError(
            "a project needs Run:AI: leave out --project, or give the address of the control plane with --runai-url"
        )
    for field in values:
        if wrong := first_document.complaint(folder, values, field):
            raise VastplanError(f"{_option(field)} {inert(word(values[field]), 200)}: {inert(wrong, 400)}")
    return values


def _has_runai(values: Mapping[str, str]) -> bool:
    return values.get("runai_url") != NO_RUNAI


def _matters(question: _Question, values: Mapping[str, str]) -> bool:
    """Whether to ask the question after those answers: a site without Run:AI has no project."""
    return question.field != "project" or _has_runai(values)


def _simulated(values: Mapping[str, str], screen: Screen) -> bool:
    """Whether to use simulators, asked at a terminal if no option decides it."""
    if any(field in values for field in _REAL) or not sys.stdin.isatty():
        return False
    while True:
        answer = _line(screen, "Use simulators, to try it without a cluster? yes or no [no]: ")
        if answer in ("yes", "no", ""):
            return answer == "yes"
        screen.progress("yes or no")


def _refuse_missing(questions: list[_Question]) -> None:
    missing = [question.field for question in questions if not question.may_be_left_out]
    if missing:
        options = ["--kubeconfig or --context" if field == "context" else _option(field) for field in missing]
        simulated = " (or --sim, for a site on simulators)" if any(field in _REAL for field in missing) else ""
        raise VastplanError(
            f"options are missing, and there is no terminal to ask for them: {' '.join(options)}{simulated}"
        )


def _answer(question: _Question, values: Mapping[str, str], folder: Path, screen: Screen) -> str:
    """A valid answer; repeats the question until there is one."""
    usual = question.usual(values)
    while True:
        text = f"{question.text} [{inert(usual, 80)}]: " if usual else f"{question.text}: "
        answer = _line(screen, text) or usual
        if not answer:
            screen.error("an answer is needed")
        elif wrong := first_document.complaint(folder, {question.field: answer}, question.field):
            screen.error(wrong)
        else:
            return answer


def _line(screen: Screen, question: str) -> str:
    line = screen.answer(question)
    if line is None:
        raise VastplanError("nothing was written: the questions were not answered")
    return line


def _option(field: str) -> str:
    """The option of a field."""
    return InitRequest.arguments[field].flag


def _next(file: Path, first: First) -> str:
    lines = ["Next:"]
    if variables := first.variables():
        lines.append(f"  set {' and '.join(variables)}, and: export VASTPLAN_ALLOW_ENV={','.join(variables)}")
    return "\n".join([*lines, f"  vastplan validate {word(file)}", f"  vastplan plan {word(file)}"])
