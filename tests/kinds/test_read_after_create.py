"""An id that a system has answered exists, even where no read shows the object yet: it is waited for, and never created twice."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.kinds.cases import Case, cases
from tests.kinds.test_kinds import document
from tests.kinds.test_kinds import lab as lab  # the fixture
from tests.lab import EVERYTHING, Lab
from vastplan.engine.live.wait import until_shown
from vastplan.model.outcome import State
from vastplan.model.plan import Verb
from vastplan.schema.codec import at
from vastplan.sim.wire import Request, Response

LATE = (
    "vast.api_token.yaml", "vast.view_policy.yaml", "vast.quota.yaml", "vast.local_provider.yaml", "runai.department.yaml",
)  # fmt: skip
"""Some that refer to others, and some that refer to nothing."""
CASES = [case for case in cases() if case.file in LATE]


class Replicas:
    """A system of several replicas: while `behind`, no read shows what was created since. The next `lost` answers to creates are lost."""

    def __init__(self, lab: Lab, name: str) -> None:
        self.behind, self.posts, self.lost = True, 0, 0
        self._kind = lab.registry.kinds[name]
        self._born: set[str] = set()
        plane = lab.world.sites["iad"].servers[self._kind.system].plane
        self._handle: Callable[[Request], Response] = plane.handle
        plane.handle = self._answers  # type: ignore[method-assign]

    def _answers(self, request: Request) -> Response:
        response = self._answered(request)
        if request.method == "POST" and response.status == 201 and self.lost:
            self.lost -= 1
            return Response(502, {"detail": "Bad Gateway"})
        return response

    def _answered(self, request: Request) -> Response:
        response = self._handle(request)
        if self._kind.endpoint.path.strip("/") not in request.path or response.status >= 400:
            return response
        if request.method == "POST":
            self.posts += 1
            self._born.add(str(at(response.body, self._kind.endpoint.id)))
        if request.method != "GET" or not self.behind:
            return response
        if str(at(response.body, self._kind.endpoint.id)) in self._born:
            return Response(404, {"detail": "Not found."})
        body = copy.deepcopy(response.body)
        for rows in _lists(body):
            rows[:] = [row for row in rows if str(at(row, self._kind.endpoint.id)) not in self._born]
        if isinstance(body, dict) and "count" in body:
            body["count"] = len(body["results"])
        return Response(response.status, body, response.headers, response.content_type)


def _lists(body: Any) -> Iterator[list[Any]]:
    if isinstance(body, list):
        yield body
    elif isinstance(body, dict):
        yield from (value for value in body.values() if isinstance(value, list))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_no_read_shows_yet_is_unknown_and_not_created_again(lab: Lab, case: Case) -> None:
    replicas = Replicas(lab, case.kind)
    lab.write(document(lab, case, case.get("entry", {})))
    outcomes = {str(outcome.address): outcome for outcome in lab.apply(lab.plan()).outcomes}
    assert outcomes[case.address].state is State.UNKNOWN, outcomes[case.address]
    created = replicas.posts
    for _ in range(2):
        plan = lab.plan()
        assert [
            action for action in plan.actions if action.verb is Verb.CREATE and str(action.address) == case.address
        ] == []
        assert any("does not show it yet" in unknown.reason for unknown in plan.unknown), plan.unknown
        lab.apply(plan)
    assert replicas.posts == created
    replicas.behind = False
    lab.converge(EVERYTHING)
    assert lab.plan().actions == ()
    assert replicas.posts == created


@pytest.mark.parametrize("case", [case for case in CASES if case.kind == "api_token"], ids=str)
def test_a_token_whose_answer_is_lost_is_waited_for_and_then_offered_for_deletion(
    lab: Lab, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = document(lab, case, case.get("entry", {}))
    lab.write({section: entries for section, entries in whole.items() if section != "api_tokens"})
    lab.converge()
    lab.write(whole)
    replicas = Replicas(lab, case.kind)
    replicas.lost = 1
    (outcome,) = lab.apply(lab.plan()).outcomes
    assert outcome.state is State.UNKNOWN and outcome.message.endswith("; cannot determine whether it was created")

    def caught_up(_: float) -> None:
        replicas.behind = False

    monkeypatch.setattr("vastplan.engine.live.wait.SHOWN", 60.0)
    monkeypatch.setattr(until_shown, "__defaults__", (caught_up,))
    (outcome,) = lab.apply(lab.plan()).outcomes
    assert outcome.state is State.UNKNOWN and "perhaps created by an interrupted run; plan again" in outcome.message
    assert replicas.posts == 1
    plan = lab.plan()
    assert sorted(action.verb.value for action in plan.actions) == ["create", "delete"]
    lab.converge(EVERYTHING)
    assert (replicas.posts, len(lab.rows("iad", "api_token")), lab.plan().actions) == (2, 1, ())


@pytest.mark.parametrize(("age", "waited"), [(-3600.0, 60.0), (0.0, 60.0), (45.0, 15.0), (60.0, 0.0)])
def test_a_lost_create_is_waited_for_a_minute_at_most_by_whosever_clock_it_was_sent(
    age: float, waited: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vastplan.engine.live.wait.SHOWN", 60.0)
    pauses: list[float] = []
    assert until_shown(lambda: None, age, pauses.append) is None
    assert waited <= sum(pauses) < waited + 2.01
