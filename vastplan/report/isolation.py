"""The isolation proof as a table: what each project reaches by itself, and every meeting point with a way to it."""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.model.escaping import inert
from vastplan.model.isolation import Isolation, Meeting
from vastplan.report.text import Style
from vastplan.report.values import counted

_SHOWN = 6


def isolation_text(proofs: Iterable[Isolation], style: Style, *, of: str) -> str:
    """One part a site. `of` says what was followed: the document, or the live state."""
    lines: list[str] = []
    for proof in proofs:
        lines += ["", *_site(proof, style, of)]
    return "\n".join(lines).lstrip("\n") + "\n" if lines else ""


def _site(proof: Isolation, style: Style, of: str) -> Iterable[str]:
    yield style.paint(f"Isolation on {proof.site}, from {of}", "bold")
    if proof.unknown:
        yield style.paint(f"  ? nothing is proven: {inert(proof.unknown, 400)}", "yellow")
        return
    opened: dict[str, list[str]] = {}
    for name, namespaces in proof.classes.items():
        for namespace in namespaces:
            opened.setdefault(namespace, []).append(name)
    for project, namespace in proof.namespaces.items():
        own = ", ".join([*opened.get(namespace, ()), *proof.shared]) or "none"
        yield style.cut(f"  project {inert(project)}  namespace {inert(namespace)}  classes {inert(own, 300)}")
    for meeting in proof.meetings:
        yield style.paint(
            f"  meet in {inert(meeting.layer)} {inert(meeting.element)}: {inert(who(meeting), 300)}", "yellow"
        )
        for chain in meeting.chains:
            yield f"      {inert(' > '.join(chain), 500)}"
    for end in proof.open_ends:
        whom = "all projects" if end.everybody else ", ".join(end.projects[:_SHOWN])
        yield style.paint(f"  not followed: {inert(end.reason, 300)}: {inert(whom, 300)}", "yellow")
    yield style.paint(f"  {verdict(proof)}", "green") if proof.apart else f"  {verdict(proof)}"


def verdict(proof: Isolation) -> str:
    """What is proven of a site, in half a sentence."""
    if proof.unknown:
        return "nothing is proven"
    count = len(proof.namespaces)
    if proof.apart:
        return "no two projects" if count < 2 else f"every two of {counted(count, 'project')} meet in nothing"
    ends = f", {counted(len(proof.open_ends), 'open end')}" if proof.open_ends else ""
    return f"{counted(count, 'project')}, {counted(len(proof.meetings), 'meeting point')}{ends}"


def who(meeting: Meeting) -> str:
    """The projects that meet, and those beneath them."""
    if meeting.everybody:
        return "all projects"
    dependents = ("all projects",) if meeting.everybody_inside else meeting.inside
    shown = [
        ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "") for names in (meeting.projects, dependents)
    ]
    return shown[0] + (f", and beneath it {shown[1]}" if dependents else "")
