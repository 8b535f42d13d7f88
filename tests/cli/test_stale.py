"""A plan is applied once, to what it was made from; anything else ends with exit code 5, and nothing is written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import Ran, Run
from vastplan.app.files import plan as plan_file
from vastplan.app.schemas import json_schema

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}},
    "tenants": {"a": {}, "b": {}},
    "view_policies": {"p": {"tenant": "a", "flavor": "NFS"}},
}


def write(folder: Path, **more: Any) -> Path:
    """The document, in a file."""
    file = folder / "doc.yaml"
    file.write_text(yaml.safe_dump({**DOCUMENT, **more}))
    return file


@pytest.fixture
def planned(tmp_path: Path, vastplan: Run) -> Path:
    """A saved plan of the document, which is beside it."""
    made = vastplan("plan", write(tmp_path), "--out", tmp_path / "plan.json")
    assert made.code == 0, made
    return tmp_path / "plan.json"


def refused(ran: Ran, says: str) -> None:
    """The whole plan is refused as stale."""
    assert ran.code == 5, ran
    assert says in ran.err and "plan again" in ran.err, ran


def owned(vastplan: Run, file: Path) -> list[str]:
    """What the ledger has."""
    listed = vastplan("ledger", "list", file, "--format", "json")
    return [row["address"] for row in json.loads(listed.out)["owned"]]


def edited(plan: Path, **more: Any) -> None:
    """A plan that was made at another time or of another thing: its id is its own."""
    data = {**json.loads(plan.read_text()), **more}
    data["id"] = plan_file.PLAN_FILE.identity(data)
    plan.write_text(json.dumps(data))


def test_a_plan_is_applied_once(planned: Path, vastplan: Run) -> None:
    assert vastplan("apply", planned).code == 0
    refused(vastplan("apply", planned), "this plan was applied already on iad")
    again = vastplan("apply", planned, "--format", "json")
    assert again.code == 5
    problems = json.loads(again.out)
    jsonschema.validate(problems, json_schema("problems"))
    assert "applied already" in problems["error"]
    assert vastplan("plan", planned.parent / "doc.yaml", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_a_plan_that_was_applied_in_part_is_not_applied_again(planned: Path, vastplan: Run) -> None:
    file = planned.parent / "doc.yaml"
    assert vastplan("plan", file, "--target", "iad/tenant/b", "--out", planned.parent / "one.json").code == 0
    assert vastplan("apply", planned.parent / "one.json").code == 0
    refused(vastplan("apply", planned), "never written")
    assert owned(vastplan, file) == ["iad/tenant/b"]
    assert vastplan("apply", file, "--auto-approve").code == 0
    assert vastplan("plan", file, "--detailed-exitcode").code == 0


def test_the_ledger_has_moved_on(planned: Path, vastplan: Run) -> None:
    file = planned.parent / "doc.yaml"
    assert vastplan("apply", planned).code == 0
    late = planned.parent / "late.json"
    write(planned.parent, tenants={"a": {}, "b": {"max_views": 3}})
    assert vastplan("plan", file, "--out", late).code == 0
    write(planned.parent, tenants={"a": {}, "b": {"max_views": 4}})
    assert vastplan("apply", file, "--auto-approve").code == 0
    write(planned.parent, tenants={"a": {}, "b": {"max_views": 3}})
    refused(vastplan("apply", late), "the ledger of iad has changed since the plan was made (serial 1 then, 2 now)")


def test_another_ledger(planned: Path, vastplan: Run) -> None:
    file = planned.parent / "doc.yaml"
    assert vastplan("apply", planned).code == 0
    write(planned.parent, tenants={"a": {}, "b": {"max_views": 3}})
    assert vastplan("plan", file, "--out", planned).code == 0
    shutil.rmtree(planned.parent / ".vastplan" / "ledger")
    refused(vastplan("apply", planned), "iad has another ledger than the plan was made from")
    assert owned(vastplan, file) == []


def test_the_document_changed(planned: Path, vastplan: Run) -> None:
    write(planned.parent, tenants={"a": {}, "b": {"max_views": 3}})
    refused(vastplan("apply", planned), "the document has changed since the plan was made")
    assert owned(vastplan, planned.parent / "doc.yaml") == []
    text = planned.parent / "doc.yaml"
    write(planned.parent)
    text.write_text("# another way to write the same\n" + text.read_text())
    assert vastplan("apply", planned).code == 0


def test_the_ledger_is_elsewhere(planned: Path, vastplan: Run) -> None:
    write(planned.parent, ledger={"local": "other"})
    ran = vastplan("apply", planned)
    refused(ran, "the ledger of iad was file:.vastplan/ledger when the plan was made and is file:other now")


def test_a_system_is_elsewhere(planned: Path, vastplan: Run) -> None:
    data = json.loads(planned.read_text())
    (part,) = data["parts"]
    there = {**part["endpoints"], "vast": "https://vms.\x1b[2J.example.com"}
    edited(planned, parts=[{**part, "endpoints": there}])
    ran = vastplan("apply", planned)
    refused(
        ran, "the vast of iad was https://vms.\\x1b[2J.example.com when the plan was made and is embedded simulator now"
    )
    assert "\x1b[2J" not in ran.err


def test_it_has_expired(planned: Path, vastplan: Run) -> None:
    edited(planned, expires="2020-01-01T00:00:00+00:00")
    refused(vastplan("apply", planned), "the plan expired on 2020-01-01T00:00:00+00:00, and it is 20")


@pytest.mark.parametrize(
    ("made", "ends", "says"),
    [
        (-48, 1, "and no plan is valid longer than 24 hours"),
        (0, 25, "and no plan is valid longer than 24 hours"),
        (None, None, "is of 0001-01-01T00:00:00+14:00 and says that it is valid until 9999-12-31T23:59:59-14:00"),
        (1, 25, "this clock or that of the machine it was made on is wrong"),
        (-25, -1, "the plan expired on "),
    ],
    ids=["of long ago", "for longer", "for ever", "of later", "of yesterday"],
)
def test_no_file_says_how_long_a_plan_holds(
    made: int | None, ends: int | None, says: str, planned: Path, vastplan: Run
) -> None:
    """`made` and `ends` are hours from now."""
    now = datetime.now(UTC)
    edited(
        planned,
        created="0001-01-01T00:00:00+14:00" if made is None else (now + timedelta(hours=made)).isoformat(),
        expires="9999-12-31T23:59:59-14:00" if ends is None else (now + timedelta(hours=ends)).isoformat(),
    )
    refused(vastplan("apply", planned), says)
    assert owned(vastplan, planned.parent / "doc.yaml") == []


def test_clocks_may_be_minutes_apart(planned: Path, vastplan: Run) -> None:
    made = datetime.now(UTC) + timedelta(minutes=3)
    edited(planned, created=made.isoformat(), expires=(made + timedelta(hours=24)).isoformat())
    assert vastplan("apply", planned).code == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format_version": "2.0"}, "has format 2.0; this vastplan reads 1."),
        ({"format_version": None}, "is not a plan"),
        ({"document": "other"}, "the plan was made for the document other, and this document is doc"),
    ],
)
def test_what_is_no_plan_of_this_document_is_an_error(
    planned: Path, vastplan: Run, change: dict[str, Any], says: str
) -> None:
    edited(planned, **change)
    ran = vastplan("apply", planned)
    assert ran.code == 1 and says in ran.err, ran


def test_a_later_minor_format_is_read(planned: Path, vastplan: Run) -> None:
    edited(planned, format_version="1.999")
    assert vastplan("apply", planned).code == 0


@pytest.mark.slow
def test_one_object_that_moved_is_refused_and_the_rest_goes_on(tmp_path: Path, vastplan: Run) -> None:
    """Planned twice from one state: what the one run does is a move for the other."""
    first = write(tmp_path)
    assert vastplan("apply", first, "--auto-approve").code == 0
    file = write(tmp_path, tenants={"a": {"max_views": 4}, "b": {"max_views": 4}})
    assert vastplan("plan", file, "--out", tmp_path / "plan.json").code == 0
    by_hand = tmp_path / "by-hand.yaml"  # another document moves the same object: its ledger is its own
    moved = {**DOCUMENT, "name": "by-hand", "tenants": {"b": {"max_views": 7}}, "ledger": {"local": "hand"}}
    del moved["view_policies"]
    by_hand.write_text(yaml.safe_dump(moved))
    assert vastplan("apply", by_hand, "--adopt", "--auto-approve").code == 0
    ran = vastplan("apply", tmp_path / "plan.json", "--document", file, "--format", "json")
    assert ran.code == 5, ran
    said = json.loads(ran.out)
    jsonschema.validate(said, json_schema("apply"))
    ended = {one["address"]: one for one in said["outcomes"]}
    assert ended["iad/tenant/a"]["state"] == "done"
    assert ended["iad/tenant/b"]["state"] == "stale"
    (change,) = ended["iad/tenant/b"]["moved"]
    assert (change["path"], change["live"]) == ("max_views", 7)
    assert vastplan("apply", file, "--auto-approve").code == 0
    assert vastplan("plan", file, "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_of_two_processes_with_one_plan_one_wins(planned: Path, vastplan: Run) -> None:
    words = [sys.executable, "-m", "vastplan", "apply", str(planned)]
    both = [
        subprocess.Popen(words, cwd=planned.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ended = [(one.communicate(timeout=120), one.returncode) for one in both]
    codes = sorted(code for _, code in ended)
    assert codes in ([0, 1], [0, 5]), ended
    loser = next(texts[1] for texts, code in ended if code)
    assert "is in use by " in loser or "this plan was applied already" in loser
    assert vastplan("plan", planned.parent / "doc.yaml", "--detailed-exitcode").code == 0
