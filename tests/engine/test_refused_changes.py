"""A change in place that a system refuses by its rules has changed nothing, is said, and is a replace from then on, at that version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import read_all
from tests.conftest import Run
from tests.engine.library import Bench, action, entry
from tests.lab import Lab
from vastplan.engine.applying.refusal import unchangeable_field
from vastplan.model.errors import Conflict, NotAuthorised, ObjectNotFound, Refused
from vastplan.model.outcome import State
from vastplan.model.plan import Verb
from vastplan.schema.kind import Kind
from vastplan.sim.wire import Request, Response


def refusing(bench: Bench, problem: Refused) -> None:
    def before(verb: str, _: Kind) -> None:
        if verb == "update":
            raise problem

    bench.library.before = before


def accepting(bench: Bench) -> None:
    bench.library.before = lambda verb, kind: None


@pytest.mark.parametrize(
    "text",
    [
        "size cannot be changed",
        "spec.size: Forbidden: updates to size are forbidden",
        "size: field is immutable",
        "changing the size is not supported",
        "size: not yet implemented",
    ],
)
def test_it_is_remembered_and_the_next_plan_replaces(text: str) -> None:
    bench = Bench()
    bench.done(entry("shelf", "a", size=1), entry("shelf", "b", size=1))
    refusing(bench, Refused(text, 400))
    (outcome,) = bench.apply(bench.plan(entry("shelf", "a", size=2), entry("shelf", "b", size=1))).outcomes
    assert outcome.state is State.FAILED
    assert outcome.message == f"{text}; nothing was changed, and the next plan proposes a replace"
    assert bench.library.named("shelf", "a")["size"] == 1
    accepting(bench)
    plan = bench.plan(entry("shelf", "a", size=2), entry("shelf", "b", size=1, open=True))
    replaced = action(plan, "shelf", "a")
    assert (replaced.verb, replaced.reason) == (
        Verb.REPLACE,
        f"size cannot be changed in place; the system refused it on 2026-01-02: {text}",
    )
    assert action(plan, "shelf", "b").verb is Verb.UPDATE, "another field of the kind"
    bench.apply(plan)
    assert bench.library.named("shelf", "a")["size"] == 2
    assert list(bench.part.refused) == ["shelf.size"]


@pytest.mark.parametrize(
    ("problem", "fields", "field"),
    [
        (Refused("size 99 is too large", 400), {"size"}, ""),  # of a value: another one may be accepted
        (Refused("size cannot be changed", 400), {"size", "open"}, "size"),
        (Refused("cannot be changed", 400), {"size", "open"}, ""),
        (Refused("resize, reopen: cannot be changed", 400), {"size", "open"}, ""),
        (Refused("method not allowed", 405), {"size"}, "size"),
        (Conflict("the object cannot be changed now", 409), {"size"}, ""),
        (NotAuthorised("it may not be changed by you", 403), {"size"}, ""),
        (ObjectNotFound("it cannot be modified", 404), {"size"}, ""),
    ],
)  # fmt: skip
def test_only_a_rule_of_the_system_for_one_field_counts(problem: Refused, fields: set[str], field: str) -> None:
    assert unchangeable_field(problem, fields) == field


def test_what_was_refused_for_its_value_is_tried_again() -> None:
    bench = Bench()
    bench.done(entry("shelf", "a", size=1))
    refusing(bench, Refused("size 2 is too large", 400))
    (outcome,) = bench.apply(bench.plan(entry("shelf", "a", size=2))).outcomes
    assert outcome.message == "size 2 is too large" and not bench.part.refused
    assert action(bench.plan(entry("shelf", "a", size=2)), "shelf", "a").verb is Verb.UPDATE


# --- a VMS of another version


def schedule(every: str) -> dict[str, Any]:
    return {"snapshot_schedules": {"hourly": {"frames": [{"every": every, "keep_local": "1d"}]}}}


def refuse_patches(lab: Lab) -> Callable[[], None]:
    """Its VMS refuses other frames of a schedule; call the result to end that."""
    plane = lab.world.sites["iad"].servers["vast"].plane
    handle = plane.handle

    def answer(request: Request) -> Response:
        if request.method == "PATCH" and "protectionpolicies" in request.path:
            return Response(400, {"detail": "frames cannot be modified"})
        return handle(request)

    plane.handle = answer  # type: ignore[method-assign]

    def end() -> None:
        plane.handle = handle  # type: ignore[method-assign]

    return end


def test_it_is_remembered_for_that_version_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vastplan: Run
) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(schedule("1h"))
        lab.converge()
        end = refuse_patches(lab)
        lab.write(schedule("2h"))
        (outcome,) = lab.apply(lab.plan()).outcomes
        assert outcome.state is State.FAILED and "the next plan proposes a replace" in outcome.message
        (planned,) = lab.plan().actions
        assert planned.verb is Verb.REPLACE and "frames cannot be modified" in planned.reason
        read_all(vastplan, tmp_path, "iad/protection_policy/hourly")
        monkeypatch.setattr("vastplan.systems.vast.client.VastProvider.version", lambda _: "9.9.0")
        (planned,) = lab.plan().actions
        assert planned.verb is Verb.UPDATE, "another version may change it"
        end()
        lab.converge()
        with lab.workspace().ledger() as backend:
            assert backend.read("iad").refused == {}, "it does"
