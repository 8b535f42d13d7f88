"""Each simulator holds each documented fact about the bodies that vastplan sends: asked one by one, over HTTPS."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.probes.lives import statuses
from tests.probes.subjects import SUBJECTS, Send, Subject, authorised, failures, named_in_body, plane, stricter
from vastplan.sim.serve import Authority, Server, write_pem

AUTHORITY = Authority()
NEWEST = dict(SUBJECTS)
"""The newest version of each system: the last that is listed. Older ones are asked in CI."""
QUICK = {"view", "s3_key", "tenant", "project", "namespace", "storage_class"}
"""Kinds whose tables `make test` asks about; all of them are asked in CI."""
ASKED = [
    pytest.param(
        Subject(system, version),
        kind,
        id=f"{system}{version}-{kind.name}",
        marks=() if version == NEWEST[system] and kind.name in QUICK else pytest.mark.slow,
    )
    for system, version in SUBJECTS
    for kind in Subject(system, version).kinds()
]


@pytest.fixture
def send(subject: Subject, tmp_path: Path) -> Iterator[Send]:
    """Ask the subject over HTTPS."""
    one = plane(subject.system, subject.version)
    server = Server(one, AUTHORITY, threading.RLock()).start()
    with requests.Session() as session:
        session.trust_env = False
        session.verify = str(write_pem(AUTHORITY, tmp_path / "ca.pem"))

        def ask(method: str, path: str, body: Any) -> tuple[int, Any]:
            answer = session.request(method, server.url + path, json=body, timeout=30)
            return answer.status_code, answer.json() if answer.content else None

        session.headers["Authorization"] = authorised(ask, one)
        subject.prepare(ask)
        yield ask
    server.stop()


@pytest.mark.parametrize(("subject", "kind"), ASKED)
def test_it_holds_what_is_documented(subject: Subject, kind: Any, send: Send) -> None:
    found: dict[str, str] = {}
    asked = 0
    for question in subject.questions(kind):
        asked += len(question.probes)
        found |= dict(failures(subject, question, send))
    assert asked > (8 if named_in_body(kind) else 20)
    assert {name: how for name, how in found.items() if name not in stricter()} == {}
    # Each difference that is listed is still there.
    here = {f"{subject.system} {question.method} {question.template} " for question in subject.questions(kind)}
    assert {name for name in stricter() if any(name.startswith(one) for one in here)} <= set(found)


@pytest.mark.parametrize(("subject", "kind"), [one for one in ASKED if not str(one.id).startswith("kubernetes")])
def test_each_step_of_a_life_is_answered_as_documented(subject: Subject, kind: Any, send: Send) -> None:
    steps = list(statuses(subject, kind, send))
    assert len(steps) >= 4
    known = subject.facts.operations
    assert [one for one in steps if one[2] not in known[one[1]][one[0]]["success"]] == []
