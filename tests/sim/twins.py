"""Two clusters that replicate to each other, over HTTP: `a` has tenant `t` with `/v`, which goes to `/replica` on `b`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from tests.sim.conftest import Vms
from vastplan.sim.store import Store
from vastplan.sim.vast.control import writers

GB = 10**9  # what a link carries in a second
HOUR = 3600
ONE = "/protectedpaths/1/"


class Twins:
    """Both are made ready for a protected path; `protect` makes it."""

    def __init__(self, start: Any, stores: Mapping[str, Store] | None = None, **options: Any) -> None:
        self._begin(start, stores, options)
        for number, vms in enumerate((self.a, self.b), 1):
            ranges = [[f"10.9.{number}.1", f"10.9.{number}.4"]]
            vms.post("vippools", name="repl", subnet_cidr=24, role="REPLICATION", ip_ranges=ranges)
            vms.post("viewpolicies", name="p", tenant_id=vms.post("tenants", name="t")["id"])
        self.a.post("views", path="/v", policy_id=4, tenant_id=2, create_dir=True)
        self.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.3", pool_id=1)
        while self.a.get("/nativereplicationremotetargets/1/")["state"] != "CONNECTED":
            pass
        self.policy()

    def _begin(self, start: Any, stores: Mapping[str, Store] | None, options: Mapping[str, Any]) -> None:
        self.a: Vms
        self.b: Vms
        self.a, self.b = (
            start(name=name, **({"store": stores[name]} if stores else {}), **options) for name in ("a", "b")
        )
        self.a.plane.link(self.b.plane)

    @classmethod
    def reopened(cls, start: Any, stores: Mapping[str, Store], before: Twins) -> Self:
        """The same clusters, opened again from their files, behind the same servers."""
        twins = cls.__new__(cls)
        servers = iter((before.a.server, before.b.server))
        twins._begin(lambda **options: Vms(next(servers), before.a.http, **options), stores, {})
        return twins

    def policy(self, **changes: Any) -> Any:
        frames = [{"every": "1h", "keep-local": "1d", "keep-remote": "7d"}]
        name = f"r{len(self.a.get('/protectionpolicies/'))}"
        body = {
            "name": name,
            "prefix": "r",
            "clone_type": "NATIVE_REPLICATION",
            "target_object_id": 1,
            "frames": frames,
        }
        return self.a.post("protectionpolicies", **(body | changes))

    def body(self, policy: int | None = 1, **changes: Any) -> dict[str, Any]:
        remote = self.a.get("/tenants/remote_objects/", target_id=1, name="t")[0]["guid"]
        return {
            "name": "r", "tenant_id": 2, "source_dir": "/v", "target_exported_dir": "/replica",
            "protection_policy_id": policy, "remote_tenant_guid": remote,
        } | changes  # fmt: skip

    def protect(self, policy: int | None = 1, **changes: Any) -> Any:
        """Make the path, and wait until it has been looked at: without content it is then level."""
        made = self.a.post("protectedpaths", **self.body(policy, **changes))
        for vms in (self.a, self.b):
            while vms.get(ONE)["state"] == "Initializing":
                pass
        return made

    def path(self, vms: Vms) -> Any:
        return vms.get(ONE)

    def roles(self) -> tuple[str, str]:
        return self.path(self.a)["role"], self.path(self.b)["role"]

    def states(self) -> tuple[str, str]:
        return self.path(self.a)["state"], self.path(self.b)["state"]

    def labels(self) -> tuple[list[str], list[str]]:
        return self.a.plane.labels("/v", tenant_id=2), self.b.plane.labels("/replica", tenant_id=2)

    def labels_there(self) -> list[str]:
        return self.b.plane.labels("/replica", tenant_id=2)

    def write(self, label: str, size: int = GB) -> None:
        self.a.plane.write("/v", size, label, tenant_id=2)

    def write_there(self, label: str, size: int = GB) -> None:
        self.b.plane.write("/replica", size, label, tenant_id=2)

    def writers(self) -> list[str]:
        return writers([self.a.plane, self.b.plane], self.path(self.a)["guid"])

    def pass_time(self, seconds: float) -> None:
        self.a.plane.pass_time(seconds)

    def link(self, *, up: bool) -> None:
        self.a.plane.set_link(self.b.plane, up=up)

    def fail_over(self, vms: Vms, *, graceful: bool) -> None:
        answer = vms.call("PATCH", ONE, {"failover": True, "graceful": graceful})
        assert answer.status_code == 200, answer.text

    def force(self, vms: Vms) -> int:
        """The id of the task."""
        answer = vms.call("PATCH", f"{ONE}force_failover")
        assert answer.status_code == 200, answer.text
        return int(answer.json()["async_task"]["id"])

    def reattach(self, vms: Vms) -> None:
        stream = vms.get("/replicationstreams/")[0]["id"]
        answer = vms.call("PATCH", f"{ONE}reattach_stream/", {"stream_id": str(stream)})
        assert answer.status_code == 200, answer.text
