"""What stands under who is let in, and what under what takes something away: from rows and values through the plan to the words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.guards.stage import kinds, planned
from vastplan.kinds.kubernetes._rules import closed_class
from vastplan.model.address import Address
from vastplan.model.plan import (
    Access,
    Action,
    Block,
    Cause,
    Door,
    FieldChange,
    Opening,
    Plan,
    PlannedSite,
    Standing,
    Verb,
)
from vastplan.report.differences import difference
from vastplan.report.markdown_page import LIMIT
from vastplan.report.openings import opening_lines, opening_notes, opening_section, opening_text
from vastplan.report.review import Risk, by_risk
from vastplan.report.style import Style
from vastplan.schema.markers import ANOTHER, SMALLER, TIGHTER, Reduces

TENANT = {"$existing": "iad/tenant/t"}
POLICY = {"$existing": "iad/view_policy/p"}
ROWS: dict[str, Any] = {
    "tenant": [{"id": 1, "name": "t"}],
    "view_policy": [{"id": 5, "name": "p", "tenant_id": 1, "smb_read_write": ["10.0.0.5"], "s3_read_write": ["*"], "flavor": "NFS"}],
    "namespace": [{"metadata": {"name": "runai-p", "uid": "n1"}}],
    "vip_pool": [{"id": 7, "name": "v", "tenant_id": 1, "ip_ranges": [["10.20.1.10", "10.20.1.25"]], "subnet_cidr": 24, "role": "PROTOCOLS"}],
    "storage_class": [{"metadata": {"name": "c", "uid": "c1"}, "provisioner": "csi.vastdata.com", "parameters": {}}],
}  # fmt: skip


def said(desired: dict[str, Any], owned: dict[str, Any] | None = None, rows: dict[str, Any] | None = None) -> list[str]:
    """The lines of a plan for a site that was applied before: the tenant is adopted in each."""
    case = {"rows": {**ROWS, **(rows or {})}, "desired": {"tenant/t": {"name": "t", "max_views": 9}, **desired},
            "owned": {"tenant/t": 1, **(owned or {})}, "consent": {"allow_narrow": ["*"], "allow_delete": ["*"]}}  # fmt: skip
    return [line.written(str) for line in opening_lines(unblocked(case), str)]


def unblocked(case: dict[str, Any]) -> Plan:
    """The plan of a case, as with every consent: what guards ask for is not what this is about."""
    plan, _ = planned(case)
    return replace(plan, actions=tuple(replace(action, blocked=()) for action in plan.actions))


def view(**fields: Any) -> dict[str, Any]:
    return {"path": "/a", "tenant": TENANT, "view_policy": POLICY, **fields}


def test_a_new_view_has_one_line_by_which_policy_over_which_protocols() -> None:
    assert said({"view/a": view(protocols=["SMB"], share="films")}) == [
        "iad/view/a: lets in by view policy p, protocols SMB: smb_read_write 10.0.0.5 (this view policy does not change)"
    ]


def test_that_anybody_gets_in_without_a_key_comes_first_in_the_line() -> None:
    bucket = view(protocols=["S3"], bucket="open-data", bucket_owner="eve", allow_s3_anonymous_access=True)
    assert said({"view/a": bucket}) == [
        "iad/view/a: lets in anybody, without a key (allow_s3_anonymous_access); by view policy p, protocols S3: s3_read_write *; "
        "bucket_owner eve (this view policy does not change)"
    ]


def test_a_view_that_changes_has_one_line_with_what_it_was() -> None:
    row = {"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 6, "protocols": ["NFS"]}
    closed = {"id": 6, "name": "q", "tenant_id": 1, "flavor": "NFS", "read_write": [], "nfs_read_write": []}
    rows = {"view": [row], "view_policy": [*ROWS["view_policy"], closed]}
    assert said({"view/a": view(protocols=["NFS", "SMB"])}, {"view/a": 3}, rows) == [
        "iad/view/a: lets in by view policy p, protocols SMB: smb_read_write 10.0.0.5 (before: view_policy q; protocols NFS)"
    ]


CLAIM: dict[str, Any] = {
    "name": "d",
    "namespace": {"$existing": "iad/namespace/runai-p"},
    "access_modes": ["ReadWriteMany"],
}
VOLUME: dict[str, Any] = {
    "name": "d", "size": 1, "access_modes": ["ReadWriteMany"], "claim_namespace": {"$existing": "iad/namespace/runai-p"}, "claim_name": "d",
    "driver": "csi.vastdata.com", "volume_handle": "/a",
}  # fmt: skip


def test_a_new_claim_of_its_own_project_lets_in_nobody() -> None:
    source = {"name": "d", "mount": "/d", "claim": {"$ref": "iad/persistent_volume_claim/d"}, "existing_claim": True}
    claim = {**CLAIM, "storage_class": {"$existing": "iad/storage_class/c"}, "size": 1}
    assert said({"persistent_volume_claim/d": claim, "data_source/d": source}) == []


def test_a_new_volume_of_a_path_is_one_line_with_its_claim() -> None:
    claim = {**CLAIM, "volume": {"$ref": "iad/persistent_volume/d"}}
    assert said({"persistent_volume_claim/d": claim, "persistent_volume/d": VOLUME}) == [
        "iad/persistent_volume/d: lets in claim_namespace runai-p; volume_handle /a"
    ]


def test_a_new_claim_of_a_volume_that_exists_lets_its_namespace_in() -> None:
    claim = {**CLAIM, "volume": {"$existing": "iad/persistent_volume/d"}}
    row = {"metadata": {"name": "d", "uid": "v1"}, "spec": {}}
    assert said({"persistent_volume_claim/d": claim}, rows={"persistent_volume": [row]}) == [
        "iad/persistent_volume_claim/d: lets in volume d"
    ]
    live = {
        "metadata": {"name": "d", "uid": "v1"},
        "spec": {"accessModes": ["ReadWriteMany"], "capacity": {"storage": "2"}},
    }
    desired = {
        "persistent_volume_claim/d": {**claim, "volume": {"$ref": "iad/persistent_volume/d"}},
        "persistent_volume/d": VOLUME,
    }
    lines = said(desired, {"persistent_volume/d": "v1"}, {"persistent_volume": [live]})
    assert "iad/persistent_volume_claim/d: lets in volume d" in lines, "a volume that only changes was there"


@pytest.mark.parametrize(
    ("ranges", "subnet", "lines"),
    [
        (["10.20.1.10 - 10.20.1.27"], 24, []),
        (["10.20.1.10 - 10.20.1.25", "10.20.2.1"], 24, ["10.20.2.1"]),
        (["10.20.1.10 - 10.20.1.25", "fd00::1"], 24, ["fd00::1"]),
        (["10.20.1.10 - 10.20.1.27"], None, ["10.20.1.10 - 10.20.1.27"]),
    ],
)
def test_further_addresses_in_the_subnet_of_a_pool_let_in_nobody(
    ranges: list[str], subnet: int | None, lines: list[str]
) -> None:
    rows = {"vip_pool": [{**ROWS["vip_pool"][0], "subnet_cidr": subnet}]}
    pool = {"name": "v", "role": "PROTOCOLS", "tenant": TENANT, "ip_ranges": ranges}
    assert said({"vip_pool/v": pool}, {"vip_pool/v": 7}, rows) == [
        f"iad/vip_pool/v: ip_ranges is reached at: {new} (before: 10.20.1.10 - 10.20.1.25)" for new in lines
    ]


def test_a_new_access_rule_and_a_new_key_say_who_and_what() -> None:
    rows = {"project": [{"id": "4", "name": "p", "status": {}}], "role": [{"id": 2, "name": "engineer"}], "user": [{"id": 8, "name": "eve", "uid": 7}],
            "secret": [{"metadata": {"name": "s3", "namespace": "runai-p", "uid": "x1"}}]}  # fmt: skip
    rule = {"subject": "kim", "subject_type": "group", "role": {"$existing": "iad/role/engineer"}, "scope": {"$existing": "iad/project/p"},
            "scope_type": "project"}  # fmt: skip
    key = {"tenant": TENANT, "user": {"$existing": "iad/user/eve"}, "generation": 1, "overlap": 86400,
           "deliver": {"secret": {"$existing": "iad/secret/runai-p/s3"}, "keys": {"access_key": "a", "secret_key": "s"}}}  # fmt: skip
    assert said({"access_rule/a": rule, "s3_key/runai-p/s3": key}, rows=rows) == [
        "iad/access_rule/a: lets in subject kim, role engineer, scope p",
        "iad/s3_key/runai-p/s3: lets in user eve, tenant t",
    ]


def _closing(**fields: Any) -> dict[str, Any]:
    return {"name": "vp", "storage_class": {"$existing": "iad/storage_class/c"}, "namespaces": [{"$existing": "iad/namespace/runai-p"}],
            "open": False, "rule": "as vastplan writes it", **fields}  # fmt: skip


def test_what_closes_a_class_that_exists_lets_in_nobody_when_it_is_recreated() -> None:
    assert said({"admission_policy/vp": _closing()}) == []
    quota = {
        "name": "q",
        "namespace": {"$existing": "iad/namespace/runai-p"},
        "hard": {"c.storageclass.storage.k8s.io/requests.storage": "5Gi"},
    }
    assert said({"resource_quota/q": quota}) == []


def test_what_closes_a_new_class_says_whom_it_lets_in() -> None:
    new = {"storage_class/n": {"name": "n", "driver": "file"}}
    policy = _closing(storage_class={"$ref": "iad/storage_class/n"})
    assert said({**new, "admission_policy/vp": policy}) == [
        "iad/admission_policy/vp: lets in namespaces runai-p",
        "iad/storage_class/n: lets in those it is for, because it is created",
    ]
    policy |= {"open": True}
    assert said({**new, "admission_policy/vp": policy})[0] == (
        "iad/admission_policy/vp: lets in every namespace of the cluster (open); namespaces runai-p"
    )


def test_a_class_that_is_opened_to_one_more_namespace_says_to_which() -> None:
    live = {"metadata": {"name": "vp", "uid": "a1"}, "spec": closed_class("c", ["other"], False)}
    rows = {"admission_policy": [live]}
    assert said({"admission_policy/vp": _closing()}, {"admission_policy/vp": "a1"}, rows) == [
        "iad/admission_policy/vp: namespaces lets in: runai-p (before: other)"
    ]


def _s3(action: str, bucket: str, effect: str = "Allow") -> dict[str, Any]:
    return {"Effect": effect, "Action": [action], "Resource": [bucket]}


def _policy(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [*statements]}


GET, PUT, NOT = _s3("s3:GetObject", "a/*"), _s3("s3:PutObject", "a/*"), _s3("s3:PutObject", "a/*", "Deny")


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ([GET], [GET, PUT], ["policy lets in: s3:PutObject of a/*"]),
        ([GET], [_s3("s3:GetObject", "b/*")], ["policy lets in: s3:GetObject of b/*"]),
        ([GET, PUT], [GET], []),
        ([GET], [GET, NOT], []),
        ([GET, NOT], [GET], ["policy lets in: what it denied before: s3:PutObject of a/*"]),
    ],
)
def test_of_an_identity_policy_it_is_said_what_it_newly_allows(
    before: list[dict[str, Any]], after: list[dict[str, Any]], lines: list[str]
) -> None:
    rows = {"s3_policy": [{"id": 9, "name": "s", "tenant_id": 1, "policy": _policy(*before), "enabled": True}]}
    desired = {"s3_policy/s": {"name": "s", "tenant": TENANT, "policy": _policy(*after)}}
    assert said(desired, {"s3_policy/s": 9}, rows) == [f"iad/s3_policy/s: {line}" for line in lines]


def test_another_uid_says_whose_files_the_user_gets() -> None:
    rows = {
        "user": [{"id": 8, "name": "eve", "uid": 7, "local_provider": {"id": 2}}],
        "local_provider": [{"id": 2, "name": "l"}],
    }
    user = {"name": "eve", "local_provider": {"$existing": "iad/local_provider/l"}, "uid": 70}
    (line,) = said({"user/eve": user}, {"user/eve": 8}, rows)
    assert line == (
        "iad/user/eve: uid becomes: 70 (before: 7), which lets in the files of uid 70, and no longer those of uid 7, which keep that owner"
    )


def rank(kind: str, live: dict[str, Any], desired: dict[str, Any], rows: dict[str, Any] | None = None) -> Risk:
    """Under which heading the change of one object is."""
    case = {
        "rows": {**ROWS, **(rows or {}), kind: [live]},
        "desired": {f"{kind}/x": desired},
        "owned": {f"{kind}/x": live["id"]},
    }
    ((found, action),) = by_risk(unblocked(case))
    assert action.changes
    return found


def hosts(*texts: str) -> dict[str, Any]:
    return {"name": "x", "tenant": TENANT, "nfs_read_write": [*texts], "read_write": []}


@pytest.mark.parametrize(
    ("before", "after", "under"),
    [
        (["10.0.0.0/24"], ["10.0.0.0/25", "10.0.0.128/25"], Risk.UPDATE),
        (["10.0.0.0/24"], ["10.0.0.0/25"], Risk.NARROWING),
        (["@staff"], ["@stuff"], Risk.OPENING),
        (["@staff", "@other"], ["@staff"], Risk.NARROWING),
    ],
)
def test_hosts_that_are_written_otherwise_are_not_fewer(before: list[str], after: list[str], under: Risk) -> None:
    live = {"id": 6, "name": "x", "tenant_id": 1, "nfs_read_write": before, "read_write": []}
    assert rank("view_policy", live, hosts(*after)) is under


def _frames(**kept: str) -> list[dict[str, Any]]:
    return [{"every": 3600, **kept}]


@pytest.mark.parametrize(
    ("kind", "live", "desired", "under"),
    [
        ("quota", {"path": "/a", "tenant_id": 1, "hard_limit": 9}, {"path": "/a", "tenant": TENANT, "hard_limit": 5}, Risk.NARROWING),
        ("quota", {"path": "/a", "tenant_id": 1, "hard_limit": None}, {"path": "/a", "tenant": TENANT, "hard_limit": 5}, Risk.NARROWING),
        ("quota", {"path": "/a", "tenant_id": 1, "hard_limit": 5}, {"path": "/a", "tenant": TENANT, "hard_limit": 9}, Risk.UPDATE),
        ("quota", {"path": "/a", "tenant_id": 1, "hard_limit": 5}, {"path": "/a", "tenant": TENANT, "hard_limit": None}, Risk.UPDATE),
        ("view_policy", {"tenant_id": 1, "protocols_audit": {"read_data": True}}, {"tenant": TENANT, "protocols_audit": {"read_data": False}},
         Risk.NARROWING),
        ("view_policy", {"tenant_id": 1, "protocols_audit": {"read_data": False}}, {"tenant": TENANT, "protocols_audit": {"read_data": True}},
         Risk.UPDATE),
        ("project", {"resources": [{"nodePool": {"id": 1, "name": "default"}, "gpu": {"deserved": 8}}]},
         {"node_pools": {"default": {"gpu": {"deserved": 4}}}}, Risk.NARROWING),
    ],
)  # fmt: skip
def test_what_takes_something_away_is_apart_from_harmless_changes(
    kind: str, live: dict[str, Any], desired: dict[str, Any], under: Risk
) -> None:
    assert rank(kind, {"id": 6, "name": "x", **live}, {"name": "x", **desired}) is under


HOUR, DAY = 3600, 86400


@pytest.mark.parametrize(
    ("before", "after", "less"),
    [
        ([{"every": HOUR, "keep_local": DAY}], [{"every": HOUR, "keep_local": 2 * HOUR}], True),
        (
            [{"every": HOUR, "keep_local": DAY}],
            [{"every": HOUR, "keep_local": DAY}, {"every": DAY, "keep_local": DAY}],
            False,
        ),
        ([{"every": HOUR, "keep_local": DAY}], [{"every": DAY, "keep_local": DAY}], True),
        ([{"every": HOUR, "keep_local": DAY}], [{"every": HOUR // 2, "keep_local": DAY, "keep_remote": DAY}], False),
        (
            [{"every": HOUR, "keep_local": DAY, "keep_remote": DAY}],
            [{"every": HOUR, "keep_local": DAY, "keep_remote": None}],
            True,
        ),
        ([{"every": HOUR, "keep_local": DAY}], None, True),
        (None, [{"every": HOUR, "keep_local": DAY}], False),
    ],
)
def test_snapshots_that_are_rarer_or_kept_for_less_time_take_something_away(
    before: Any, after: Any, less: bool
) -> None:
    reduces = kinds()["protection_policy"].field("frames").reduces
    assert reduces is not None and reduces.less(before, after) is less


@pytest.mark.parametrize(
    ("rule", "pairs"),
    [
        (
            SMALLER,
            {
                (8, 4): True,
                (4, 8): False,
                (True, False): True,
                (False, True): False,
                (None, 4): False,
                (4, None): False,
                (4, 4): False,
            },
        ),
        (
            TIGHTER,
            {
                (8, 4): True,
                (4, 8): False,
                (None, 4): True,
                (0, 4): True,
                (4, 0): False,
                (4, None): False,
                (4, 4): False,
            },
        ),
        (ANOTHER, {("/a", "/b"): True, ("/a", None): True, (None, "/b"): False, ("/a", "/a"): False}),
    ],
)
def test_what_reduces_by_each_of_the_ready_rules(rule: Reduces, pairs: dict[tuple[Any, Any], bool]) -> None:
    assert {pair: rule.less(*pair) for pair in pairs} == pairs


def test_a_value_that_is_not_set_is_no_part_of_a_difference() -> None:
    frame = {"every": "1h", "keep_local": "1d"}
    found = difference([{**frame, "keep_remote": None}], [{**frame, "keep_local": "2d"}])
    assert [part.line() for part in found.parts] == ["~ [0].keep_local: 1d → 2d"]
    found = difference([frame], [{**frame, "keep_local": "2d", "keep_remote": None}])
    assert [part.line() for part in found.parts] == ["~ [0].keep_local: 1d → 2d"]


NETWORKS: dict[str, Any] = {
    "tenant/t": {"name": "t", "client_ip_ranges": ["10.1.0.1 - 10.1.0.9"]},
    "tenant/u": {"name": "u", "client_ip_ranges": ["10.2.0.1 - 10.2.0.9"]},
    "view_policy/u": {"name": "u", "tenant": {"$ref": "iad/tenant/u"}, "nfs_read_write": ["10.13.0.0/24", "fd00::/64", "*"]},
    "view_policy/w": {"name": "w", "tenant": {"$ref": "iad/tenant/w"}, "nfs_read_write": ["10.13.0.128/25", "@staff"]},
    "tenant/w": {"name": "w"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("host", "owners"),
    [
        ("10.13.0.0/25", "u"), ("10.13.0.0/16", "u, w"), ("10.13.0.200", "u, w"), ("10.13.1.0/24", ""),
        ("10.0.5.0/24", ""), ("10.2.0.9", "u"), ("10.2.0.10", ""),
        ("10.1.0.5", ""), ("fd00::5", "u"), ("fd01::/64", ""), ("@staff", ""), ("*", ""),
    ],
)  # fmt: skip
def test_of_a_host_that_is_let_in_it_is_said_whose_it_is(host: str, owners: str) -> None:
    policy = {"name": "p", "tenant": {"$ref": "iad/tenant/t"}, "nfs_read_write": ["10.13.0.7", host], "flavor": "NFS"}
    row = {**ROWS["view_policy"][0], "nfs_read_write": ["10.13.0.7"]}
    case = {"rows": {"tenant": [{"id": 1, "name": "t"}], "view_policy": [row]}, "desired": {**NETWORKS, "view_policy/p": policy},
            "owned": {"view_policy/p": 5}}  # fmt: skip
    (line,) = [line for line in opening_lines(unblocked(case), str) if line.objects and line.objects[0].name == "p"]
    assert line.text == f"nfs_read_write lets in: {host}{f' (also of {owners})' if owners else ''} (before: 10.13.0.7)"


def test_of_the_hosts_of_a_new_policy_it_is_said_whose_they_are() -> None:
    policy = {"name": "n", "tenant": TENANT, "nfs_read_write": ["10.13.0.7"], "vip_pools": None, "flavor": "NFS"}
    others = {key: value for key, value in NETWORKS.items() if key != "tenant/t"}
    assert [
        line for line in said({**others, "view_policy/n": policy}) if "nfs_read_write 10.13.0.7 (also of u)" in line
    ]


def fresh(desired: dict[str, Any], blocked: str = "") -> list[str]:
    """The lines of a plan for a site without a ledger, on which everything is new; `blocked` is the name of what a guard stops."""
    rows = {"tenant": [{"id": 1, "name": "t"}], "view_policy": ROWS["view_policy"], "namespace": ROWS["namespace"]}
    plan = unblocked({"rows": rows, "desired": desired})
    stop = (Block("a guard", "no"),)
    plan = replace(
        plan, actions=tuple(replace(one, blocked=stop if one.address.name == blocked else ()) for one in plan.actions)
    )
    return [line.written(lambda text: f"<{text}>") for line in opening_lines(plan, lambda text: f"<{text}>")]


def test_on_a_site_without_a_ledger_a_line_has_all_new_objects_of_a_kind() -> None:
    policies = {f"view_policy/{name}": {"name": name, "tenant": TENANT, "nfs_read_write": [f"10.0.0.{number}"], "nfs_return_open_permissions": True,
                                        "vip_pools": None, "read_write": [], "smb_read_write": []} for number, name in enumerate("ab")}  # fmt: skip
    views = {
        "view/a": view(protocols=["SMB"], share="films", is_default_subsystem=True),
        "view/b": view(path="/b", protocols=["S3"], bucket="open", bucket_owner="eve", allow_s3_anonymous_access=True),
    }
    claims = {"persistent_volume/d": VOLUME}
    assert fresh({**policies, **views, **claims}) == [
        "1 new persistent volume on <iad>: <claim_namespace> is <runai-p>; <volume_handle> is </a>",
        "2 new views on <iad>: <anybody, without a key> (<allow_s3_anonymous_access>); <is_default_subsystem> is <true>; "
        "<bucket_owner> is <eve>; by view policy <p>: <smb_read_write 10.0.0.5>; by view policy <p>: <s3_read_write *>",
        "2 new view policies on <iad>: <*>, because the document does not set <nfs_root_squash>, <s3_read_write>; "
        "<vip_pools> is <null>; <nfs_read_write> lets in <10.0.0.0>, <10.0.0.1>; <nfs_return_open_permissions> is <true>; <tenant> <t>",
    ]


def test_of_many_ways_in_the_first_are_said_and_the_rest_is_counted() -> None:
    lists = (
        "nfs_read_write",
        "nfs_read_only",
        "nfs_root_squash",
        "smb_read_write",
        "smb_read_only",
        "s3_read_write",
        "s3_read_only",
        "read_write",
    )
    hosts_of = {name: [f"10.0.{number}.1"] for number, name in enumerate(lists)}
    policy = {
        "name": "a",
        "tenant": TENANT,
        "vip_pools": [{"$existing": "iad/vip_pool/v"}],
        **hosts_of,
        "nfs_read_only": [],
    }
    (line,) = fresh({"view_policy/a": policy})
    assert line.endswith("; <s3_read_only> lets in <10.0.6.1>; and 1 more")
    (line,) = fresh({"view_policy/a": {**policy, "s3_read_write": []}})
    assert line.endswith("; <s3_read_only> lets in <10.0.6.1>; <tenant> <t>")


def test_what_is_blocked_on_such_a_site_stands_alone() -> None:
    two = {f"view/{name}": view(path=f"/{name}", protocols=["SMB"], share=name) for name in "ab"}
    assert fresh(two, blocked="b") == [
        "1 new view on <iad>: by view policy <p>: <smb_read_write 10.0.0.5>",
        "<iad/view/b>: lets in by view policy <p>, <protocols> <SMB>: <smb_read_write 10.0.0.5> (this <view policy> does not change) — blocked",
    ]


def _crowd(count: int) -> Plan:
    rows = {"user": [{"id": number, "name": f"u{number}", "uid": number, "local_provider": {"id": 2}} for number in range(count)],
            "local_provider": [{"id": 2, "name": "l"}]}  # fmt: skip
    user = {"local_provider": {"$existing": "iad/local_provider/l"}}
    desired = {f"user/u{number}": {**user, "name": f"u{number}", "uid": number + 1000} for number in range(count)}
    return unblocked(
        {"rows": rows, "desired": desired, "owned": {f"user/u{number}": number for number in range(count)}}
    )


def test_for_a_terminal_the_short_form_counts_what_is_beyond_the_first() -> None:
    plain = Style(colour=False, width=400)
    text = [*opening_text(_crowd(22), plain, short=True)]
    assert text[0] == "Who is let in (22)" and len(text) == 22
    assert text[-1] == "  … and 2 more: below, under Lets somebody in"
    assert len([*opening_text(_crowd(22), plain, short=False)]) == 23
    assert len([*opening_text(_crowd(20), plain, short=True)]) == 21
    assert [*opening_text(unblocked({}), plain, short=True)] == []


def test_for_a_comment_the_lines_that_fit_are_shown_and_the_rest_is_counted() -> None:
    short, full = (opening_section(_crowd(400), full=full) for full in (False, True))
    assert short.startswith("\n#### Who is let in (400)\n\n- `iad/user/u0`: ") and short.endswith(
        " more: below, under Lets somebody in\n"
    )
    assert full.endswith(" more: `vastplan show PLAN`\n")
    shown = [len(text.splitlines()) - 4 for text in (short, full)]
    assert 2 < shown[1] / shown[0] < 3
    few = opening_section(_crowd(1), full=False)
    assert few.endswith("which keep that owner`\n") and opening_section(unblocked({}), full=False) == ""


def test_for_a_page_each_line_names_its_objects() -> None:
    page = str(opening_notes(_crowd(1)))
    assert "iad/user/u0</code>: uid becomes: 1000" in page
    alike = {f"view/{name}": view(path=f"/{name}", protocols=["SMB"], share=name) for name in "abcd"}
    lines = said(alike)
    assert lines == [
        "iad/view/a, iad/view/b, iad/view/c, iad/view/d (4 views): each lets in by view policy p, "
        "protocols SMB: smb_read_write 10.0.0.5 (this view policy does not change)"
    ]


AT = Address("iad", "view_policy", "p")


def update(path: str, before: Any, after: Any, *, at: Address = AT, verb: Verb = Verb.UPDATE, **more: Any) -> Action:
    change = FieldChange(path, before, after, Cause.DOCUMENT, unordered=True, admits=True, **more)
    return Action(at, verb, "", changes=(change,))


def lines_of(*actions: Action) -> list[str]:
    plan = replace(unblocked({}), actions=actions, parts=(PlannedSite("iad", "lineage", 1),))
    return [line.written(str) for line in opening_lines(plan, str)]


HOSTS = [f"10.0.{number}.1" for number in range(81)]


def test_of_a_long_list_a_line_has_forty_items() -> None:
    texts = [", ".join(HOSTS[start : start + 40]) for start in (0, 40, 80)]
    assert lines_of(update("hosts", ["10.9.0.1"], ["10.9.0.1", *HOSTS])) == [
        f"iad/view_policy/p: hosts lets in: {texts[0]} (before: 10.9.0.1)", *(f"iad/view_policy/p: hosts lets in: {text}" for text in texts[1:])
    ]  # fmt: skip
    assert lines_of(update("hosts", None, HOSTS, verb=Verb.CREATE)) == [
        f"iad/view_policy/p: lets in hosts {text}" for text in texts
    ]
    lost = lines_of(update("hosts", HOSTS, ["10.9.0.1"], access=Access.LOSS))
    assert lost == [f"iad/view_policy/p: hosts becomes: 10.9.0.1 (no longer: {text})" for text in texts]
    gone = lines_of(update("mode", "a", "b", access=Access.LOSS))
    assert gone == ["iad/view_policy/p: mode becomes: b (before: a)"], "a value has no parts"


def test_the_first_line_of_each_object_comes_before_the_second_of_any() -> None:
    two = [update("hosts", [], HOSTS[:41], at=AT._replace(name=name)) for name in ("p", "q")]
    assert [line.partition(":")[0] for line in lines_of(*two)] == ["iad/view_policy/p, iad/view_policy/q"] * 2
    other = replace(update("hosts", [], HOSTS[1:42], at=AT._replace(name="r")))
    assert [line.partition(":")[0][-1] for line in lines_of(two[0], other)] == ["p", "r", "p", "r"]


def test_what_is_blocked_comes_last_and_what_is_not_of_the_change_says_so() -> None:
    blocked = replace(update("hosts", [], ["10.0.0.1"]), blocked=(Block("a guard", "no"),), standing=Standing.PENDING)
    drift = replace(update("hosts", [], ["10.0.0.2"], at=AT._replace(name="q")), standing=Standing.DRIFT)
    own = replace(update("hosts", [], ["10.0.0.3"], at=AT._replace(name="r")), standing=Standing.CHANGE)
    assert lines_of(blocked, drift, own) == [
        "iad/view_policy/r: hosts lets in: 10.0.0.3 (before: none)",
        "iad/view_policy/q: hosts lets in: 10.0.0.2 (before: none) — independent of this change",
        "iad/view_policy/p: hosts lets in: 10.0.0.1 (before: none) — blocked, pending before this change",
    ]


@pytest.mark.parametrize(
    ("count", "many"),
    [(1, ": "), (2, ": each "), (3, ": each "), (4, " (4 view policies): each "), (41, " (40 view policies): each ")],
)
def test_objects_that_say_the_same_are_one_line(count: int, many: str) -> None:
    lines = lines_of(*(update("hosts", [], ["10.0.0.1"], at=AT._replace(name=f"p{number}")) for number in range(count)))
    names = [f"iad/view_policy/p{number}" for number in range(count)]
    assert lines[0] == f"{', '.join(names[:40])}{many}hosts lets in: 10.0.0.1 (before: none)"
    assert lines[1:] == [f"{name}: hosts lets in: 10.0.0.1 (before: none)" for name in names[40:]]


def test_who_gets_in_by_words_and_by_addresses_of_a_new_object() -> None:
    assert lines_of(update("policy", None, {"a": 1}, verb=Verb.CREATE, whom=("get of a", "put of b"))) == [
        "iad/view_policy/p: lets in get of a; put of b (policy)"
    ]
    assert lines_of(update("policy", {"a": 1}, {"a": 2}, whom=("get of a", "put of b"))) == [
        "iad/view_policy/p: policy lets in: get of a; put of b"
    ]
    assert lines_of(update("policy", {"a": 1}, {"a": 2})) == [
        "iad/view_policy/p: policy lets in: cannot determine whom"
    ]
    assert lines_of(update("ranges", None, ["10.0.0.1"], verb=Verb.CREATE, access=Access.ADDRESSES)) == [
        "iad/view_policy/p: lets in at 10.0.0.1 (ranges)"
    ]
    assert lines_of(update("password", None, None, verb=Verb.CREATE, sensitive=True)) == [
        "iad/view_policy/p: lets in password (sensitive)"
    ]
    assert lines_of(update("hosts", ["10.0.0.1"], [])) == ["iad/view_policy/p: hosts becomes: empty (before: 10.0.0.1)"]


def test_a_value_that_is_not_shown_lets_nobody_in_by_name_on_a_site_without_a_ledger() -> None:
    secret = update("data", None, None, verb=Verb.CREATE, sensitive=True, at=AT._replace(kind="secret"))
    plan = replace(unblocked({}), actions=(secret,), parts=(PlannedSite("iad", "", 0),))
    assert [line.written(str) for line in opening_lines(plan, str)] == ["1 new secret on iad"]


def test_the_lines_of_a_terminal_are_indented_and_those_of_a_page_are_marked() -> None:
    plan = replace(
        unblocked({}), actions=(update("hosts", [], ["10.0.0.1"]),), parts=(PlannedSite("iad", "lineage", 1),)
    )
    assert [*opening_text(plan, Style(colour=False), short=False)][
        1
    ] == "  iad/view_policy/p: hosts lets in: 10.0.0.1 (before: none)"
    assert '<li class="error"><code dir="auto">iad/view_policy/p</code>: hosts' in str(opening_notes(plan))
    two = replace(plan, actions=(*plan.actions, update("hosts", [], ["10.0.0.1"], at=AT._replace(name="q"))))
    assert "</code>, <code" in str(opening_notes(two))


def test_whose_hosts_are_let_in_is_said_of_hosts_that_come_and_not_of_addresses_of_pools() -> None:
    pool = {
        "name": "u",
        "role": "PROTOCOLS",
        "tenant": {"$ref": "iad/tenant/u"},
        "ip_ranges": ["10.50.0.1 - 10.50.0.9"],
        "subnet_cidr": 24,
    }
    policy = {
        "name": "p",
        "tenant": {"$ref": "iad/tenant/t"},
        "nfs_read_write": ["10.50.0.1"],
        "nfs_read_only": ["10.13.0.0/25"],
        "flavor": "NFS",
    }
    row = {**ROWS["view_policy"][0], "nfs_read_write": ["10.0.0.1"], "nfs_read_only": ["10.13.0.0/24"]}
    case = {"rows": {"tenant": [{"id": 1, "name": "t"}], "view_policy": [row]}, "owned": {"view_policy/p": 5},
            "desired": {**NETWORKS, "vip_pool/u": pool, "view_policy/p": policy}}  # fmt: skip
    (action,) = [one for one in unblocked(case).actions if one.address == AT]
    assert {change.path: (change.admits, change.whose) for change in action.changes} == {
        "nfs_read_write": (True, {}), "nfs_read_only": (False, {}),
    }  # fmt: skip


def test_a_new_pool_has_its_tenant_beside_its_addresses() -> None:
    pool = {"name": "n", "role": "PROTOCOLS", "tenant": TENANT, "ip_ranges": ["10.30.0.1"], "subnet_cidr": 24}
    assert said({"vip_pool/n": pool}) == ["iad/vip_pool/n: lets in tenant t; at 10.30.0.1 (ip_ranges)"]


def test_a_quota_in_a_new_namespace_closes_there_too() -> None:
    hard = {"c.storageclass.storage.k8s.io/requests.storage": "5Gi"}
    quota = {"name": "q", "namespace": {"$ref": "iad/namespace/new"}, "hard": hard}
    assert said({"namespace/new": {"name": "new"}, "resource_quota/q": quota}) == []


def test_a_policy_with_the_name_of_a_field_hides_nothing() -> None:
    rows = {"view_policy": [{**ROWS["view_policy"][0], "name": "bucket_owner"}]}
    desired = view(
        protocols=["S3"], bucket="b", bucket_owner="eve", view_policy={"$existing": "iad/view_policy/bucket_owner"}
    )
    assert said({"view/a": desired}, rows=rows) == [
        "iad/view/a: lets in by view policy bucket_owner, protocols S3: s3_read_write *; bucket_owner eve (this view policy does not change)"
    ]


def test_a_policy_of_a_plan_that_names_no_target_is_not_called_unchanged() -> None:
    nameless = Opening(Door.REFERRED, (), ("10.0.0.1",))
    two = Opening(Door.REFERRED, ("vip_pool", "w"), ("10.0.0.2",))
    other = Opening(Door.REFERRED, ("view_policy", "q"), ("10.0.0.3",))
    new = Action(Address.parse("iad/view/a"), Verb.CREATE, "", opens=(nameless,))
    touched = Action(Address.parse("iad/view_policy/q"), Verb.UPDATE, "")

    def line(*actions: Action) -> str:
        return opening_lines(replace(planned({"rows": {}})[0], parts=(), actions=actions), str)[0].written(str)

    assert "does not change" not in line(new)
    assert line(replace(new, opens=(other, two))).endswith("(this view policy, vip pool does not change)")
    assert line(replace(new, opens=(other, two)), touched).endswith("(this vip pool does not change)")
    assert "does not change" not in line(replace(new, verb=Verb.UPDATE, opens=(other,)))


def test_a_target_with_the_name_of_a_field_is_no_field() -> None:
    opening = Opening(Door.REFERRED, ("view_policy", "share", "view_policy"), ("10.0.0.1",))
    changes = (FieldChange("share", "a", "b", Cause.DOCUMENT), FieldChange("view_policy", "q", "share", Cause.DOCUMENT))
    action = Action(Address.parse("iad/view/a"), Verb.UPDATE, "", changes=changes, opens=(opening,))
    (line,) = opening_lines(replace(planned({"rows": {}})[0], parts=(), actions=(action,)), str)
    assert line.written(str) == "iad/view/a: lets in by view policy share: 10.0.0.1 (before: view_policy q)"


def test_the_lines_of_one_object_are_in_the_order_of_the_plan() -> None:
    """What opens as a whole is a first line, as the first items of a list are."""
    long = update("hosts", [], HOSTS[:41])
    whole = Action(
        AT._replace(kind="api_token", name="q"),
        Verb.DELETE,
        "",
        opens=(Opening(Door.GONE), Opening(Door.UNSAID, ("a",))),
    )
    assert [line.partition(":")[0] for line in lines_of(long, whole)] == [
        "iad/view_policy/p", "iad/api_token/q", "iad/api_token/q", "iad/view_policy/p",
    ]  # fmt: skip
    made = update("hosts", None, HOSTS[:41], verb=Verb.CREATE, at=AT._replace(name="new"))
    changed = update("hosts", [], HOSTS[1:42], at=AT._replace(name="old"))
    assert [line.partition(":")[0][-3:] for line in lines_of(made, changed)] == ["new", "old", "new", "old"]


def test_that_a_new_object_gives_access_is_said_where_nothing_else_says_it() -> None:
    made, unsaid = Opening(Door.MADE), Opening(Door.UNSAID, ("b",), ("*",))
    new = update("hosts", None, ["10.0.0.1"], verb=Verb.CREATE)
    assert lines_of(replace(new, opens=(made, unsaid))) == [
        "iad/view_policy/p: lets in *, because the document does not set b; hosts 10.0.0.1"
    ]
    assert lines_of(replace(new, opens=(made,))) == ["iad/view_policy/p: lets in hosts 10.0.0.1"]


def test_through_another_object_the_items_that_come_are_said() -> None:
    """Of two lists each has its own words; a list that is emptied adds nothing."""
    opening = Opening(Door.REFERRED, ("view_policy", "q", "protocols", "pools", "gone"), ("10.0.0.1",))
    changes = tuple(
        FieldChange(path, before, after, Cause.DOCUMENT, unordered=True)
        for path, before, after in (("protocols", ["NFS"], ["NFS", "S3", "SMB"]), ("pools", None, ["v"]), ("gone", ["w"], None))
    )  # fmt: skip
    view = Action(Address.parse("iad/view/a"), Verb.UPDATE, "", changes=changes, opens=(opening,))
    assert lines_of(view) == [
        "iad/view/a: lets in by view policy q, protocols S3, SMB, pools v: 10.0.0.1 (before: protocols NFS; gone w)"
    ]


def test_a_list_that_loses_and_of_which_nothing_was_known_lets_in_its_items() -> None:
    assert lines_of(update("hosts", None, ["a"], access=Access.LOSS)) == ["iad/view_policy/p: hosts lets in: a"]


def test_the_lines_of_a_comment_fill_their_room() -> None:
    """An eighth of it: lines of 128 characters with their ends fill it without a rest."""
    names = [f"{number:03}" for number in range(200)]
    actions = [update("hosts", [], ["10.0.0.1", name], at=AT._replace(name=name)) for name in names]
    plan = replace(unblocked({}), actions=tuple(actions), parts=(PlannedSite("iad", "lineage", 1),))
    length = len(opening_section(plan, full=False).splitlines()[3]) + 1
    actions = [
        replace(one, address=one.address._replace(name=one.address.name + "x" * (128 - length))) for one in actions
    ]
    section = opening_section(replace(plan, actions=tuple(actions)), full=False)
    assert [len(line) for line in section.splitlines()[3:-1]] == [127] * (LIMIT // 8 // 128)
