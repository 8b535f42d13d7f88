"""A simulated site with everything that a probe can need, and the environment that names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.contract.__main__ import NAMES, targets
from tests.contract.target import PEER, Target, TransportLimits
from vastplan.sim.runai import RunaiPlane
from vastplan.sim.vast.assumptions import Assumed
from vastplan.sim.wire import Request, Response
from vastplan.sim.world import World

CLASS = "ours"
FAR = "far"  # where the cluster is that replicates to and from ours
FAST = ("--pause", "0", "--looks", "8")
QUICK = TransportLimits(8, 0.0)
Served = tuple[World, dict[str, str]]
SYSTEMS = ("vast", "kubernetes", "runai")


def by_hand(target: Target, method: str, path: str, body: Any = None) -> Any:
    """Somebody else uses the system: no guard, no tidying up."""
    response = target.session.request(
        method, target.url + path, json=body, headers={"Authorization": target.log_in()}, timeout=30
    )
    assert response.status_code < 300, response.text
    return response.json() if response.content else None


def environment(world: World) -> dict[str, str]:
    """What a person would set to point the suite at this world."""
    found = {NAMES + "STORAGE_CLASS": CLASS}
    for one in world.endpoints():
        if one.site == FAR:
            found |= {f"{NAMES}VAST_PEER{name}": value for name, value in (
                ("", "pair"), ("_URL", one.url), ("_USER", one.username), ("_PASSWORD", one.password), ("_CA", one.ca_file),
            )}  # fmt: skip
            continue
        values = {
            "vast": {"VAST_URL": one.url, "VAST_USER": one.username, "VAST_PASSWORD": one.password,
                     "VAST_CA": one.ca_file},
            "runai": {"RUNAI_URL": one.url, "RUNAI_CLUSTER": one.site, "RUNAI_CLIENT_ID": one.username,
                      "RUNAI_CLIENT_SECRET": one.password, "RUNAI_CA": one.ca_file},
            "kubernetes": {"KUBECONFIG": one.kubeconfig, "CONTEXT": one.site},
        }[one.system]  # fmt: skip
        found |= {NAMES + name: value for name, value in values.items()}
    return found


def demand_less(world: World) -> None:
    """From now on the VMS takes a VIP pool that has no addresses and no prefix length."""
    plane = world.sites["lab"].planes["vast"]
    answer = plane.handle

    def lenient(request: Request) -> Response:
        return answer(replace(request, body=request.body.replace(b'-none"', b'-none", "subnet_cidr": 24')))

    plane.handle = lenient  # type: ignore[method-assign]


def with_a_token(served: Served) -> dict[str, str]:
    """The environment of somebody who has a token for the VMS, and no other system."""
    world, named = served
    token = next(iter(world.sites["lab"].planes["vast"]._gate._api_tokens))  # type: ignore[attr-defined]
    chosen = {name: value for name, value in named.items() if "VAST_URL" in name or "VAST_CA" in name}
    return {**chosen, NAMES + "VAST_TOKEN": token}


@contextmanager
def site(folder: Path) -> Iterator[tuple[World, dict[str, str]]]:
    """A world with a second node pool, a storage class that works and another cluster, as somebody has them."""
    world = World(folder, {"lab": SYSTEMS, FAR: ("vast",)}, assumed=Assumed(per_read=5.0, policy_mirror=5.0)).start()
    try:
        named = environment(world)
        systems = targets(named)
        for number, one in enumerate((systems["vast"], systems[PEER]), 1):
            ranges = [[f"10.9.{number}.1", f"10.9.{number}.4"]]
            body = {"name": "replication", "subnet_cidr": 24, "role": "REPLICATION", "ip_ranges": ranges}
            pool = by_hand(one, "POST", "/api/v5/vippools/", body)
            if number == 1:
                first = pool["id"]
        peer = {"name": "pair", "leading_vip": "10.9.2.3", "pool_id": first}
        made = by_hand(systems["vast"], "POST", "/api/v5/nativereplicationremotetargets/", peer)
        while (
            by_hand(systems["vast"], "GET", f"/api/v5/nativereplicationremotetargets/{made['id']}/")["state"]
            != "CONNECTED"
        ):
            pass
        by_hand(systems["vast"], "POST", "/api/v5/vippools/", {"name": CLASS, "subnet_cidr": 24})
        # The driver cuts the names of quotas, which are unique: what tells two volumes apart stands in front.
        parameters = {"root_export": "/k8s", "view_policy": "default", "vip_pool_name": CLASS,
                      "volume_name_fmt": "csi:{id}:{namespace}:{name}"}  # fmt: skip
        body = {"metadata": {"name": CLASS}, "provisioner": "csi.vastdata.com", "parameters": parameters}
        by_hand(systems["kubernetes"], "POST", "/apis/storage.k8s.io/v1/storageclasses", body)
        cluster = by_hand(systems["runai"], "GET", "/api/v1/clusters")[0]["uuid"]
        pool = {"name": "second", "clusterId": cluster, "labelKey": "pool", "labelValue": "second"}
        by_hand(systems["runai"], "POST", "/api/v1/node-pools", pool)
        for one in systems.values():
            one.close()
        yield world, named
    finally:
        world.stop()


def runai_plane(world: World) -> RunaiPlane:
    """The Run:AI simulator of the site."""
    plane = world.sites["lab"].planes["runai"]
    assert isinstance(plane, RunaiPlane)
    return plane


def connected(named: dict[str, str]) -> dict[str, Target]:
    """The named systems, logged in to."""
    found = targets(named)
    for one in found.values():
        one.connect()
    return found
