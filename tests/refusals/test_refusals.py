"""Each refusal that the simulators know is foreseen by `validate` or `plan`, or its row says why it cannot be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.direct import DIRECT
from tests.lab import AS_SOMEBODY, Lab, full_registry
from tests.refusals.cases import Case, table, unnamed
from tests.refusals.documented_bounds import excluded
from tests.refusals.rules import answer, rules
from vastplan.app.planning.request import Planned
from vastplan.model.errors import VastplanError
from vastplan.model.outcome import State
from vastplan.sim.vast import VastPlane

RULES = rules()
CASES, EXCUSES = table()
SYSTEMS = ["vast", "kubernetes", "runai"]


def test_every_rule_has_a_row() -> None:
    missing = list(unnamed(RULES, CASES, EXCUSES))
    assert not missing, "\n".join(missing)


def test_every_row_has_a_rule() -> None:
    assert len({case.title for case in CASES}) == len(CASES)
    assert {rule for case in CASES for rule in case.rules} <= set(RULES)
    hit = {rule for case in CASES for rule in case.rules}
    for excuse in EXCUSES:
        for pattern in excuse.patterns:
            covered = [rule for rule in RULES if replace(excuse, patterns=(pattern,)).covers(rule)]
            assert set(covered) - hit, f"{pattern}: no rule needs this reason"


def test_a_rule_that_is_added_finds_no_reason_by_itself() -> None:
    for excuse in EXCUSES:
        covered = [rule for rule in RULES if excuse.covers(rule)]
        pattern = any("*" in pattern for pattern in excuse.patterns)
        expected = len(covered) if pattern else None
        rules = "\n".join(covered)
        assert excuse.count == expected, (
            f"is the reason true of all? then covers: {expected}\n{excuse.because}\n{rules}"
        )


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.title for case in CASES])
def test_it_is_foreseen(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Lab(tmp_path, dict.fromkeys(case.sites, SYSTEMS)) as lab:
        lab.write(case.before or {})
        if case.before is not None:
            lab.converge()
        _set(lab, case.state)
        for request, body in case.by_hand:
            status, text = _asked(lab, request, body)
            assert status < 400, text
        if case.refused is not None:
            status, refusal = _asked(lab, *case.refused)
            assert 400 <= status < 500, refusal
        lab.write(case.document)
        told = _told(lab)
        assert case.told and case.told in told, told
        if case.refused is None:
            _without_foresight(monkeypatch)
            refusal = _refusal(lab)
    for rule in case.rules:
        assert answer(rule).search(refusal.replace('\\"', '"')), (rule, refusal)


def _set(lab: Lab, state: dict[str, Any]) -> None:
    """Change what no request changes: fields of the only row of a collection, and what a directory of a tenant holds."""
    plane = lab.world.sites[next(iter(lab.sites))].planes["vast"]
    assert isinstance(plane, VastPlane)
    for name, value in state.items():
        if name.startswith("/"):
            live = lab.live(value)
            assert live is not None, value
            plane.usage(name, int(live.id), 1000, 1)
        else:
            with lab.world.lock:
                plane._cluster.put(name, {**plane._cluster.store.rows(name)[0], **value})


def _told(lab: Lab) -> str:
    """What stops the document before anything is written, or warns of it."""
    try:
        plan = lab.plan()
    except VastplanError as error:
        return str(error)
    said = [str(finding.message) for finding in plan.findings]
    return "\n".join([*said, *(block.message for action in plan.actions for block in action.blocked)])


def _refusal(lab: Lab) -> str:
    """What an apply fails of."""
    plan = replace(lab.plan(), findings=())
    return "\n".join(one.message for one in lab.apply(plan).outcomes if one.state is State.FAILED)


def _without_foresight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plan without guards and checks from now on."""
    for module in ("plan", "apply"):
        where = f"vastplan.app.{module}.weigh"
        monkeypatch.setattr(where, _blind(_original(where)))


def _original(where: str) -> Callable[..., Planned]:
    from importlib import import_module

    module, _, name = where.rpartition(".")
    found: Callable[..., Planned] = getattr(import_module(module), name)
    return found


def _blind(weigh: Callable[..., Planned]) -> Callable[..., Planned]:
    def blind(*words: Any) -> Planned:
        planned = weigh(*words)
        actions = tuple(replace(action, blocked=()) for action in planned.plan.actions)
        return replace(planned, plan=replace(planned.plan, findings=(), actions=actions))

    return blind


def _asked(lab: Lab, request: str, body: Any) -> tuple[int, str]:
    """The status and text of the answer to `METHOD SYSTEM PATH`, at the first site."""

    def live_id(match: re.Match[str]) -> str:
        if match[1] == "cluster":
            return str(lab.rows(site, "runai_cluster")[0]["uuid"])
        live = lab.live(match[1])
        assert live is not None, match[1]
        return str(live.id)

    method, system, path = request.split(" ", 2)
    site = next(iter(lab.sites))
    path, text = (re.sub(r"\{([\w./-]+)\}", live_id, each) for each in (path, json.dumps(body)))
    headers = {**AS_SOMEBODY, **lab._authorisation(site, system)}
    if system == "kubernetes" and method == "PATCH":
        headers["Content-Type"] = "application/merge-patch+json"
    content = None if body is None else re.sub(r'"(\d+)"', r"\1", text).encode() if system == "vast" else text.encode()
    reply = DIRECT.ask(lab.world.sites[site].servers[system], method, path, content, headers)
    return reply.status, reply.data.decode()


def test_values_outside_of_their_documented_range_are_refused() -> None:
    """For every field that is sent as it is written, whatever its kind."""
    models, tried = {name: kind.model for name, kind in full_registry().kinds.items()}, 0
    for kind, place, value in excluded():
        entry = value
        for step in reversed(place):
            entry = {step: entry}
        with pytest.raises(ValidationError) as caught:
            models[kind].model_validate(entry)
        places = [tuple(step for step in error["loc"] if isinstance(step, str)) for error in caught.value.errors()]
        assert any(found[: len(place)] == place for found in places), (kind, place, value)
        tried += 1
    assert tried > 90
