"""`vastplan sim PLANE`: one control plane for any client."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests
import yaml

from tests.conftest import Run
from tests.force import by_force

LOG_IN = {
    "vast": ("/api/latest/token/", {"username": "me", "password": "secret"}),
    "runai": ("/api/v1/token", {"grantType": "client_credentials", "clientID": "me", "clientSecret": "secret"}),
}


def told(process: subprocess.Popen[str]) -> dict[str, str]:
    """What it said until it was ready, by the word in front."""
    found: dict[str, str] = {}
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready"):
            return found
        name, _, value = line.strip().partition(": ")
        found[name] = value
    raise AssertionError(f"it ended: {found}")


@pytest.mark.parametrize("plane", by_force(LOG_IN))
def test_two_planes_in_one_folder_have_a_certificate_each(plane: str, tmp_path: Path) -> None:
    path, body = LOG_IN[plane]
    words = [sys.executable, "-m", "vastplan", "sim", plane, "--user", "me", "--password", "secret"]
    with ExitStack() as stack:
        running = []
        for _ in range(2):
            process = stack.enter_context(subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True))
            stack.callback(process.terminate)
            running.append(told(process))
        assert running[0]["ca certificate"] != running[1]["ca certificate"]
        for one in running:
            answer = requests.post(one["url"] + path, json=body, verify=one["ca certificate"], timeout=10)
            assert answer.status_code == 200, answer.text


@pytest.mark.slow
def test_a_kubernetes_of_ones_own(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "vastplan", "sim", "kubernetes", "--password", "secret"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            one = told(process)
            kubeconfig = Path(one["kubeconfig"])
            assert kubeconfig.stat().st_mode & 0o077 == 0
            assert yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]["server"] == one["url"]
        finally:
            process.terminate()


@pytest.mark.slow
def test_a_vms_that_goes_by_the_document_alone(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "vastplan", "sim", "vast", "--user", "me", "--password", "secret"]
    for more, status in (((), 201), (("--strict",), 400)):
        with subprocess.Popen([*words, *more], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            try:
                one = told(process)
                answer = requests.post(
                    one["url"] + "/api/v5/tenants/", json={"name": "t", "made_up": 1}, auth=("me", "secret"),
                    verify=one["ca certificate"], timeout=10,
                )  # fmt: skip
                assert answer.status_code == status, answer.text
            finally:
                process.terminate()


def test_strictness_is_for_those_that_have_it(vastplan: Run) -> None:
    ran = vastplan("sim", "runai", "--strict")
    assert ran.code == 1 and "--strict is for vast" in ran.err


@pytest.mark.parametrize(
    "option", ["--port=84", "--user=me", "--password=x", "--state=f", "--rate=1", "--api-version=5.3", "--strict"]
)
def test_what_is_for_one_system_is_refused_for_a_document(vastplan: Run, tmp_path: Path, option: str) -> None:
    (tmp_path / "d.yaml").write_text("version: 1\nname: d\nsites: {iad: {sim: {systems: [vast]}}}\n")
    for subject in (["d.yaml"], []):
        ran = vastplan("sim", *subject, option)
        name = option.partition("=")[0]
        text = f"error: {name} is for the simulator of one system, such as vastplan sim vast, and not for the sites of a document\n"
        assert (ran.code, ran.err) == (1, text)


def test_without_a_path_it_is_the_document_of_the_folder(vastplan: Run, tmp_path: Path) -> None:
    ran = vastplan("sim")
    assert ran.code == 1 and "no document here: this folder has no .yaml file; name one (vastplan sim PATH)" in ran.err
    (tmp_path / "one.yaml").write_text("version: 1\nname: one\nsites: {}\n")
    (tmp_path / "two.yaml").write_text("version: 1\nname: two\nsites: {}\n")
    assert "2 documents here" in vastplan("sim").err


@pytest.mark.slow
def test_who_is_in_the_directory_that_a_simulated_site_asks(tmp_path: Path, vastplan: Run) -> None:
    """The document says it: who is not in it can be given nothing, whether the simulators run here or are served elsewhere."""
    people: dict[str, dict[str, object]] = {
        "users": {"carol": {"uid": 40001, "groups": ["grp-vision"]}},
        "groups": {"grp-vision": {"gid": 50001}},
    }
    tree: dict[str, object] = {
        "version": 1,
        "name": "directory",
        "sites": {"lab": {"sim": {"systems": ["vast"], "directory": people}}},
        "tenants": {"vision": {"user_rights": {"carol": {"allow_create_bucket": True}}}},
    }
    document = tmp_path / "d.yaml"
    document.write_text(yaml.safe_dump(tree))
    words = [sys.executable, "-m", "vastplan", "sim", str(document)]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            told(process)
            assert vastplan("apply", document, "--auto-approve").code == 0
        finally:
            process.terminate()
    assert vastplan("plan", document, "--detailed-exitcode").code == 0
    del people["users"]["carol"]
    document.write_text(yaml.safe_dump(tree))
    ran = vastplan("plan", document, "--detailed-exitcode")
    assert ran.code != 0 and "carol" in ran.err + ran.out
