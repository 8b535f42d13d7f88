"""A plan against a snapshot: the same as the live one, with no socket and no credential; and what becomes of a hostile file."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import Run
from tests.force import by_force
from tests.lab import Lab
from tests.review.compared import unauthored
from tests.test_schemas import published
from vastplan.app.files import plan as plan_file
from vastplan.app.files import snapshot as snapshot_file
from vastplan.model.plan import Plan
from vastplan.sim.faults import Effect, Fault

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, nothing can open a socket."""

    def cut() -> None:
        def refused(*_: object, **__: object) -> None:
            raise AssertionError("a socket was opened")

        monkeypatch.setattr(socket, "socket", refused)
        monkeypatch.setattr(socket, "create_connection", refused)
        monkeypatch.setattr(socket, "getaddrinfo", refused)

    return cut


@pytest.fixture
def factory(tmp_path: Path, vastplan: Run) -> Path:
    """The reference document, applied and recorded; beside it a clone without secrets, ledger or simulators."""
    shutil.copytree(ROOT / "examples" / "ai-factory", tmp_path / "doc", ignore=shutil.ignore_patterns(".vastplan"))
    assert vastplan("apply", tmp_path / "doc", "--auto-approve").code == 0
    assert vastplan("record", tmp_path / "doc", "--out", tmp_path / "snapshot.json").code == 0
    shutil.copytree(tmp_path / "doc", tmp_path / "clone", ignore=shutil.ignore_patterns(".vastplan", "csi-password"))
    return tmp_path


def edit(folder: Path, file: str, before: str, after: str) -> None:
    text = (folder / file).read_text()
    assert before in text
    (folder / file).write_text(text.replace(before, after))


def comparable(plan: Plan) -> Any:
    """What a plan would do, without when and from where."""
    data = plan_file.plan_to_data(plan)
    data["actions"] = [{**unauthored(one), "where": None} for one in data["actions"]]
    return {name: data[name] for name in ("actions", "operations", "unknown", "digest", "topology", "parts")}


def saved(folder: Path, vastplan: Run, *words: str | Path, code: int = 0) -> Plan:
    file = folder / "saved.json"
    ran = vastplan("plan", *words, "--out", file)
    assert ran.code == code, ran
    return plan_file.load(file)


CHANGES = {
    "nothing": [],
    "fields": [("team-a.yaml", "hard_limit: 500 TiB", "hard_limit: 600 TiB")],
    "an object goes": [("factory.yaml", "  vast-block: {driver: block, deletion_policy: Delete, secret: vast-mgmt}\n", "")],
    "a label that is there": [("factory.yaml", "app.kubernetes.io/part-of: vastplan", "kubernetes.io/metadata.name: vast-csi")],
    "a kind that was not used": [("factory.yaml", "departments:", "quotas: {q: {path: /q, tenant: {existing: default}}}\n\ndepartments:")],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(CHANGES, "an object goes"))
def test_it_is_the_live_plan(name: str, factory: Path, vastplan: Run, no_network: Callable[[], None]) -> None:
    for folder in ("doc", "clone"):
        for change in CHANGES[name]:
            edit(factory / folder, *change)
    live = comparable(saved(factory, vastplan, factory / "doc"))
    no_network()
    plan = saved(factory, vastplan, factory / "clone", "--snapshot", factory / "snapshot.json")
    assert plan.snapshot is not None
    offline = comparable(plan)
    if name == "a label that is there":  # somebody else's text: the one thing that the snapshot does not tell
        (finding,) = [one for one in plan.findings if "labels" in one.message and "iad" in one.address]
        assert finding.code == "VP330" and "kubernetes.io/metadata.name" in finding.message
        return
    assert offline == live
    assert {one.code for one in plan.findings if not one.checked} == {"VP330"}  # the Secrets' data


def test_drift_is_seen_with_its_cause(tmp_path: Path, vastplan: Run, no_network: Callable[[], None]) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {"max_views": 3}, "b": {}}})
        lab.converge()
        rows = {row["name"]: row["id"] for row in lab.rows("iad", "tenant")}
        lab.by_hand("iad", "vast", "PATCH", f"/api/v5/tenants/{rows['a']}/", {"max_views": 7})
        lab.by_hand("iad", "vast", "DELETE", f"/api/v5/tenants/{rows['b']}/")
        assert vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json").code == 0
    no_network()
    ran = vastplan("plan", tmp_path / "lab.yaml", "--snapshot", tmp_path / "s.json")
    assert "max_views  7 → 3  [changed outside vastplan]" in ran.out and "deleted outside vastplan" in ran.out, ran
    assert "author unknown: a snapshot does not have it" in ran.out and "does not say who" not in ran.out, ran


@pytest.mark.slow
def test_what_is_not_covered_is_unknown(factory: Path, vastplan: Run) -> None:
    file = factory / "part.json"
    assert vastplan("record", factory / "doc", "--out", file, "--site", "iad", "--without", "quota").code == 0
    plan = saved(factory, vastplan, factory / "clone", "--snapshot", file, "--site", "iad", code=6)
    assert plan.snapshot is not None
    missing = {(one.site, one.kind) for one in plan.snapshot.uncovered}
    assert ("iad", "quota") in missing and ("pdx", "tenant") in missing and ("iad", "tenant") not in missing
    assert {one.kind for one in plan.unknown} >= {"quota"}
    assert not any(action.address.kind == "quota" for action in plan.actions)
    ran = vastplan("plan", factory / "clone", "--snapshot", file)
    assert ran.code == 6 and "does not cover pdx" in ran.out, ran
    ran = vastplan("record", factory / "doc", "--out", file, "--without", "quotas")
    assert ran.code == 1 and "did you mean quota?" in ran.err


@pytest.mark.slow
def test_what_could_not_be_read_stays_unknown(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {}}})
        lab.converge()
        lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.STATUS, path="/tenants/", times=500, status=500))
        ran = vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json")
        assert ran.code == 6 and "iad tenant" in ran.out, ran
    ran = vastplan("plan", tmp_path / "lab.yaml", "--snapshot", tmp_path / "s.json")
    assert ran.code == 6 and "to create" not in ran.out and "1 collection unknown" in ran.out, ran


@pytest.mark.slow
def test_a_plan_from_it_is_never_applied(factory: Path, vastplan: Run) -> None:
    edit(factory / "clone", *CHANGES["fields"][0])
    file = factory / "plan.json"
    ran = vastplan("plan", factory / "clone", "--snapshot", factory / "snapshot.json", "--out", file)
    assert "carry it out" not in ran.out
    ran = vastplan("apply", file)
    assert ran.code == 5 and "was made from a snapshot" in ran.err, ran


MOVED = {"sim: {}": "vast: {url: 'https://elsewhere.example.com', token: {env: NOBODY}}"}


@pytest.mark.slow
def test_another_system_is_not_the_one_that_was_recorded(factory: Path, vastplan: Run) -> None:
    for before, after in MOVED.items():
        edit(factory / "clone", "factory.yaml", f"iad: {{{before}}}", f"iad: {{{after}}}")
    # what needs Kubernetes or Run:AI on iad is an error of the document then: only the VAST side is looked at
    (factory / "clone" / "team-a.yaml").unlink()
    (factory / "clone" / "team-b.yaml").unlink()
    text = yaml.safe_load((factory / "clone" / "factory.yaml").read_text())
    kept = {name: text[name] for name in ("version", "name", "sites")}
    (factory / "clone" / "factory.yaml").write_text(yaml.safe_dump({**kept, "tenants": {"x": {"sites": ["iad"]}}}))
    ran = vastplan("plan", factory / "clone", "--snapshot", factory / "snapshot.json", "--site", "iad")
    assert ran.code == 1 and "to create" not in ran.out, ran
    assert ran.out.startswith("error VP331: vast of iad: its place is https://elsewhere.example.com"), ran
    assert "the document says that it is at https://elsewhere.example.com" in ran.out, ran


def sealed(data: dict[str, Any]) -> bytes:
    text = json.dumps({**data, "id": ""}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return json.dumps({**data, "id": hashlib.sha256(text.encode()).hexdigest()}).encode()


def _ledger_of_another_site(data: dict[str, Any]) -> None:
    data["sites"][0]["ledger"]["site"] = "../../etc"


def _bad_key(data: dict[str, Any]) -> None:
    data["sites"][0]["ledger"]["key"] = "no hex"


def _bad_address(data: dict[str, Any]) -> None:
    data["sites"][0]["ledger"]["entries"]["x"] = {"id": "1", "locator": "1"}


def _no_time(data: dict[str, Any]) -> None:
    data["taken"] = "yesterday"


def _values_are_a_list(data: dict[str, Any]) -> None:
    next(one for one in data["collections"] if one["objects"])["objects"][0]["values"] = []


HOSTILE = {
    "of another form": (_values_are_a_list, "does not have a snapshot's form"),
    "without a time": (_no_time, "does not have a snapshot's form"),
    "with the ledger of another site": (_ledger_of_another_site, "does not have a snapshot's form"),
    "with no key": (_bad_key, "does not have a snapshot's form"),
    "with no address": (_bad_address, "does not have a snapshot's form"),
    "of another document": (lambda data: (data.update(document="other"), [one["ledger"].update(document="other") for one in data["sites"]]), "is of the document other"),
    "of other tables": (lambda data: data.update(tables="0" * 32), "reads other fields than this one"),
    "of the next format": (lambda data: data.update(format_version="2.0"), "has another format"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_not_right(name: str, small: Path, vastplan: Run) -> None:
    change, says = HOSTILE[name]
    data = json.loads((small / "s.json").read_text())
    change(data)
    (small / "s.json").write_bytes(sealed(data))
    ran = vastplan("plan", small / "lab.yaml", "--snapshot", small / "s.json")
    assert ran.code == 1 and says in ran.err, ran


@pytest.fixture
def small(tmp_path: Path, vastplan: Run) -> Path:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {"max_views": 3}}})
        lab.converge()
        assert vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json").code == 0
    return tmp_path


@pytest.mark.slow
def test_a_file_that_was_edited_or_cut(small: Path, vastplan: Run) -> None:
    raw = (small / "s.json").read_bytes()
    for wrong, says in (
        (raw.replace(b'"max_views":3', b'"max_views":4'), "was edited or damaged"),
        (raw[:-20], "is not whole JSON"),
        (raw.replace(b'"max_views":3', b'"max_views":NaN'), "is not whole JSON"),
        (b"[" * 100_000, "is not whole JSON"),
        (b'{"format_version": "1.1"}', "is not a snapshot"),
    ):
        assert wrong != raw
        (small / "s.json").write_bytes(wrong)
        ran = vastplan("plan", small / "lab.yaml", "--snapshot", small / "s.json")
        assert ran.code == 1 and says in ran.err, ran


@pytest.mark.slow
def test_it_is_named_by_its_content_and_fits_its_schema(small: Path) -> None:
    data = json.loads((small / "s.json").read_text())
    jsonschema.Draft202012Validator(published("snapshot")).validate(data)
    text = json.dumps({**data, "id": ""}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    assert data["id"] == hashlib.sha256(text.encode()).hexdigest()
    assert snapshot_file.dumps(snapshot_file.load(small / "s.json")).encode() == (small / "s.json").read_bytes()
