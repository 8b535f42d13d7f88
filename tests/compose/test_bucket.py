"""Buckets: what one entry stands for, what it may say, and back."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.compose.short import Said, back, entry, made, objects_of, pieces, without
from vastplan.document.mistakes import mistakes
from vastplan.kinds.compose.bucket import BUCKET, COMPOSITION
from vastplan.model.address import Address
from vastplan.model.nearest import closest
from vastplan.schema.composition import Scope

WORLD: dict[str, Said | None] = {
    "tenant/nlp": {"local_provider": "@local_provider/people"}, "user/ana": {"tenant": "@tenant/nlp", "uid": 7},
    "view_policy/s3": {"tenant": "@tenant/nlp", "flavor": "S3_NATIVE"}, "view_policy/nfs": {"tenant": "@tenant/nlp", "flavor": "NFS"},
    "view_policy/theirs": {"tenant": "@tenant/cv", "flavor": "S3_NATIVE"},
}  # fmt: skip
SAYS: Said = {"tenant": "@tenant/nlp", "size": 10, "owner": "@user/ana"}
CHOSEN = ["view_policy s3, the only one of tenant nlp with flavor S3_NATIVE"]
VIEW: Said = {
    "tenant": "@tenant/nlp", "path": "/nlp/sets", "protocols": ["S3"], "create_dir": True, "bucket": "sets", "bucket_owner": "ana",
    "quota": {"hard_limit": 10}, "view_policy": "@view_policy/s3",
}  # fmt: skip


def bucket(says: Said, world: dict[str, Said | None] | None = None) -> tuple[Said, list[Any]]:
    """What a bucket called `sets` is composed to, and what is wrong."""
    return made(COMPOSITION, entry("bucket/sets", says), {**WORLD, **(world or {})})


def test_a_bucket_is_a_view_with_a_quota() -> None:
    assert bucket(SAYS) == ({"view/sets": {**VIEW, "(chosen)": CHOSEN}}, [])


def test_what_it_says_its_view_says() -> None:
    of_users = {
        "is_user_quota": True, "default_user_quota": {"hard_limit": 2}, "default_group_quota": {"soft_limit": 3},
        "user_quotas": [{"user": "ana", "hard_limit": 4}], "group_quotas": [{"gid": 7, "hard_limit": 5}],
    }  # fmt: skip
    more = {
        "qos": {"limit_by": "BW"}, "qos_policy": "@qos_policy/q", "snapshots": "@protection_policy/s", "names": {"quota": "q"},
        "lifecycle": [{"name": "old", "expiration_days": 3}], "s3_versioning": True, "locking": True, "auto_commit": "1d",
        "s3_locks_retention_mode": "GOVERNANCE", "files_retention_mode": "NONE", "default_retention_period": "1d",
        "min_retention_period": "2d", "max_retention_period": "3d", "view_policy": "@view_policy/nfs", "protocols": ["NFS", "S3"],
        "path": "/elsewhere",
    }  # fmt: skip
    beside = {"soft_limit": 8, "grace_period": "7d", "enable_alarms": False}
    found, wrong = bucket({**SAYS, **more, **of_users, "quota": beside, "max_inodes": 9})
    quota = {"hard_limit": 10, "hard_limit_inodes": 9, **beside, **of_users}
    assert (found, wrong) == ({"view/sets": {**VIEW, **more, "quota": quota}}, [])


def test_its_path_and_its_name_follow_from_names() -> None:
    assert bucket({**SAYS, "bucket": "other"})[0]["view/sets"]["path"] == "/nlp/other"
    assert bucket({**SAYS, "bucket": "other"})[0]["view/sets"]["bucket"] == "other"
    found, _ = bucket(SAYS, {"tenant/nlp": {"name": "Language"}})
    assert found["view/sets"]["path"] == "/Language/sets"
    found, _ = bucket({**SAYS, "tenant": "@?tenant/far"})
    assert found["view/sets"]["path"] == "/far/sets"


def test_where_the_bucket_is_called_otherwise_its_parts_keep_their_names() -> None:
    assert bucket({**SAYS, "bucket": "other"})[0]["view/sets"]["(defaults)"] == ["name"]
    assert "(defaults)" not in bucket({**SAYS, "bucket": "sets"})[0]["view/sets"]


def test_its_owner_is_called_as_vms_calls_him() -> None:
    assert bucket(SAYS, {"user/ana": {"name": "ana.k"}})[0]["view/sets"]["bucket_owner"] == "ana.k"
    assert bucket({**SAYS, "owner": "@?user/CORP\\ana"})[0]["view/sets"]["bucket_owner"] == "CORP\\ana"
    assert bucket(SAYS, {"user/ana": None})[0]["view/sets"]["bucket_owner"] == "ana"


@pytest.mark.parametrize(
    "policies",
    [
        {"view_policy/second": {"tenant": "@tenant/nlp", "flavor": "S3_NATIVE"}},
        {"view_policy/s3": {"tenant": "@tenant/nlp", "flavor": "MIXED_LAST_WINS"}},
        {"view_policy/s3": None},
    ],
)
def test_which_policy_is_left_to_the_view_where_there_is_not_one_that_counts(policies: dict[str, Said | None]) -> None:
    assert bucket(SAYS, policies) == ({"view/sets": without(VIEW, "view_policy")}, [])


def test_what_is_renamed_is_told_what_to_write() -> None:
    def kept(says: Said, world: dict[str, Said | None]) -> Any:
        assert COMPOSITION.keeps is not None
        one = entry("bucket/sets", says)
        others = [entry(name, values) for name, values in world.items() if values is not None]
        return COMPOSITION.keeps(one, Scope({}, [one, *others]))

    assert kept(SAYS, WORLD) == {"bucket": "sets", "path": "/nlp/sets"}
    assert kept({**SAYS, "bucket": "b", "path": "/p"}, WORLD) == {"bucket": "b", "path": "/p"}
    assert kept(SAYS, {"tenant/nlp": {"name": "old"}}) == {"bucket": "sets", "path": "/old/sets"}


# what may be written

TYPED: Said = {"size": "40 TiB", "owner": "ana", "tenant": "nlp"}


@pytest.mark.parametrize(
    "says",
    [
        {}, {"bucket": "a1b"}, {"bucket": "a" * 63}, {"bucket": "a.b-c"}, {"protocols": ["S3", "NFS", "NFS4"]}, {"owner": {"existing": "x"}},
        {"s3_versioning": True, "locking": True}, {"locking": False}, {"names": {"quota": "q"}}, {"max_inodes": 1}, {"size": "1 B"},
        {"qos": {"limit_by": "BW"}, "names": {"qos_policy": "q"}}, {"snapshots": "s", "names": {"protected_path": "p"}},
        {"qos_policy": "q", "view_policy": "v", "path": "/a/b"}, {"lifecycle": [{"name": "n", "noncurrent_days": 1}]},
        {"default_user_quota": {"hard_limit": "1 B"}},
    ],
)  # fmt: skip
def test_what_a_bucket_may_say(says: Said) -> None:
    assert BUCKET.model.model_validate({**TYPED, **says})
    assert (BUCKET.name, BUCKET.section, BUCKET.within_tenant) == ("bucket", "buckets", True)


NO_NAME = (
    "{} cannot be the name of a bucket: 3 to 63 lowercase letters, digits, - and . between them, and no IP address"
)
BAD = ("ab", "a" * 64, "Sets", "a_b", "-ab", "ab-", "a..b", "1.2.3.4", "a\n")


@pytest.mark.parametrize("name", BAD)
def test_a_bucket_is_called_as_its_entry_only_where_that_can_be_its_name(name: str) -> None:
    _, wrong = made(COMPOSITION, entry("bucket/sets", SAYS, address=Address("iad", "bucket", name)), WORLD)
    fix = "write bucket: NAME; without it the entry's name is used"
    assert wrong == [("VP284", NO_NAME.format(repr(name)), fix)]
    one = entry("bucket/sets", {**SAYS, "bucket": "sets"}, address=Address("iad", "bucket", name))
    assert made(COMPOSITION, one, WORLD)[1] == []


@pytest.mark.parametrize(
    ("says", "why"),
    [
        *(({"bucket": name}, NO_NAME.format(repr(name))) for name in BAD),
        ({"protocols": ["NFS"]}, "a bucket needs protocol S3; a directory without it is a volume, or a view"),
        ({"qos": {"limit_by": "BW"}, "qos_policy": "q"}, "give either qos or qos_policy"),
        ({"locking": True}, "locking of a bucket needs s3_versioning: true"),
        (
            {"locking": True, "s3_versioning": True, "protocols": ["S3", "NFS"]},
            "locking with NFS or SMB needs files_retention_mode",
        ),
        ({"s3_locks_retention_mode": "COMPLIANCE"}, "a retention mode needs default_retention_period"),
        ({"names": {"qos_policy": "q"}}, "names.qos_policy needs qos"),
        ({"names": {"protected_path": "q"}}, "names.protected_path needs snapshots"),
        ({"lifecycle": [{"name": "n", "noncurrent_days": 1}] * 2}, "two rules have the same name"),
        ({"lifecycle": []}, "is empty; write at least 1 item"),
        ({"size": 0}, "is too small; write more than 0"),
        ({"max_inodes": 0}, "is too small; write 1 or more"),
        (
            {"path": "sets"},
            "'sets' is not a path: it starts with /, does not end with /, and has no //, ., .. or control characters; write /sets",
        ),
        ({"protocols": ["S3", "SMB"]}, "must be 'S3', 'NFS' or 'NFS4'"),
    ],
)  # fmt: skip
def test_what_it_may_not_say_is_refused(says: Said, why: str) -> None:
    with pytest.raises(ValidationError) as refused:
        BUCKET.model.model_validate({**TYPED, **says})
    told = mistakes(BUCKET.model, {**TYPED, **says}, refused.value, closest)
    assert [one.text for one in told] == [why]


@pytest.mark.parametrize("name", ["tenant", "size", "owner"])
def test_what_it_must_say(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        BUCKET.model.model_validate(without(TYPED, name))


# and back


def home(says: Said, world: dict[str, Said | None] | None = None) -> Said:
    """The view of a bucket as the ways back before this one leave it."""
    found, _ = bucket(says, world)
    return {name: without(values, "create_dir") for name, values in found.items()}


KEPT: dict[str, Said | None] = {"user/ana": {"local_provider": "@local_provider/people"}}
SAID = {**SAYS, "view_policy": "@view_policy/s3"}
MORE: list[Said] = [
    {"quota": {"soft_limit": 8, "grace_period": "7d", "enable_alarms": False}},
    {}, {"qos": {"limit_by": "BW"}, "snapshots": "@protection_policy/s", "names": {"quota": "q"}}, {"max_inodes": 9},
    {"lifecycle": [{"name": "old", "expiration_days": 3}], "s3_versioning": True}, {"protocols": ["NFS", "S3"]}, {"path": "/elsewhere"},
    {"is_user_quota": True, "default_user_quota": {"hard_limit": 2}}, {"bucket": "other"}, {"bucket": "other", "path": "/nlp/sets"},
]  # fmt: skip


def together(objects: Said, world: dict[str, Said | None] | None = None) -> list[Said]:
    """What objects are put together to, in this world."""
    return back(COMPOSITION, pieces(objects_of(objects, WORLD, KEPT, world or {})))


@pytest.mark.parametrize("more", MORE)
def test_a_view_with_a_limit_is_a_bucket_again(more: Said) -> None:
    assert together(home({**SAYS, **more})) == [{"entry": "bucket/sets", "says": {**SAID, **more}, "of": ["view/sets"]}]


def test_its_owner_is_a_user_of_the_provider_of_its_tenant() -> None:
    def owner(world: dict[str, Said | None]) -> Any:
        [found] = together(home(SAYS), world)
        return found["says"]["owner"]

    assert owner({"user/ana": {"tenant": "@tenant/nlp"}}) == "@user/ana"
    assert owner({"user/ana": {"local_provider": "@local_provider/others"}}) == "@?user/ana"
    assert owner({"user/ana": {"tenant": "@tenant/cv"}}) == "@?user/ana"
    assert owner({"user/ana": None, "user/k": {"name": "ana", "tenant": "@tenant/nlp"}}) == "@user/k"
    assert owner({"user/ana": None, "pdx:user/ana": {"tenant": "@tenant/nlp"}}) == "@?user/ana"
    assert owner({"tenant/nlp": {}}) == "@?user/ana"
    assert owner({"tenant/nlp": None}) == "@?user/ana"


@pytest.mark.parametrize(
    "change",
    [
        {"protocols": ["NFS"]}, {"protocols": None}, {"bucket_owner": None}, {"tenant": None}, {"bucket": None}, {"alias": "/a"}, {"quota": None},
        {"quota": {"soft_limit": 1}}, {"quota": {"hard_limit": 0}},
    ],
)  # fmt: skip
def test_what_a_bucket_cannot_say_stays_a_view(change: Said) -> None:
    view = {name: value for name, value in {**home(SAYS)["view/sets"], **change}.items() if value is not None}
    assert together({"view/sets": view}) == []
