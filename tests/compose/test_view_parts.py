"""What stands inside a view: its quota, its QoS policy, its snapshots; and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import LEAVE_OUT, Said, address, back, entry, made, objects_of, pieces, without
from vastplan.kinds.compose.view_parts import COMPOSITION

VIEW = {"tenant": "@tenant/nlp", "path": "/nlp/data", "view_policy": "@view_policy/nlp"}
QUOTA = {"hard_limit": 10, "soft_limit": 9, "hard_limit_inodes": 5, "soft_limit_inodes": 4, "grace_period": "7d"}
QOS = {"limit_by": "BW", "static_limits": {"max_reads_bw_mbps": 10}}
WHOLE = {**VIEW, "quota": QUOTA, "qos": QOS, "snapshots": "@protection_policy/daily"}
PARTS: dict[str, Said] = {
    "qos_policy/data": {"policy_type": "VIEW", **QOS, "name": "data", "tenant": "@tenant/nlp"},
    "view/data": {**VIEW, "qos_policy": "@qos_policy/data"},
    "quota/data": {
        "name": "data", "tenant": "@tenant/nlp", "path": "/nlp/data", "create_dir": True, **QUOTA, "(after)": ["view/data"],
    },
    "protected_path/data": {
        "name": "data", "tenant": "@tenant/nlp", "source_dir": "/nlp/data", "protection_policy": "@protection_policy/daily",
        "capabilities": "ASYNC_REPLICATION", "(after)": ["view/data"],
    },
}  # fmt: skip
POLICY: dict[str, Said | None] = {"view_policy/nlp": {"tenant": "@tenant/nlp"}}


def view(says: Said, world: dict[str, Any] | None = None, **more: Any) -> tuple[Said, list[Any]]:
    """What a view called `data` is composed to, and what is wrong."""
    return made(COMPOSITION, entry("view/data", says, **more), POLICY if world is None else world)


def test_a_view_waits_for_the_owner_of_its_bucket() -> None:
    world = {**POLICY, "user/ana": {"tenant": "@tenant/nlp"}, "user/bo": {"tenant": "@tenant/nlp", "name": "b"}}
    found, _ = view({**VIEW, "bucket_owner": "ana"}, world)
    assert found["view/data"]["(after)"] == ["user/ana"]
    found, _ = view({**VIEW, "bucket_owner": "b"}, world, after=(address("tenant/nlp"),))
    assert found["view/data"]["(after)"] == ["tenant/nlp", "user/bo"]
    for says in ({"bucket_owner": "nobody"}, {"bucket_owner": "ana", "tenant": "nlp"}, {}):
        assert "(after)" not in view({**VIEW, **says}, world)[0]["view/data"]


def test_a_view_stands_for_all_that_is_written_inside_it() -> None:
    assert view(WHOLE) == (PARTS, [])


def test_a_view_with_nothing_inside_is_itself() -> None:
    assert view(VIEW) == ({"view/data": VIEW}, [])
    nothing: Said = {"quota": None, "qos": None, "snapshots": None, "names": {}}
    assert view({**VIEW, **nothing, "qos_policy": "@qos_policy/shared"}) == (
        {"view/data": {**VIEW, "qos_policy": "@qos_policy/shared"}},
        [],
    )


def test_what_is_written_inside_wins_over_what_a_part_has_by_itself() -> None:
    found, _ = view({**VIEW, "quota": {"create_dir": False}, "qos": {"policy_type": "USER", "name": "x"}})
    assert found["quota/data"]["create_dir"] is False
    assert (found["qos_policy/data"]["policy_type"], found["qos_policy/data"]["name"]) == ("USER", "data")


def test_its_view_policy_is_the_only_one_of_its_tenant() -> None:
    alone = without(VIEW, "view_policy")
    found, wrong = view(alone, chosen=("before",))
    assert (
        found == {"view/data": {**VIEW, "(chosen)": ["before", "view_policy nlp, the only one of tenant nlp"]}}
        and not wrong
    )
    found, wrong = view(alone, {})
    text = "view_policy is left out, and tenant nlp has none"
    assert (found, wrong) == ({"view/data": alone}, [("VP232", text, "write view_policy: NAME")])


def test_a_limit_of_its_own_and_a_policy_do_not_go_together() -> None:
    _, wrong = view({**VIEW, "qos": QOS, "qos_policy": "@qos_policy/shared"})
    assert wrong == [("VP236", "gives both qos and qos_policy", "keep one of them")]


@pytest.mark.parametrize(
    ("says", "name"),
    [
        ({"protocols": ["BLOCK"]}, "data"),
        ({"protocols": ["BLOCK"], "name": "disks"}, "disks"),
        ({"protocols": ["NFS"]}, LEAVE_OUT),
        ({"protocols": None}, LEAVE_OUT),
        ({}, LEAVE_OUT),
    ],
)
def test_a_block_view_has_a_name(says: Said, name: str) -> None:
    found, _ = view({**VIEW, **says})
    assert found["view/data"].get("name", LEAVE_OUT) == name


NAMES = {"quota": "q", "protected_path": "p", "qos_policy": "s"}


@pytest.mark.parametrize("part", [*NAMES, ""])
def test_parts_are_called_as_the_view_or_as_it_says(part: str) -> None:
    written = {name: text for name, text in NAMES.items() if name == part}
    found, _ = view({**WHOLE, "names": written}, defaults=("name", "guid"))
    for kind in NAMES:
        own = found[f"{kind}/data"]
        assert own["name"] == written.get(kind, "data")
        assert own["(defaults)"] == (["guid"] if kind == part else ["name", "guid"])


def seen(found: Said) -> dict[str, Any]:
    """What was composed as the system shows it: how the directory came to be is nowhere said."""
    return objects_of(found) | {"quota/data": without(found["quota/data"], "create_dir", "(after)", "(defaults)")}


def test_the_parts_are_put_into_the_view_again() -> None:
    [found] = back(COMPOSITION, pieces(seen(PARTS)))
    assert found["entry"] == "view/data" and sorted(found["of"]) == sorted(PARTS)
    assert found["says"] == WHOLE


RULES = [{"name": "logs", "prefix": "logs/", "expiration_days": 30}, {"name": "old 2", "noncurrent_days": 7}]
OF_RULES: dict[str, Said] = {
    "view/data": VIEW,
    "s3_lifecycle_rule/data/logs": {"name": "logs", "view": "@view/data", "prefix": "logs/", "expiration_days": 30},
    "s3_lifecycle_rule/data/old 2": {"name": "old 2", "view": "@view/data", "noncurrent_days": 7},
}


def test_lifecycle_rules_are_of_their_view() -> None:
    assert view({**VIEW, "lifecycle": RULES}) == (OF_RULES, [])
    # another way round, called as nobody would write them
    live: dict[str, Said | None] = {"view/data": VIEW}
    for name, of in zip(("b", "a"), list(OF_RULES)[1:], strict=True):
        live[f"s3_lifecycle_rule/{name}"] = OF_RULES[of]
    [found] = back(COMPOSITION, pieces(live))
    assert found["says"] == {**VIEW, "lifecycle": RULES} and sorted(found["of"]) == sorted(live)


def test_where_a_rule_says_more_all_of_them_stay_apart() -> None:
    more = {**OF_RULES, "s3_lifecycle_rule/x": {"name": "x", "view": "@view/data", "tenant": "@tenant/nlp"}}
    assert back(COMPOSITION, pieces(more)) == []
    another: dict[str, Said | None] = {
        "view/data": VIEW,
        "s3_lifecycle_rule/x": {"name": "x", "view": "@view/other", "expiration_days": 1},
    }
    assert back(COMPOSITION, pieces(another)) == []


OF_USERS = {
    "is_user_quota": True, "default_user_quota": {"hard_limit": 2}, "default_group_quota": {"soft_limit": 3},
    "user_quotas": [{"user": "ana", "hard_limit": 4}], "group_quotas": [{"gid": 7, "hard_limit": 5}],
}  # fmt: skip


def test_quotas_of_users_are_of_the_quota_that_is_written_inside() -> None:
    found, wrong = view({**VIEW, "quota": {**QUOTA, **OF_USERS}})
    assert {name: found["quota/data"][name] for name in OF_USERS} == OF_USERS and not wrong
    [again] = back(COMPOSITION, pieces(seen(found)))
    assert again["says"] == {**VIEW, "quota": {**QUOTA, **OF_USERS}}


def test_parts_with_other_names_are_too() -> None:
    found, _ = view({**WHOLE, "names": {"quota": "q", "protected_path": "p"}})
    [again] = back(COMPOSITION, pieces(seen(found)))
    assert again["says"] == {**WHOLE, "names": {"quota": "q", "protected_path": "p"}}
    # of a name that stands nowhere nothing is said
    [bare] = back(
        COMPOSITION,
        pieces({**objects_of(found), "quota/data": {"name": "q", "tenant": "@tenant/nlp", "path": "/nlp/data"}}),
    )
    assert bare["says"] == {**without(WHOLE, "quota"), "names": {"protected_path": "p"}}


@pytest.mark.parametrize("limit", QUOTA)
def test_a_quota_of_one_limit_is_part_of_it(limit: str) -> None:
    only_that = {"name": "data", "tenant": "@tenant/nlp", "path": "/nlp/data", limit: QUOTA[limit]}
    [found] = back(COMPOSITION, pieces({"view/data": VIEW, "quota/data": only_that}))
    assert found == {
        "entry": "view/data",
        "says": {**VIEW, "quota": {limit: QUOTA[limit]}},
        "of": ["view/data", "quota/data"],
    }


def test_whatever_a_path_may_say_in_it_is_left_to_the_schedule() -> None:
    path = {
        "name": "data", "tenant": "@tenant/nlp", "source_dir": "/nlp/data", "protection_policy": "@protection_policy/s",
        "target_exported_dir": "/nlp/data", "capabilities": "ASYNC_REPLICATION", "remote_tenant": "@pdx:tenant/nlp",
    }  # fmt: skip
    [found] = back(COMPOSITION, pieces({"view/data": VIEW, "protected_path/data": path}))
    assert found["says"] == {**VIEW, "snapshots": "@protection_policy/s"}


QOS_POLICY = without(PARTS["qos_policy/data"], "(after)")


@pytest.mark.parametrize(
    ("apart", "changed"),
    [
        ("quota", {"quota/data": {**PARTS["quota/data"], "create_dir_mode": "755"}}),
        ("quota", {"quota/data": {"name": "data", "tenant": "@tenant/nlp", "path": "/nlp/data"}}),
        ("quota", {"quota/second": {"tenant": "@tenant/nlp", "path": "/nlp/data", "hard_limit": 1}}),
        ("quota", {"quota/data": {**PARTS["quota/data"], "path": "/nlp/other"}}),
        ("quota", {"quota/data": {**PARTS["quota/data"], "tenant": "@tenant/cv"}}),
        ("snapshots", {"protected_path/data": {**PARTS["protected_path/data"], "enabled": False}}),
        ("snapshots", {"protected_path/second": {"tenant": "@tenant/nlp", "source_dir": "/nlp/data"}}),
        ("snapshots", {"protected_path/data": {**PARTS["protected_path/data"], "source_dir": "/nlp"}}),
        ("snapshots", {"protected_path/data": {**PARTS["protected_path/data"], "tenant": "@tenant/cv"}}),
        ("qos", {"qos_policy/data": {**QOS_POLICY, "name": "fast"}}),
        ("qos", {"view/second": {"path": "/nlp/second", "qos_policy": "@qos_policy/data"}}),
        ("qos", {"qos_policy/data": None}),
    ],
)
def test_what_says_more_or_is_of_others_too_stays_apart(apart: str, changed: dict[str, Any]) -> None:
    parts = {**seen(PARTS), **{name: says and without(says, "(after)", "create_dir") for name, says in changed.items()}}
    found = next(one for one in back(COMPOSITION, pieces(parts)) if one["entry"] == "view/data")
    left_in = without(WHOLE, apart) | ({"qos_policy": "@qos_policy/data"} if apart == "qos" else {})
    assert found["says"] == left_in
    assert len(found["of"]) == 3


def test_a_policy_that_the_document_has_stays_a_policy() -> None:
    shared = {**VIEW, "qos_policy": "@qos_policy/data"}
    assert back(COMPOSITION, pieces({"view/data": shared}, known={"qos_policy/data": QOS_POLICY})) == []
    assert back(COMPOSITION, pieces({"view/data": {**VIEW, "qos_policy": "data"}, "qos_policy/data": QOS_POLICY})) == []


def test_a_view_that_has_no_parts_is_written_as_it_is() -> None:
    assert back(COMPOSITION, pieces({"view/data": VIEW})) == []
