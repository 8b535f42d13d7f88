"""A year of a bucket on simulated systems: readers come and go, it grows, its owner and its key change, it is renamed and moved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.errors import Invalid
from vastplan.model.plan import Action, Verb

URL = "https://s3.example.com"
SETS: dict[str, Any] = {
    "size": "40 TiB", "owner": "ana", "read": ["readers"], "write": ["writers", "bo"], "snapshots": "daily", "mount": "/sets",
    "qos": {"static_limits": {"max_writes_bw_mbps": "1 GB/s"}}, "lifecycle": [{"name": "scratch", "prefix": "tmp/", "expiration_days": 7}],
    "deliver": {"secret": "runai-team-a/s3"},
}  # fmt: skip
PARTS = {
    "access_key_credential/team-a/s3", "protected_path/sets", "qos_policy/sets", "quota/sets", "s3_data_source/sets",
    "s3_key/runai-team-a/s3", "s3_lifecycle_rule/sets/scratch", "s3_policy/sets-read", "s3_policy/sets-write", "secret/runai-team-a/s3",
    "view/sets",
}  # fmt: skip


def document(buckets: dict[str, Any], **tenant: Any) -> dict[str, Any]:
    """A team with people and these buckets."""
    people = {
        "users": {"ana": {"uid": 1}, "bo": {"uid": 2, "groups": ["readers"]}},
        "groups": {"readers": {"gid": 10}, "writers": {"gid": 11}, "others": {"gid": 12}},
    }
    team = {
        "local_provider": "people", "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.1.1.1"], "s3_endpoint": URL},
        "view_policy": {"flavor": "S3_NATIVE"}, "project": {"gpus": {"default": 1}}, **people,
    }  # fmt: skip
    return {
        "local_providers": {"people": {}}, "snapshot_schedules": {"daily": {"frames": [{"every": "1d", "keep_local": "7d"}]}},
        "tenants": {"team-a": {**team, "buckets": buckets, **tenant}},
    }  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A site with a bucket that was applied."""
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(document({"sets": SETS}))
        lab.converge()
        yield lab


def acts(lab: Lab) -> dict[str, Action]:
    """What a plan does, by kind and name."""
    return {f"{action.address.kind}/{action.address.name}": action for action in lab.plan().actions}


def changed(lab: Lab) -> dict[str, set[str]]:
    """The fields that a plan changes, by kind and name, without what is noted only."""
    return {
        name: {change.path for change in action.changes}
        for name, action in acts(lab).items()
        if action.verb is not Verb.RELEASE
    }


def attached(lab: Lab, address: str) -> list[str]:
    """The identity policies that somebody has, as VMS says it."""
    live = lab.live(address)
    assert live is not None
    return sorted(policy["name"] for policy in lab.row(live)["s3_policies"])


def test_it_is_what_it_says_and_then_nothing_is_left_to_do(lab: Lab) -> None:
    made = {entry.address for entry in lab.workspace().entries()[0] if entry.origin.startswith("iad/bucket/sets")}
    secret = {entry.address for entry in lab.workspace().entries()[0] if entry.address.kind == "secret"}
    assert {f"{address.kind}/{address.name}" for address in made | secret} == PARTS
    assert lab.plan().actions == ()
    view = lab.live("iad/view/sets")
    assert view is not None and (view.values["path"], view.values["bucket"], view.values["bucket_owner"]) == (
        "/team-a/sets", "sets", "ana",
    )  # fmt: skip
    assert attached(lab, "iad/group/readers") == ["sets-read"] and attached(lab, "iad/group/others") == []
    assert attached(lab, "iad/user/bo") == attached(lab, "iad/group/writers") == ["sets-write"]
    [secret_row] = [row for row in lab.rows("iad", "secret") if row["metadata"]["name"] == "s3"]
    assert sorted(secret_row["data"]) == ["AccessKeyId", "SecretKey"]
    assert secret_row["metadata"]["labels"]["run.ai/credentials"] == "true"
    source = lab.live("iad/s3_data_source/sets")
    assert source is not None and (source.values["url"], source.values["bucket"]) == (URL, "sets")


@pytest.mark.slow
def test_a_reader_that_comes_and_goes_gets_the_policy_and_loses_it(lab: Lab) -> None:
    more = {**SETS, "read": ["readers", "others"]}
    lab.write(document({"sets": more, "more": {"size": "1 TiB", "owner": "ana", "read": ["others"]}}))
    lab.converge()
    assert attached(lab, "iad/group/others") == ["more-read", "sets-read"]
    lab.write(document({"sets": SETS, "more": {"size": "1 TiB", "owner": "ana", "read": []}}))
    plan = lab.plan()
    assert changed(lab) == {"group/others": {"s3_policies"}, "s3_policy/more-read": set()}
    [policy] = [action for action in plan.actions if action.address.kind == "s3_policy"]
    assert policy.verb is Verb.DELETE
    lab.converge()
    assert attached(lab, "iad/group/others") == [] and attached(lab, "iad/group/readers") == ["sets-read"]
    # what a person wrote in the group itself stays
    own = {"own": {"policy": {"Statement": [{"Effect": "Deny", "Action": "s3:*", "Resource": "secret/*"}]}}}
    groups = {"readers": {"gid": 10, "s3_policies": ["own"]}, "writers": {"gid": 11}, "others": {"gid": 12}}
    lab.write(document({"sets": SETS}, groups=groups, s3_policies=own))
    lab.converge(lab.consent_to_loss("iad/view/more", "iad/quota/more"))
    assert attached(lab, "iad/group/readers") == ["own", "sets-read"]


@pytest.mark.slow
def test_somebody_who_attached_it_by_hand_is_told_of_and_undone(lab: Lab) -> None:
    group, policy = lab.live("iad/group/others"), lab.live("iad/s3_policy/sets-write")
    assert group is not None and policy is not None
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/groups/{group.id}/", {"s3_policies_ids": [int(policy.id)]})
    assert changed(lab) == {"group/others": {"s3_policies"}}
    lab.converge()
    assert attached(lab, "iad/group/others") == []


@pytest.mark.slow
def test_it_grows_and_its_owner_changes_in_place(lab: Lab) -> None:
    lab.write(
        document({"sets": {**SETS, "size": "50 TiB", "owner": "bo", "deliver": {**SETS["deliver"], "user": "ana"}}})
    )
    assert changed(lab) == {"quota/sets": {"hard_limit"}, "view/sets": {"bucket_owner"}}
    lab.converge()
    assert lab.plan().actions == ()


@pytest.mark.slow
def test_another_generation_is_another_key_in_the_same_secret(lab: Lab) -> None:
    def pair() -> dict[str, str]:
        [row] = [row for row in lab.rows("iad", "secret") if row["metadata"]["name"] == "s3"]
        found: dict[str, str] = row["data"]
        return found

    before = pair()
    lab.write(document({"sets": {**SETS, "deliver": {**SETS["deliver"], "generation": 2}}}))
    assert {name: action.verb for name, action in acts(lab).items()} == {"s3_key/runai-team-a/s3": Verb.CREATE}
    lab.converge()
    assert all(pair()[name] != value for name, value in before.items())


@pytest.mark.slow
def test_a_renamed_one_keeps_all_where_its_bucket_is_written(lab: Lab) -> None:
    renamed = {**SETS, "renamed_from": "sets", "bucket": "sets"}
    lab.write(document({"data": renamed}))
    assert {action.verb for action in lab.plan().actions} == {Verb.RELEASE} and not any(
        action.changes for action in lab.plan().actions
    )
    lab.converge()
    assert lab.plan().actions == ()
    view = lab.live("iad/view/data")
    assert view is not None and view.values["path"] == "/team-a/sets"


@pytest.mark.slow
def test_and_is_told_what_to_write_where_it_is_not(lab: Lab) -> None:
    lab.write(document({"data": {**SETS, "renamed_from": "sets"}}))
    view = acts(lab)["view/data"]
    assert view.verb is Verb.REPLACE and view.blocked
    assert view.reason.endswith(
        'to keep the live object instead: `bucket: sets` and `path: "/team-a/sets"` in iad/bucket/data'
    )


@pytest.mark.slow
def test_a_tenant_that_is_renamed_and_keeps_its_name_keeps_its_buckets(lab: Lab) -> None:
    whole = document({"sets": SETS})
    team = whole["tenants"].pop("team-a")
    project = {**team["project"], "name": "team-a", "renamed_from": "team-a"}
    whole["tenants"]["team-x"] = {**team, "project": project, "name": "team-a", "renamed_from": "team-a"}
    lab.write(whole)
    assert not any(action.blocked for action in lab.plan().actions)
    assert all(action.verb not in (Verb.REPLACE, Verb.DELETE, Verb.CREATE) for action in lab.plan().actions)


@pytest.mark.slow
def test_what_was_a_view_with_parts_of_its_own_becomes_a_bucket_and_nothing_is_deleted(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        view = {
            "path": "/team-a/sets", "protocols": ["S3"], "bucket": "sets", "bucket_owner": "ana", "quota": {"hard_limit": "40 TiB"},
            "snapshots": "daily",
        }  # fmt: skip
        lab.write(document({}, views={"sets": view}))
        lab.converge()
        lab.write(document({"sets": {"size": "40 TiB", "owner": "ana", "snapshots": "daily"}}))
        assert lab.plan().actions == ()
        lab.write(
            document(
                {
                    "data": {
                        "size": "40 TiB",
                        "owner": "ana",
                        "snapshots": "daily",
                        "bucket": "sets",
                        "renamed_from": "sets",
                    }
                }
            )
        )
        assert {action.verb for action in lab.plan().actions} <= {Verb.RELEASE, Verb.UPDATE}


@pytest.mark.slow
def test_an_empty_bucket_goes_by_its_address(lab: Lab) -> None:
    other = {"size": "1 TiB", "owner": "ana", "read": ["others"]}
    lab.write(document({"other": other}))
    view = next(one for one in lab.plan(Consent(max_count=100)).actions if str(one.address) == "iad/view/sets")
    assert view.verb is Verb.DELETE and [block.fix for block in view.blocked] == [
        "--allow-delete iad/view/sets, or --allow-delete iad/bucket/sets for all its objects"
    ]
    loss = lab.consent_to_loss(
        "iad/view/sets", "iad/quota/sets", "iad/protected_path/sets", "iad/secret/runai-team-a/s3"
    )
    lab.converge(loss)
    assert lab.live("iad/view/sets") is None and lab.rows("iad", "s3_key") == []
    assert attached(lab, "iad/group/readers") == attached(lab, "iad/user/bo") == []
    assert lab.plan().actions == ()


@pytest.mark.slow
def test_the_last_one_that_says_whom_it_lets_in_lets_nobody_in_first(lab: Lab) -> None:
    lab.write(document({}))
    assert [block.guard for block in acts(lab)["s3_policy/sets-read"].blocked] == ["in-use"]
    lab.write(document({"sets": {**SETS, "read": [], "write": []}}))
    lab.converge()
    assert attached(lab, "iad/group/readers") == []
    lab.write(document({}))
    lab.converge(
        lab.consent_to_loss("iad/view/sets", "iad/quota/sets", "iad/protected_path/sets", "iad/secret/runai-team-a/s3")
    )
    assert lab.live("iad/view/sets") is None


@pytest.mark.slow
def test_a_group_of_a_directory_reads_as_any_other(lab: Lab) -> None:
    lab.enrol("iad", groups={"corp": {"gid": 50001}})
    lab.write(document({"sets": {**SETS, "read": ["readers", {"existing": "corp"}]}}))
    lab.converge()
    assert lab.plan().actions == ()
    right = lab.live("iad/group_right/team-a/corp")
    assert right is not None and len(right.values["s3_policies"]) == 1
    lab.write(document({"sets": SETS}))
    assert {name: action.verb for name, action in acts(lab).items()} == {"group_right/team-a/corp": Verb.DELETE}


def test_two_of_one_name_in_a_tenant_are_refused_and_not_in_two(lab: Lab) -> None:
    again = {"size": "1 TiB", "owner": "ana", "bucket": "sets", "path": "/again"}
    lab.write(document({"sets": SETS, "again": again}))
    with pytest.raises(Invalid) as refused:
        lab.plan()
    text = "bucket sets, tenant team-a is also that of iad/bucket/again, and only one view can have it"
    other = text.replace("again", "sets")
    assert [(found.code, found.message) for found in refused.value.findings] in ([("VP230", text)], [("VP230", other)])
    view = {"path": "/v", "protocols": ["S3"], "bucket": "sets", "bucket_owner": "ana"}
    lab.write(document({"sets": SETS}, views={"v": view}))
    with pytest.raises(Invalid, match="only one view can have it"):
        lab.plan()
    whole = document({"sets": SETS})
    whole["tenants"]["team-b"] = {"local_provider": "people", "view_policy": {}, "buckets": {"again": again}}
    lab.write(whole)
    lab.converge()


@pytest.mark.slow
def test_it_differs_by_site(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"], "pdx": ["vast"]}) as lab:
        here = {**SETS, "sites": ["iad"]}
        both = {"size": "1 TiB", "owner": "ana", "per_site": {"pdx": {"size": "2 TiB"}}, "mount": "/both"}
        lab.write(document({"sets": here, "both": both}))
        lab.converge()
        sizes = {site: lab.live(f"{site}/quota/both") for site in ("iad", "pdx")}
        assert {site: quota.values["hard_limit"] // 2**40 for site, quota in sizes.items() if quota is not None} == {
            "iad": 1,
            "pdx": 2,
        }
        assert lab.live("pdx/view/sets") is None


def test_another_name_for_a_bucket_is_nowhere_written_while_the_bucket_is_called_as_it_was(lab: Lab) -> None:
    lab.write(document({"sets": {**SETS, "bucket": "others-sets"}}))
    blocked = {name: {block.guard for block in action.blocked} for name, action in acts(lab).items()}
    assert blocked["view/sets"] >= {"approval"} and all(blocked.values())
    assert (
        blocked["s3_policy/sets-read"] == blocked["s3_policy/sets-write"] == blocked["s3_data_source/sets"] == {"waits"}
    )
    before = [lab.live(f"iad/{part}") for part in ("s3_policy/sets-read", "s3_data_source/sets")]
    lab.apply(lab.plan())
    after = [lab.live(f"iad/{part}") for part in ("s3_policy/sets-read", "s3_data_source/sets")]
    assert [one.values for one in before if one] == [one.values for one in after if one] and len(before) == 2


@pytest.mark.parametrize("said", ["owner", "bucket_owner"])
def test_who_is_said_to_exist_as_an_owner_is_not_deleted(lab: Lab, said: str) -> None:
    people = {"bo": {"uid": 2, "groups": ["readers"]}}
    if said == "owner":
        lab.write(
            document(
                {
                    "sets": {
                        **SETS,
                        "owner": {"existing": "ana"},
                        "write": ["writers"],
                        "deliver": {**SETS["deliver"], "user": "bo"},
                    }
                },
                users=people,
            )
        )
    else:
        view = {"path": "/team-a/own", "protocols": ["S3"], "bucket": "own", "bucket_owner": "ana"}
        lab.write(document({"sets": {**SETS, "owner": "bo", "write": ["writers"]}}, users=people, views={"own": view}))
    blocked = acts(lab)["user/ana"].blocked
    assert {block.guard for block in blocked} == {"in-use"} and "refers to it as existing" in blocked[-1].message


def test_another_owner_gets_a_key_and_with_consent_alone_as_the_former_ones_opens_the_bucket_no_more(lab: Lab) -> None:
    def pair() -> Any:
        return next(row["data"] for row in lab.rows("iad", "secret") if row["metadata"]["name"] == "s3")

    before = pair()
    lab.write(document({"sets": {**SETS, "owner": "bo"}}))
    planned = acts(lab)
    assert planned["view/sets"].together == ("iad/s3_key/runai-team-a/s3",)
    assert not any(action.blocked for action in planned.values()) and all(
        action.verb in (Verb.CREATE, Verb.UPDATE) for action in planned.values()
    )
    unasked = {action.address.kind: action.blocked for action in lab.plan(Consent()).actions}
    assert [block.guard for block in unasked["view"]] == ["narrows"] and "would lose ana" in unasked["view"][0].message
    assert [block.guard for block in unasked["s3_key"]] == ["waits"]
    lab.converge(Consent(allow_narrow=("iad/view/sets",)))
    view = lab.live("iad/view/sets")
    assert view is not None and view.values["bucket_owner"] == "bo" and pair() != before
    assert len(lab.rows("iad", "s3_key")) == 2 and lab.plan().actions == ()


def test_an_owner_does_not_change_where_his_key_cannot(lab: Lab) -> None:
    lab.write(document({"sets": {**SETS, "owner": "bo", "deliver": {"secret": "runai-team-a/other"}}}))
    theirs = {"metadata": {"name": "other", "namespace": "runai-team-a"}, "data": {"AccessKeyId": "dGhlaXJz"}}
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/runai-team-a/secrets", theirs)
    planned = {name: [block.guard for block in action.blocked] for name, action in acts(lab).items()}
    assert planned["s3_key/runai-team-a/other"] and planned["view/sets"] == ["together"]


def test_a_bucket_that_moves_to_another_tenant_leaves_nothing_half_moved(lab: Lab) -> None:
    whole = document({"sets": SETS})
    team = whole["tenants"]["team-a"]
    other = {"local_provider": "people", "view_policy": {"flavor": "S3_NATIVE"}}
    whole["tenants"]["other"] = other
    lab.write(whole)
    lab.converge()
    moved = {name: value for name, value in SETS.items() if name not in ("mount", "snapshots")}
    moved |= {"read": [{"existing": "x"}], "write": [], "deliver": {**SETS["deliver"], "user": "ana"}}
    del team["buckets"]
    whole["tenants"]["other"] = {**other, "buckets": {"sets": {**moved, "read": []}}}
    lab.write(whole)
    planned = acts(lab)
    assert planned["view/sets"].verb is Verb.REPLACE and planned["view/sets"].blocked
    free = {name for name, action in planned.items() if not action.blocked and action.verb is not Verb.RELEASE}
    assert not {
        name
        for name in free
        if name.partition("/")[0] in ("s3_policy", "s3_data_source", "s3_key", "access_key_credential")
    }
