"""kubectl: every kind through get, apply, diff and delete.

A machine without kubectl skips these tests, unless it is the one that the project's own checks run on (CI is set).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.clients.conftest import Place
from tests.clients.kinds import missing
from tests.clients.manifests import MANIFESTS, NAMESPACE, Manifest, merged
from tests.force import by_force

LEFT_OUT = {"pod": "vastplan only reads them; test_strangers.py makes them"}
Kubectl = Callable[..., str]
missing_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None and not os.environ.get("CI"), reason="there is no kubectl on this machine"
)


@pytest.fixture
def kubectl(place: Place, tmp_path: Path) -> Kubectl:
    program = shutil.which("kubectl")
    assert program, "CI runs the tests with kubectl"
    options = ["--kubeconfig", place.endpoint("kubernetes").kubeconfig, "--cache-dir", str(tmp_path / "cache")]

    def run(*words: str, code: int = 0) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        command = [program, *options, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert run("create", "namespace", NAMESPACE) == f"namespace/{NAMESPACE} created\n"
    return run


def test_no_kind_is_forgotten() -> None:
    assert missing("kubernetes", [one.kind for one in MANIFESTS], LEFT_OUT) == set()


@pytest.mark.slow
@missing_kubectl
@pytest.mark.parametrize("manifest", by_force(MANIFESTS, "namespace", "storage_class"), ids=str)
def test_it_takes_every_kind_through_its_life(kubectl: Kubectl, tmp_path: Path, manifest: Manifest) -> None:
    file = tmp_path / "one.yaml"
    inside = ["-n", NAMESPACE] if manifest.namespaced else []
    file.write_text(yaml.safe_dump(manifest.body))
    assert "created" in kubectl("apply", *inside, "-f", str(file))
    assert "unchanged" in kubectl("apply", *inside, "-f", str(file))
    assert kubectl("diff", *inside, "-f", str(file)) == ""
    assert manifest.name in kubectl("get", manifest.resource, *inside)
    assert f"kind: {manifest.body['kind']}" in kubectl("get", manifest.resource, manifest.name, *inside, "-o", "yaml")
    file.write_text(yaml.safe_dump(merged(manifest.body, manifest.change)))
    assert "+++" in kubectl("diff", *inside, "-f", str(file), code=1)
    assert "configured" in kubectl("apply", *inside, "-f", str(file))
    assert kubectl("diff", *inside, "-f", str(file)) == ""
    assert "deleted" in kubectl("delete", manifest.resource, manifest.name, *inside)
    assert "NotFound" in kubectl("get", manifest.resource, manifest.name, *inside, code=1)


@missing_kubectl
def test_it_shows_what_changes_and_why_not(kubectl: Kubectl, tmp_path: Path) -> None:
    file = tmp_path / "class.yaml"
    body = next(one.body for one in MANIFESTS if one.kind == "storage_class")
    file.write_text(yaml.safe_dump(body))
    kubectl("apply", "-f", str(file))
    file.write_text(yaml.safe_dump({**body, "mountOptions": ["vers=3"]}))
    assert "+- vers=3" in kubectl("diff", "-f", str(file), code=1)
    file.write_text(yaml.safe_dump({**body, "provisioner": "x"}))
    assert "updates to provisioner are forbidden." in kubectl("apply", "-f", str(file), code=1)


@pytest.mark.slow
@missing_kubectl
def test_what_it_creates_without_a_manifest(kubectl: Kubectl) -> None:
    """These it sends as protobuf since 1.32, manifests as JSON."""
    inside = ["-n", NAMESPACE]
    kubectl("create", "secret", "generic", "s", "--from-literal=a=b", *inside)
    kubectl("create", "configmap", "c", "--from-literal=a=b", *inside)
    kubectl("create", "quota", "q", "--hard=requests.storage=1Gi", *inside)
    assert kubectl("get", "secret", "s", "-o", "jsonpath={.data.a}", *inside) == "Yg=="
    assert kubectl("get", "configmap", "c", "-o", "jsonpath={.data.a}", *inside) == "b"
    assert kubectl("get", "quota", "q", "-o", "jsonpath={.spec.hard.requests\\.storage}", *inside) == "1Gi"
    assert kubectl("auth", "can-i", "create", "pods", *inside) == "yes\n"
    kubectl("delete", "namespace", NAMESPACE)
    assert "NotFound" in kubectl("get", "namespace", NAMESPACE, code=1)
