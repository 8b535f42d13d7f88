"""The key of a bucket, where it is delivered to, and how Run:AI mounts the bucket."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.compose.short import LEAVE_OUT, Said, entries, entry, made, said, short, sites, without
from vastplan.kinds.compose import delivery
from vastplan.kinds.compose._bucket_mounts import BucketDelivery
from vastplan.kinds.compose.bucket import BUCKET, COMPOSITION
from vastplan.schema.composition import Scope

URL = "https://s3.example.com"
WORLD: dict[str, Said | None] = {
    "tenant/nlp": {"local_provider": "@local_provider/people"}, "user/ana": {"tenant": "@tenant/nlp", "uid": 7},
    "project/nlp": {"tenant": "@tenant/nlp"}, "vip_pool/nlp": {"tenant": "@tenant/nlp", "s3_endpoint": URL},
}  # fmt: skip
SECRET = {"secret": "runai-nlp/s3", "generation": 1, "overlap": 86400}
SAYS: Said = {"tenant": "@tenant/nlp", "size": 10, "owner": "@user/ana"}
BY_S3: Said = {**SAYS, "deliver": SECRET, "mount": "/sets"}
FOR_RUNAI = {"access_key": "AccessKeyId", "secret_key": "SecretKey"}
FOR_OTHERS = {"access_key": "AWS_ACCESS_KEY_ID", "secret_key": "AWS_SECRET_ACCESS_KEY"}
LABELS = {"run.ai/credentials": "true", "run.ai/resource": "access-key"}
KEY: Said = {
    "tenant": "@tenant/nlp", "user": "@user/ana", "deliver": {"secret": "runai-nlp/s3", "keys": FOR_RUNAI, "labels": LABELS},
    "generation": 1, "overlap": 86400,
}  # fmt: skip
CREDENTIAL = {"name": "s3", "project": "@project/nlp", "existing_secret": "@secret/runai-nlp/s3"}
SOURCE = {
    "name": "sets", "project": "@project/nlp", "bucket": "sets", "url": URL, "access_key": "@access_key_credential/nlp/s3", "mount": "/sets",
}  # fmt: skip
WHOLE = {"s3_key/runai-nlp/s3": KEY, "access_key_credential/nlp/s3": CREDENTIAL, "s3_data_source/sets": SOURCE}


def parts(says: Said, world: dict[str, Said | None] | None = None) -> tuple[Said, list[Any]]:
    """What a bucket called `sets` makes beside its view, and what is wrong."""
    found, wrong = made(COMPOSITION, entry("bucket/sets", says), {**WORLD, **(world or {})})
    return without(found, "view/sets"), wrong


def test_a_key_is_delivered_and_run_ai_mounts_the_bucket_with_it() -> None:
    assert parts(BY_S3) == (WHOLE, [])
    assert parts({**BY_S3, "project": "@project/nlp"}) == (WHOLE, [])
    found, _ = parts({**BY_S3, "description": "text", "names": {"data_source": "Sets"}, "bucket": "other"})
    assert found["s3_data_source/sets"] == {**SOURCE, "description": "text", "name": "Sets", "bucket": "other"}
    assert parts({**BY_S3, "bucket": "other"})[0]["s3_data_source/sets"]["name"] == "other"


def test_a_key_alone_is_for_others() -> None:
    bare = {**KEY, "deliver": {"secret": "runai-nlp/s3", "keys": FOR_OTHERS}}
    nowhere: dict[str, Said | None] = {"project/nlp": None}
    assert parts({**SAYS, "deliver": SECRET}) == ({"s3_key/runai-nlp/s3": bare}, [])
    # a mount without a project is for exports
    assert parts(BY_S3, nowhere) == ({"s3_key/runai-nlp/s3": bare}, [])
    assert parts(BY_S3, {"project/second": {"tenant": "@tenant/nlp"}}) == ({"s3_key/runai-nlp/s3": bare}, [])
    assert parts({**SAYS, "mount": "/sets"}) == ({}, [])


def test_what_is_said_of_a_key_is_said_there() -> None:
    own = {"access_key": "id", "secret_key": "key"}
    said = {"secret": "runai-nlp/s3", "user": "@user/bo", "keys": own, "generation": 3, "overlap": 60}
    found, _ = parts({**BY_S3, "deliver": said})
    expected = {**KEY, "user": "@user/bo", "deliver": {**KEY["deliver"], "keys": own}, "generation": 3, "overlap": 60}
    assert found["s3_key/runai-nlp/s3"] == expected


OTHER = "bucket/a"
ELSEWHERE = {**BY_S3, "mount": "/elsewhere"}


def test_buckets_that_deliver_to_one_secret_have_one_key() -> None:
    source = {"s3_data_source/sets": SOURCE}
    assert parts(BY_S3, {OTHER: ELSEWHERE}) == (source, [])
    found, _ = parts(BY_S3, {OTHER: {**SAYS, "deliver": SECRET}})
    assert found == {"access_key_credential/nlp/s3": CREDENTIAL, **source}
    # another Secret is another key, and so is that of another site
    assert parts(BY_S3, {OTHER: {**ELSEWHERE, "deliver": {**SECRET, "secret": "runai-nlp/other"}}}) == (WHOLE, [])
    assert parts(BY_S3, {f"pdx:{OTHER}": BY_S3}) == (WHOLE, [])


def test_a_mount_of_any_of_them_says_how_its_values_are_called() -> None:
    everything = entries({**WORLD, "bucket/aaa": {**SAYS, "deliver": SECRET}, "bucket/sets": BY_S3})
    first = next(each for each in everything if short(each.address) == "bucket/aaa")
    found = {short(each.address): said(each.values) for each in COMPOSITION.compose(first, Scope(sites(), everything))}
    assert without(found, "view/aaa") == {"s3_key/runai-nlp/s3": KEY}


@pytest.mark.parametrize(
    "other",
    [
        {**ELSEWHERE, "owner": "@user/bo"}, {**ELSEWHERE, "tenant": "@tenant/cv"}, {**ELSEWHERE, "deliver": {**SECRET, "generation": 2}},
        {**ELSEWHERE, "deliver": {**SECRET, "overlap": 1}}, {**ELSEWHERE, "deliver": {**SECRET, "keys": FOR_OTHERS}},
        {**ELSEWHERE, "deliver": {**SECRET, "user": "@user/bo"}},
    ],
)  # fmt: skip
def test_two_keys_in_one_place_are_refused(other: Said) -> None:
    _, wrong = parts(BY_S3, {OTHER: other})
    fix = "write the same user, keys, generation and overlap in both, or deliver to another Secret"
    assert wrong == [("VP282", "bucket a delivers another key to the same Secret, runai-nlp/s3", fix)]
    assert parts({**BY_S3, "deliver": {**SECRET, "user": "@user/ana"}}, {OTHER: ELSEWHERE})[1] == []


def test_the_credential_is_by_the_secret_as_the_document_has_it() -> None:
    secret: Said = {"name": "s3", "namespace": "@project/nlp"}
    found, _ = parts(BY_S3, {"secret/mine": secret, "project/nlp": {"tenant": "@tenant/nlp", "name": "nlp"}})
    assert found["access_key_credential/nlp/s3"]["existing_secret"] == "@secret/mine"
    found, _ = parts(BY_S3, {"secret/mine": {**secret, "namespace": "@namespace/other"}, "namespace/other": {}})
    assert found["access_key_credential/nlp/s3"]["existing_secret"] == "@secret/runai-nlp/s3"


def test_another_project_has_a_credential_of_its_own() -> None:
    second: dict[str, Said | None] = {"project/cv": {}, OTHER: {**BY_S3, "project": "@project/cv"}}
    found, _ = parts(BY_S3, second)
    assert found == {"access_key_credential/nlp/s3": CREDENTIAL, "s3_data_source/sets": SOURCE}


NOWHERE = "project nlp mounts it by S3, and the VIP pools of tenant nlp have no s3_endpoint, or several"


def test_where_its_buckets_are_found_a_pool_says() -> None:
    def url(says: Said, pools: dict[str, Said | None]) -> Any:
        found, wrong = parts({**BY_S3, **says}, {"vip_pool/nlp": None, **pools})
        if "s3_data_source/sets" not in found:
            assert wrong == [
                (
                    "VP283",
                    NOWHERE,
                    "write s3_endpoint: URL in the tenant's vip_pool, or vip_pool: NAME in the bucket where several have one",
                )
            ]
            return None
        return found["s3_data_source/sets"]["url"]

    own, for_all = {"tenant": "@tenant/nlp", "s3_endpoint": URL}, {"tenant": None, "s3_endpoint": "http://all"}
    assert url({}, {}) is None
    assert url({}, {"vip_pool/a": {"tenant": "@tenant/nlp"}}) is None
    assert url({}, {"vip_pool/a": own, "vip_pool/b": for_all}) == URL
    assert url({}, {"vip_pool/a": {"tenant": "@tenant/nlp"}, "vip_pool/b": for_all}) == "http://all"
    assert url({}, {"vip_pool/b": without(for_all, "tenant")}) == "http://all"
    assert url({}, {"vip_pool/b": {**own, "tenant": "@tenant/cv"}}) is None
    assert url({}, {"vip_pool/a": own, "vip_pool/b": {**own, "s3_endpoint": "http://b"}}) is None
    assert url({}, {"vip_pool/a": own, "vip_pool/b": own}) == URL
    both = {"vip_pool/a": own, "vip_pool/b": {**own, "s3_endpoint": "http://b"}}
    assert url({"vip_pool": "@vip_pool/b"}, {**both}) == "http://b"
    assert url({"vip_pool": "@vip_pool/c"}, {**both, "vip_pool/c": {}}) is None
    assert url({"vip_pool": "@?vip_pool/d"}, {**both}) is None


@pytest.mark.parametrize(
    ("says", "other", "world", "where"),
    [
        ({}, {}, {}, "project nlp"),
        ({"project": "@project/nlp"}, {}, {}, "project nlp"),
        ({}, {}, {"project/nlp": None}, "tenant nlp"),
        ({}, {"project": "@project/nlp"}, {"project/second": {"tenant": "@tenant/nlp"}}, "project nlp"),
        ({}, {"tenant": "@tenant/cv"}, {}, ""),
        ({}, {"mount": "/other"}, {}, ""),
        ({"mount": LEAVE_OUT}, {}, {}, ""),
        (
            {"project": "@project/second"},
            {"project": "@project/nlp"},
            {"project/second": {"tenant": "@tenant/nlp"}},
            "",
        ),
    ],
)
def test_two_are_not_mounted_at_one_place(says: Said, other: Said, world: Said, where: str) -> None:
    first = {"bucket/first": {**SAYS, "mount": "/sets", **other}}
    _, wrong = made(
        COMPOSITION,
        entry("bucket/sets", {**BY_S3, **says}),
        {**WORLD, **world, **first, "bucket/sets": {**BY_S3, **says}},
    )
    text = f"bucket first and bucket sets of {where} are both mounted at /sets"
    assert [one for one in wrong if one[0] == "VP290"] == ([("VP290", text, PLACE)] if where else [])
    # the first one is not blamed for the second
    _, wrong = made(
        COMPOSITION,
        entry("bucket/first", first["bucket/first"]),
        {**WORLD, **world, **first, "bucket/sets": {**BY_S3, **says}},
    )
    assert not [one for one in wrong if one[0] == "VP290"]


PLACE = "give one of them another mount"


def test_a_volume_of_the_project_is_not_mounted_at_its_place() -> None:
    volume: dict[str, Any] = {"volume/v": {"project": "@project/nlp", "mount": "/sets", "size": 1}}
    text = "volume v and bucket sets of project nlp are both mounted at /sets"
    assert parts(BY_S3, volume)[1] == [("VP290", text, PLACE)]
    assert parts(BY_S3, {"volume/v": {"project": "@project/other", "mount": "/sets", "size": 1}})[1] == []


def test_without_a_key_a_project_that_is_named_cannot_mount_it() -> None:
    text = "project nlp mounts it by S3, and no key is delivered for that"
    fix = "write deliver: {secret: NAMESPACE/NAME}, in the namespace of the project"
    assert parts({**SAYS, "mount": "/sets", "project": "@project/nlp"}) == ({}, [("VP283", text, fix)])


FILES: Said = {**SAYS, "mount": "/sets", "secret": "@secret/mgmt"}


@pytest.mark.parametrize("protocols", [["NFS", "S3"], ["NFS4", "S3"]])
def test_by_nfs_it_is_mounted_as_volumes_are(protocols: list[str]) -> None:
    more = {
        "description": "text",
        "mount_options": ["nconnect=8"],
        "names": {"persistent_volume": "pv"},
        "bucket": "other",
    }
    found, wrong = parts({**FILES, **more, "protocols": protocols})
    assert wrong == [] and [*found] == [
        "persistent_volume/nlp-sets",
        "persistent_volume_claim/sets",
        "data_source/sets",
    ]
    volume, claim, source = found.values()
    assert (volume["name"], volume["volume_handle"], volume["claim_name"], volume["size"]) == (
        "pv",
        "/nlp/other",
        "other",
        10,
    )
    assert volume["access_modes"] == claim["access_modes"] == ["ReadWriteMany"] and volume["mount_options"] == [
        "nconnect=8"
    ]
    assert (claim["name"], claim["namespace"], claim["volume"]) == (
        "other",
        "@project/nlp",
        "@persistent_volume/nlp-sets",
    )
    assert source == {
        "name": "other", "project": "@project/nlp", "mount": "/sets", "claim": "@persistent_volume_claim/sets", "existing_claim": True,
        "description": "text",
    }  # fmt: skip
    found, _ = parts({**FILES, "protocols": protocols, "deliver": SECRET})
    assert found["s3_key/runai-nlp/s3"]["deliver"]["keys"] == FOR_OTHERS and "s3_data_source/sets" not in found
    assert parts({**without(FILES, "mount"), "protocols": protocols}) == ({}, [])


# what may be written

TYPED: Said = {"size": "40 TiB", "owner": "ana", "tenant": "nlp"}


@pytest.mark.parametrize(
    ("says", "systems"),
    [
        ({}, {"vast"}), ({"mount": "/a"}, {"vast"}), ({"deliver": {}}, {"vast", "kubernetes"}), ({"project": "p"}, {"vast", "runai"}),
        ({"project": "p", "deliver": {}}, {"vast", "kubernetes", "runai"}),
    ],
)  # fmt: skip
def test_a_site_needs_the_systems_that_it_is_in(says: Said, systems: set[str]) -> None:
    assert BUCKET.systems(says) == systems


def test_what_a_delivery_is_where_nothing_more_is_said() -> None:
    found = BUCKET.model.model_validate({**TYPED, "deliver": {"secret": "a/b"}}).model_dump()["deliver"]
    assert found == {"secret": "a/b", "generation": 1, "overlap": 86400}
    assert BucketDelivery.model_validate({"secret": "a/b", "keys": {"access_key": "x"}, "user": "u", "overlap": "1h"})


@pytest.mark.parametrize(
    "says",
    [
        {"mount": "/m", "project": "p", "description": "d", "vip_pool": "v"}, {"mount": "/m", "names": {"data_source": "x"}},
        {"mount": "/m", "protocols": ["NFS4", "S3"], "secret": "s", "mount_options": ["x"], "names": {"persistent_volume": "x"}},
        {"read": ["a", {"existing": "b"}], "write": [], "names": {"read_policy": "r", "write_policy": "w"}},
    ],
)  # fmt: skip
def test_what_a_bucket_may_say_of_its_mount(says: Said) -> None:
    assert BUCKET.model.model_validate({**TYPED, **says})


@pytest.mark.parametrize(
    ("says", "why"),
    [
        *(
            ({name: "x"}, f"{name} says how it is mounted, and needs mount")
            for name in ("project", "description", "vip_pool")
        ),
        *(
            ({**given, name: what}, f"{name} is for a bucket that is mounted by NFS")
            for name, what in {"secret": "s", "mount_options": ["x"]}.items()
            for given in ({}, {"mount": "/m"}, {"protocols": ["NFS", "S3"]}, {"mount": "/m", "protocols": ["S3"]})
        ),
        (
            {"mount": "/m", "names": {"persistent_volume": "x"}},
            "names.persistent_volume is for a bucket that is mounted by NFS",
        ),
        ({"protocols": ["NFS", "S3"], "names": {"persistent_volume": "x"}}, "names.persistent_volume needs mount"),
        ({"names": {"data_source": "x"}}, "names.data_source needs mount"),
        ({"names": {"read_policy": "x"}}, "names.read_policy needs read"),
        ({"names": {"write_policy": "x"}}, "names.write_policy needs write"),
    ],
)
def test_what_it_may_not_say_is_refused(says: Said, why: str) -> None:
    with pytest.raises(ValidationError) as refused:
        BUCKET.model.model_validate({**TYPED, **says})
    assert [each["msg"] for each in refused.value.errors()] == [f"Value error, {why}"]


# where keys go


def delivered(to: Said, world: dict[str, Said | None]) -> tuple[Said, list[Any]]:
    """What a key becomes that is delivered there."""
    return made(delivery.OF_S3_KEY, entry("s3_key/k", {"user": "@user/ana", "deliver": to}), world)


TO = {"secret": "ns/s3", "keys": FOR_OTHERS}
TOLD = "access_key and secret_key: delivered to secret ns/s3 as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
MADE = {"user": "@user/ana", "deliver": {"secret": "@secret/ns/s3", "keys": FOR_OTHERS}, "(chosen)": [TOLD]}


@pytest.mark.parametrize(
    ("world", "room"),
    [
        ({}, "@?namespace/ns"), ({"namespace/ns": {}}, "@namespace/ns"), ({"namespace/n": {"name": "ns"}}, "@namespace/n"),
        ({"project/p": {"name": "p", "namespace": "ns"}}, "@?namespace/ns"),
    ],
)  # fmt: skip
def test_a_secret_that_nobody_writes_is_made(world: dict[str, Said | None], room: str) -> None:
    assert delivered(TO, world) == ({"s3_key/k": MADE, "secret/ns/s3": {"name": "s3", "namespace": room}}, [])
    labelled, _ = delivered({**TO, "labels": {"a": "b"}}, world)
    assert labelled == {"s3_key/k": MADE, "secret/ns/s3": {"name": "s3", "namespace": room, "labels": {"a": "b"}}}


def test_in_the_namespace_that_a_project_makes() -> None:
    found, _ = delivered({**TO, "secret": "runai-p/s3"}, {"project/team": {"name": "p"}})
    assert found["secret/runai-p/s3"] == {"name": "s3", "namespace": "@project/team"}


def test_a_secret_of_the_document_is_used_as_it_is() -> None:
    mine: Said = {"name": "s3", "namespace": "@?namespace/ns"}
    written = {**MADE, "deliver": {"secret": "@secret/mine", "keys": FOR_OTHERS}}
    assert delivered({**TO, "labels": {"a": "b"}}, {"secret/mine": mine}) == ({"s3_key/k": written}, [])
    assert delivered(TO, {"secret/mine": {**mine, "data": {"other": "x"}}}) == ({"s3_key/k": written}, [])
    _, wrong = delivered(TO, {"secret/mine": {**mine, "data": dict.fromkeys(FOR_OTHERS.values(), "x")}})
    text = "secret mine already has a value for AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"
    assert wrong == [("VP279", text, "name another key in deliver, or remove it there")]
    _, wrong = delivered(TO, {"secret/mine": {**mine, "immutable": True}})
    text = "secret mine is immutable, and nothing can be delivered into it"
    assert wrong == [("VP279", text, "remove immutable there, or name another Secret")]
    found, _ = delivered(TO, {"secret/mine": {**mine, "namespace": "@?namespace/other"}})
    assert found["s3_key/k"] == MADE


def test_whoever_says_the_object_itself_saw_to_it() -> None:
    to = {"secret": "@secret/ns/s3", "keys": FOR_OTHERS}
    assert delivered(to, {}) == ({"s3_key/k": {"user": "@user/ana", "deliver": to}}, [])
