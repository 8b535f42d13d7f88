"""A site that says which CSI driver it has is told what that driver cannot do; names that the driver cannot tell apart stop the class."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

HEAD = "version: 1\nname: csi\nsites: {iad: {csi: %s, sim: {systems: [vast, kubernetes, runai]}}}\ntenants: {a: {}}\n"
FILE = "storage_classes: {fast: {driver: file, storage_path: /k8s, view_policy: {existing: default}, %s}}\n"
BLOCK = "storage_classes: {fast: {driver: block, subsystem: {existing: s}, vip_pool_fqdn: v.example.com, %s}}\n"
SECRET = (
    "namespaces: {vast-csi: {}}\n"
    "secrets: {mgmt: {namespace: vast-csi, data: {endpoint: v, token: {env: T}}}}\n"
    "storage_classes: {fast: {driver: file, storage_path: /k8s, view_policy: {existing: default}, "
    "vip_pool: {existing: p}, secret: mgmt, shared: true}}\n"
)

# what the document asks for, the last version that lacks it, the first that has it, and what the refusal names
STEPS = {
    "a pool's name in DNS": (FILE % "vip_pool_fqdn: v.example.com", "2.4.0", "2.4.1", "vip_pool_fqdn needs"),
    "one of several clusters": (FILE % "vip_pool: {existing: p}, cluster_name: x", "2.4.2", "2.4.3", "cluster_name needs"),
    "a QoS policy by id": (
        FILE % "vip_pool: {existing: p}, parameters: {qos_policy_id: '3'}", "2.5.0", "2.5.1", "parameters.qos_policy_id needs",
    ),
    "clones that wait": (
        FILE % "vip_pool: {existing: p}, parameters: {blocking_clones: true}", "2.6.2", "2.6.3", "parameters.blocking_clones needs",
    ),
    "the block driver": (BLOCK % "shared: true", "2.5.9", "2.6.0", "the block driver needs"),
    "QoS on block": (BLOCK % "qos_policy: {existing: q}", "2.6.2", "2.6.3", "qos_policy needs version 2.6.3"),
    "encryption on the host": (
        BLOCK % "parameters: {host_encryption.cipher: aes}", "2.6.2", "2.6.3", "parameters.host_encryption.cipher needs",
    ),
    "a token to log in": (SECRET, "2.6.0", "2.6.1", "the key token of secret mgmt needs"),
    "data that is there": (
        "projects: {p: {gpus: {default: 1}}}\nvolumes: {d: {tenant: a, project: p, path: /d, size: 1 TiB, "
        "vip_pool: {existing: p}, view_policy: {existing: default}, secret: {existing: n/s}}}\n", "2.4.9", "2.5.0", "existing data needs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_what_the_driver_is_too_old_for(name: str, tmp_path: Path, vastplan: Run) -> None:
    body, before, since, says = STEPS[name]
    file = tmp_path / "csi.yaml"
    file.write_text(HEAD % before + body)
    ran = vastplan("validate", file)
    assert ran.code == 1 and "VP251" in ran.err and says in ran.err, ran
    assert f"site iad has {before}" in ran.err
    file.write_text(HEAD % since + body)
    ran = vastplan("validate", file)
    assert ran.code == 0, ran


def test_without_a_version_nothing_is_said(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "csi.yaml"
    for body, *_ in STEPS.values():
        file.write_text((HEAD % "2.7.1").replace("csi: 2.7.1, ", "") + body)
        assert "VP251" not in vastplan("validate", file).err


def test_a_version_is_a_version(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "csi.yaml"
    file.write_text(HEAD % "latest")
    ran = vastplan("validate", file)
    assert ran.code == 1 and "sites.iad.csi" in ran.err, ran
