"""What an import says of the apply that comes after it is all that the apply does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.importing.factory import SITES, applied
from tests.importing.round_trip import Desk
from tests.importing.worlds import Yard


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    """A world that a document made whose files and ledger are lost."""
    one = Yard(tmp_path / "yard", SITES)
    with one.running():
        applied(one, tmp_path / "old")
        yield one


@pytest.fixture
def desk(yard: Yard, tmp_path: Path) -> Desk:
    """Three lines of that document."""
    return Desk.of(yard, tmp_path / "new", "ai-factory")


def test_what_the_document_asked_for_before_is_told_and_planned_first(yard: Yard, desk: Desk) -> None:
    assert "\nNext: vastplan apply " in desk.types("import").out
    assert desk.types("apply", "--adopt", "--auto-approve").code == 0
    quota = next(row for row in yard.rows("pdx", "vast", "quotas") if row["name"] == "team-b-datasets")
    grown = yard.by_hand("pdx", "vast", "PATCH", f"/api/v5/quotas/{quota['id']}/", {"hard_limit": 50 * 2**40})
    assert grown.status < 400, grown.body
    assert yard.by_hand("pdx", "vast", "POST", "/api/v5/tenants/", {"name": "clicked"}).status < 400
    done = desk.types("import")
    assert "Imported 1 object as 1 entry" in done.out
    assert "An apply also does what was pending before: 1 update." in done.out
    assert "\nNext: vastplan plan " in done.out and "vastplan apply" not in done.out


@pytest.mark.slow
def test_what_another_document_owns_is_left(yard: Yard, tmp_path: Path) -> None:
    desk = Desk.of(yard, tmp_path / "new", "another")
    said = desk.imports()
    owned = {one["kind"] for one in said["left"] if one["code"] == "OTHER"}
    assert {"storage_class", "persistent_volume_claim"} <= owned
    blocked: list[dict[str, Any]] = [
        block for one in desk.actions() for block in one["blocked"] if block["guard"] not in ("adopt", "mass-change")
    ]
    assert blocked == []


@pytest.mark.slow
def test_a_tenant_comes_with_what_its_projects_have(desk: Desk) -> None:
    said = desk.imports("--tenant", "team-b", "--full=data_source")
    left = {one["name"] for one in said["left"] if one["kind"] == "data_source" and one["code"] == "UNSELECTED"}
    assert left == {"team-a-checkpoints", "team-a-data"}
