"""A document with comments, applied to simulated sites an hour ago, and hands that change things there.

The ledger notes whole seconds and nothing of the same second is ever said to be somebody else's work; so what is applied
here is noted as of an hour ago.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from vastplan.sim.endpoints import ServedEndpoint
from vastplan.sim.world import World

DOCUMENT = """\
# a document by hand
version: 1
name: hand
sites: {iad: {sim: {}}, pdx: {sim: {}}}   # two sites

defaults:
  quotas: {enable_alarms: true}

departments: {research: {gpus: {default: 8}}}
tenants:
  team-a:
    capacity_rules: {hard_limit: 10 TiB}   # asked for in March
    view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}
    project: {department: research, gpus: {default: 4}, sites: [iad]}
namespaces:
  tools: {labels: {purpose: 'test'}, sites: [iad]}
views:
  a: {tenant: team-a, path: /a, view_policy: team-a, create_dir: true, quota: {hard_limit: 1 TiB}, sites: [iad]}
quotas:
  q:
    tenant: team-a
    path: /q
    # a comment
    hard_limit: 2 TiB  # here
    soft_limit: 1099511627776
    sites: [iad]
"""
TIB = 2**40


class Hands:
    """Somebody at the systems' own consoles."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._ca = str(world.folder / "ca.pem")

    def call(self, site: str, system: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """One request; fails the test when it is refused."""
        one = next(e for e in self.world.endpoints_for_people() if (e.site, e.system) == (site, system))
        answer = requests.request(
            method, one.url + path, json=body, verify=self._ca, timeout=30, headers={**self._token(one), **headers}
        )
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    def _token(self, one: ServedEndpoint) -> Mapping[str, str]:
        if one.system == "kubernetes":
            return {"Authorization": f"Bearer {one.password}"}
        if one.system == "vast":
            body = {"username": one.username, "password": one.password}
            token = requests.post(one.url + "/api/token/", json=body, verify=self._ca, timeout=30).json()["access"]
        else:
            body = {"grantType": "client_credentials", "clientID": one.username, "clientSecret": one.password}
            token = requests.post(one.url + "/api/v1/token", json=body, verify=self._ca, timeout=30).json()[
                "accessToken"
            ]
        return {"Authorization": f"Bearer {token}"}

    def row(self, site: str, collection: str, **fields: Any) -> dict[str, Any]:
        """The only VAST row with these fields."""
        rows = self.call(site, "vast", "GET", f"/api/v5/{collection}/")
        (found,) = [row for row in rows if all(row[name] == value for name, value in fields.items())]
        return dict(found)

    def quota(self, limit: int, path: str = "/q") -> None:
        """Another hard limit on a quota."""
        key = self.row("iad", "quotas", path=path)["id"]
        self.call("iad", "vast", "PATCH", f"/api/v5/quotas/{key}/", {"hard_limit": limit})

    def label(self, value: str, namespace: str = "tools") -> None:
        """Another label on a namespace, by kubectl."""
        self.call(
            "iad", "kubernetes", "PATCH", f"/api/v1/namespaces/{namespace}?fieldManager=kubectl-edit",
            {"metadata": {"labels": {"purpose": value}}}, **{"Content-Type": "application/merge-patch+json"},
        )  # fmt: skip


@contextmanager
def stage(folder: Path, document: str = DOCUMENT) -> Iterator[Hands]:
    """The world of the document in `folder`, with nothing applied yet."""
    (folder / "hand.yaml").write_text(document)
    with served(folder) as hands:
        yield hands


@contextmanager
def served(folder: Path) -> Iterator[Hands]:
    """The two simulated sites of the documents in a folder."""
    world = World(folder / ".vastplan" / "sim", dict.fromkeys(("iad", "pdx"), ("vast", "kubernetes", "runai"))).start()
    world.publish()
    try:
        yield Hands(world)
    finally:
        world.stop()


@contextmanager
def an_hour_ago() -> Iterator[None]:
    """The clock of vastplan, not that of the systems."""
    os.environ["SOURCE_DATE_EPOCH"] = str(int(time.time()) - 3600)
    try:
        yield
    finally:
        del os.environ["SOURCE_DATE_EPOCH"]
