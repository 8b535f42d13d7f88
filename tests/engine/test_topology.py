"""What a plan says of what stands on what: the whole site, changed or not, and who is behind each change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Run

DOCUMENT = """
version: 1
name: topology
sites: {lab: {sim: {}}}
namespaces: {vast-csi: {}}
secrets: {vast-mgmt: {namespace: vast-csi, data: {endpoint: vms.example.com, username: csi, password: {file: csi}}}}
departments: {research: {gpus: {default: 8}}}
tenants:
  team-a:
    capacity_rules: {hard_limit: 10 TiB}
    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.1.10 - 10.20.1.13]}
    view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}
    storage_class: {driver: file, storage_path: /team-a/k8s, secret: vast-mgmt}
    project: {department: research, gpus: {default: 4}}
    volumes:
      home: {path: /team-a/home, size: 1 TiB, mount: /home}
      data: {storage_class: team-a, size: 2 TiB, mount: /data}
"""


def _plan(vastplan: Run, document: Path, out: Path) -> dict[str, Any]:
    assert vastplan("plan", document, "--out", out).code == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def test_a_site_whole_and_who_is_behind_a_change(vastplan: Run, tmp_path: Path) -> None:
    document, out = tmp_path / "d.yaml", tmp_path / "plan.json"
    bucket = "    views: {images: {path: /images, protocols: [S3], bucket: images, bucket_owner: someone}}\n"
    document.write_text(DOCUMENT + bucket)
    (tmp_path / "csi").write_text("secret")
    made = _plan(vastplan, document, out)
    nodes = {node["address"]: node for node in made["topology"]}
    assert [*nodes] == sorted(nodes)
    assert set(nodes) >= {action["address"] for action in made["actions"]}
    assert nodes["lab/tenant/team-a"]["figures"] == [{"name": "capacity", "value": 10 * 2**40, "unit": "bytes"}]
    assert nodes["lab/project/team-a"]["figures"] == [{"name": "GPUs", "value": 4, "unit": ""}]
    assert nodes["lab/project/team-a"]["stage"] == "team" and nodes["lab/project/team-a"]["system"] == "runai"
    assert (nodes["lab/view/images"]["called"], nodes["lab/view/home"]["called"]) == ("bucket", "")
    assert "lab/view_policy/team-a" in nodes["lab/view/home"]["refers"]
    assert "lab/view/home" in nodes["lab/persistent_volume/team-a-home"]["refers"]  # by order: no field names it
    behind = {action["address"]: action["dependents"] for action in made["actions"]}
    # A volume on a path stands on its view, although no field of it names the view.
    assert {"lab/persistent_volume/team-a-home", "lab/persistent_volume_claim/home", "lab/data_source/home"} <= set(
        behind["lab/view/home"]
    )
    holds = {action["address"]: action["holds_data"] for action in made["actions"]}
    assert holds["lab/view/home"] and not holds["lab/vip_pool/team-a"]


def test_what_goes_stands_on_what_it_stood_on_and_nothing_to_do_carries_no_picture(
    vastplan: Run, tmp_path: Path
) -> None:
    document, out = tmp_path / "d.yaml", tmp_path / "plan.json"
    document.write_text(DOCUMENT)
    (tmp_path / "csi").write_text("secret")
    assert vastplan("apply", document, "--auto-approve").code == 0
    assert _plan(vastplan, document, out)["topology"] == []
    document.write_text(DOCUMENT.replace("      data: {storage_class: team-a, size: 2 TiB, mount: /data}\n", ""))
    nodes = {node["address"]: node for node in _plan(vastplan, document, out)["topology"]}
    assert "lab/storage_class/team-a" in nodes["lab/persistent_volume_claim/data"]["refers"]
    assert nodes["lab/persistent_volume_claim/data"]["figures"] == [
        {"name": "size", "value": 2 * 2**40, "unit": "bytes"}
    ]
    assert "lab/project/team-a" in nodes["lab/data_source/data"]["refers"]
    assert "lab/vip_pool/team-a" in nodes  # in sync, and still in the picture
