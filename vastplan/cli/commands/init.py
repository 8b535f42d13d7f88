"""`vastplan init`: writes a first document from options, and at a terminal from questions about the missing ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from vastplan.app import init as first_document
from vastplan.cli.request import InitRequest
from vastplan.cli.screen import Screen
from vastplan.document.first import NO_RUNAI, First
from vastplan.model import errors
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word
from vastplan.report.values import counted

_USUAL = First("", "", "")


@dataclass(frozen=True, slots=True)
class _Question:
    """The question for a field; `usual` returns the default from earlier answers, "" if there is none."""

    field: str
    text: str
    usual: Callable[[Mapping[str, str]], str] = lambda _: ""
    of_a_real_site: bool = False
    may_be_left_out: bool = False

    @property
    def option(self) -> str:
        """The option that replaces the question."""
        return f"--{self.field.replace('_', '-')}"


_QUESTIONS = (
    _Question("site", "Name of the site, such as iad?"),
    _Question("vast_url", "Address of its VMS, such as https://vms.iad.example.com?", of_a_real_site=True),
    _Question("context", "Its context in your kubeconfig?", lambda told: told["site"], of_a_real_site=True),
    _Question(
        "runai_url",
        f"Address of its Run:AI control plane, such as https://acme.run.ai; {NO_RUNAI} for a site without Run:AI?",
        of_a_real_site=True,
    ),
    _Question("tenant", "Tenant of the first team, such as team-a?"),
    _Question("project", "Its Run:AI project?", lambda told: told["tenant"]),
    _Question("vips", "Free addresses of the data network?", lambda _: _USUAL.vips, may_be_left_out=True),
    _Question("clients", "Addresses of the nodes that mount?", lambda _: _USUAL.clients, may_be_left_out=True),
)


def init(request: InitRequest, screen: Screen) -> int:
    """Write the document, and show what to type next."""
    path = request.paths[0] if request.paths else None
    folder = first_document.folder_for(path)
    values = _typed(request, folder)
    simulated = request.sim or _simulated(values, screen)
    asked = [one for one in _QUESTIONS if one.field not in values and not (simulated and one.of_a_real_site)]
    if values.get("kubeconfig"):
        asked = [one for one in asked if one.field != "context"]
    if not sys.stdin.isatty():
        _refuse_missing([one for one in asked if _matters(one, values)])
        asked = []
    for question in asked:
        if _matters(question, values):
            values[question.field] = _answer(question, values, folder, screen)
    first = First(**values)
    file, checked = first_document.write(path, first)
    screen.show(
        f"Wrote {word(file)}: {counted(checked.objects, 'object')} on site {values['site']}, valid. "
        "Replace the example values: their lines say `change`."
    )
    screen.show(_next(file, first))
    return errors.OK


def _typed(request: InitRequest, folder: Path) -> dict[str, str]:
    """The values of the options. Raises `VastplanError` for an invalid value, or one that the site cannot have."""
    fields = (*(one.field for one in _QUESTIONS), "kubeconfig")
    values = {field: value for field in fields if (value := getattr(request, field)) is not None}
    real = [field for field in ("vast_url", "kubeconfig", "context", "runai_url") if field in values]
    if request.sim and real:
        raise VastplanError(f"--sim makes a site without addresses: leave --{real[0].replace('_', '-')} out, or --sim")
    if "project" in values and not _has_runai(values):
        raise VastplanError(
            "a project needs Run:AI: leave out --project, or give the address of the control plane with --runai-url"
        )
    for field in values:
        if wrong := first_document.complaint(folder, values, field):
            raise VastplanError(f"--{field.replace('_', '-')} {inert(word(values[field]), 200)}: {inert(wrong, 400)}")
    return values


def _has_runai(values: Mapping[str, str]) -> bool:
    return values.get("runai_url") != NO_RUNAI


def _matters(question: _Question, values: Mapping[str, str]) -> bool:
    """Whether to ask the question after those answers: a site without Run:AI has no project."""
    return question.field != "project" or _has_runai(values)


def _simulated(values: Mapping[str, str], screen: Screen) -> bool:
    """Whether to use simulators, asked at a terminal if no option decides it."""
    if any(field in values for field in ("vast_url", "kubeconfig", "context", "runai_url")) or not sys.stdin.isatty():
        return False
    while True:
        said = _line(screen, "Use simulators, to try it without a cluster? yes or no [no]: ")
        if said in ("yes", "no", ""):
            return said == "yes"
        screen.progress("yes or no")


def _refuse_missing(asked: list[_Question]) -> None:
    missing = [one.option for one in asked if not one.may_be_left_out]
    if missing:
        options = " ".join("--kubeconfig or --context" if one == "--context" else one for one in missing)
        also = " (or --sim, for a site on simulators)" if any(one.of_a_real_site for one in asked) else ""
        raise VastplanError(f"options are missing, and there is no terminal to ask for them: {options}{also}")


def _answer(question: _Question, values: Mapping[str, str], folder: Path, screen: Screen) -> str:
    """A valid answer; repeats the question until there is one."""
    usual = question.usual(values)
    while True:
        said = _line(screen, f"{question.text} [{inert(usual, 80)}]: " if usual else f"{question.text}: ") or usual
        wrong = (
            first_document.complaint(folder, {question.field: said}, question.field) if said else "an answer is needed"
        )
        if not wrong:
            return said
        screen.error(wrong)


def _line(screen: Screen, question: str) -> str:
    said = screen.answer(question)
    if said is None:
        raise VastplanError("nothing was written: the questions were not answered")
    return said


def _next(file: Path, first: First) -> str:
    lines = ["Next:"]
    if variables := first.variables():
        lines.append(f"  set {' and '.join(variables)}, and: export VASTPLAN_ALLOW_ENV={','.join(variables)}")
    return "\n".join([*lines, f"  vastplan validate {word(file)}", f"  vastplan plan {word(file)}"])
