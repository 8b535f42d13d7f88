"""Who reads and writes buckets: the policies that a bucket makes, on whom they are, and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import Said, back, entries, entry, made, objects_of, pieces, said, without
from vastplan.kinds.compose import local_provider
from vastplan.kinds.compose.bucket import COMPOSITION
from vastplan.kinds.compose.bucket_rights import OF_GROUP_RIGHT, policy
from vastplan.model.s3_policy import AccessRequest, PolicyDecision, decide_access, parse_policy
from vastplan.schema.composition import Scope

PEOPLE: dict[str, Said | None] = {
    "tenant/nlp": {"local_provider": "@local_provider/people"}, "user/ana": {"tenant": "@tenant/nlp", "uid": 7},
    "group/team": {"tenant": "@tenant/nlp", "gid": 1}, "group/ops": {"local_provider": "@local_provider/people", "gid": 2},
}  # fmt: skip
SAYS: Said = {"tenant": "@tenant/nlp", "size": 10, "owner": "@user/ana"}


def parts(says: Said, world: dict[str, Said | None] | None = None) -> tuple[Said, list[Any]]:
    """What a bucket called `sets` makes beside its view, and what is wrong."""
    found, wrong = made(COMPOSITION, entry("bucket/sets", {**SAYS, **says}), {**PEOPLE, **(world or {})})
    return without(found, "view/sets"), wrong


def test_who_reads_or_writes_has_a_policy() -> None:
    read = {"name": "sets-read", "tenant": "@tenant/nlp", "policy": policy("read", "sets")}
    write = {"name": "sets-write", "tenant": "@tenant/nlp", "policy": policy("write", "sets")}
    assert parts({"read": ["@group/team"]}) == ({"s3_policy/sets-read": read}, [])
    assert parts({"write": ["@user/ana"]}) == ({"s3_policy/sets-write": write}, [])
    assert parts({"read": [], "write": []}) == ({}, [])
    found, _ = parts({"read": ["@group/team"], "write": ["@group/ops"], "bucket": "other"})
    assert found == {
        "s3_policy/sets-read": {**read, "name": "other-read", "policy": policy("read", "other")},
        "s3_policy/sets-write": {**write, "name": "other-write", "policy": policy("write", "other")},
    }
    found, _ = parts(
        {
            "read": ["@group/team"],
            "write": ["@group/ops"],
            "names": {"read_policy": "r", "write_policy": "w", "quota": "q"},
        }
    )
    assert [said["name"] for said in found.values()] == ["r", "w"]


ALL = ("ListBucket", "GetBucketLocation", "ListBucketMultipartUploads", "DeleteBucket", "PutBucketPolicy")
IN_IT = ("GetObject", "PutObject", "DeleteObject", "AbortMultipartUpload", "ListMultipartUploadParts", "PutObjectAcl")


@pytest.mark.parametrize(
    ("right", "allowed"),
    [("read", {"ListBucket", "GetBucketLocation", "GetObject"}), ("write", {*ALL[:3], *IN_IT[:5]})],
)
def test_what_they_may(right: str, allowed: set[str]) -> None:
    of_bucket = parse_policy(policy(right, "sets"))
    for actions, resource in ((ALL, "sets"), (IN_IT, "sets/a/b")):
        may = {
            action
            for action in actions
            if decide_access(AccessRequest(f"s3:{action}", resource), [of_bucket]) is PolicyDecision.ALLOWED
        }
        assert may == allowed & set(actions)
    for other in ("sets-2", "sets-2/a", "set", "other/sets/a"):
        assert all(
            decide_access(AccessRequest(f"s3:{action}", other), [of_bucket]) is PolicyDecision.UNCOVERED
            for action in (*ALL, *IN_IT)
        )


def test_nobody_can_be_taken_for_somebody_else() -> None:
    text = "{}: team is both a group and a user of this document"
    fix = "give one of the two entries another key, and write name: NAME in it"
    twin: dict[str, Said | None] = {"user/team": {"tenant": "@tenant/nlp"}}
    assert parts({"read": ["@group/team"]}, twin)[1] == [("VP281", text.format("read"), fix)]
    assert parts({"write": ["@group/team"]}, twin)[1] == [("VP281", text.format("write"), fix)]
    assert parts({"write": ["@user/team"]}, twin)[1] == []
    assert parts({"write": ["@?group/team"]}, twin)[1] == []


def holder(text: str, says: Said, buckets: dict[str, Said | None], more: dict[str, Said | None] | None = None) -> Said:
    """What a user or a group is composed to beside buckets."""
    composition = {"user": local_provider.OF_USER, "group": local_provider.OF_GROUP}[text.partition("/")[0]]
    found, wrong = made(composition, entry(text, says), {**PEOPLE, **buckets, **(more or {})})
    assert wrong == []
    values: Said = found[text]
    return values


TEAM: Said = {"tenant": "@tenant/nlp", "gid": 1}
SETS: dict[str, Said | None] = {
    "bucket/sets": {**SAYS, "read": ["@group/team", "@user/bo"], "write": ["@user/bo"]}, "bucket/a": {**SAYS, "read": ["@group/team"]},
}  # fmt: skip


def test_a_group_has_the_policies_of_all_buckets_that_name_it_and_what_is_written_of_it() -> None:
    found = holder("group/team", TEAM, SETS)
    assert found["s3_policies"] == ["@s3_policy/a-read", "@s3_policy/sets-read"]
    assert found["(chosen)"][1:] == ["s3_policies a-read, sets-read, of the buckets that name it"]
    found = holder("group/team", {**TEAM, "s3_policies": ["@s3_policy/own", "@s3_policy/a-read"]}, SETS)
    assert found["s3_policies"] == ["@s3_policy/a-read", "@s3_policy/own", "@s3_policy/sets-read"]
    assert found["(chosen)"][1:] == ["s3_policies sets-read, of the buckets that name it"]
    assert holder("user/bo", {"tenant": "@tenant/nlp"}, SETS)["s3_policies"] == [
        "@s3_policy/sets-read",
        "@s3_policy/sets-write",
    ]
    assert holder("group/team", {**TEAM, "s3_policies": None}, SETS)["s3_policies"] == [
        "@s3_policy/a-read",
        "@s3_policy/sets-read",
    ]


def test_whom_no_bucket_names_has_what_is_written_of_him_where_buckets_say_whom_they_let_in() -> None:
    found = holder("group/other", TEAM, SETS)
    assert found["s3_policies"] == [] and found["(chosen)"][1:] == [
        "no s3_policies: no bucket lists it in read or write, and an owner needs none"
    ]
    found = holder("group/other", {**TEAM, "s3_policies": ["@s3_policy/own"]}, SETS)
    assert found["s3_policies"] == ["@s3_policy/own"] and len(found["(chosen)"]) == 1
    assert holder("group/other", TEAM, {"bucket/sets": {**SAYS, "write": []}})["s3_policies"] == []
    assert "s3_policies" not in holder("group/other", TEAM, {"bucket/sets": SAYS})
    assert "s3_policies" not in holder("group/other", TEAM, {})


def test_they_are_those_of_the_tenants_that_use_the_same_provider() -> None:
    kept: Said = {"local_provider": "@local_provider/people", "gid": 9}
    assert holder("group/other", kept, SETS)["s3_policies"] == []
    assert "s3_policies" not in holder("group/other", {**kept, "local_provider": "@local_provider/others"}, SETS)
    second: dict[str, Said | None] = {
        "tenant/cv": {"local_provider": "@local_provider/people"},
        "tenant/x": {"local_provider": "people"},
    }
    assert holder("group/other", {"tenant": "@tenant/cv", "gid": 9}, SETS, second)["s3_policies"] == []
    # of a tenant that says no provider it is a mistake of its own
    found, wrong = made(local_provider.OF_GROUP, entry("group/g", TEAM), {"tenant/nlp": {}, **SETS})
    assert found["group/g"]["s3_policies"] == [] and [code for code, *_ in wrong] == ["VP271"]
    found, wrong = made(
        local_provider.OF_GROUP, entry("group/g", {**TEAM, "tenant": "@tenant/cv"}), {"tenant/cv": {}, **SETS}
    )
    assert "s3_policies" not in found["group/g"]
    # on another site it is another one
    away = {"pdx:bucket/sets": {**SAYS, "tenant": "@pdx:tenant/nlp", "read": ["@pdx:group/team"]}}
    assert "s3_policies" not in holder("group/team", TEAM, {**away})


# groups of a directory

ELSEWHERE: Said = {"group": "CORP", "tenant": "@tenant/nlp"}


def test_a_group_of_a_directory_has_rights_once() -> None:
    says = {"read": ["@?group/CORP"]}
    assert parts(says)[0]["group_right/nlp/CORP"] == ELSEWHERE
    assert parts(says, {"bucket/a": {**SAYS, "write": ["@?group/other"]}})[0]["group_right/nlp/CORP"] == ELSEWHERE
    others: list[dict[str, Said | None]] = [
        {"bucket/a": {**SAYS, **says}}, {"group_right/it": ELSEWHERE}, {"group_right/CORP": {"tenant": "@tenant/nlp"}},
    ]  # fmt: skip
    for other in others:
        assert "group_right/nlp/CORP" not in parts(says, other)[0]
    away: list[dict[str, Said | None]] = [
        {"bucket/a": {**SAYS, **says, "tenant": "@tenant/cv"}}, {"group_right/it": {**ELSEWHERE, "tenant": "@tenant/cv"}},
        {"group_right/it": {**ELSEWHERE, "group": "OTHER"}}, {"pdx:bucket/a": {**SAYS, **says}},
    ]  # fmt: skip
    for other in away:
        assert parts(says, other)[0]["group_right/nlp/CORP"] == ELSEWHERE
    assert [*parts({**says, "write": ["@?group/CORP", "@group/team"]})[0]] == [
        "s3_policy/sets-read", "s3_policy/sets-write", "group_right/nlp/CORP",
    ]  # fmt: skip


def right(says: Said, buckets: dict[str, Said | None]) -> Said:
    """What rights of a group are composed to beside buckets."""
    found, wrong = made(OF_GROUP_RIGHT, entry("group_right/CORP", says), {**PEOPLE, **buckets})
    assert wrong == []
    values: Said = found["group_right/CORP"]
    return values


def test_it_has_the_policies_of_the_buckets_of_its_tenant() -> None:
    buckets: dict[str, Said | None] = {
        "bucket/sets": {**SAYS, "read": ["@?group/CORP"], "write": ["@?group/CORP"]}, "bucket/a": {**SAYS, "write": ["@?group/OTHER"]},
        "bucket/theirs": {**SAYS, "tenant": "@tenant/cv", "read": ["@?group/CORP"]},
    }  # fmt: skip
    added = ["@s3_policy/sets-read", "@s3_policy/sets-write"]
    assert right(ELSEWHERE, buckets) == {**ELSEWHERE, "s3_policies": added}
    assert right({"tenant": "@tenant/nlp"}, buckets) == {"tenant": "@tenant/nlp", "s3_policies": added}
    own = {**ELSEWHERE, "s3_policies": ["@s3_policy/own"]}
    assert right(own, buckets) == {**own, "s3_policies": ["@s3_policy/own", *added]}
    assert right(own, {}) == own


def test_what_buckets_say_is_put_together_once() -> None:
    scope = Scope({}, entries({**PEOPLE, **SETS}))
    again = scope.indexed("iad", "bucket", list)
    assert scope.indexed("iad", "bucket", list) is again and [one.address.name for one in again] == ["sets", "a"]
    scope.add(entry("bucket/b", SAYS))
    assert [one.address.name for one in scope.indexed("iad", "bucket", list)] == ["sets", "a", "b"]
    scope.drop(entry("bucket/b", SAYS).address)
    assert [one.address.name for one in scope.indexed("iad", "bucket", list)] == ["sets", "a"]


# and back

KEPT: Said = {"local_provider": "@local_provider/people"}
LIVE: dict[str, Said | None] = {
    "tenant/nlp": {"local_provider": "@local_provider/people"}, "user/ana": {**KEPT, "uid": 7},
    "view/sets": {
        "tenant": "@tenant/nlp", "path": "/nlp/sets", "protocols": ["S3"], "bucket": "sets", "bucket_owner": "ana", "quota": {"hard_limit": 10},
    },
    "s3_policy/sets-read": {"name": "sets-read", "tenant": "@tenant/nlp", "policy": policy("read", "sets")},
    "s3_policy/sets-write": {"name": "sets-write", "tenant": "@tenant/nlp", "policy": policy("write", "sets")},
    "group/team": {**KEPT, "gid": 1, "s3_policies": ["@s3_policy/sets-read"]},
    "user/bo": {**KEPT, "uid": 8, "s3_policies": ["@s3_policy/sets-read", "@s3_policy/sets-write"]},
}  # fmt: skip
BARE = {"entry": "bucket/sets", "says": SAYS, "of": ["view/sets"]}


def together(world: dict[str, Said | None]) -> list[Said]:
    """What objects are put together to, in this world."""
    return back(COMPOSITION, pieces({**LIVE, **world}))


def test_policies_that_are_those_of_a_bucket_are_its_readers_and_writers() -> None:
    rights = {"read": ["@group/team", "@user/bo"], "write": ["@user/bo"]}
    of = ["view/sets", "s3_policy/sets-read", "s3_policy/sets-write"]
    assert together({}) == [{"entry": "bucket/sets", "says": {**SAYS, **rights}, "of": of}, BARE]
    policy_of: Any = LIVE["s3_policy/sets-read"]
    otherwise = {**policy_of, "policy": {**policy_of["policy"], "Statement": policy_of["policy"]["Statement"][::-1]}}
    assert together({"s3_policy/sets-read": otherwise})[0]["of"] == of
    [whole, _] = together({"s3_policy/sets-read": {**policy_of, "name": "r"}})
    assert whole["says"] == {**SAYS, **rights, "names": {"read_policy": "r"}}


@pytest.mark.parametrize(
    "change",
    [
        {"s3_policy/sets-read": None},
        {
            "s3_policy/sets-read": {
                "name": "sets-read",
                "tenant": "@tenant/nlp",
                "policy": policy("read", "sets"),
                "enabled": False,
            }
        },
        {"s3_policy/sets-read": {"name": "sets-read", "tenant": "@tenant/cv", "policy": policy("read", "sets")}},
        {"s3_policy/sets-read": {"name": "sets-read", "tenant": "nlp", "policy": policy("read", "sets")}},
        {"s3_policy/sets-read": {"name": "sets-read", "tenant": "@tenant/nlp", "policy": policy("read", "other")}},
        {
            "s3_policy/sets-read": None,
            "s3_policy/apart": {"name": "sets-read", "tenant": "@tenant/nlp", "policy": policy("read", "sets")},
        },
        {"group/team": {**KEPT}, "user/bo": {**KEPT, "s3_policies": ["@s3_policy/sets-write"]}},
        {"group_right/x": {"tenant": "@tenant/nlp", "s3_policies": ["@s3_policy/sets-read"]}},
    ],
)
def test_what_says_something_else_stays_a_policy(change: dict[str, Said | None]) -> None:
    rights = {"write": ["@user/bo"]}
    assert together(change) == [
        {"entry": "bucket/sets", "says": {**SAYS, **rights}, "of": ["view/sets", "s3_policy/sets-write"]},
        BARE,
    ]


def test_a_bucket_without_readers_is_one_too() -> None:
    assert together({"s3_policy/sets-read": None, "s3_policy/sets-write": None}) == [BARE]


def test_people_come_back_without_the_policies_of_buckets() -> None:
    buckets: dict[str, Said | None] = {"bucket/sets": {**SAYS, "read": ["@group/team", "@user/bo"]}}
    own = {**KEPT, "uid": 8, "s3_policies": ["@s3_policy/own", "@s3_policy/sets-read"]}
    found = back(local_provider.OF_GROUP, pieces({**LIVE, **buckets}))
    assert [(one["entry"], one["says"]) for one in found] == [("group/team", {"gid": 1, "tenant": "@tenant/nlp"})]
    found = back(local_provider.OF_USER, pieces({**LIVE, **buckets, "user/bo": own}))
    assert {one["entry"]: one["says"] for one in found} == {
        "user/ana": {"uid": 7, "tenant": "@tenant/nlp"},
        "user/bo": {"uid": 8, "s3_policies": ["@s3_policy/own"], "tenant": "@tenant/nlp"},
    }
    # also beside a bucket that the document has already; and never one of another site
    found = back(local_provider.OF_GROUP, pieces(LIVE, known=buckets))
    assert found[0]["says"] == {"gid": 1, "tenant": "@tenant/nlp"}
    away: dict[str, Said | None] = {"pdx:bucket/sets": {**SAYS, "read": ["@group/team"]}}
    [kept] = back(local_provider.OF_GROUP, pieces({**LIVE, **away}))
    assert kept["says"]["s3_policies"] == ["@s3_policy/sets-read"]


def test_a_bucket_and_its_people_are_what_they_were() -> None:
    written = {**SAYS, "read": ["@group/team"], "write": ["@user/bo"]}
    found, _ = made(COMPOSITION, entry("bucket/sets", written), PEOPLE)
    found["view/sets"] = without(found["view/sets"], "create_dir")
    attached = {
        "group/team": {**KEPT, "s3_policies": ["@s3_policy/sets-read"]},
        "user/bo": {**KEPT, "s3_policies": ["@s3_policy/sets-write"]},
    }
    again = back(COMPOSITION, pieces(objects_of(found, LIVE, objects_of(found), attached)))
    assert again[0]["says"] == written
    assert said(again[0]["of"]) == ["view/sets", "s3_policy/sets-read", "s3_policy/sets-write"]
