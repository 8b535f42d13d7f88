"""The steps that move and rehearse do so, and what they must not do is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.histories import moves
from tests.histories.history import Broken, History
from tests.histories.look import look
from vastplan.sim.vast import VastPlane

pytestmark = pytest.mark.slow  # each plays a history on two sites


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    """One with a document on two sites, which has a volume that two sites share after its first move."""
    played = History(2, (), tmp_path / "h", tell=True)
    paper = played.papers[0]
    paper.document.sites = ["iad", "pdx"]
    with played.plant.running():
        played.write(paper)
        played.apply(paper, Random(0), "all")
        yield played


def roles(history: History) -> dict[str, str]:
    return {
        site: row["role"] for site in ("iad", "pdx") for row in history.plant.rows(site, "vast", "protectedpaths") if row["role"]
    }  # fmt: skip


def test_it_is_moved_and_back(history: History) -> None:
    seen = []
    for seed in range(6):
        moves.move_data(history, Random(seed))
        seen.append(roles(history))
    assert {"iad": "SOURCE", "pdx": "DESTINATION"} in seen and {"iad": "DESTINATION", "pdx": "SOURCE"} in seen
    assert any("move run" in line and "-> 0" in line for line in history.story)


def test_a_copy_is_deleted_with_its_source(history: History) -> None:
    moves.move_data(history, Random(1))
    sight = look(history.plant)
    paths = {key for key in sight.rows if key[1] == "protected_path" and key in sight.made_for}
    (copy,) = paths
    assert sight.made_for[copy] in sight.rows and sight.made_for[copy][0] != copy[0]


def test_what_a_rehearsal_leaves_is_noticed(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    carried = moves._carried

    def leaving(*arguments: Any, **options: Any) -> Any:
        done = carried(*arguments, **options)
        (tenant, *_) = [row["id"] for row in history.plant.rows("pdx", "vast", "tenants") if row["name"] == "default"]
        policy = next(
            row["id"] for row in history.plant.rows("pdx", "vast", "viewpolicies") if row["tenant_id"] == tenant
        )
        body = {"path": "/left", "policy_id": policy, "tenant_id": tenant, "create_dir": True}
        assert history.plant.by_hand("pdx", "vast", "POST", "/api/v5/views/", body).status == 201
        return done

    for seed in range(3):
        moves.rehearse(history, Random(seed))
    assert any("--rehearse" in line for line in history.story) and any(
        "move run rehearsal" in line for line in history.story
    )
    monkeypatch.setattr(moves, "_carried", leaving)
    with pytest.raises(Broken) as broken:
        moves.rehearse(history, Random(3))
    assert [violation.code for violation in broken.value.violations] == ["rehearsal-left"]


def test_what_a_move_loses_is_noticed(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VastPlane, "labels", lambda *_, **__: [])
    with pytest.raises(Broken) as broken:  # noqa: PT012
        for seed in range(9):
            moves.move_data(history, Random(seed))
    assert [violation.code for violation in broken.value.violations] == ["lost-by-move"]
