"""A canary in every place where a secret can be, and a search of all that an import writes, prints, asks for or starts."""

from __future__ import annotations

import base64
import json
import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.force import by_force
from tests.importing.terraform_states import CANARY, instance, resource, tfstate
from tests.lab import Lab
from tests.trust.planes import Echo
from tests.trust.test_secrets import SYSTEMS, Outside
from vastplan.model.sensitive import keep_secret
from vastplan.sim.wire import Plane, Request, Response

CANARIES = {
    "data": "canary-data-3f",
    "annotation": "canary-annotation-3f",
    "applied": "canary-applied-3f",
    "parameter": "canary-parameter-3f",
    "attribute": "canary-attribute-3f",
    "user": "canary-other-user-3f",
    "key": "canary-key-3f",
}
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Watched:
    """A cluster that notes what it is asked about Secrets and what it answers."""

    def __init__(self, plane: Plane) -> None:
        self.name, self._plane = plane.name, plane
        self.asked: list[tuple[Request, Response]] = []

    def handle(self, request: Request) -> Response:
        """As the plane behind it."""
        response = self._plane.handle(request)
        if "/secrets" in request.path:
            self.asked.append((request, response))
        return response

    def expire_tokens(self) -> None:
        """As the plane behind it."""
        self._plane.expire_tokens()

    def busy(self) -> Response:
        """Nobody limits it."""
        raise AssertionError("nobody limits it")


class Brownfield:
    """What somebody made, with canaries; a document of three lines; and somebody who watches everything."""

    def __init__(self, outside: Outside, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.outside, self.lab, self.temporary = outside, outside.lab, temporary
        self._plant()
        config = yaml.safe_load((outside.home / "kubeconfig").read_text())
        config["users"].append({"name": "other", "user": {"token": CANARIES["user"]}})
        (outside.home / "kubeconfig").write_text(yaml.safe_dump(config))
        outside.document.write_text("version: 1\nname: doc\nsites: {iad: {}}\n")
        self.state = outside.home / "terraform.tfstate"
        rows = [
            resource("vastdata_tenant", "nlp", instance(id=1, name="nlp")),
            resource("kubernetes_secret_v1", "mgmt", instance(id="vast-csi/mgmt", data={"password": CANARY})),
        ]
        self.state.write_bytes(tfstate(*rows))
        outside.canaries += [*CANARIES.values(), CANARY]
        temporary.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        server = self.lab.world.sites["iad"].servers["kubernetes"]
        server.plane = self.watched = Watched(server.plane)
        self.started: list[Any] = []
        started, begin = self.started, subprocess.Popen.__init__

        def begun(process: Any, words: Any, *more: Any, **named: Any) -> None:
            started.append(words)
            begin(process, words, *more, **named)

        monkeypatch.setattr(subprocess.Popen, "__init__", begun)

    def _post(self, path: str, name: str, namespace: str = "", **body: Any) -> None:
        notes = {"example.com/note": CANARIES["annotation"], APPLIED: json.dumps({"of": CANARIES["applied"]})}
        metadata = {"name": name, "labels": {"team": "nlp"}, "annotations": notes}
        metadata |= {"namespace": namespace} if namespace else {}
        self.lab.by_hand("iad", "kubernetes", "POST", path, {"metadata": metadata, **body})

    def _plant(self) -> None:
        self.lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "nlp"})
        self._post("/api/v1/namespaces", "vast-csi")
        data = {CANARIES["key"]: base64.b64encode(CANARIES["data"].encode()).decode()}
        self._post("/api/v1/namespaces/vast-csi/secrets", "mgmt", "vast-csi", data=data)
        parameters = {
            "root_export": "/nlp/k8s",
            "view_policy": "default",
            "vip_pool_fqdn": "vip.example.com",
            "restuserkey": CANARIES["parameter"],
            **{
                f"csi.storage.k8s.io/{purpose}-secret-{part}": value
                for purpose in ("provisioner", "controller-publish", "node-publish", "controller-expand")
                for part, value in (("name", "mgmt"), ("namespace", "vast-csi"))
            },
        }
        for name, driver in (("gold", "csi.vastdata.com"), ("theirs", "ebs.csi.aws.com")):
            self._post("/apis/storage.k8s.io/v1/storageclasses", name, provisioner=driver, parameters=parameters)
        source = {"driver": "csi.vastdata.com", "volumeHandle": "/nlp/x"}
        spec = {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"],
            "csi": {**source, "volumeAttributes": {"vip_pool_name": "x", "key": CANARIES["attribute"]}},
        }  # fmt: skip
        self._post("/api/v1/persistentvolumes", "static", spec=spec)
        claim = {
            "storageClassName": "gold",
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Gi"}},
        }
        self._post("/api/v1/namespaces/vast-csi/persistentvolumeclaims", "data", "vast-csi", spec=claim)

    def run(self, vastplan: Run, *words: str | Path) -> Ran:
        """An import, which shows no canary to anybody, leaves nothing behind, and asks for no Secret but by its name."""
        for path in self.outside.folder.glob("*.yaml"):
            if path != self.outside.document:
                path.unlink()
        self.watched.asked.clear()
        self.started.clear()
        line = self.outside.words("import", "--out", self.outside.folder, *words)
        ran = self.outside.all_in_order(vastplan(*line))
        assert [*self.temporary.rglob("*")] == []
        assert not any(canary in str(words) for canary in self.outside.canaries for words in self.started)
        for request, response in self.watched.asked:
            assert request.method == "GET" and "as=PartialObjectMetadata" in request.headers["accept"], request
            answered = response.encoded().decode()
            assert base64.b64encode(CANARIES["data"].encode()).decode() not in answered
        return ran


@pytest.fixture
def brownfield(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Brownfield]:
    with Lab(tmp_path, {"iad": list(SYSTEMS)}) as lab:
        yield Brownfield(Outside(lab, tmp_path / "outside", monkeypatch), tmp_path / "temporary", monkeypatch)


WAYS: tuple[tuple[str, ...], ...] = (
    ("--dry-run",),
    ("--format", "json", "--report", "import.json"),
    ("--full", "--report", "import.md"),
    ("--take", "*/secret/*", "--take", "*/namespace/*"),
    ("--labels", "team", "--labels", "kubectl*"),
    ("--census", "--close", "--defaults"),
)


def test_no_canary_is_told_asked_for_or_left_behind(
    brownfield: Brownfield, vastplan: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(brownfield.outside.folder)
    texts = []
    for way in WAYS:
        ran = brownfield.run(vastplan, *way, "--terraform", brownfield.state)
        assert ran.code == 0, (way, ran)
        assert brownfield.watched.asked, "nobody even asked for the names of Secrets"
        written = [path for path in brownfield.outside.folder.glob("*.yaml") if path != brownfield.outside.document]
        texts.append("".join(path.read_text() for path in written) + ran.out)
    assert "gold" in texts[0] and "existing: vast-csi/mgmt" in texts[0], "what has the canaries was not taken"
    assert "secrets:" in texts[3] and "team: nlp" in texts[4]
    told = json.loads((brownfield.outside.folder / "import.json").read_text())
    secret = [left for left in told["left"] if left["kind"] == "secret"]
    assert [(left["name"], left["id"]) for left in secret] == [("vast-csi/mgmt", "")]
    assert not any(canary in caplog.text for canary in brownfield.outside.canaries)


@pytest.mark.slow
def test_a_snapshot_has_none_either(brownfield: Brownfield, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(brownfield.outside.folder)
    snapshot = brownfield.outside.folder / "seen.json"
    ran = brownfield.outside.all_in_order(vastplan(*brownfield.outside.words("record", "--out", snapshot)))
    assert ran.code == 0, ran
    brownfield.watched.asked.clear()
    assert brownfield.run(vastplan, "--snapshot", snapshot, "--take", "*/secret/*").code == 0
    assert brownfield.watched.asked == []


@pytest.mark.slow
@pytest.mark.parametrize("system", by_force(SYSTEMS, "runai"))
def test_a_server_that_quotes_its_caller(
    system: str, brownfield: Brownfield, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(brownfield.outside.folder)
    server = brownfield.lab.world.sites["iad"].servers[system]
    behind = server.plane
    for status, log_in, way in ((401, False, "--dry-run"), (400, True, "--census"), (422, False, "--full")):
        server.plane = echo = Echo(behind, status, "a message", reads=True, log_in=log_in)
        ran = brownfield.run(vastplan, way, "--format", "json")
        assert ran.code == 6 and echo.quoted, ran


@pytest.mark.slow
def test_a_bug_of_ours_does_not_say_one(
    brownfield: Brownfield, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from vastplan.cli import main

    def broken(*_: object, **__: object) -> object:
        raise RuntimeError(f"cannot send {os.environ['RUNAI_CANARY']}")

    monkeypatch.setattr("vastplan.app.importer.draft_files", broken)
    keep_secret(os.environ["RUNAI_CANARY"])
    words = brownfield.outside.words("import", "--out", brownfield.outside.folder, "--format", "json")
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    brownfield.outside.all_in_order(Ran(code, captured.out, captured.err))
    assert code == 1 and "cannot send (sensitive)" in captured.out
    shutil.rmtree(brownfield.temporary)


def test_a_state_that_is_none_is_not_quoted(brownfield: Brownfield, vastplan: Run) -> None:
    for text in (
        CANARY,
        f'{{"version": 4, "{CANARY}": ',
        f'{{"version": "{CANARY}", "resources": []}}',
        f'["{CANARY}"]',
    ):
        brownfield.state.write_text(text)
        ran = brownfield.run(vastplan, "--terraform", brownfield.state)
        assert ran.code == 1 and "terraform.tfstate" in ran.err, ran
