"""A plan shows the namespace of a project, not the project, where a field holds a namespace; so does drift."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.conftest import Run
from vastplan.app.schemas import json_schema
from vastplan.model.drift import DriftedField, IgnoredDrift
from vastplan.model.plan import Cause
from vastplan.report.view import of_drifted, of_ignored

DOCUMENT = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {}}},
    "departments": {"research": {"gpus": {"default": 8}}},
    "tenants": {
        "speech": {
            "view_policy": {"flavor": "NFS"},
            "storage_class": {"driver": "file", "storage_path": "/k8s", "vip_pool_fqdn": "nfs.example.com"},
            "project": {"department": "research", "gpus": {"default": 1}},
            "volumes": {"data": {"storage_class": "speech", "size": "1 TiB", "mount": "/data"}},
        }
    },
}


@pytest.fixture
def document(tmp_path: Path) -> Path:
    (tmp_path / "doc.yaml").write_text(yaml.safe_dump(DOCUMENT))
    return tmp_path / "doc.yaml"


def test_drift_shows_it_too() -> None:
    names, project, other = {"iad/project/speech": "runai-speech"}, {"$ref": "iad/project/speech"}, "team-b"
    field = DriftedField("namespaces", [other], [project, other], Cause.SYSTEM, "", unordered=True, names=names)
    assert of_drifted(field).found() == "lacks runai-speech of what was applied", of_drifted(field).found()
    ignored = IgnoredDrift("iad/x/y", "namespace", other, project, "", "test", names=names)
    assert of_ignored(ignored).found() == "is team-b, was applied as runai-speech"


def test_a_plan_shows_the_namespace_that_is_used(document: Path, vastplan: Run, tmp_path: Path) -> None:
    reports = [f"--report={tmp_path}/report.{ending}" for ending in ("md", "html")]
    ran = vastplan("plan", document, *reports, "--out", tmp_path / "plan.json")
    assert "namespace: runai-speech" in ran.out and "namespaces: [runai-speech]" in ran.out, ran
    assert "namespace: speech" not in ran.out and "namespaces: [speech]" not in ran.out, ran
    for ending in ("md", "html"):
        assert "runai-speech" in (tmp_path / f"report.{ending}").read_text()
    plan = json.loads((tmp_path / "plan.json").read_text())
    jsonschema.validate(plan, json_schema("plan"))
    (claim,) = (row for row in plan["actions"] if row["address"].startswith("iad/persistent_volume_claim/"))
    (change,) = (row for row in claim["changes"] if row["path"] == "namespace")
    assert change["after"] == {"$ref": "iad/project/speech"}
    assert change["names"] == {"iad/project/speech": "runai-speech"}
    assert vastplan("apply", tmp_path / "plan.json").code == 0
