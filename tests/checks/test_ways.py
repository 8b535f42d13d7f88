"""The ways around a class: each is closed by an object that is named, and open or shared once that object is not what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.checks.chains import IAD, entry, proof, ref
from tests.checks.test_isolation import proven
from tests.checks.test_isolation_seen import teams
from vastplan.checks.index import Index
from vastplan.checks.proof import _reach as reach
from vastplan.checks.proof._rules import RULES
from vastplan.checks.proof._surroundings import Beside
from vastplan.checks.proof._ways import WAYS, Way
from vastplan.checks.proof.proof import namespaces_of, prove
from vastplan.kinds.kubernetes._rules import AS_WRITTEN
from vastplan.kinds.kubernetes.admission_policy import without_inline_volumes
from vastplan.model.isolation import Isolation, WayResult, WayState
from vastplan.report.isolation import isolation_text
from vastplan.report.style import Style
from vastplan.schema.entries import Entry

ROOT = Path(__file__).resolve().parents[2]
CLOSED, ASSUMED, SHARED, OPEN = WayState.CLOSED, WayState.ASSUMED, WayState.SHARED, WayState.OPEN
INLINE = "vastplan-inline-volumes"
Objects = dict[str, Entry]
Change = Callable[[Objects], Any]


def team(name: str, number: int) -> list[Entry]:
    """The objects of a project and its tenant, closed to everybody else."""
    tenant, pool, policy = ref("tenant", name), ref("vip_pool", name), ref("view_policy", name)
    own = {"tenant": tenant, "view_policy": policy}
    chain = {"vip_pool": pool, "secret": ref("secret", name)}
    return [
        entry("project", name, department=ref("department", f"d{name}")),
        entry("tenant", name),
        entry("vip_pool", name, tenant=tenant, ip_ranges=[f"10.0.{number}.1 - 10.0.{number}.9"], vlan=number),
        entry("view_policy", name, tenant=tenant, nfs_read_write=["10.9.0.0/16"], vip_pools=[pool]),
        entry("secret", name, namespace=ref("namespace", "csi")),
        entry("storage_class", name, driver="file", storage_path=f"/{name}", view_policy=policy, **chain),
        entry("storage_class", f"{name}-block", driver="block", subsystem=ref("view", f"{name}-block"), tenant_name=tenant, **chain),
        entry("view", f"{name}-block", path=f"/{name}-block", protocols=["BLOCK"], **own),
        *(closed for each in (name, f"{name}-block") for closed in closing(each, name)),
        entry("persistent_volume", name, volume_handle=f"/{name}/static", claim_namespace=ref("project", name), claim_name="c", **chain),
        entry("data_volume", name, project=ref("project", name), claim=ref("persistent_volume_claim", name)),
        entry("view", f"{name}-set", path=f"/{name}/set", protocols=["S3"], bucket=f"{name}-set", bucket_owner=f"{name}-ann", **own),
        entry("view", f"{name}-smb", path=f"/{name}/smb", protocols=["SMB"], share=name, share_acl={"enabled": True}, **own),
        entry("s3_key", name, tenant=tenant, user=f"{name}-ann", deliver={"secret": ref("secret", f"{name}-key")}),
        entry("secret", f"{name}-key", namespace=ref("project", name)),
    ]  # fmt: skip


def closing(name: str, project: str) -> list[Entry]:
    """The policy that closes a class to other projects, and its binding."""
    values = {"storage_class": ref("storage_class", name), "namespaces": [ref("project", project)], "open": False}
    return [
        entry("admission_policy", f"vastplan-{name}", rule=AS_WRITTEN, **values),
        entry("admission_binding", f"vastplan-{name}", policy=ref("admission_policy", f"vastplan-{name}"), validation_actions=["Deny"]),
    ]  # fmt: skip


def closed() -> Objects:
    """Two projects; nothing is open."""
    inline = entry("admission_policy", INLINE, **without_inline_volumes(INLINE))
    bound = entry("admission_binding", INLINE, policy=ref("admission_policy", INLINE), validation_actions=["Deny"])
    return {f"{each.address.kind}/{each.address.name}": each for each in [*team("a", 1), *team("b", 2), inline, bound]}


def after(*changes: Change) -> Isolation:
    objects = closed()
    for change in changes:
        change(objects)
    return proof(*objects.values())


def results(proven: Isolation, way: str) -> list[WayResult]:
    return [result for result in proven.ways if result.way == way]


def without(place: str) -> Change:
    return lambda objects: objects.pop(place)


def with_values(place: str, **values: Any) -> Change:
    def change(objects: Objects) -> None:
        objects[place] = replace(objects[place], values={**objects[place].values, **values})

    return change


def more(*entries: Entry) -> Change:
    return lambda objects: objects.update({f"{each.address.kind}/{each.address.name}": each for each in entries})


def policies(*names: str) -> set[str]:
    return {f"admission_policy/{name}" for name in names}


def both(kind: str, *endings: str) -> set[str]:
    return {f"{kind}/{name}{ending}" for name in "ab" for ending in endings or ("",)}


CLASSES = policies("vastplan-a", "vastplan-a-block", "vastplan-b", "vastplan-b-block")
CLOSED_BY: dict[str, set[str]] = {
    "claim": CLASSES,
    "ephemeral volume": CLASSES,
    **dict.fromkeys(["inline CSI", "inline CSI of others", "nfs", "iscsi", "flexVolume", "hostPath"], policies(INLINE)),
    "volumeName": both("persistent_volume"),
    "data source": set(),
    "data volume": both("data_volume"),
    "driver's Secret": set(),
    "VIP of another pool": both("view_policy"),
    "hosts": both("view_policy"),
    "SMB": both("view", "-smb"),
    "S3 key": set(),
    "identity policy": set(),
    "anonymous S3": both("view", "-set"),
}
"""What closes each way in `closed`; nothing where a system itself does."""
ASSUMED_OF = {
    "NFS client in a pod",
    "block host",
    "bucket ACL",
    "inline CSI, other drivers",
    "privileged pods",
    "volumes of others",
    "other namespaces",
    "people",
}
ONLY_WITH_AN_OBJECT = {"clone", "data source of Run:AI"}


def test_every_way_of_closed_projects_is_closed_by_what_is_named_or_assumed() -> None:
    proven = after(lambda objects: None)
    assert proven.apart and not proven.open_ways and proven.meetings == () and proven.open_ends == ()
    by = {
        way.name: {address.removeprefix("iad/") for one in results(proven, way.name) for address in one.by}
        for way in WAYS
    }
    states = {way.name: {one.state for one in results(proven, way.name)} for way in WAYS}
    assert {name: by[name] for name in CLOSED_BY} == CLOSED_BY
    assert states == {
        **{way: {CLOSED} for way in CLOSED_BY}, **{way: {ASSUMED} for way in ASSUMED_OF}, **{way: set() for way in ONLY_WITH_AN_OBJECT}
    }  # fmt: skip
    assert results(proven, "NFS client in a pod")[0].ranges == (
        "10.0.1.1 - 10.0.1.9 (VIP pool a, VLAN 1)", "10.0.2.1 - 10.0.2.9 (VIP pool b, VLAN 2)"
    )  # fmt: skip
    assert results(proven, "block host")[0].ranges == results(proven, "NFS client in a pod")[0].ranges


PODS = ["inline CSI", "inline CSI of others", "nfs", "flexVolume", "hostPath"]
ALL = ()
"""All projects."""
TAKEN_OUT: dict[str, tuple[Change, dict[str, tuple[WayState, set[str], tuple[str, ...], tuple[str, ...]]]]] = {
    # the change, and of each way its state, what decides, whose data it is, and who reaches it
    "no policy of a class": (without("admission_policy/vastplan-a"), {
        "claim": (OPEN, {"storage_class/a"}, ALL, ALL), "ephemeral volume": (OPEN, {"storage_class/a"}, ALL, ALL)}),
    "no binding of a class": (without("admission_binding/vastplan-a"), {"claim": (OPEN, {"storage_class/a"}, ALL, ALL)}),
    "a policy with another rule": (with_values("admission_policy/vastplan-a", rule="validations changed"), {
        "claim": (OPEN, {"storage_class/a"}, ALL, ALL)}),
    "a class that is audited": (with_values("admission_binding/vastplan-a", validation_actions=["Audit", "Warn"]), {
        "claim": (OPEN, policies("vastplan-a"), ("a",), ALL)}),
    "a class of every namespace": (with_values("admission_policy/vastplan-a", open=True), {
        "claim": (SHARED, policies("vastplan-a"), ALL, ALL)}),
    "a class of both": (with_values("admission_policy/vastplan-a", namespaces=[ref("project", "a"), ref("project", "b")]), {
        "claim": (SHARED, policies("vastplan-a"), ALL, ALL)}),
    "no policy of pods": (without(f"admission_policy/{INLINE}"), dict.fromkeys(PODS, (OPEN, set(), ALL, ALL))),
    "no binding of it": (without(f"admission_binding/{INLINE}"), dict.fromkeys(PODS, (OPEN, set(), ALL, ALL))),
    "a binding of a part of the cluster": (with_values(f"admission_binding/{INLINE}", only={"x": 1}), dict.fromkeys(PODS, (OPEN, set(), ALL, ALL))),
    "pods that are audited": (with_values(f"admission_binding/{INLINE}", validation_actions=["Audit", "Warn"]), dict.fromkeys(
        PODS, (OPEN, policies(INLINE), ALL, ALL))),
    "a policy from before sources": (with_values(f"admission_policy/{INLINE}", sources=[]), dict.fromkeys(
        PODS[2:], (OPEN, set(), ALL, ALL))),
    "a policy of VAST alone": (with_values(f"admission_policy/{INLINE}", drivers=["block.csi.vastdata.com", "csi.vastdata.com"]), {
        "inline CSI of others": (OPEN, set(), ALL, ALL)}),
    "a policy of one VAST driver": (with_values(f"admission_policy/{INLINE}", drivers=["csi.vastdata.com"]), dict.fromkeys(PODS[:2], (OPEN, set(), ALL, ALL))),
    "a volume for no claim": (with_values("persistent_volume/a", claim_namespace=None, claim_name=None), {
        "volumeName": (OPEN, {"persistent_volume/a"}, ("a",), ALL)}),
    "a data volume for another": (with_values("data_volume/a", shared_with_projects=[ref("project", "b")]), {
        "data volume": (SHARED, {"data_volume/a"}, ("a",), ("b",))}),
    "a data volume for a department": (with_values("data_volume/a", shared_with_departments=[ref("department", "db")]), {
        "data volume": (SHARED, {"data_volume/a"}, ("a",), ("b",))}),
    "a data volume for all": (with_values("data_volume/a", shared_with_cluster=True), {
        "data volume": (SHARED, {"data_volume/a"}, ("a",), ALL)}),
    "a clone for another": (more(entry("clone", "c", tenant=ref("tenant", "b"), path="/b/copy", source="/a/x",
                                       source_tenant=ref("tenant", "a"))), {
        "clone": (SHARED, {"clone/c"}, ("a",), ("b",))}),
    "a data source for all": (more(entry("data_source", "d", scope="cluster")), {
        "data source of Run:AI": (SHARED, {"data_source/d"}, ALL, ALL)}),
    "a data source of a department": (more(entry("s3_data_source", "d", department=ref("department", "db"))), {
        "data source of Run:AI": (SHARED, {"s3_data_source/d"}, ("b",), ("b",))}),
    "a Secret in a project": (with_values("secret/a", namespace=ref("project", "b")), {
        "driver's Secret": (OPEN, {"secret/a"}, ("a",), ("b",))}),
    "a pool of no tenant": (lambda objects: [change(objects) for change in (
        with_values("view_policy/a", vip_pools=None), more(entry("vip_pool", "c", tenant=None, ip_ranges=["10.0.3.1"])))], {
        "VIP of another pool": (OPEN, {"vip_pool/c"}, ("a",), ALL)}),
    "a listed pool of no tenant": (lambda objects: [change(objects) for change in (
        with_values("view_policy/a", vip_pools=[ref("vip_pool", "c")]), more(entry("vip_pool", "c", tenant=None, ip_ranges=["10.0.3.1"])))], {
        "VIP of another pool": (OPEN, {"vip_pool/c"}, ("a",), ALL)}),
    "every host": (with_values("view_policy/a", nfs_read_write=["*"]), {"hosts": (ASSUMED, {"view_policy/a"}, ALL, ALL)}),
    "every host may read": (with_values("view_policy/a", nfs_read_only=["*"]), {"hosts": (ASSUMED, {"view_policy/a"}, ALL, ALL)}),
    "a view around, for every host": (more(
        entry("view", "all", path="/", tenant=ref("tenant", "a"), protocols=["NFS"], view_policy=ref("view_policy", "wide")),
        entry("view_policy", "wide", tenant=ref("tenant", "a"))), {"hosts": (ASSUMED, {"view_policy/wide"}, ALL, ALL)}),
    "a share for all": (with_values("view/a-smb", share_acl={"enabled": False}), {"SMB": (OPEN, {"view/a-smb"}, ("a",), ALL)}),
    "a share for Everyone": (with_values("view/a-smb", share_acl={"enabled": True, "acl": [{"name": "Everyone", "permission": "FULL"}]}), {
        "SMB": (OPEN, {"view/a-smb"}, ("a",), ALL)}),
    "a share for the SID of Everyone": (with_values("view/a-smb", share_acl={"enabled": True, "acl": [{"sid": "S-1-1-0", "permission": "FULL"}]}), {
        "SMB": (OPEN, {"view/a-smb"}, ("a",), ALL)}),
    "no key for a bucket of the tenant that no project mounts": (more(
        entry("view", "far", path="/far", tenant=ref("tenant", "a"), protocols=["S3"], bucket="far", allow_s3_anonymous_access=True)),
        {"anonymous S3": (OPEN, {"view/far"}, ("a",), ALL)}),
    "no key for a bucket": (with_values("view/a-set", allow_s3_anonymous_access=True), {
        "anonymous S3": (OPEN, {"view/a-set"}, ("a",), ALL)}),
}  # fmt: skip


POOL_OF_ALL = more(entry("vip_pool", "c", tenant=None, ip_ranges=["10.0.3.1"]))
ALL_READ = {"allow_s3_anonymous_access": True}
A, B = ref("tenant", "a"), ref("tenant", "b")


def clone(**values: Any) -> Change:
    return more(
        entry("clone", "c", **({"tenant": B, "path": "/b/copy", "source": "/a/x", "source_tenant": A} | values))
    )


def exported(path: str, **values: Any) -> Change:
    """A view of tenant a that any host may mount."""
    of_a = {"path": path, "tenant": A, "protocols": ["NFS"], "view_policy": ref("view_policy", "w"), **values}
    return more(entry("view", "x", **of_a), entry("view_policy", "w", tenant=A))


def audited(*entries: Entry) -> Change:
    """Policies whose bindings only report."""
    return more(*entries, *(
        entry("admission_binding", each.address.name, policy=ref("admission_policy", each.address.name), validation_actions=["Audit"])
        for each in entries
    ))  # fmt: skip


def of_pods(name: str, **values: Any) -> Entry:
    return entry("admission_policy", name, rule=AS_WRITTEN, **values)


def told(one: WayResult) -> str:
    """`state by WHAT: WHO to WHOSE; RANGES`."""
    by = " ".join(address.removeprefix("iad/") for address in one.by)
    who, whose = "all" if one.to_everybody else " ".join(one.to), "all" if one.everybody else " ".join(one.projects)
    both_sides = f": {who} to {whose}" if who or whose else ""
    return f"{one.state} by {by}{both_sides}" + (f"; {', '.join(one.ranges)}" if one.ranges else "")


SYSTEM = "closed by "
POLICIES, VOLUMES = "closed by view_policy/a view_policy/b", "closed by persistent_volume/b"
INLINE_KEPT = f"closed by admission_policy/{INLINE}"
RANGES = "10.0.1.1 - 10.0.1.9 (VIP pool a, VLAN 1)"
RANGES_B = "10.0.2.1 - 10.0.2.9 (VIP pool b, VLAN 2)"
BLOCKS = "storage_class/a-block storage_class/b-block"
CASES: dict[str, tuple[str, list[Change], list[str]]] = {
    # the way, what is changed, and all of its results
    "opened, and only reported": ("claim", [
        with_values("admission_policy/vastplan-a", open=True), with_values("admission_binding/vastplan-a", validation_actions=["Audit"])], [
        "closed by admission_policy/vastplan-a-block admission_policy/vastplan-b admission_policy/vastplan-b-block",
        "shared by admission_policy/vastplan-a: all to all"]),
    "reported for both": ("claim", [
        with_values("admission_policy/vastplan-a", namespaces=[ref("project", "b"), ref("project", "a")]),
        with_values("admission_binding/vastplan-a", validation_actions=["Audit"])], [
        "closed by admission_policy/vastplan-a-block admission_policy/vastplan-b admission_policy/vastplan-b-block",
        "open by admission_policy/vastplan-a: all to all"]),
    "a second policy of a class": ("claim", [
        more(entry("admission_policy", "x", **closing("a", "a")[0].values),
             entry("admission_binding", "x", policy=ref("admission_policy", "x"), validation_actions=["Deny"]))], [
        "closed by admission_policy/vastplan-a admission_policy/vastplan-a-block admission_policy/vastplan-b"
        " admission_policy/vastplan-b-block admission_policy/x"]),
    "a namespace of nobody may too": ("claim", [
        with_values("admission_policy/vastplan-a", namespaces=[ref("project", "a"), ref("namespace", "csi")])], [
        f"closed by {' '.join(sorted(CLASSES))}"]),
    "two of three share a class": ("claim", [
        more(entry("project", "c")), with_values("admission_policy/vastplan-a", namespaces=[ref("project", "a"), ref("project", "b")])], [
        "closed by admission_policy/vastplan-a-block admission_policy/vastplan-b admission_policy/vastplan-b-block",
        "shared by admission_policy/vastplan-a: a b to a b"]),
    "a driver refused by each of two": ("inline CSI", [
        with_values(f"admission_policy/{INLINE}", drivers=["csi.vastdata.com"]),
        more(of_pods("x", drivers=["block.csi.vastdata.com"]),
             entry("admission_binding", "x", policy=ref("admission_policy", "x"), validation_actions=["Deny"]))], [
        f"closed by admission_policy/{INLINE} admission_policy/x"]),
    "one driver refused, the other reported": ("inline CSI", [
        with_values(f"admission_policy/{INLINE}", drivers=["csi.vastdata.com"]), audited(of_pods("x", drivers=["block.csi.vastdata.com"]))], [
        f"open by admission_policy/{INLINE} admission_policy/x: all to all"]),
    "one driver reported, the other not": ("inline CSI", [
        without(f"admission_policy/{INLINE}"), audited(of_pods("x", drivers=["block.csi.vastdata.com"]))], [
        "open by : all to all"]),
    "a type that is only reported": ("nfs", [
        without(f"admission_policy/{INLINE}"), audited(of_pods("x", drivers=None, sources=["nfs"]))], [
        "open by admission_policy/x: all to all"]),
    "a type refused by two": ("nfs", [
        more(of_pods("x", sources=["nfs"]), entry("admission_binding", "x", policy=ref("admission_policy", "x"), validation_actions=["Deny"]))], [
        INLINE_KEPT]),
    "what lies on the node": ("hostPath", [with_values(f"admission_policy/{INLINE}", sources=["nfs"])], ["open by : all to all"]),
    "a free volume of nobody's directory": ("volumeName", [
        with_values("persistent_volume/a", claim_namespace=None, volume_handle="/far")], [
        SYSTEM, VOLUMES, "open by persistent_volume/a: all to all"]),
    "a free volume of a pool that is not here": ("volumeName", [
        with_values("persistent_volume/a", claim_namespace=None, vip_pool=ref("vip_pool", "far"))], [
        SYSTEM, VOLUMES, "open by persistent_volume/a: all to all"]),
    "a volume of nobody before others": ("volumeName", [
        with_values("persistent_volume/a", claim_namespace=ref("namespace", "csi"))], [SYSTEM, VOLUMES]),
    "a copy in the tenant of both": ("clone", [
        with_values("storage_class/b", view_policy=ref("view_policy", "a")), clone(tenant=A, source_tenant=None)], [
        "shared by clone/c: b to a"]),
    "a copy of nobody's": ("clone", [clone(source="/far")], []),
    "a copy of a tenant that is not told": ("clone", [clone(source_tenant=None)], []),
    "a copy from a directory with another's inside": ("clone", [
        with_values("storage_class/b", view_policy=ref("view_policy", "a"), storage_path="/a/in"),
        clone(tenant=A, source_tenant=None, path="/a/in/copy", source="/a/x")], [
        "shared by clone/c: all to a"]),
    "a copy from the whole tenant": ("clone", [with_values("storage_class/a", storage_path="/"), clone(source="/x")], [
        "shared by clone/c: b to a"]),
    "two copies": ("clone", [clone(), more(entry("clone", "d", tenant=A, path="/a/copy", source="/b/x", source_tenant=B)),
                             more(entry("clone", "e", tenant=B, path="/b/more", source="/a/x", source_tenant=A))], [
        "shared by clone/c clone/e: b to a", "shared by clone/d: a to b"]),
    "a data volume for its own department": ("data volume", [
        with_values("data_volume/a", shared_with_departments=[ref("department", "da"), ref("department", "none")],
                    shared_with_projects=[ref("project", "a")])], [
        "closed by data_volume/a data_volume/b"]),
    "a data volume for a department and its project": ("data volume", [
        more(entry("project", "c", department=ref("department", "db"))),
        with_values("data_volume/a", shared_with_departments=[ref("department", "db")], shared_with_projects=[ref("project", "b")])], [
        "closed by data_volume/b", "shared by data_volume/a: b c to a"]),
    "a data volume for one of three": ("data volume", [
        more(entry("project", "c", department=ref("department", "db"))), with_values("data_volume/a", shared_with_projects=[ref("project", "c")])], [
        "closed by data_volume/b", "shared by data_volume/a: c to a"]),
    **{f"{kind} for all, where pods may have no {' or '.join(sources)}": ("data source of Run:AI", [
        more(entry(kind, "d", scope="cluster")), with_values(f"admission_policy/{INLINE}", sources=sources)], [result])
        for kind, sources, result in [
            ("s3_data_source", ["hostPath", "nfs"], "shared by s3_data_source/d: all to all"),
            ("nfs_data_source", ["nfs"], INLINE_KEPT),
            ("nfs_data_source", ["hostPath"], "shared by nfs_data_source/d: all to all"),
            ("host_path_data_source", ["hostPath"], INLINE_KEPT),
            ("host_path_data_source", ["nfs"], "shared by host_path_data_source/d: all to all"),
        ]},
    "the Secret of everybody's class in a project": ("driver's Secret", [
        with_values("secret/a", namespace=ref("project", "b")), without("admission_policy/vastplan-a")], [
        SYSTEM, "open by secret/a: b to all"]),
    "a Secret in its project": ("driver's Secret", [with_values("secret/a", namespace=ref("project", "a"))], [SYSTEM, "closed by secret/a"]),
    "two Secrets in the other's project": ("driver's Secret", [
        with_values("secret/a", namespace=ref("project", "b")), with_values("secret/b", namespace=ref("project", "a"))], [
        "open by secret/a: b to a", "open by secret/b: a to b"]),
    "a pool to read only": ("VIP of another pool", [
        with_values("view_policy/a", vip_pools=None, vip_pools_read_only=[ref("vip_pool", "a")])], [POLICIES]),
    "a pool of no tenant to read only": ("VIP of another pool", [
        POOL_OF_ALL, with_values("view_policy/a", vip_pools_read_only=[ref("vip_pool", "c")])], [
        "closed by view_policy/b", "open by vip_pool/c: all to a"]),
    "one of two pools of no tenant is listed": ("VIP of another pool", [
        POOL_OF_ALL, more(entry("vip_pool", "d")), with_values("view_policy/a", vip_pools=[ref("vip_pool", "d")])], [
        "closed by view_policy/b", "open by vip_pool/d: all to a"]),
    "a listed pool that is not here": ("VIP of another pool", [
        POOL_OF_ALL, with_values("view_policy/a", vip_pools=[ref("vip_pool", "far")])], [POLICIES]),
    "no list of pools": ("VIP of another pool", [with_values("view_policy/a", vip_pools=None)], [
        "closed by view_policy/b", "closed by vip_pool/a"]),
    "no list of pools, and a policy of no tenant": ("VIP of another pool", [with_values("view_policy/a", vip_pools=None, tenant=None)], [
        "closed by view_policy/b", SYSTEM]),
    "a pool that is in service": ("VIP of another pool", [
        with_values("view_policy/a", vip_pools=None), with_values("vip_pool/a", enabled=True, role="PROTOCOLS")], [
        "closed by view_policy/b", "closed by vip_pool/a"]),
    "a policy that is not here": ("VIP of another pool", [without("view_policy/a")], ["closed by view_policy/b"]),
    "many pools of no tenant": ("VIP of another pool", [
        with_values("view_policy/a", vip_pools=None), more(*(entry("vip_pool", f"p{number}", ip_ranges=["10.0.4.1"]) for number in range(7)))], [
        "closed by view_policy/b", "open by vip_pool/p0 vip_pool/p1 vip_pool/p2 vip_pool/p3 vip_pool/p4 vip_pool/p5: all to a"]),
    "hosts: none": ("hosts", [with_values("view_policy/a", nfs_read_write=None)], [POLICIES]),
    "hosts: the policy is not here": ("hosts", [without("view_policy/a")], ["closed by view_policy/b"]),
    "hosts: left out": ("hosts", [lambda objects: objects["view_policy/a"].values.pop("nfs_read_write")], [
        f"assumed by view_policy/a; {RANGES}", "closed by view_policy/b"]),
    "hosts: every one, by a pool of every tenant": ("hosts", [
        POOL_OF_ALL, with_values("vip_pool/a", tenant=B), with_values("view_policy/a", nfs_read_only=["*"])], [
        "assumed by view_policy/a; 10.0.3.1 (VIP pool c, untagged)", "closed by view_policy/b"]),
    **{f"hosts: a view {title}": ("hosts", [
        change], [f"assumed by view_policy/w; {RANGES}"] * seen + [POLICIES])
        for title, seen, change in [
            ("at", True, exported("/a")), ("around", True, exported("/")), ("below", True, exported("/a/far/down")), ("elsewhere in the tenant", True, exported("/ab")),
            ("by NFS4", True, exported("/a/x", protocols=["NFS4", "S3"])), ("by no protocol", True, exported("/a/x", protocols=None)),
            ("by SMB", False, exported("/a/x", protocols=["SMB"])), ("of nobody", False, exported("/a/x", tenant=ref("tenant", "c"))),
            ("whose policy is not here", False, exported("/a/x", view_policy=ref("view_policy", "far"))),
        ]},
    "hosts: a view one step around": ("hosts", [
        with_values("storage_class/a", storage_path="/a/deep"), exported("/a")], [
        f"assumed by view_policy/w; {RANGES}", POLICIES]),
    "addresses: many": ("NFS client in a pod", [
        with_values("vip_pool/a", ip_ranges=[f"10.0.1.{number} - 10.0.1.{number}" for number in range(7)], vlan=None)], [
        "assumed by vip_pool/a vip_pool/b; 10.0.1.0, 10.0.1.1, 10.0.1.2, 10.0.1.3, 10.0.1.4, 10.0.1.5 and 1 more (VIP pool a, untagged), " + RANGES_B]),
    "addresses: not known": ("NFS client in a pod", [with_values("vip_pool/a", ip_ranges=None)], [
        f"assumed by vip_pool/a vip_pool/b; {RANGES_B}, VIP pool a"]),
    "addresses: the pool is not here": ("NFS client in a pod", [without("vip_pool/a")], [f"assumed by vip_pool/b; {RANGES_B}, VIP pool a"]),
    "a block host of a pool that is not here": ("block host", [without("vip_pool/a")], [f"assumed by {BLOCKS}; {RANGES_B}"]),
    "no list, and a policy that leaves hosts out": ("SMB", [with_values("view/a-smb", share_acl=None)], [
        "closed by view/b-smb", "open by view/a-smb: all to a"]),
    "no list, and no policy": ("SMB", [with_values("view/a-smb", share_acl=None, view_policy=None)], [
        "closed by view/b-smb", "open by view/a-smb: all to a"]),
    "no list, and hosts that may read": ("SMB", [
        with_values("view/a-smb", share_acl=None), with_values("view_policy/a", smb_read_write=None, smb_read_only=["*"])], [
        "closed by view/b-smb", "open by view/a-smb: all to a"]),
    "no list, and no hosts": ("SMB", [
        with_values("view/a-smb", share_acl=None), with_values("view_policy/a", smb_read_write=[], smb_read_only=["10.1.1.1"])], [
        "closed by view/a-smb view/b-smb"]),
    "a bucket inside that nobody's key owns": ("anonymous S3", [
        more(entry("view", "x", path="/a/x", tenant=A, protocols=["S3"], bucket="x", **ALL_READ))], [
        "closed by view/a-set view/b-set", "open by view/x: all to a"]),
    "a directory without S3": ("anonymous S3", [
        more(entry("view", "x", path="/a/x", tenant=A, protocols=["NFS"], view_policy=ref("view_policy", "a"), **ALL_READ))], [
        "closed by view/a-set view/b-set"]),
}  # fmt: skip


@pytest.mark.parametrize("title", CASES)
def test_a_way_has_these_results_in_this_order(title: str) -> None:
    way, changes, expected = CASES[title]
    assert [told(one) for one in results(after(*changes), way)] == expected


OF_CLASSES = ["claim", "ephemeral volume"]
SAID: dict[tuple[WayState, str], tuple[set[str], str]] = {
    # what is said, of which ways, and the line to write
    (ASSUMED, "the network keeps pods away"): ({"NFS client in a pod"}, ""),
    (ASSUMED, "a host is known by its NQN alone"): ({"block host"}, ""),
    (ASSUMED, "ACLs of buckets are set by S3, and VMS shows none"): ({"bucket ACL"}, ""),
    (ASSUMED, "any host may mount"): ({"hosts"}, ""),
    (CLOSED, "Kubernetes: a pod gets Secrets of its own namespace only"): ({"S3 key", "driver's Secret"}, ""),
    (CLOSED, "access lists or hosts of SMB shares"): ({"SMB"}, ""),
    (CLOSED, "VIP pools that the view policies list"): ({"VIP of another pool"}, ""),
    (CLOSED, "each VIP pool serves one tenant"): ({"VIP of another pool"}, ""),
    (CLOSED, "every request needs a key"): ({"anonymous S3"}, ""),
    (CLOSED, "admission policies of the classes"): ({*OF_CLASSES}, ""),
    (CLOSED, "resource quotas of 0, which namespaces created later do not have"): ({*OF_CLASSES}, ""),
    (CLOSED, "Kubernetes: a claim's data source is in its own namespace"): ({"data source"}, ""),
    (CLOSED, "admission policy for pods"): ({"data source of Run:AI", "flexVolume", "hostPath", "inline CSI", "inline CSI of others", "iscsi", "nfs"}, ""),
    (CLOSED, "data volumes that are not shared"): ({"data volume"}, ""),
    (CLOSED, "a Secret in the namespace of its own project"): ({"driver's Secret"}, ""),
    (CLOSED, "hosts that the view policies list"): ({"hosts"}, ""),
    (CLOSED, "the identity policies that keys of projects have were followed, and allow no other project"): ({"identity policy"}, ""),
    (CLOSED, "VAST serves block volumes by NVMe only"): ({"iscsi"}, ""),
    (CLOSED, "Kubernetes binds a volume to one claim"): ({"volumeName"}, ""),
    (CLOSED, "the claim that each volume is for"): ({"volumeName"}, ""),
    (OPEN, "every user of the tenant's providers may use the share"): ({"SMB"}, "share_acl: {enabled: true, acl: [...]} in the view"),
    (OPEN, "the VIP pool serves every tenant"): ({"VIP of another pool"}, "tenant: NAME in the VIP pool, or vip_pools in the view policy"),
    (OPEN, "requests without a key are allowed"): ({"anonymous S3"}, "allow_s3_anonymous_access: false in the view; of a bucket, in VMS"),
    (OPEN, "no admission policy or resource quota closes the class"): (
        {*OF_CLASSES}, "isolation: admission_policy on the site, and the class in storage_classes of its project; where it is so already: vastplan apply"),
    (OPEN, "seen, not enforced"): ({*PODS, *OF_CLASSES}, "isolation: admission_policy on the site"),
    (OPEN, "the Secret is in the namespace of another project"): ({"driver's Secret"}, "namespace of the secret: one of no project"),
    (OPEN, "no admission policy refuses it in pods"): (
        {*PODS}, "isolation: admission_policy on the site with a class in storage_classes, and no inline_volumes there; where it is so already: vastplan apply"),
    (OPEN, "the volume is for no claim, so any claim may bind it"): ({"volumeName"}, "claim_namespace and claim_name of the volume"),
    (ASSUMED, "no other driver for inline volumes is installed that mounts what a pod names"): ({"inline CSI, other drivers"}, ""),
    (ASSUMED, "Pod Security refuses them in namespaces of projects (label pod-security.kubernetes.io/enforce: baseline)"): ({"privileged pods"}, ""),
    (ASSUMED, "no administrator made a volume, class, snapshot content or Secret for the same data under another name"): (
        {"volumes of others"}, ""),
    (ASSUMED, "nobody of a project may create pods or claims in a namespace of no project, or take the labels off a namespace"): ({"other namespaces"}, ""),
    (ASSUMED, "only its own people have an access rule of Run:AI or a role binding of Kubernetes in a project"): ({"people"}, ""),
    (SHARED, "its class is open to every namespace"): ({*OF_CLASSES}, ""),
    (SHARED, "its class is open to them"): ({*OF_CLASSES}, ""),
    (SHARED, "no resource quota keeps them out of its class"): ({*OF_CLASSES}, ""),
    (SHARED, "a declared copy"): ({"clone"}, ""),
    (SHARED, "a data source for every project"): ({"data source of Run:AI"}, ""),
    (SHARED, "a data source for the department"): ({"data source of Run:AI"}, ""),
    (SHARED, "a data volume for every project"): ({"data volume"}, ""),
    (SHARED, "a data volume for them"): ({"data volume"}, ""),
}  # fmt: skip


def test_what_is_said_and_the_line_to_write() -> None:
    said: dict[tuple[WayState, str], tuple[set[str], str]] = {}
    every = [[], *([change] for change, _ in TAKEN_OUT.values()), *(changes for _, changes, _ in CASES.values())]
    for changes in [
        *every,
        [QUOTAS, without("admission_policy/vastplan-a")],
        [QUOTAS, without("admission_policy/vastplan-a"), more(entry("project", "c"))],
    ]:
        for one in after(*changes).ways:
            ways, fix = said.setdefault((one.state, one.reason), (set(), one.fix))
            ways.add(one.way)
            assert one.fix == fix
    assert said == SAID


@pytest.mark.parametrize("title", TAKEN_OUT)
def test_what_closes_a_way_is_what_does(title: str) -> None:
    change, expected = TAKEN_OUT[title]
    proven = after(change)
    for way, (state, by, projects, to) in expected.items():
        (found,) = [result for result in results(proven, way) if result.state is state]
        assert {address.removeprefix("iad/") for address in found.by} == by, way
        assert bool(found.fix) == (state is OPEN) and found.reason
        if state in (OPEN, SHARED):
            assert (found.projects, found.everybody) == (projects, projects == ALL), way
            assert (found.to, found.to_everybody) == (to, to == ALL), way
    assert {one.way for one in proven.open_ways} == {
        *(way for way, (state, *_) in expected.items() if state is OPEN),
        *({"ephemeral volume"} if "claim" in expected and expected["claim"][0] is OPEN else ()),
    }
    assert not (proven.apart and proven.open_ways)


@pytest.mark.parametrize(("change", "states"), [
    (with_values("view/a-set", path="/elsewhere", allow_s3_anonymous_access=True), {CLOSED, OPEN}),  # of a key's user
    (more(entry("vip_pool", "c", tenant=None, ip_ranges=["10.0.3.1"])), {CLOSED}),  # each policy lists its pool
    (with_values("vip_pool/a", ip_ranges=["10.0.1.1 - 10.0.1.1"]), {CLOSED}),
])  # fmt: skip
def test_what_is_beside_a_way_does_not_open_it(change: Change, states: set[WayState]) -> None:
    proven = after(change)
    way = "anonymous S3" if OPEN in states else "VIP of another pool"
    assert {one.state for one in results(proven, way)} == states


def test_pools_for_replication_and_those_out_of_service_are_no_way() -> None:
    idle = [
        entry("vip_pool", "r", role="REPLICATION", ip_ranges=["10.0.3.1"]),
        entry("vip_pool", "off", tenant=None, enabled=False),
    ]
    objects = closed() | {f"vip_pool/{each.address.name}": each for each in idle}
    for name in "ab":
        with_values(f"view_policy/{name}", vip_pools=None)(objects)
    (one,) = results(proof(*objects.values()), "VIP of another pool")
    assert (one.state, one.by) == (CLOSED, ("iad/vip_pool/a", "iad/vip_pool/b"))


def test_every_pool_of_a_tenant_is_one_that_the_network_closes() -> None:
    pool = entry("vip_pool", "stray", tenant=ref("tenant", "a"), ip_ranges=["10.66.1.1 - 10.66.1.3"])
    assert (
        "10.66.1.1 - 10.66.1.3 (VIP pool stray, untagged)"
        in results(after(more(pool)), "NFS client in a pod")[0].ranges
    )


def test_hosts_of_a_share_close_it_too() -> None:
    proven = after(lambda objects: [change(objects) for change in (
        with_values("view/a-smb", share_acl=None), with_values("view_policy/a", smb_read_write=["10.1.1.1"]))])  # fmt: skip
    assert {one.state for one in results(proven, "SMB")} == {CLOSED}


QUOTAS = more(*(
    entry("resource_quota", f"{of}-{name}", namespace=ref("project", of), hard={f"{name}.storageclass.storage.k8s.io/requests.storage": "0"})
    for of, name in (("b", "a"), ("a", "b"))
))  # fmt: skip


def test_quotas_close_a_class_unless_one_is_missing() -> None:
    def claims(*changes: Change) -> dict[WayState, tuple[str, ...]]:
        objects = closed()
        for change in (QUOTAS, without("admission_policy/vastplan-a"), *changes):
            change(objects)
        return {
            one.state: one.by
            for one in results(proof(*objects.values()), "claim")
            if "iad/admission_policy/vastplan-b" not in one.by
        }

    assert claims() == {CLOSED: ("iad/resource_quota/b-a",)}
    third = more(entry("project", "c", department=ref("department", "dc")))
    assert claims(third) == {SHARED: ("iad/resource_quota/b-a",)}
    assert claims(with_values("resource_quota/b-a", hard={})) == {OPEN: ("iad/storage_class/a",)}


@pytest.mark.parametrize(("way", "change", "by"), [
    ("driver's Secret", with_values("secret/a", namespace=ref("project", "a")), ("iad/secret/a",)),  # its own
    ("SMB", with_values("view/a-smb", protocols=["NFS"], view_policy=ref("view_policy", "b")), ("iad/view/b-smb",)),
    ("data source of Run:AI", more(entry("s3_data_source", "d", project=ref("project", "a"))), None),
    ("clone", more(entry("clone", "c", tenant=ref("tenant", "a"), path="/a/copy", source="/a/x")), None),
    ("clone", more(entry("clone", "c", tenant=ref("tenant", "a"), path="/far", source="/a/x")), None),
])  # fmt: skip
def test_what_stays_with_its_project_is_no_way(way: str, change: Change, by: tuple[str, ...] | None) -> None:
    shown = after(change)
    assert not shown.open_ways and [one.by for one in results(shown, way) if one.by] == ([] if by is None else [by])
    assert {one.state for one in results(shown, way)} == (set() if by is None else {CLOSED})


def test_a_volume_of_no_project_is_nobodys() -> None:
    strange = entry(
        "persistent_volume", "x", volume_handle="/x", claim_namespace=ref("namespace", "csi"), claim_name="x"
    )
    assert proof(entry("project", "a"), entry("project", "b"), strange).ways == ()
    own = replace(strange, values={**strange.values, "claim_namespace": ref("project", "a")})
    (host_path,) = results(proof(entry("project", "a"), entry("project", "b"), own), "hostPath")
    assert (host_path.state, host_path.projects, host_path.to_everybody) == (OPEN, ("a",), True)


def test_what_is_not_managed_here_is_left_to_the_open_end() -> None:
    objects = closed()
    del objects["vip_pool/a"]
    more(
        entry("persistent_volume_claim", "c", namespace=ref("project", "a"), storage_class=ref("storage_class", "far"))
    )(objects)
    shown = proof(*objects.values())
    assert {one.state for one in results(shown, "claim")} == {CLOSED}
    assert results(shown, "NFS client in a pod")[0].ranges == ("10.0.2.1 - 10.0.2.9 (VIP pool b, VLAN 2)", "VIP pool a")


@pytest.mark.parametrize("host", ["*", "0.0.0.0/0", "::/0", "*.*.*.*"])
def test_every_host_is_written_in_several_ways(host: str) -> None:
    shown = after(with_values("view_policy/a", nfs_read_write=["10.0.0.1", host]))
    assert {one.state: one.by for one in results(shown, "hosts")}[ASSUMED] == ("iad/view_policy/a",)


def test_the_policy_for_pods_holds_no_namespace_without_the_label_of_its_project() -> None:
    objects = closed()
    more(entry("project", "c"), entry("nfs_data_source", "n", scope="cluster"))(objects)
    index = Index(objects.values())

    def opened(*namespaces: str) -> dict[str, str]:
        proven = prove(IAD, index, namespaces_of(IAD, index), Beside(frozenset(namespaces)))
        assert {one.fix for one in proven.open_ways} <= {"kubectl label namespace runai-b runai/queue=b"}
        return {one.way: told(one) for one in proven.open_ways}

    assert opened() == opened("elsewhere") == {}
    by = f"open by admission_policy/{INLINE}: b to a"
    assert opened("runai-b") == {"nfs": by, "flexVolume": by, "hostPath": by}
    proven = prove(IAD, index, namespaces_of(IAD, index), Beside(frozenset({"runai-b"})))
    assert [told(one) for one in results(proven, "data source of Run:AI")] == [
        "shared by nfs_data_source/n: all to all"
    ]
    assert [told(one) for one in results(proven, "iscsi")] == [
        "closed by ",
        INLINE_KEPT,
    ]  # pool b has no other project to hold


def test_of_many_namespaces_each_is_labelled_and_some_are_named() -> None:
    objects = closed()
    more(*(one for number, name in enumerate("cde", 3) for one in team(name, number)))(objects)
    index = Index(objects.values())
    proven = prove(IAD, index, namespaces_of(IAD, index), Beside(frozenset({"runai-b", "runai-c"}), frozenset()))
    (of_a,) = (one for one in results(proven, "nfs") if one.state is OPEN and "a" in one.projects)
    label = "kubectl label namespace runai-{0} runai/queue={0}"
    assert of_a.fix == f"{label.format('b')}; {label.format('c')}"
    (pods,) = results(proven, "privileged pods")
    assert "in runai-a, runai-b, runai-c and 2 more: no label" in pods.reason


@pytest.mark.parametrize(("guarded", "said"), [
    (None, "assumed: Pod Security refuses them in namespaces of projects (label pod-security.kubernetes.io/enforce: baseline)"),
    (("runai-a", "runai-b"), "closed: Pod Security, by the label of each namespace"),
    (("runai-a",), "assumed: something else than Pod Security refuses them in runai-b: no label pod-security.kubernetes.io/enforce: baseline"),
])  # fmt: skip
def test_the_label_of_pod_security_is_looked_at_where_it_was_read(guarded: tuple[str, ...] | None, said: str) -> None:
    index = Index(closed().values())
    proven = prove(
        IAD, index, namespaces_of(IAD, index), Beside(baseline=None if guarded is None else frozenset(guarded))
    )
    assert {f"{one.state}: {one.reason}" for one in results(proven, "privileged pods")} == {said}


def on_server(kind: str, server: str, **values: Any) -> Entry:
    return entry(kind, "theirs", server=server, **values)


IN_A, IN_B = ref("project", "a"), ref("project", "b")


@pytest.mark.parametrize(("made", "found"), [
    (on_server("persistent_volume", "10.0.1.1"), ["open by persistent_volume/theirs: all to a"]),
    (on_server("persistent_volume", "10.0.1.9"), ["open by persistent_volume/theirs: all to a"]),
    (on_server("persistent_volume", "10.0.1.5", claim_namespace=IN_B), ["open by persistent_volume/theirs: b to a"]),
    (on_server("persistent_volume", "10.0.1.5", claim_namespace=IN_A), []),
    (on_server("storage_class", "10.0.2.5"), ["open by storage_class/theirs: all to b"]),
    (on_server("persistent_volume", "10.0.1.10"), []),
    (on_server("persistent_volume", "10.0.0.255"), []),
    (on_server("persistent_volume", "::a00:105"), []),
    (on_server("persistent_volume", "nfs.example.com"), []),
    *((on_server("persistent_volume", server), ["open by persistent_volume/theirs: all to a"])
      for server in ("::ffff:10.0.1.5", "::FFFF:a00:105", "167772421", "10.0.261", "A.nas", "a.nas.", "0x0a000105")),
    *((on_server("persistent_volume", server), []) for server in ("10.0.1.5.", "a.nas.example.com", "010.0.1.5", "nas")),
    *((entry("persistent_volume", "theirs", node=node, claim_namespace=IN_B), ["open by persistent_volume/theirs: b to a"])
      for node in ("/", "/var", "/var/lib/kubelet", "/var/lib/kubelet/pods")),
    *((entry("persistent_volume", "theirs", node=node, claim_namespace=IN_B), [])
      for node in ("/var/lib/kubelet2", "/var/log", "/srv")),
])  # fmt: skip
def test_a_volume_of_another_driver_on_an_address_of_a_pool_is_a_way(made: Entry, found: list[str]) -> None:
    objects = closed()
    pool = objects["vip_pool/a"]
    index = Index(
        [
            replace(pool, values={**pool.values, "domain_name": "a.nas"}),
            *(one for one in objects.values() if one is not pool),
        ]
    )
    proven = prove(IAD, index, namespaces_of(IAD, index), Beside(on_servers=(made,)))
    of_it = results(proven, "volumes of others")
    assert sorted(told(one) for one in of_it if one.state is OPEN) == found
    assert any(one.state is ASSUMED for one in of_it)  # the other pool, or the other names of a server


@pytest.mark.parametrize(("second", "meet"), [
    ({"claim_namespace": IN_B}, ("a", "b")), ({"claim_namespace": IN_A}, None), ({}, ("a",)),
])  # fmt: skip
def test_two_volumes_of_what_the_driver_created_once(second: dict[str, Any], meet: tuple[str, ...] | None) -> None:
    shown = {"volume_handle": "pvc-1", "driver": "csi.vastdata.com"}
    proven = after(more(
        entry("persistent_volume", "one", claim_namespace=IN_A, **shown), entry("persistent_volume", "two", **shown, **second)))  # fmt: skip
    assert [(one.layer, one.element, one.projects) for one in proven.meetings] == (
        [("volume", "pvc-1", meet)] if meet else []
    )
    assert [one.everybody for one in proven.meetings] == ([meet == ("a",)] if meet else [])


def test_iscsi_is_closed_by_vast_itself() -> None:
    (one,) = results(after(without(f"admission_policy/{INLINE}")), "iscsi")
    assert (one.state, one.by, one.reason) == (CLOSED, (), "VAST serves block volumes by NVMe only")


def test_a_data_source_of_a_server_is_refused_in_pods() -> None:
    change = more(entry("nfs_data_source", "n", scope="cluster"))
    assert [one.state for one in results(after(change), "data source of Run:AI")] == [CLOSED]
    bare = after(lambda objects: [change(objects), objects.pop(f"admission_policy/{INLINE}")])
    assert [one.state for one in results(bare, "data source of Run:AI")] == [SHARED]


TABLE = [
    # name: layers; rules; needs; kinds; which of its texts say what closes it or what to write
    "claim: storage class; class_policy class_audit class_quota; ; ; otherwise fix",
    "ephemeral volume: storage class; class_policy class_audit class_quota; ; ; otherwise fix",
    "inline CSI: VIP pool; volumes_refused volumes_audit; block.csi.vastdata.com csi.vastdata.com; ; otherwise fix",
    "inline CSI of others: VIP pool; volumes_refused volumes_audit; nfs.csi.k8s.io smb.csi.k8s.io; ; otherwise fix",
    "nfs: VIP pool; volumes_refused volumes_audit; nfs; ; otherwise fix",
    "iscsi: VIP pool; volumes_refused by_system; iscsi; ; system",
    "flexVolume: VIP pool; volumes_refused volumes_audit; flexVolume; ; otherwise fix",
    "hostPath: storage class, volume; volumes_refused volumes_audit; hostPath; ; otherwise fix",
    "inline CSI, other drivers: cluster; unseen; ; ; otherwise",
    "privileged pods: cluster; pod_security unseen; ; ; otherwise",
    "volumes of others: VIP pool; servers_of_others unseen; ; ; otherwise fix",
    "other namespaces: cluster; unseen; ; ; otherwise",
    "people: cluster; unseen; ; ; otherwise",
    "volumeName: storage class, volume; claim_reference by_system; ; ; otherwise fix system",
    "data source: storage class; by_system; ; ; system",
    "clone: clone; cloned_for; ; clone; ",
    "data volume: data volume; data_volume_scopes; ; data_volume; ",
    "data source of Run:AI: data source; volumes_refused asset_scope; ; data_source nfs_data_source s3_data_source host_path_data_source; ",
    "driver's Secret: secret; secret_namespace by_system; ; ; otherwise fix system",
    "VIP of another pool: view policy; pools_listed pools_of_tenants; ; ; otherwise fix",
    "hosts: view policy, path; hosts_listed; ; ; ",
    "NFS client in a pod: VIP pool; by_network; ; ; ",
    "SMB: path; shares_restricted; ; ; otherwise fix",
    "block host: storage class; block_network; ; ; ",
    "S3 key: S3 user; by_system; ; s3_key; system",
    "identity policy: bucket; by_system; ; s3_key s3_policy; system",
    "anonymous S3: bucket, path; keys_needed; ; ; otherwise fix",
    "bucket ACL: bucket; unseen; ; ; otherwise",
]


def test_the_table_of_ways_and_that_of_the_documentation() -> None:
    def texts(way: Way) -> str:
        return " ".join(each for each in ("otherwise", "fix", "system") if getattr(way, each))

    assert [
        f"{way.name}: {', '.join(way.layers)}; {' '.join(way.rules)}; {' '.join(way.needs)}; {' '.join(way.kinds)}; {texts(way)}"
        for way in WAYS
    ] == TABLE
    rows = [f"| {way.name} | {way.does} | {way.source} |" for way in WAYS]
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8").splitlines()
    assert page[page.index(rows[0]) :][: len(rows)] == rows


def test_the_table_names_rules_that_exist_and_all_that_the_policy_of_pods_refuses() -> None:
    assert {rule for way in WAYS for rule in way.rules} == set(RULES)
    assert len({way.name for way in WAYS}) == len(WAYS)
    written = without_inline_volumes(INLINE)
    needed = {name for way in WAYS for name in way.needs}
    assert needed == {*written["drivers"], *written["sources"]}
    assert {way.name for way in WAYS} == {*CLOSED_BY, *ASSUMED_OF, *ONLY_WITH_AN_OBJECT}


def test_of_what_was_not_read_nothing_is_known() -> None:
    kinds = {kind for way in WAYS for kind in way.kinds}
    assert reach.unread_ways(kinds) == ()
    assert {(one.way, one.state, one.reason) for one in reach.unread_ways(kinds - {"s3_policy", "nfs_data_source"})} == {
        (way, ASSUMED, "not read from the systems") for way in ("identity policy", "data source of Run:AI")
    }  # fmt: skip


def document(site: dict[str, Any], **second: Any) -> Isolation:
    return proven({"sites": {"iad": {"sim": {}, **site}}, **teams(**second)})[1]


def states(proof: Isolation) -> dict[str, set[WayState]]:
    return {way: {one.state for one in results(proof, way)} for way in ("claim", "ephemeral volume", "iscsi", *PODS)}


@pytest.mark.parametrize(("site", "claim", "pods"), [
    ({}, CLOSED, CLOSED),
    ({"isolation": "audit"}, OPEN, OPEN),
    ({"isolation": "resource_quota"}, CLOSED, OPEN),
    ({"inline_volumes": {"allow": True, "reason": "scratch"}}, CLOSED, OPEN),
])  # fmt: skip
def test_what_a_document_writes_closes_what_it_says(site: dict[str, Any], claim: WayState, pods: WayState) -> None:
    proof = document(site)
    assert states(proof) == {
        "claim": {claim},
        "ephemeral volume": {claim},
        "iscsi": {CLOSED},
        **{way: {pods} for way in PODS},
    }
    assert proof.apart is (claim is CLOSED and pods is CLOSED)
    reasons = {one.reason for one in proof.open_ways}
    assert reasons == (
        {"seen, not enforced"}
        if claim is OPEN
        else {"no admission policy refuses it in pods"}
        if pods is OPEN
        else set()
    )
    if site.get("isolation") == "resource_quota":
        assert results(proof, "claim")[0].by == ("iad/resource_quota/vastplan-a-b", "iad/resource_quota/vastplan-b-a")


def test_a_class_that_is_open_to_another_is_shared_with_it() -> None:
    proof = document({}, open_to=["runai-a"])
    (shared,) = [one for one in results(proof, "claim") if one.state is SHARED]
    assert (shared.by, shared.everybody, shared.to_everybody) == (("iad/admission_policy/vastplan-b",), True, True)
    assert [one.by for one in results(proof, "claim") if one.state is CLOSED] == [("iad/admission_policy/vastplan-a",)]
    assert not proof.open_ways and not proof.apart


def test_ways_of_one_project_lead_to_nobody_else() -> None:
    assert proof(*team("a", 1)).ways == ()


def lines(proven: Isolation) -> list[str]:
    return isolation_text([proven], Style(colour=False, width=200), of="the document").splitlines()


def test_the_text_has_the_verdict_first_then_who_reaches_whom_then_what_is_open() -> None:
    change = [
        with_values("view/a-set", allow_s3_anonymous_access=True),
        with_values(f"admission_policy/{INLINE}", sources=["hostPath"]),
    ]
    shown = lines(after(lambda objects: [each(objects) for each in change]))
    assert shown[:7] == [
        "Isolation on iad, from the document",
        "  2 projects, 0 meeting points, 3 open ways",
        "  reaches  a                              b",
        "  a        -                              nfs, flexVolume",
        "  b        nfs, flexVolume, anonymous S3  -",
        "  open: nfs, flexVolume: no admission policy refuses it in pods: from every project to every other"
        " (write isolation: admission_policy on the site with a class in storage_classes, and no inline_volumes there; where it is so already: vastplan apply)",
        "  open: anonymous S3: requests without a key are allowed (iad/view/a-set): from every project to a"
        " (write allow_s3_anonymous_access: false in the view; of a bucket, in VMS)",
    ]  # fmt: skip
    assert [line for line in shown if line.startswith("  assumed: ")] == [
        "  assumed: inline CSI, other drivers: no other driver for inline volumes is installed that mounts what a pod names",
        "  assumed: privileged pods: Pod Security refuses them in namespaces of projects (label pod-security.kubernetes.io/enforce: baseline)",
        "  assumed: volumes of others: no administrator made a volume, class, snapshot content or Secret for the same data under another name",
        "  assumed: other namespaces: nobody of a project may create pods or claims in a namespace of no project, or take the labels off a namespace",
        "  assumed: people: only its own people have an access rule of Run:AI or a role binding of Kubernetes in a project",
        "  assumed: NFS client in a pod: the network keeps pods away (iad/vip_pool/a, iad/vip_pool/b)",
        "  assumed: block host: a host is known by its NQN alone (iad/storage_class/a-block, iad/storage_class/b-block)",
        "  assumed: bucket ACL: ACLs of buckets are set by S3, and VMS shows none",
        "  assumed: the network closes 10.0.1.1 - 10.0.1.9 (VIP pool a, VLAN 1), 10.0.2.1 - 10.0.2.9 (VIP pool b, VLAN 2)",
    ]
    closed_line = shown[16]
    assert closed_line.startswith(
        "  closed: claim, ephemeral volume: admission policies of the classes (iad/admission_policy/vastplan-a, "
    )
    assert (
        "inline CSI, inline CSI of others, hostPath: admission policy for pods (iad/admission_policy/vastplan-inline-volumes)"
        in closed_line
    )
    assert lines(after(lambda objects: None))[:5] == [
        "Isolation on iad, from the document",
        "  no two of 2 projects meet; some ways only the network closes",
        "  reaches  a       b",
        "  a        -       closed",
        "  b        closed  -",
    ]


def test_what_is_declared_is_in_the_verdict() -> None:
    shown = lines(after(with_values("data_volume/a", shared_with_projects=[ref("project", "b")])))
    assert shown[1:6] == [
        "  no two of 2 projects meet; 1 declared share; some ways only the network closes",
        "  reaches  a       b",
        "  a        -       closed",
        "  b        shared  -",
        "  shared: data volume: a data volume for them (iad/data_volume/a): from b to a",
    ]


def test_many_projects_have_lines_and_no_matrix() -> None:
    def many(*changes: Change) -> list[str]:
        objects = closed()
        for number in range(3, 10):
            more(*team(f"t{number}", number))(objects)
        for change in changes:
            change(objects)
        return lines(proof(*objects.values()))

    assert not any(line.startswith("  reaches") for line in many())
    assert many()[2] == "  between any two of 9 projects: no way is open"
    assert many(with_values("view/t5-set", allow_s3_anonymous_access=True))[2] == (
        "  open: anonymous S3: requests without a key are allowed (iad/view/t5-set): from every project to t5"
        " (write allow_s3_anonymous_access: false in the view; of a bucket, in VMS)"
    )


def test_the_work_grows_with_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked_at(count: int) -> int:
        calls = 0

        def counting(*args: Any) -> Any:
            nonlocal calls
            calls += 1
            return judged(*args)

        judged = reach.judge
        with monkeypatch.context() as patched:
            patched.setattr(reach, "judge", counting)
            inline = [each for place, each in closed().items() if INLINE in place]
            shown = proof(*inline, *(each for number in range(count) for each in team(f"t{number}", number)))
        assert len(shown.ways) == len(after(lambda objects: None).ways)  # what is alike is one result
        return calls

    assert looked_at(40) - looked_at(20) == 2 * (looked_at(20) - looked_at(10))
