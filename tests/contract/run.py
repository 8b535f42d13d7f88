"""Run probes against systems, report what differs, and leave nothing behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import uuid4

import requests

from tests.contract import PREFIX
from tests.contract.facts import Fact
from tests.contract.match import differences, filled, shown
from tests.contract.probes import Probe, Step
from tests.contract.record import recorded
from tests.contract.target import PEER, Answer, Target, TransportLimits, Unsafe


class Verdict(Enum):
    """How a fact fared."""

    AGREES = "agrees"
    DIFFERS = "DIFFERS"
    UNKNOWN = "not exercised"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact's line: what was seen, where it differs; why not, where it was not; what is left on the system so far."""

    fact: Fact
    verdict: Verdict
    seen: str = ""
    left: str = ""

    def __str__(self) -> str:
        about = f"{self.fact.about} | " if self.fact.about else ""
        line = f"{self.fact.id} {self.verdict.value} | {about}assumed: {self.fact.assumed}"
        words = {Verdict.AGREES: "not shown", Verdict.UNKNOWN: "why"}.get(self.verdict, "seen")
        return line + (f" | {words}: {self.seen}" if self.seen else "") + (f" | {self.left}" if self.left else "")


class CannotPrepare(Exception):
    """A step that only prepares went wrong: the fact itself was not shown, one way or the other."""


Report = Callable[[Finding], None]


def run(
    targets: Mapping[str, Target], probes: Mapping[str, Probe], facts: Mapping[str, Fact], report: Report, *,
    limits: TransportLimits, folder: Path | None = None,
) -> list[Finding]:  # fmt: skip
    """Exercise each probe whose system is given; what was made is deleted, however this ends."""
    findings: list[Finding] = []

    def note(finding: Finding) -> None:
        findings.append(finding)
        report(finding)

    stamp = f"{PREFIX}{uuid4().hex[:6]}"
    try:
        for probe in probes.values():
            target = targets.get(probe.system)
            if target is not None:
                other = targets.get(PEER) if "peer" in target.abilities else None
                note(_one(probe, facts[probe.id], target, other, stamp, limits, folder))
    finally:
        # Also finds what a request made whose answer never came. What two clusters share goes where it may, so each is asked twice.
        for _ in range(2 if PEER in targets else 1):
            left = [f"{target.name}: {name}" for target in targets.values() for name in _swept(target, stamp, limits)]
    if left:
        raise LeftBehind(", ".join(left))
    return findings


class LeftBehind(Exception):
    """Objects of this suite that could not be deleted."""


def leftovers(targets: Iterable[Target]) -> list[str]:
    """What earlier runs left behind."""
    return [f"{target.name}: {one.name}" for target in targets for one in target.leftovers(PREFIX)]


def _swept(target: Target, stamp: str, limits: TransportLimits) -> list[str]:
    with _undisturbed():
        return target.sweep(stamp, limits)


def _one(
    probe: Probe, fact: Fact, target: Target, other: Target | None, stamp: str, limits: TransportLimits, folder: Path | None
) -> Finding:  # fmt: skip
    if probe.because:
        return Finding(fact, Verdict.UNKNOWN, probe.because)
    if missing := [one for one in probe.needs if one not in target.abilities]:
        return Finding(fact, Verdict.UNKNOWN, f"needs {', '.join(missing)}")
    known = {**target.known, "p": f"{stamp}-{probe.id.lower()}"}
    with recorded(folder, probe.id, target.scrubber):
        try:
            finding = _exercised(probe, fact, target, other, known, limits)
        finally:
            with _undisturbed():
                both = (target, other) if other is not None and "peer" in probe.needs else (target,)
                if len(both) > 1:  # what clusters make for each other nobody asked for, and it holds what was
                    for one in (*both, *both):
                        one.sweep(known["p"], limits)
                left = [where for one in both for where in one.tidy(limits)]
    if left:
        finding = replace(finding, left=f"not deleted yet: {', '.join(left)}")
    return finding


def _exercised(
    probe: Probe, fact: Fact, target: Target, other: Target | None, known: dict[str, Any], limits: TransportLimits
) -> Finding:  # fmt: skip
    seen: list[str] = []
    systems = {"": target} if other is None else {"": target, "peer": other}
    try:
        for step in probe.steps:
            for item in filled(step.options.get("for", [None]), known):
                at = systems[step.options.get("at", "")]
                seen += _stepped(step, at, {**known, "it": item}, known, limits)
    except (CannotPrepare, LookupError, Unsafe, requests.RequestException) as problem:
        # What differed before is why the rest cannot be shown.
        if not seen:
            return Finding(fact, Verdict.ERROR, target.scrubber.text(f"{type(problem).__name__}: {problem}"))
    if seen:
        return Finding(fact, Verdict.DIFFERS, target.scrubber.text("; ".join(seen)))
    return Finding(fact, Verdict.AGREES, probe.leaves_out)


def _stepped(
    step: Step, target: Target, known: dict[str, Any], keep: dict[str, Any], limits: TransportLimits
) -> list[str]:
    path = filled(step.path, known)
    options = {key: filled(value, known) for key, value in step.options.items() if key not in ("for", "as", "at")}

    def send() -> Answer:
        answer = target.send(
            step.method, path, body=options.get("body"), data=options.get("raw") or options.get("form"),
            query=options.get("query"), headers=options.get("headers"), anonymous=options.get("login") == "none",
        )  # fmt: skip
        if name := step.options.get("as"):
            keep[name] = known[name] = answer.body
        return answer

    call = f"{step.method} {path}" + (" at the peer" if "at" in step.options else "")
    if "until" in options:
        wrong: list[str] = []
        for _ in limits.turns():
            answer = send()
            wrong = _compared(answer, {"is": options.get("is", 200), "has": options["until"]})
            if not wrong:
                return []
        return [f"{call}: after {limits.looks} looks {', '.join(wrong)}"]
    answer = send()
    if not step.expects:
        if answer.status >= 300:
            raise CannotPrepare(f"{call} was answered {answer.status} {shown(answer.body)}")
        return []
    return [f"{call}{_about(options)}: {one}" for one in _compared(answer, options)]


def _about(options: Mapping[str, Any]) -> str:
    sent = options.get("body", options.get("raw", options.get("query")))
    return "" if sent is None else f" with {shown(sent)}"


def _compared(answer: Answer, options: Mapping[str, Any]) -> list[str]:
    statuses = options.get("is", [200, 201, 202, 204])
    allowed = statuses if isinstance(statuses, list) else [statuses]
    if answer.status not in allowed:
        return [f"answered {answer.status} {shown(answer.body)}, not {' or '.join(map(str, allowed))}"]
    found = differences(options["has"], answer.body) if "has" in options else []
    lower = {name.lower(): value for name, value in answer.headers.items()}
    wanted = {name.lower(): value for name, value in options.get("headed", {}).items()}
    return found + differences(wanted, lower, "headers")


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C has to wait for the tidying up: a second one would leave objects on somebody's system."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
