"""The steps of a chain by themselves: where classes and volumes lead to, whom classes are open to, and how it is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checks.chains import IAD, entry, proof, ref, walk
from vastplan.checks.index import Index
from vastplan.checks.isolation.sentences import meeting_text, open_end_text
from vastplan.checks.proof.class_access import open_namespaces, reference_name
from vastplan.kinds.kubernetes._rules import AS_WRITTEN
from vastplan.model.isolation import Meeting, OpenEnd
from vastplan.schema.entries import Entry

TENANT = entry("tenant", "t")
POOL = entry("vip_pool", "pool", tenant=ref("tenant", "t"), domain_name="pool.example.com")
POLICY = entry("view_policy", "policy", tenant=ref("tenant", "t"))
SECRET = entry("secret", "login", namespace=ref("namespace", "csi"), name="vms")
CLASS: dict[str, Any] = {
    "driver": "file", "storage_path": "/k8s", "secret": ref("secret", "login"), "vip_pool": ref("vip_pool", "pool"),
    "view_policy": ref("view_policy", "policy"),
}  # fmt: skip


def of(**values: Any) -> Any:
    return entry("storage_class", "c", **{**CLASS, **values})


def test_a_class_of_the_file_driver() -> None:
    assert walk(of(), TENANT, POOL, POLICY, SECRET) == [
        "storage class c of storage_class c: storage class c",
        "secret csi/vms of secret login: storage class c > secret csi/vms",
        "VIP pool pool of vip_pool pool: storage class c > VIP pool pool",
        "tenant t of tenant t: storage class c > VIP pool pool > tenant t",
        "view policy policy of view_policy policy: storage class c > view policy policy",
        "tenant t of tenant t: storage class c > view policy policy > tenant t",
        "path t:/k8s of storage_class c: storage class c > view policy policy > tenant t > path /k8s",
    ]


def test_a_class_of_the_block_driver_leads_to_its_subsystem() -> None:
    block = of(driver="block", tenant_name=ref("tenant", "t"), subsystem=ref("view", "block"))
    around = (TENANT, POOL, POLICY, SECRET, entry("view", "block", path="/block"))
    assert walk(block, *around)[4:] == [
        "tenant t of tenant t: storage class c > tenant t",
        "path t:/block of storage_class c: storage class c > tenant t > path /block",
    ]
    assert walk(block, *around[:-1])[4:] == [
        "tenant t of tenant t: storage class c > tenant t",
        "path  of storage_class c: storage class c > tenant t ? its directory is not known",
    ]
    assert walk(of(driver="block", subsystem=ref("view", "block")), *around)[4:] == [
        "tenant  of storage_class c: storage class c ? its tenant is not known"
    ]


@pytest.mark.parametrize(
    ("policy", "around", "ends"),
    [
        (None, (), ["view policy  of storage_class c: storage class c ? its view policy is not known"]),
        ("policy", (), ["view policy  of storage_class c: storage class c ? its view policy is not known"]),
        (
            ref("view_policy", "far"),
            (),
            [
                "view policy far of storage_class c: storage class c > view policy far",
                "tenant  of storage_class c: storage class c > view policy far "
                "? view policy far is not managed here: its tenant is not known",
            ],
        ),
        (
            ref("view_policy", "all"),
            (entry("view_policy", "all", tenant=None),),
            [
                "view policy all of view_policy all: storage class c > view policy all",
                "tenant  of view_policy all: storage class c > view policy all ? view policy all serves every tenant",
            ],
        ),
        (
            ref("view_policy", "his"),
            (entry("view_policy", "his", tenant=ref("tenant", "far")),),
            [
                "view policy his of view_policy his: storage class c > view policy his",
                "tenant far of storage_class c: storage class c > view policy his > tenant far",
                "path far:/k8s of storage_class c: storage class c > view policy his > tenant far > path /k8s",
            ],
        ),
    ],
)
def test_where_a_policy_leads_to(policy: Any, around: tuple[Any, ...], ends: list[str]) -> None:
    assert walk(of(view_policy=policy), TENANT, POOL, SECRET, *around)[4:] == ends


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ({"vip_pool": None}, ["VIP pool  of storage_class c: storage class c ? its VIP pool is not known"]),
        (
            {"vip_pool": None, "vip_pool_fqdn": "pool.example.com"},
            [
                "VIP pool pool of vip_pool pool: storage class c > VIP pool pool",
                "tenant t of tenant t: storage class c > VIP pool pool > tenant t",
            ],
        ),
        (
            {"vip_pool": None, "vip_pool_fqdn": "other.example.com"},
            [
                "VIP pool of DNS name other.example.com of storage_class c: "
                "storage class c > VIP pool of DNS name other.example.com"
            ],
        ),
        (
            {"vip_pool": ref("vip_pool", "far"), "vip_pool_fqdn": "pool.example.com"},
            ["VIP pool far of storage_class c: storage class c > VIP pool far"],
        ),
        (
            {"vip_pool": ref("vip_pool", "shared")},
            ["VIP pool shared of vip_pool shared: storage class c > VIP pool shared"],
        ),
    ],
)
def test_where_a_pool_leads_to(values: dict[str, Any], ends: list[str]) -> None:
    around = (TENANT, POOL, POLICY, SECRET, entry("vip_pool", "shared", tenant=None))
    assert walk(of(**values), *around)[2:-3] == ends


@pytest.mark.parametrize(
    ("named_as", "entry", "called"),
    [
        (None, None, "the driver's own"),
        ("csi/else", None, "csi/else"),
        (ref("secret", "far"), None, "far"),
        (ref("secret", "s"), entry("secret", "s", namespace=ref("namespace", "p")), "p/s"),
        (ref("secret", "s"), entry("secret", "s", namespace="plain", name="other"), "plain/other"),
        (ref("secret", "s"), entry("secret", "s", namespace=ref("project", "p")), "runai-p/s"),
        (ref("secret", "s"), entry("secret", "s", namespace=ref("project", "far")), "far/s"),
    ],
)
def test_what_a_secret_is_called(named_as: Any, entry: Any, called: str) -> None:
    around = [entry] if entry else []
    told_of = "secret s" if entry else "storage_class c"
    assert walk(of(secret=named_as), TENANT, POOL, POLICY, *around, namespaces={"p": "runai-p"})[1] == (
        f"secret {called} of {told_of}: storage class c > secret {called}"
    )


def test_every_secret_of_a_purpose_is_reached_once() -> None:
    purposes = {"provisioner": ref("secret", "login"), "controller_publish": None, "node_publish": "csi/mount",
                "controller_expand": ref("secret", "login")}  # fmt: skip
    reached = walk(of(secret=None, secrets=purposes), SECRET, TENANT, POOL, POLICY)
    assert [step for step in reached if step.startswith("secret ")] == [
        "secret csi/vms of secret login: storage class c > secret csi/vms",
        "secret csi/mount of storage_class c: storage class c > secret csi/mount",
    ]
    none = walk(of(secret=None, secrets=dict.fromkeys(purposes)), SECRET, TENANT, POOL, POLICY)
    assert none[1] == "secret the driver's own of storage_class c: storage class c > secret the driver's own"


def test_a_volume_leads_to_what_its_pools_tenant_has_at_its_path() -> None:
    values = {"volume_handle": "/data", "secret": ref("secret", "login"), "vip_pool": ref("vip_pool", "pool")}
    volume = entry("persistent_volume", "v", **values)
    mine = entry("view", "mine", path="/data", tenant=ref("tenant", "t"), view_policy=ref("view_policy", "policy"))
    his = entry("view", "his", path="/data", tenant=ref("tenant", "u"), view_policy=ref("view_policy", "other"))
    around = (TENANT, POOL, POLICY, SECRET)
    start = [
        "secret csi/vms of secret login: volume v > secret csi/vms",
        "VIP pool pool of vip_pool pool: volume v > VIP pool pool",
        "tenant t of tenant t: volume v > VIP pool pool > tenant t",
    ]
    there = [
        "view policy policy of view_policy policy: volume v > path /data > view policy policy",
        "tenant t of tenant t: volume v > tenant t",
        "path t:/data of persistent_volume v: volume v > tenant t > path /data",
    ]
    assert walk(volume, *around, mine, his) == [*start, *there]
    assert walk(volume, *around, his) == [*start, *there[1:]]
    everybodys = entry("vip_pool", "pool", tenant=None)
    assert walk(volume, TENANT, POLICY, SECRET, everybodys, mine, his) == [
        *start[:2],
        *there,
        "view policy other of persistent_volume v: volume v > path /data > view policy other",
        "tenant u of persistent_volume v: volume v > tenant u",
        "path u:/data of persistent_volume v: volume v > tenant u > path /data",
    ]
    assert walk(volume, SECRET)[-1] == "tenant  of persistent_volume v: volume v ? its tenant is not known"


def policy(name: str, *namespaces: Any, **values: Any) -> Any:
    defaults = {"storage_class": ref("storage_class", "c"), "rule": AS_WRITTEN, "namespaces": namespaces, **values}
    return entry("admission_policy", name, **defaults)


def binding(name: str, **values: Any) -> Any:
    return entry(
        "admission_binding", name, **{"policy": ref("admission_policy", name), "validation_actions": ["Deny"], **values}
    )


@pytest.mark.parametrize(
    ("around", "open_to"),
    [
        ((), None),
        ((policy("p", "a", ref("project", "x")), binding("p")), {"a", "runai-x"}),
        ((policy("p", "a"), binding("p", policy="p")), {"a"}),
        ((policy("p", namespaces=None), binding("p")), set()),
        ((policy("p", "a"),), None),
        ((policy("p", "a"), binding("p", validation_actions=["Warn", "Audit"])), None),
        ((policy("p", "a"), binding("p", validation_actions=None)), None),
        ((policy("p", "a"), binding("p", only={"kubernetes.io/metadata.name": "b"})), None),
        ((policy("p", "a", rule="expression changed"), binding("p")), None),
        ((policy("p", "a", storage_class=None), binding("p")), None),
        ((policy("p", "a", open=True), binding("p")), None),
        ((policy("o", open=True), binding("o"), policy("p", "a"), binding("p")), {"a"}),
        ((policy("o", rule="else"), binding("o"), policy("p", "a"), binding("p")), {"a"}),
        ((policy("p", "a", "b"), binding("p"), policy("q", "b", "d"), binding("q")), {"b"}),
    ],
)  # fmt: skip
def test_whom_a_class_is_open_to(around: tuple[Any, ...], open_to: set[str] | None) -> None:
    access = open_namespaces(IAD, Index([entry("storage_class", "c"), *around]), {"x": "runai-x"})
    assert access == {"c": None if open_to is None else frozenset(open_to)}


@pytest.mark.parametrize(
    ("hard", "open_to"),
    [
        ({"c.storageclass.storage.k8s.io/persistentvolumeclaims": "0"}, {"runai-y"}),
        ({"c.storageclass.storage.k8s.io/persistentvolumeclaims": "1"}, None),
        ({"persistentvolumeclaims": "0"}, None),
        ({"c": "0"}, None),
        ({"other.storageclass.storage.k8s.io/persistentvolumeclaims": "0"}, None),
        (None, None),
    ],
)
def test_a_quota_of_nothing_closes_a_class(hard: Any, open_to: set[str] | None) -> None:
    quota = entry("resource_quota", "q", namespace=ref("project", "x"), hard=hard)
    namespaces = {"x": "runai-x", "y": "runai-y"}
    access = open_namespaces(IAD, Index([entry("storage_class", "c"), quota]), namespaces)
    assert access == {"c": None if open_to is None else frozenset(open_to)}
    closed = (policy("p", "runai-x", "runai-y"), binding("p"))
    both = open_namespaces(IAD, Index([entry("storage_class", "c"), quota, *closed]), namespaces)
    assert both == {"c": frozenset(open_to or {"runai-x", "runai-y"})}


def test_what_is_named_without_a_reference() -> None:
    assert [reference_name("a", {"a": "b"}), reference_name(ref("project", "a"), {"a": "b"}), reference_name(ref("namespace", "a"), {"a": "b"})] == [
        "a", "b", "a",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("many", "everybody", "text"),
    [
        (1, False, "project p1"),
        (2, False, "projects p1, p2"),
        (4, False, "projects p1, p2, p3, p4"),
        (5, False, "projects p1, p2, p3, p4 and 1 more"),
        (9, False, "projects p1, p2, p3, p4 and 5 more"),
        (9, True, "all projects"),
    ],
)
def test_who_is_told(many: int, everybody: bool, text: str) -> None:
    end = OpenEnd("iad/storage_class/c", "why", tuple(f"p{number}" for number in range(1, many + 1)), everybody)
    assert open_end_text(end) == f"isolation of {text} is not proven: why"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"projects": ("a", "b")}, "projects a, b meet in tenant t:x"),
        ({"projects": ("a",), "inside": ("b",)}, "project a with project b beneath it meets in tenant t:x"),
        ({"projects": ("a", "c"), "inside": ("b",)}, "projects a, c with project b beneath it meet in tenant t:x"),
        ({"projects": ("a",), "everybody_inside": True}, "project a with all projects beneath it meets in tenant t:x"),
        ({"projects": ("a",), "everybody": True}, "all projects meet in tenant t:x"),
        ({"projects": ("a", "b"), "layer": "path"}, "projects a, b meet in path t x"),
        ({"projects": ("a", "b"), "layer": "path", "element": "t:/x:y"}, "projects a, b meet in path t /x:y"),
    ],
)
def test_a_meeting_is_told(values: dict[str, Any], text: str) -> None:
    chains = (("project a", "tenant t"), ("project b", "tenant t"))
    meeting = Meeting(**{"layer": "tenant", "element": "t:x", "address": "", "chains": chains, **values})
    assert meeting_text(meeting) == f"{text}: project a > tenant t; project b > tenant t"


def team(name: str, **values: Any) -> list[Any]:
    """A project with a class of its own; `values` are of the class."""
    defaults = {
        "driver": "file", "storage_path": f"/{name}", "secret": f"csi/{name}", "vip_pool": ref("vip_pool", name),
        "view_policy": ref("view_policy", name),
    }  # fmt: skip
    return [
        entry("project", name),
        entry("storage_class", name, **{**defaults, **values}),
        entry("vip_pool", name, tenant=ref("tenant", name)),
        entry("view_policy", name, tenant=ref("tenant", name)),
        entry("tenant", name),
        entry("admission_policy", name, storage_class=ref("storage_class", name), rule=AS_WRITTEN, namespaces=(ref("project", name),)),
        binding(name),
    ]  # fmt: skip


def test_teams_apart_meet_in_nothing() -> None:
    isolation = proof(*team("a"), *team("b"))
    assert (
        (isolation.meetings, isolation.open_ends) == ((), ())
        and isolation.classes == {"a": ("runai-a",), "b": ("runai-b",)}
        and isolation.shared == ()
    )
    assert isolation.namespaces == {"a": "runai-a", "b": "runai-b"}


def test_a_project_named_otherwise_than_its_address() -> None:
    assert proof(entry("project", "a", name="team-a"), entry("project", "b", namespace="ns")).namespaces == {
        "a": "runai-team-a", "b": "ns",
    }  # fmt: skip


def test_a_class_of_everybody_is_met_by_everybody_first() -> None:
    """Who reaches it in another way too is told by the way that all of them have."""
    isolation = proof(*team("a")[:5], *team("b"), *team("c", storage_path="/a/c", view_policy=ref("view_policy", "a")))
    assert isolation.shared == ("a",)
    (path,) = [meeting for meeting in isolation.meetings if meeting.layer == "path"]
    assert (path.element, path.everybody, path.inside, path.everybody_inside) == ("a:/a", True, ("c",), False)
    assert path.chains[0] == (
        "project a", "namespace runai-a", "storage class a", "view policy a", "tenant a", "path /a",
    )  # fmt: skip


def test_who_has_a_way_to_what_lies_inside_reaches_what_everybody_reaches_by_their_way() -> None:
    isolation = proof(*team("b")[:5], *team("a", storage_path="/b/a", view_policy=ref("view_policy", "b")))
    (path,) = [meeting for meeting in isolation.meetings if meeting.element == "b:/b"]
    assert (path.everybody, path.inside) == (True, ("a",))
    assert [chain[-1] for chain in path.chains] == ["path /b", "path /b"]


def test_directories_of_everybody_inside_one_another() -> None:
    outer, inner = team("a")[:5], team("b", storage_path="/a/b", view_policy=ref("view_policy", "a"))[:5]
    meetings = {meeting.element: meeting for meeting in proof(*outer, *inner).meetings if meeting.layer == "path"}
    assert (
        meetings["a:/a"].everybody and not meetings["a:/a"].everybody_inside
    )  # it is told once that it is all of them
    beside = team("c", storage_path="/a/c", view_policy=ref("view_policy", "a"))
    meetings = {
        meeting.element: meeting for meeting in proof(*team("a"), *inner, *beside).meetings if meeting.layer == "path"
    }
    assert (meetings["a:/a"].projects, meetings["a:/a"].everybody_inside, meetings["a:/a"].inside) == (
        ("a",),
        True,
        ("c",),
    )


def test_of_two_ways_that_everybody_has_the_first_is_told() -> None:
    again = entry("storage_class", "z", **team("a")[1].values)
    isolation = proof(*team("a")[:5], again, *team("b"))
    (secret,) = [meeting for meeting in isolation.meetings if meeting.layer == "secret"]
    assert [chain[2] for chain in secret.chains] == ["storage class a", "storage class a"]


def test_a_claim_of_a_class_that_is_not_here() -> None:
    def claim(name: str) -> Any:
        return entry(
            "persistent_volume_claim", name, namespace=ref("project", name), storage_class=ref("storage_class", "far")
        )

    isolation = proof(*team("a"), *team("b"), claim("a"), claim("b"))
    assert [(end.address, end.reason, end.projects) for end in isolation.open_ends] == [
        ("iad/persistent_volume_claim/a", "storage class far is not managed here", ("a",)),
        ("iad/persistent_volume_claim/b", "storage class far is not managed here", ("b",)),
    ]
    (meeting,) = isolation.meetings
    assert (meeting.layer, meeting.element, meeting.projects) == ("storage class", "far", ("a", "b"))
    assert meeting.chains[0] == ("project a", "namespace runai-a", "claim a", "storage class far")


def test_a_class_of_which_somebody_would_be_refused_is_seen() -> None:
    told = binding("a", validation_actions=["Audit", "Warn"])
    isolation = proof(*team("a"), told, *team("b"))
    assert (isolation.seen, isolation.shared, isolation.classes) == ({"a": ("runai-a",)}, ("a",), {"b": ("runai-b",)})
    # not where another policy refuses them, where it is open to all that it says, nor of a class that is not here
    both = entry("admission_policy", "z", storage_class=ref("storage_class", "a"), rule=AS_WRITTEN, namespaces=())
    assert proof(*team("a"), told, both, binding("z"), *team("b")).seen == {}
    shared = entry(
        "admission_policy", "a", storage_class=ref("storage_class", "a"), rule=AS_WRITTEN, namespaces=(), open=True
    )
    assert proof(*team("a"), shared, told, *team("b")).seen == {}
    assert proof(*(one for one in team("a") if one.address.kind != "storage_class"), told, *team("b")).seen == {}


def test_one_project_alone_has_nobody_to_be_kept_from() -> None:
    isolation = proof(*team("a")[:4])
    assert isolation.apart and isolation.open_ends == () and isolation.meetings == ()


def bucket(name: str, path: str, tenant: str = "t", **more: Any) -> Entry:
    """A view that is a bucket."""
    said = {"path": path, "tenant": ref("tenant", tenant), "protocols": ["S3"], "bucket": name, **more}
    return entry("view", name, **said)


@pytest.mark.parametrize(
    ("view", "reached"),
    [
        (bucket("all", "/"), True),
        (bucket("k8s", "/k8s"), True),
        (bucket("inside", "/k8s/one"), False),
        (bucket("alike", "/k8"), False),
        (bucket("his", "/k8s", "u"), False),
        (bucket("files", "/k8s", protocols=["NFS"]), False),
        (bucket("", "/k8s"), False),
    ],
)
def test_a_directory_leads_to_the_buckets_around_it(view: Entry, reached: bool) -> None:
    ends = walk(of(), TENANT, POOL, POLICY, SECRET, view)
    name = view.address.name
    way = f"storage class c > view policy policy > tenant t > path /k8s > bucket {name}"
    assert [end for end in ends if end.startswith("bucket")] == [f"bucket t:{name} of view {name}: {way}"] * reached
