"""The isolation proof against a slow oracle, its counter-examples followed by hand, and where it is seen."""

from __future__ import annotations

import os
import tempfile
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from tests.checks.cases import facts_of, written
from tests.checks.oracle import Element, Oracle, name_of
from vastplan.checks.facts import Facts
from vastplan.model.errors import Invalid
from vastplan.model.isolation import Isolation, Meeting
from vastplan.model.value import Ref

TENANTS, NAMES = ("t1", "t2"), ("p1", "p2", "p3", "p4")
PATHS = ("/a", "/a/b", "/ab", "/c", "/a/b/c")
SECRETS = ("one", "two", {"existing": "csi/one"}, {"existing": "csi/other"})
PURPOSES = ("controller_publish", "node_publish", "controller_expand")  # of classes and volumes


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Small documents in which much is shared."""

    def maybe(**values: Any) -> dict[str, Any]:
        return {key: value for key, value in values.items() if draw(st.booleans())}

    def secret() -> dict[str, Any]:
        if draw(st.booleans()):
            return {"secret": draw(st.sampled_from(SECRETS))}
        return {"secrets": maybe(**{purpose: draw(st.sampled_from([*SECRETS, None])) for purpose in PURPOSES})}

    pools: dict[str, dict[str, Any]] = {f"pool{n}": {"tenant": tenant} for n, tenant in enumerate((*TENANTS, None))}
    policies = {f"policy{n}": {"tenant": tenant} for n, tenant in enumerate((*TENANTS, *TENANTS, None))}
    classes = {
        f"c{n}": {
            "driver": "file",
            "storage_path": draw(st.sampled_from(PATHS)),
            "view_policy": draw(st.sampled_from([*list(policies)[:4], *list(policies), {"existing": "elsewhere"}])),
            "vip_pool": draw(st.sampled_from([*pools, {"existing": "elsewhere"}])),
            **(secret() if draw(st.booleans()) else {}),
            **maybe(tenant=draw(st.sampled_from(TENANTS))),
            "shared": draw(st.integers(0, 7)) == 0,
        }
        for n in range(draw(st.integers(0, 4)))
    }
    projects = {
        name: maybe(
            tenant=draw(st.sampled_from(TENANTS)),
            namespace=draw(st.sampled_from(["ns1", "ns2"])),
            storage_classes=draw(st.lists(st.sampled_from(sorted(classes)), unique=True)) if classes else [],
        )
        for name in NAMES[: draw(st.integers(1, 4))]
    }
    volumes: dict[str, Any] = {}
    for n in range(draw(st.integers(0, 3))):
        project = draw(st.sampled_from(sorted(projects)))
        if draw(st.booleans()):
            volumes[f"v{n}"] = {
                "project": project, "tenant": draw(st.sampled_from(TENANTS)), "path": draw(st.sampled_from(PATHS)), "size": "1 B",
                "view_policy": draw(st.sampled_from(sorted(policies))), "vip_pool": draw(st.sampled_from(sorted(pools))),
                **secret(),
            }  # fmt: skip
        else:
            of = draw(st.sampled_from([*sorted(classes), {"existing": "far"}]))
            volumes[f"v{n}"] = {"project": project, "size": "1 B", "storage_class": of}
    buckets = {
        f"b{n}": {
            "tenant": draw(st.sampled_from(TENANTS)), "path": draw(st.sampled_from(["/", *PATHS])), "protocols": ["S3"],
            "view_policy": draw(st.sampled_from(sorted(policies))), "bucket": f"bucket{n}", "bucket_owner": "ann",
        }
        for n in range(draw(st.integers(0, 2)))
    }  # fmt: skip
    for n, pool in enumerate(pools.values()):
        pool |= {"subnet_cidr": 24, "ip_ranges": [f"10.0.{n}.1"]}
    site: dict[str, Any] = {
        "sim": {},
        **maybe(isolation=draw(st.sampled_from(["resource_quota", "resource_quota", "audit"]))),
    }
    return {
        "sites": {"iad": site}, "namespaces": {"csi": {}}, "secrets": {name: {"namespace": "csi"} for name in ("one", "two")},
        "tenants": {name: {} for name in TENANTS}, "vip_pools": pools, "view_policies": policies, "storage_classes": classes,
        "projects": projects, "volumes": volumes, "views": buckets,
    }  # fmt: skip


def pairs(proof: Isolation) -> dict[frozenset[str], set[Element]]:
    """What a proof says of every two projects."""
    meetings: dict[frozenset[str], set[Element]] = {}
    for meeting in proof.meetings:
        here = sorted(proof.namespaces) if meeting.everybody else list(meeting.projects)
        inside = sorted(proof.namespaces) if meeting.everybody_inside else list(meeting.inside)
        two = {frozenset(pair) for pair in combinations(here, 2)}
        two |= {frozenset((outer, inner)) for outer in here for inner in inside if outer != inner}
        for pair in two:
            meetings.setdefault(pair, set()).add((meeting.layer, meeting.element))
    return meetings


def proven(document: dict[str, Any]) -> tuple[Facts, Isolation]:
    with tempfile.TemporaryDirectory() as folder:
        facts = facts_of(written(document, Path(folder)), {})
    return facts, facts.isolation["iad"]


@given(documents())
@settings(max_examples=int(os.environ.get("VASTPLAN_EXAMPLES", "60")))
def test_the_proof_is_that_of_the_oracle(document: dict[str, Any]) -> None:
    try:
        facts, proof = proven(document)
    except Invalid:
        assume(False)  # two views of one path
    isolation = document["sites"]["iad"].get("isolation", "")
    oracle = Oracle(_entries(facts, written_too=True), _entries(facts), isolation=isolation)
    assert pairs(proof) == oracle.meets()
    lost = {name for end in proof.open_ends for name in (proof.namespaces if end.everybody else end.projects)}
    assert lost == ({name for name, ends in oracle.lost.items() if ends} if len(oracle.projects) > 1 else set())
    assert proof.apart == (not oracle.meets() and not lost and not proof.open_ways)
    reason = isolation or not document["storage_classes"]  # vastplan writes its policy for pods beside a class
    assert reason or {way.way for way in proof.open_ways} <= {"VIP of another pool"}
    event(f"meetings: {min(len(proof.meetings), 3)}, apart: {proof.apart}")
    for meeting in proof.meetings:
        followed(facts, proof, meeting)


def _entries(facts: Facts, *, written_too: bool = False) -> list[Any]:
    index = facts.written if written_too else facts.objects
    return list(index)


def followed(facts: Facts, proof: Isolation, meeting: Meeting) -> None:
    """Walk both ways of a counter-example by hand: every step must lead to the next, and both end in the same."""
    assert len(meeting.chains) == 2 and meeting.chains[0][0] != meeting.chains[1][0]
    ends = []
    for chain in meeting.chains:
        project, namespace = chain[0].removeprefix("project "), chain[1].removeprefix("namespace ")
        values = facts.objects.on("iad", "project")[project].values
        assert namespace == (values.get("namespace") or f"runai-{project}")
        for before, after in pairwise(chain[1:]):
            assert leads(facts, proof, before, after), chain
        ends.append(chain[-1])
    if meeting.layer == "bucket":
        assert ends[0] == ends[1] == f"bucket {meeting.element.partition(':')[2]}"
    elif meeting.layer == "path":
        assert all(end.startswith("path ") for end in ends)
        outer = meeting.element.partition(":")[2]
        assert ends[0] == f"path {outer}" and (ends[1].removeprefix("path ") + "/").startswith(f"{outer.rstrip('/')}/")
    else:
        assert ends[0] == ends[1] == f"{meeting.layer} {meeting.element}"


def leads(facts: Facts, proof: Isolation, before: str, after: str) -> bool:
    """Whether one thing leads to the next, looked up by name."""

    def split(step: str) -> tuple[str, str]:
        layers = (
            "namespace",
            "claim",
            "volume",
            "storage class",
            "secret",
            "tenant",
            "VIP pool",
            "view policy",
            "path",
            "bucket",
        )
        layer = next(name for name in layers if step.startswith(name + " "))
        return layer, step.removeprefix(layer + " ")

    def refers(value: Any, name: str) -> bool:
        return isinstance(value, Ref) and value.target.name == name

    kinds = {
        "storage class": "storage_class",
        "volume": "persistent_volume",
        "VIP pool": "vip_pool",
        "view policy": "view_policy",
    }
    (layer, name), (to, there) = split(before), split(after)
    if layer == "namespace":
        if to == "storage class":
            return there in proof.shared or name in proof.classes[there]
        kind = "persistent_volume" if to == "volume" else "persistent_volume_claim"
        entry = facts.objects.on("iad", kind)[there]
        return proof.namespaces[name_of(entry.values.get("claim_namespace") or entry.values["namespace"])] == name
    if layer == "claim":
        return refers(facts.objects.on("iad", "persistent_volume_claim")[name].values["storage_class"], there)
    if layer == "path" and to == "bucket":
        views = facts.objects.on("iad", "view").values()
        return any(
            view.values.get("bucket") == there and (name + "/").startswith(str(view.values["path"]).rstrip("/") + "/")
            for view in views
        )
    if layer == "path":
        views = facts.objects.on("iad", "view").values()
        return any(view.values["path"] == name and refers(view.values["view_policy"], there) for view in views)
    if layer == "tenant":
        return to == "path" and there in PATHS
    values = facts.objects.on("iad", kinds[layer])[name].values
    if to == "path":
        return there in (values.get("storage_path"), values.get("volume_handle"))
    if to == "secret":
        refs = [values.get("secret"), *values.get("secrets", {}).values()]
        names = {name_of(ref).rpartition("/")[2] for ref in refs if ref is not None}
        return there == "the driver's own" if not names else there.rpartition("/")[2] in names
    if to == "tenant" and layer == "volume":
        return (
            any(
                view.values["path"] == values["volume_handle"] and refers(view.values["tenant"], there)
                for view in facts.objects.on("iad", "view").values()
            )
            or there in TENANTS
        )
    return refers(values[{"view policy": "view_policy", "VIP pool": "vip_pool", "tenant": "tenant"}[to]], there)
