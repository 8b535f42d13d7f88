"""What the files say that a document names for its systems: another server or authority there is a change that a review sees."""

from __future__ import annotations

import base64
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.review.test_snapshot import sealed
from vastplan.app import connect
from vastplan.app.files import plan as plan_file
from vastplan.app.head import head_settings, of_files, with_head
from vastplan.app.planning.endpoints import changed_endpoints
from vastplan.app.workspace import open_workspace
from vastplan.ledger.events import new_part

TOKEN, OTHER_TOKEN = "canary-token-4711", "canary-token-0815"
SERVER, EVIL = "https://127.0.0.1:9", "https://127.0.0.1:11"


def kubeconfig(server: str = SERVER, token: str = TOKEN, **cluster: str) -> str:
    """Two contexts, of which only the current one counts here."""
    authority = cluster or {"certificate-authority-data": base64.b64encode(b"ours").decode()}
    return yaml.safe_dump(
        {
            "current-context": "a",
            "clusters": [
                {"name": "a", "cluster": {"server": server, **authority}},
                {"name": "b", "cluster": {"server": f"{EVIL}/b"}},
            ],
            "users": [{"name": "a", "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": "a"}} for name in ("a", "b")],
        }
    )


def document(folder: Path, **more: Any) -> Path:
    folder.mkdir()
    (folder / "c.pem").write_text("an authority")
    (folder / "kube").write_text(kubeconfig())
    (folder / "token").write_text(TOKEN)
    sites = {
        "iad": {
            "vast": {"url": SERVER, "token": {"file": "token"}, "ca_file": "c.pem"},
            "kubernetes": {"kubeconfig": "kube"},
        }
    }
    head = {"version": 1, "name": "lab", "sites": sites, "tenants": {"a": {}}, **more}
    (folder / "lab.yaml").write_text(yaml.safe_dump(head))
    return folder


@pytest.fixture(autouse=True)
def _nobody_answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "TRANSPORT_LIMITS", replace(connect.TRANSPORT_LIMITS, retries=0))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """What was merged; `new` beside it is another checkout of the same."""
    document(tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    return tmp_path / "old"


def against(what: str, old: Path, vastplan: Run) -> Ran:
    """A plan of the other checkout, held against the base or a snapshot of it."""
    words: tuple[str | Path, ...] = ("--base", old)
    if what == "snapshot":
        snapshot = old.parent / "s.json"
        assert vastplan("record", old, "--out", snapshot).code == 6  # nobody answers, which it says
        words = ("--snapshot", snapshot)
    ran = vastplan("plan", old.parent / "new", *words, "--report", old.parent / "r.md")
    assert "canary" not in ran.out + ran.err + (old.parent / "r.md").read_text()
    return ran


CHANGED: dict[str, tuple[str, str, str]] = {
    "another server": ("kube", kubeconfig(EVIL), f"kubernetes of iad: kubeconfig server is {EVIL}, and was {SERVER} in the "),
    "the authority of a server": ("c.pem", "another", "vast of iad: ca_file content is SHA-256 "),
    "the authority of a cluster": (
        "kube", kubeconfig(**{"certificate-authority-data": "b3RoZXI="}), "kubernetes of iad: kubeconfig authority is SHA-256 ",
    ),
    "the authority of a cluster, in a file": (
        "kube", kubeconfig(**{"certificate-authority": "c.pem"}), "kubernetes of iad: kubeconfig authority is SHA-256 ",
    ),
    "the authorities of the machine": (
        "kube", kubeconfig(**{"tls-server-name": "x"}), "kubernetes of iad: kubeconfig authority is not given, and was SHA-256 ",
    ),
    "another context": (
        "kube", kubeconfig().replace("current-context: a", "current-context: b"), f"kubeconfig server is {EVIL}/b, and was {SERVER} in the",
    ),
    "another source of the credential": (
        "kube", kubeconfig().replace("token: ", "client-key: token\n    password: "), "credential is a: client-key token, password, and was a: token",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ["base", "snapshot"])
@pytest.mark.parametrize("name", CHANGED)
def test_it_is_said_first_and_is_an_error(name: str, what: str, old: Path, vastplan: Run) -> None:
    file, content, says = CHANGED[name]
    (old.parent / "new" / file).write_text(content)
    ran = against(what, old, vastplan)
    assert ran.code == 1 and "VP331" in ran.out.splitlines()[0] and says in ran.out, ran
    if what == "base":
        assert f"sites.iad.{'vast.ca_file' if file == 'c.pem' else 'kubernetes.kubeconfig'}" in ran.out, ran


@pytest.mark.parametrize("what", ["base", "snapshot"])
def test_a_credential_is_compared_by_its_source_alone(what: str, old: Path, vastplan: Run) -> None:
    (old.parent / "new" / "kube").write_text(kubeconfig(token=OTHER_TOKEN))
    ran = against(what, old, vastplan)
    assert ran.code == 6 and "VP331" not in ran.out and "Settings" not in ran.out, ran


def test_a_file_that_the_base_does_not_have_is_a_setting_that_is_new(old: Path, vastplan: Run) -> None:
    """A base that was taken out alone says nothing about it: that is no change, and not nothing."""
    (old / "c.pem").unlink()
    ran = against("base", old, vastplan)
    assert ran.code == 6 and "VP331" not in ran.out, ran
    assert ran.out.startswith("Settings of the document that differ from the base") and "ca_file content" in ran.out


def test_a_snapshot_of_before_says_nothing_of_it(old: Path, vastplan: Run) -> None:
    snapshot = old.parent / "s.json"
    vastplan("record", old, "--out", snapshot)
    data = json.loads(snapshot.read_text())
    (site,) = data["sites"]
    assert set(site.pop("contents")) == {"kubernetes", "vast"}
    snapshot.write_bytes(sealed(data))
    (old.parent / "new" / "c.pem").write_text("another")
    assert "VP331" not in vastplan("plan", old.parent / "new", "--snapshot", snapshot).out


@pytest.mark.parametrize("file", ["kube", "c.pem"])
def test_what_was_reviewed_is_applied_with_the_same_files(file: str, old: Path, vastplan: Run) -> None:
    new, plan = old.parent / "new", old.parent / "p.json"
    assert vastplan("plan", old, "--out", plan).code == 6
    (new / file).write_text({"kube": kubeconfig(EVIL), "c.pem": "another"}[file])
    ran = vastplan("apply", new, "--reviewed", plan, "--auto-approve")
    assert ran.code == 5 and "in the review" in ran.err, ran
    says = f"kubeconfig server is {EVIL} and was {SERVER}" if file == "kube" else "ca_file content is SHA-256 "
    assert says in ran.err


def test_the_ledgers_cluster_as_well(tmp_path: Path, vastplan: Run) -> None:
    for name in ("old", "new"):
        document(
            tmp_path / name,
            sites={"iad": {"sim": {"systems": ["vast"]}}},
            ledger={"kubernetes": {"namespace": "n", "kubeconfig": "kube"}},
        )
    (tmp_path / "new" / "kube").write_text(kubeconfig(EVIL))
    before, now = (open_workspace([tmp_path / name]).document for name in ("old", "new"))
    (found,) = changed_endpoints(now, None, before)
    assert found.message == f"the ledger: kubeconfig server is {EVIL}, and was {SERVER} in the base"
    assert changed_endpoints(before, None, before) == ()


def test_against_what_the_ledger_noted(old: Path, vastplan: Run) -> None:
    """A ledger of before these were settings says nothing of them."""
    assert vastplan("plan", old, "--out", old.parent / "p.json").code == 6
    plan, document_then = plan_file.load(old.parent / "p.json"), open_workspace([old]).document
    noted = {**head_settings(document_then)}
    (old / "c.pem").write_text("another")
    document_now = open_workspace([old]).document

    def changed(head: dict[str, Any]) -> list[str]:
        held = with_head(plan, document_now, [replace(new_part("lab", "iad"), serial=1, head=head)]).head
        return [change.path for change in held.changes] if held else []

    assert changed(noted) == ["sites.iad.vast.ca_file content"]
    assert changed({path: value for path, value in noted.items() if path not in of_files(document_then)}) == []
