"""Claims, pods and the driver's volumes of people whom no document knows, as the guards see them from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.strangers import ClusterStranger
from tests.conftest import Ran
from vastplan.sim.world import World

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
Run = Callable[..., Ran]

TENANT = """
version: 1
name: guards
sites: {lab: {sim: {}}}
tenants:
  team:
    view_policies: {mine: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}}
"""
POOL = "    vip_pools: {mine: {subnet_cidr: 24, ip_ranges: [10.20.1.10 - 10.20.1.13]}}\n"
CLASS = """
storage_classes:
  theirs:
    driver: file
    storage_path: /strangers
    view_policy: mine
    vip_pool: mine
    allow_volume_expansion: true
    open_to: [NAMESPACES]
"""
POLICY, POOL_ADDRESS = "lab/admission_policy/vastplan-theirs", "lab/vip_pool/mine"
INLINE = "lab/admission_policy/vastplan-inline-volumes"


@pytest.fixture
def team(tmp_path: Path, vastplan: Run) -> Iterator[ClusterStranger]:
    """A team with a class by hand on what the document owns: three claims, and a pod that brings a volume of its own."""
    world = World(tmp_path / ".vastplan" / "sim", {"lab": ["vast", "kubernetes", "runai"]}).start()
    try:
        world.publish()
        (tmp_path / "site.yaml").write_text(TENANT + POOL)
        assert vastplan("apply", tmp_path / "site.yaml", "--auto-approve").code == 0
        (cluster,) = (one for one in world.endpoints() if one.system == "kubernetes")
        with ClusterStranger(cluster.kubeconfig) as stranger:
            parameters = {"root_export": "/strangers", "view_policy": "mine", "vip_pool_name": "mine"}
            stranger.storage_class("theirs", parameters)
            for namespace in ("nlp-apps", "batch"):
                stranger.namespace(namespace)
            for name in ("a", "b", "c"):
                stranger.claim("nlp-apps", name, "theirs")
            stranger.pod("nlp-apps", "reader", ["a"])
            stranger.pod(
                "batch", "scratch", inline={"root_export": "/scratch", "view_policy": "mine", "vip_pool_name": "mine"}
            )
            yield stranger
    finally:
        world.stop()


def blocked(ran: Ran) -> dict[str, str]:
    """By address, what the first guard says."""
    plan: dict[str, Any] = json.loads(ran.out)
    return {one["address"]: one["blocked"][0]["message"] for one in plan["actions"] if one["blocked"]}


@pytest.mark.slow
def test_a_class_that_is_taken_over_is_not_closed_to_those_who_use_it(
    team: ClusterStranger, tmp_path: Path, vastplan: Run
) -> None:
    document = tmp_path / "site.yaml"
    document.write_text(TENANT + POOL + CLASS.replace("NAMESPACES", ""))
    ran = vastplan("plan", document, "--adopt", "--detailed-exitcode", "--format", "json")
    said = blocked(ran)
    assert ran.code == 3
    assert said[POLICY] == "storage_class theirs would close to 1 namespace in use: nlp-apps: 3 claims"
    assert "batch: 1 pod" in said[INLINE]
    assert vastplan("apply", document, "--adopt", "--auto-approve").code in (3, 4)
    team.claim("nlp-apps", "d", "theirs")  # a fourth one is let in

    document.write_text(TENANT + POOL + CLASS.replace("NAMESPACES", "nlp-apps"))
    said = blocked(vastplan("plan", document, "--adopt", "--detailed-exitcode", "--format", "json"))
    assert POLICY not in said and "batch: 1 pod" in said[INLINE]
    assert vastplan("apply", document, "--adopt", "--auto-approve", "--allow-narrow", INLINE).code == 0
    team.claim("nlp-apps", "e", "theirs")
    with pytest.raises(Exception, match="theirs"):
        team.claim("batch", "x", "theirs", bound=False)


def test_a_pool_that_the_drivers_volumes_mount_through_stays(
    team: ClusterStranger, tmp_path: Path, vastplan: Run
) -> None:
    document = tmp_path / "site.yaml"
    document.write_text(TENANT)
    ran = vastplan("plan", document, "--allow-delete", POOL_ADDRESS, "--detailed-exitcode", "--format", "json")
    assert ran.code == 3 and "3 persistent_volume" in blocked(ran)[POOL_ADDRESS], ran
    vastplan("apply", document, "--allow-delete", POOL_ADDRESS, "--auto-approve")
    team.pod("nlp-apps", "another", ["b"])  # it mounts still
