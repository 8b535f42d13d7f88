"""Volumes of a project: what one entry stands for, what it may say, and back."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.compose.short import LEAVE_OUT, Said, back, entry, made, objects_of, pieces, unread, without
from vastplan.document.mistakes import mistakes
from vastplan.kinds.compose.volume import COMPOSITION, VOLUME
from vastplan.model.nearest import closest
from vastplan.schema.recovery import Sight

PROJECT = {"name": "nlp", "tenant": "@tenant/nlp"}
WORLD: dict[str, Said | None] = {
    "tenant/nlp": {}, "project/nlp": PROJECT, "vip_pool/nlp": {"tenant": "@tenant/nlp"},
    "storage_class/fast": {"tenant": "@tenant/nlp", "secret": "@secret/mgmt"},
}  # fmt: skip
MODES = {"access_modes": ["ReadWriteMany"]}
OF_CLASS = {"project": "@project/nlp", "storage_class": "@storage_class/fast", "size": 10, **MODES}
HOME = {"project": "@project/nlp", "tenant": "@tenant/nlp", "path": "/nlp/data", "size": 10, **MODES}
VIEW = {
    "tenant": "@tenant/nlp",
    "path": "/nlp/data",
    "protocols": ["NFS"],
    "create_dir": True,
    "quota": {"hard_limit": 10},
}
STATIC = {
    "name": "nlp-data", "size": 10, **MODES, "reclaim_policy": "Retain", "claim_namespace": "@project/nlp", "claim_name": "data",
    "driver": "csi.vastdata.com", "volume_handle": "/nlp/data", "vip_pool": "@vip_pool/nlp",
    "volume_attributes": {"static_pv_create_views": "no", "static_pv_create_quotas": "no"}, "volume_mode": "Filesystem",
    "secret": "@secret/mgmt",
}  # fmt: skip
BOUND = {
    "name": "data", "namespace": "@project/nlp", **MODES, "storage_class": None, "volume": "@persistent_volume/nlp-data",
    "nominal_size": 10, "(after)": ["project/nlp"],
}  # fmt: skip
SOURCE = {
    "name": "data",
    "project": "@project/nlp",
    "mount": "/data",
    "claim": "@persistent_volume_claim/data",
    "existing_claim": True,
}
MADE: dict[str, Said] = {
    "view/data": VIEW,
    "persistent_volume/nlp-data": {**STATIC, "(after)": ["view/data"]},
    "persistent_volume_claim/data": BOUND,
}


def volume(says: Said, world: dict[str, Any] | None = None) -> tuple[Said, list[Any]]:
    """What a volume called `data` is composed to, and what is wrong."""
    return made(COMPOSITION, entry("volume/data", says), {**WORLD, **(world or {})})


def test_where_all_classes_of_the_tenant_go_by_a_dns_name_a_static_volume_does() -> None:
    by_name = {"tenant": "@tenant/nlp", "secret": "@secret/mgmt", "vip_pool_fqdn": "a.example.com"}
    static, _ = volume(HOME, {"storage_class/fast": by_name})
    attributes = {"static_pv_create_views": "no", "static_pv_create_quotas": "no", "vip_pool_fqdn": "a.example.com"}
    assert static["persistent_volume/nlp-data"] == {
        **without(STATIC, "vip_pool"), "volume_attributes": attributes, "(after)": ["view/data"],
    }  # fmt: skip
    written, _ = volume({**HOME, "vip_pool": "@vip_pool/nlp"}, {"storage_class/fast": by_name})
    assert written == MADE
    mixed, _ = volume(HOME, {"storage_class/fast": by_name, "storage_class/slow": WORLD["storage_class/fast"]})
    assert mixed == MADE


OF_USERS = {
    "is_user_quota": True, "default_user_quota": {"hard_limit": 2}, "default_group_quota": {"soft_limit": 3},
    "user_quotas": [{"user": "ana", "hard_limit": 4}], "group_quotas": [{"gid": 7, "hard_limit": 5}],
}  # fmt: skip


TYPED_OF_USERS = {
    "is_user_quota": True, "default_user_quota": {"hard_limit": "2 B"}, "default_group_quota": {"soft_limit": "3 B"},
    "user_quotas": [{"user": "ana", "hard_limit": "4 B"}], "group_quotas": [{"gid": 7, "hard_limit": "5 B"}],
}  # fmt: skip


def test_quotas_of_users_are_of_the_quota_of_its_directory() -> None:
    found, wrong = volume({**HOME, **OF_USERS})
    assert found["view/data"]["quota"] == {"hard_limit": 10, **OF_USERS} and not wrong
    for name in OF_USERS:
        with pytest.raises(ValidationError, match=f"{name} is for volumes with a path"):
            VOLUME.model.model_validate({"storage_class": "fast", "size": "1 B", name: TYPED_OF_USERS[name]})


def test_soft_limits_and_notices_are_of_the_quota_of_its_directory_and_come_back() -> None:
    beside = {"soft_limit": 9, "soft_limit_inodes": 4, "grace_period": "7d", "is_physical_quota": True,
              "default_email": "a@example.com", "enable_alarms": False, "enable_email_providers": True}  # fmt: skip
    found, wrong = volume({**HOME, "quota": beside})
    assert found["view/data"]["quota"] == {"hard_limit": 10, **beside} and not wrong
    (once_more,) = together(home({**HOME, "quota": beside}))
    assert once_more["says"]["quota"] == beside
    for says, why in (
        ({"storage_class": "fast"}, "quota is for volumes with a path"),
        ({"path": "/d", "max_inodes": 3}, "lower soft_limit_inodes or raise max_inodes"),
    ):
        with pytest.raises(ValidationError, match=why):
            VOLUME.model.model_validate({**says, "size": "1 TiB", "quota": {"soft_limit_inodes": 4}})


def test_a_volume_of_a_class_is_a_claim() -> None:
    claim = {"name": "data", "namespace": "@project/nlp", **without(OF_CLASS, "project"), "(after)": ["project/nlp"]}
    assert volume(OF_CLASS) == ({"persistent_volume_claim/data": claim}, [])
    found, _ = volume({**OF_CLASS, "volume_mode": "Block"})
    assert found == {"persistent_volume_claim/data": {**claim, "volume_mode": "Block"}}


def test_a_volume_with_a_path_is_a_directory_and_what_binds_a_claim_to_it() -> None:
    assert volume(HOME) == (MADE, [])


@pytest.mark.parametrize("of", [OF_CLASS, HOME])
def test_what_is_mounted_is_a_data_source_too(of: Said) -> None:
    bare, _ = volume(of)
    assert volume({**of, "mount": "/data"}) == ({**bare, "data_source/data": SOURCE}, [])
    found, _ = volume({**of, "mount": "/data", "description": "of a team"})
    assert found == {**bare, "data_source/data": {**SOURCE, "description": "of a team"}}


MORE = {
    "view_policy": "@view_policy/p", "qos": {"limit_by": "BW"}, "qos_policy": "@qos_policy/q", "snapshots": "@protection_policy/s",
}  # fmt: skip


def test_what_it_says_of_its_directory_its_view_says() -> None:
    found, _ = volume({**HOME, **MORE, "protocols": ["NFS", "SMB"], "share": "nlp", "max_inodes": 7})
    limits = {"hard_limit": 10, "hard_limit_inodes": 7}
    assert found["view/data"] == {**VIEW, **MORE, "protocols": ["NFS", "SMB"], "share": "nlp", "quota": limits}
    assert found["persistent_volume/nlp-data"] == MADE["persistent_volume/nlp-data"]


BY_S3: Said = {"protocols": ["NFS", "S3"], "bucket": "nlp-data"}


def test_the_owner_of_its_bucket_is_called_as_vms_calls_him() -> None:
    def owner(says: str, **user: Any) -> Any:
        found, _ = volume({**HOME, **BY_S3, "bucket_owner": says}, {"user/ana": {"tenant": "@tenant/nlp", **user}})
        return found["view/data"]["bucket_owner"]

    assert owner("@user/ana") == "ana" and owner("@user/ana", name="ana.k") == "ana.k"
    assert owner("@?user/CORP\\ana") == "CORP\\ana"


def test_what_it_says_of_its_volume_that_says() -> None:
    more = {"vip_pool": "@vip_pool/other", "mount_options": ["nconnect=8"], "access_modes": ["ReadOnlyMany"]}
    found, wrong = volume({**HOME, **more, "secret": "@secret/own"})
    expected = {**MADE["persistent_volume/nlp-data"], **more, "secret": "@secret/own"}
    assert found["persistent_volume/nlp-data"] == expected and not wrong
    assert found["persistent_volume_claim/data"]["access_modes"] == ["ReadOnlyMany"]
    purposes = {"node_publish": "@secret/own"}
    found, wrong = volume({**HOME, "secrets": purposes}, {"storage_class/fast": None})
    assert found["persistent_volume/nlp-data"] == {
        **without(MADE["persistent_volume/nlp-data"], "secret"),
        "secrets": purposes,
    }
    assert not wrong


def test_its_project_and_its_tenant_follow_from_each_other() -> None:
    found, wrong = volume(without(HOME, "project"))
    claim = {**BOUND, "(chosen)": ["project nlp, the only one of tenant nlp"]}
    assert (found, wrong) == ({**MADE, "persistent_volume_claim/data": claim}, [])
    assert volume(without(HOME, "tenant")) == (MADE, [])
    assert volume(without(HOME, "project"), {"project/nlp": None}) == (
        {}, [("VP232", "project is left out, and tenant nlp has none", "write project: NAME")],
    )  # fmt: skip


@pytest.mark.parametrize("project", [{"name": "nlp"}, {"name": "nlp", "tenant": "nlp"}, None])
def test_a_directory_of_no_tenant_is_refused(project: Said | None) -> None:
    wrong = ("VP238", "a volume with a path needs a tenant", "write tenant: NAME, or a project that has a tenant")
    assert volume(without(HOME, "tenant"), {"project/nlp": project}) == ({}, [wrong])


def test_its_secret_is_that_of_the_classes_of_its_tenant_where_they_agree() -> None:
    text = "secret is missing, and no class of tenant nlp names one"
    refused = [("VP239", text, "write secret: NAME")]
    second = {"tenant": "@tenant/nlp", "secret": "@secret/mgmt"}
    assert volume(HOME, {"storage_class/second": second}) == (MADE, [])
    assert volume(HOME, {"storage_class/second": {"tenant": "@tenant/nlp"}}) == (MADE, [])
    _, wrong = volume(HOME, {"storage_class/second": {**second, "secret": "@secret/other"}})
    assert wrong == [("VP239", "secret is missing, and tenant nlp uses mgmt and other", "write secret: NAME")]
    _, wrong = volume(HOME, {"storage_class/fast": None})
    assert wrong == refused
    _, wrong = volume({**HOME, "secret": "@secret/own"}, {"storage_class/fast": None})
    assert wrong == []
    _, wrong = volume(HOME, {"vip_pool/nlp": None})
    assert wrong == [("VP232", "vip_pool is left out, and tenant nlp has none", "write vip_pool: NAME")]


def test_its_objects_are_called_as_it_is() -> None:
    found, _ = volume({**HOME, "name": "claim", "mount": "/data"}, {"project/nlp": {**PROJECT, "name": "language"}})
    assert {one: says["name"] for one, says in found.items() if "name" in says} == {
        "persistent_volume/nlp-data": "language-claim", "persistent_volume_claim/data": "claim", "data_source/data": "claim",
    }  # fmt: skip
    kept = {one for one, says in found.items() if says.get("(defaults)") == ["name"]}
    assert kept == {"view/data", "persistent_volume/nlp-data"}
    assert found["persistent_volume/nlp-data"]["claim_name"] == "claim"
    strange, _ = volume({**HOME, "project": "@?project/strange"})
    assert strange["persistent_volume/strange-data"]["name"] == "strange-data"


NAMES = {"persistent_volume": "pv", "data_source": "src", "quota": "q", "protected_path": "p", "qos_policy": "s"}


def test_or_as_it_says() -> None:
    found, _ = volume({**HOME, "name": "claim", "mount": "/data", "names": NAMES})
    assert (
        found["persistent_volume/nlp-data"]["name"] == "pv" and "(defaults)" not in found["persistent_volume/nlp-data"]
    )
    assert found["data_source/data"]["name"] == "src"
    assert found["view/data"]["names"] == {"quota": "q", "protected_path": "p", "qos_policy": "s"}
    assert "names" not in volume({**HOME, "names": {"persistent_volume": "pv"}})[0]["view/data"]


# what may be written

TYPED = {"path": "/nlp/data", "size": "1 TiB"}
CLAIMED = {"storage_class": "fast", "size": "1 TiB"}


@pytest.mark.parametrize(
    "says",
    [
        TYPED,
        CLAIMED,
        {
            **CLAIMED,
            "volume_mode": "Block",
            "mount": "/data/in",
            "description": "text",
            "project": "p",
            "tenant": "t",
            "name": "n",
        },
        {
            **TYPED,
            "volume_mode": "Filesystem",
            "secret": "s",
            "protocols": ["NFS", "NFS4", "SMB", "S3"],
            "share": "nlp-data",
            "bucket": "nlp-data",
            "bucket_owner": "nlp",
            "max_inodes": 1,
        },
        {**TYPED, "protocols": ["NFS", "S3"], "bucket": "b", "bucket_owner": {"existing": "CORP\\ana"}},
        {**TYPED, "secrets": {"node_publish": "a/b"}, "mount_options": ["x"], "vip_pool": "v", "view_policy": "v"},
        {**TYPED, "qos_policy": "q", "snapshots": "s", "mount": "/m", "qos": {"limit_by": "BW"}, "names": NAMES},
        {**TYPED, "path": "/" + "x" * 1023},
        *({**TYPED, "path": path} for path in ("/.a", "/..a", "/...", "/a.", "/a..", "/.a/..b/...", "/a b/.c")),
        *(
            {**CLAIMED, "access_modes": [mode]}
            for mode in ("ReadWriteMany", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod")
        ),
        {**CLAIMED, "names": {"data_source": "d"}, "mount": "/m"},
    ],
)
def test_what_a_volume_may_say(says: Said) -> None:
    typed = VOLUME.model.model_validate(says)
    assert typed.model_dump(include={"access_modes"}) == {"access_modes": says.get("access_modes", ["ReadWriteMany"])}


A_PATH = "a path: it starts with /, does not end with /, and has no //, ., .. or control characters"
EITHER = (
    "path; write one of them: storage_class (the CSI driver provisions it) or path (a directory that vastplan owns)"
)


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ({"size": "1 TiB"}, f"has neither storage_class nor {EITHER}"),
        ({**TYPED, **CLAIMED}, f"has both storage_class and {EITHER}"),
        *(
            ({**CLAIMED, name: what}, f"{name} is for volumes with a path; the class decides it for a provisioned volume")
            for name, what in {
                "view_policy": "v", "vip_pool": "v", "secret": "s", "secrets": {}, "protocols": ["NFS"], "qos": {"limit_by": "BW"},
                "qos_policy": "q", "max_inodes": 1, "mount_options": ["x"], "bucket": "b", "bucket_owner": "o", "share": "s",
            }.items()
        ),
        *(
            (
                {**CLAIMED, **mode, "snapshots": "s"},
                "a schedule of snapshots is for volumes with a path; for a snapshot of a volume of a class, a block device too, "
                "write snapshots: {NAME: {volume: VOLUME}} at the top of the document",
            )
            for mode in ({}, {"volume_mode": "Block"})
        ),
        *(
            ({**TYPED, **says}, "protocol S3, bucket and bucket_owner go together")
            for says in (
                {"protocols": ["NFS", "S3"]}, {"protocols": ["NFS", "S3"], "bucket": "b"}, {"bucket": "b", "bucket_owner": "o"},
                {"protocols": ["NFS", "S3"], "bucket_owner": "o"}, {"protocols": ["NFS"], "bucket": "b", "bucket_owner": "o"},
            )
        ),
        ({**TYPED, "volume_mode": "Block"}, "a volume with a path is a file system"),
        ({**TYPED, "secret": "s", "secrets": {"node_publish": "a/b"}}, "give either secret (for all purposes) or secrets"),
        *(
            ({**(CLAIMED if needed == "path" else TYPED), "names": {name: "x"}}, f"names.{name} is for volumes with {needed}")
            for name, needed in {
                "persistent_volume": "path", "quota": "path", "data_source": "mount", "protected_path": "snapshots",
                "qos_policy": "qos",
            }.items()
        ),
        ({**TYPED, "access_modes": []}, "is empty; write at least 1 item"),
        ({**TYPED, "max_inodes": 0}, "is too small; write 1 or more"),
        ({**TYPED, "path": "/" + "x" * 1024}, f"is longer than 1024 characters; write {A_PATH}"),
        *(({**TYPED, "path": path}, f"{path!r} is not {A_PATH}") for path in ("/", "/..", "/t/..", "/a\n")),
        *(
            ({**TYPED, "path": path}, f"{path!r} is not {A_PATH}; write {meant}")
            for path, meant in {"/a/": "/a", "//a": "/a", "/a//b": "/a/b", "/t/../u": "/u", "/t/./u": "/t/u", "/t/.": "/t"}.items()
        ),
        ({**TYPED, "size": 0}, "is too small; write more than 0"),
        ({**CLAIMED, "size": 0}, "is too small; write more than 0"),
        ({**TYPED, "size": -5}, "is too small; write more than 0"),
        ({**TYPED, "protocols": ["NFS", "SMB"]}, "protocol SMB needs share"),
        ({**TYPED, "path": "nlp"}, f"'nlp' is not {A_PATH}; write /nlp"),
        ({**TYPED, "path": ""}, f"is empty; write {A_PATH}"),
        ({**TYPED, "names": {"view": "x"}}, "unknown key view"),
        (
            {**TYPED, "names": {"persistent_volume": "Not Kubernetes"}},
            "'Not Kubernetes' is not a name in Kubernetes: lowercase letters and digits, with - and . between them",
        ),
    ],
)  # fmt: skip
def test_what_it_may_not_say_is_refused(says: Said, why: str) -> None:
    with pytest.raises(ValidationError) as refused:
        VOLUME.model.model_validate(says)
    told = mistakes(VOLUME.model, says, refused.value, closest)
    assert [one.text for one in told] == [why]


@pytest.mark.parametrize(
    ("says", "systems"),
    [({}, {"kubernetes"}), ({"path": "/a"}, {"kubernetes", "vast"}), ({"mount": "/a"}, {"kubernetes", "runai"})],
)
def test_a_site_needs_the_systems_that_it_is_in(says: Said, systems: set[str]) -> None:
    assert VOLUME.systems(says) == systems
    assert (VOLUME.name, VOLUME.section, VOLUME.within_tenant) == ("volume", "volumes", True)


# and back

IN_PROJECT = "@?namespace/runai-nlp"


def together(objects: Said, world: dict[str, Any] | None = None, **more: Any) -> list[Said]:
    """What objects are put together to, in this world."""
    return back(COMPOSITION, pieces(objects_of(objects, WORLD, world or {}), **more))


def home(says: Said, world: dict[str, Any] | None = None) -> Said:
    """The objects of a volume as the ways back before this one leave them: the quota in its view, the claim in a namespace."""
    found, _ = volume(says, world)
    found["view/data"] = without(found["view/data"], "create_dir")
    found["persistent_volume_claim/data"]["namespace"] = IN_PROJECT
    return found


NAMELESS = {
    "vip_pool": "@vip_pool/nlp",
    "secret": "@secret/mgmt",
}  # what follows from the tenant is said, and left out later
PARTS = ["persistent_volume_claim/data", "persistent_volume/nlp-data", "view/data"]


def written(says: Said, *parts: str) -> Said:
    """An answer of a volume."""
    return {"entry": "volume/data", "says": says, "of": list(parts)}


def test_the_owner_of_its_bucket_is_a_user_of_its_tenants_provider_again() -> None:
    world: Said = {
        "tenant/nlp": {"local_provider": "@local_provider/a"},
        "user/ana": {"tenant": "@tenant/nlp", "uid": 7},
    }
    says = {**HOME, **BY_S3, "bucket_owner": "@user/ana"}
    assert together(home(says, world), world) == [written({**says, **NAMELESS}, *PARTS)]


@pytest.mark.parametrize(
    "more",
    [
        {},
        MORE,
        {"max_inodes": 7},
        OF_USERS,
        {"protocols": ["NFS", "S3"], "bucket": "nlp-data", "bucket_owner": "@?user/CORP\\nlp"},
        {"protocols": ["NFS", "SMB"], "share": "nlp-data"},
        {"access_modes": ["ReadOnlyMany"]},
        {"mount_options": ["x"]},
        {"name": "claim"},
        {"names": {"quota": "q", "protected_path": "p"}},
        {"names": {"persistent_volume": "pv"}},
        {"names": {"persistent_volume": "pv", "quota": "q"}},
    ],
)
def test_a_directory_and_its_claim_are_one_entry_again(more: Said) -> None:
    says = {**HOME, **more}
    expected = written({**says, **NAMELESS}, *PARTS)
    assert together(home(says)) == [expected]
    mounted = home({**says, "mount": "/data", "description": "text"})
    with_mount = written({**says, **NAMELESS, "mount": "/data", "description": "text"}, *PARTS, "data_source/data")
    assert together(mounted) == [with_mount, expected]
    mounted = home({**says, "mount": "/data"})
    mounted["data_source/data"]["name"] = "src"
    called = {"names": {**more.get("names", {}), "data_source": "src"}}
    with_name = written({**says, **NAMELESS, "mount": "/data", **called}, *PARTS, "data_source/data")
    assert together(mounted) == [with_name, expected]


def test_a_directory_that_says_no_protocols_is_for_nfs() -> None:
    objects = home(HOME)
    objects["view/data"] = without(objects["view/data"], "protocols")
    assert together(objects) == [written({**HOME, **NAMELESS}, *PARTS)]


def test_secrets_by_purpose_are_written_so() -> None:
    purposes = {"node_publish": "@secret/own"}
    [found] = together(home({**HOME, "secrets": purposes}))
    assert found["says"] == {**HOME, "vip_pool": "@vip_pool/nlp", "secrets": purposes}


@pytest.mark.parametrize(
    "changed",
    [
        {"persistent_volume_claim/data": {**BOUND, "namespace": IN_PROJECT, "volume": "@?persistent_volume/strange"}},
        {"persistent_volume_claim/data": {**BOUND, "namespace": IN_PROJECT, "volume": "nlp-data"}},
        {"persistent_volume/nlp-data": {**STATIC, "vip_pool": "10.1.1.1"}},
        {"persistent_volume/nlp-data": {**STATIC, "vip_pool": "@?vip_pool/strange"}},
        {"persistent_volume/nlp-data": {**STATIC, "volume_handle": "/nlp/other"}},
        {"persistent_volume/nlp-data": None},
        {"vip_pool/nlp": {"tenant": "@tenant/cv"}},
        {"vip_pool/nlp": {}},
        {"view/data": None},
        {"view/data": {**VIEW, "create_dir": LEAVE_OUT, "alias": "/data"}},
        {"view/data": {**VIEW, "create_dir": LEAVE_OUT, "name": "another"}},
        {"view/data": {**VIEW, "create_dir": LEAVE_OUT, "quota": LEAVE_OUT}},
        {"view/data": {**VIEW, "create_dir": LEAVE_OUT, "quota": {"soft_limit": 9}}},
        {"view/second": {**VIEW, "create_dir": LEAVE_OUT}},
    ],
)
def test_what_says_more_than_a_volume_can_stays_apart(changed: dict[str, Any]) -> None:
    assert together(home(HOME), changed) == []


def test_one_that_stays_apart_hides_no_other() -> None:
    objects = {
        **home(HOME),
        "view/data": {"path": "/other"},
        "persistent_volume_claim/next": {**OWN_CLAIM, "name": "next"},
    }
    [found] = together(objects)
    assert found["of"] == ["persistent_volume_claim/next"]


def test_it_is_called_as_its_view_where_no_other_claim_is() -> None:
    objects = home(HOME)
    objects["view/other"] = objects.pop("view/data")
    parts = ["persistent_volume_claim/data", "persistent_volume/nlp-data", "view/other"]
    [found] = together(objects)
    assert found == {**written({**HOME, **NAMELESS, "name": "data"}, *parts), "entry": "volume/other"}
    objects["persistent_volume_claim/other"] = {**OWN_CLAIM, "name": "other"}
    [found] = together(objects)
    assert found["entry"] == "volume/other" and found["of"] == ["persistent_volume_claim/other"]


def test_what_the_document_has_is_no_part_of_a_volume() -> None:
    objects = home(HOME)
    static = without(objects.pop("persistent_volume/nlp-data"), "(after)")
    assert together(objects, known={"persistent_volume/nlp-data": static}) == []


OWN_CLAIM = {"name": "data", "namespace": IN_PROJECT, **without(OF_CLASS, "project")}


@pytest.mark.parametrize("namespace", ["@namespace/n", "@?namespace/runai-nlp", "runai-nlp"])
def test_a_claim_in_the_namespace_of_a_project_is_its_volume(namespace: str) -> None:
    objects = {"persistent_volume_claim/data": {**OWN_CLAIM, "namespace": namespace}, "namespace/n": {"name": "runai-nlp"},
               "project/nlp": {"tenant": "@tenant/cv"}}  # fmt: skip
    found = together({}, objects, full={"project/nlp": {"name": "nlp"}})
    assert found == [written(OF_CLASS, "persistent_volume_claim/data")]


def test_a_claim_says_its_tenant_where_its_project_and_its_class_are_in_one() -> None:
    claim = {"persistent_volume_claim/data": OWN_CLAIM}
    [found] = together(claim)
    assert found == written({**OF_CLASS, "tenant": "@tenant/nlp"}, "persistent_volume_claim/data")
    for says in ({"tenant": "@tenant/cv"}, {}, None):
        [found] = together(claim, {"storage_class/fast": says})
        assert found == written(OF_CLASS, "persistent_volume_claim/data")
    [found] = together(claim, {"project/nlp": {"name": "nlp"}, "storage_class/fast": {}})
    assert found == written(OF_CLASS, "persistent_volume_claim/data")


NO_TENANT = {"project/nlp": {"name": "nlp"}}


def test_what_a_claim_need_not_say_is_not_said() -> None:
    claim = {"namespace": IN_PROJECT, "storage_class": "@storage_class/fast", "volume_mode": "Block", "name": "other"}
    [found] = together({"persistent_volume_claim/data": claim}, NO_TENANT)
    expected = {
        "project": "@project/nlp",
        "name": "other",
        "storage_class": "@storage_class/fast",
        "volume_mode": "Block",
        **MODES,
    }
    assert found["says"] == expected


def test_what_is_mounted_twice_is_two_data_sources() -> None:
    objects: Said = {
        "persistent_volume_claim/data": OWN_CLAIM,
        "data_source/data": SOURCE,
        "data_source/second": SOURCE,
    }
    assert [one["of"] for one in together(objects, NO_TENANT)] == [["persistent_volume_claim/data"]]
    for elsewhere in ({"project": "@project/other"}, {"claim": "@persistent_volume_claim/other"}):
        objects["data_source/second"] = {**SOURCE, **elsewhere}
        mounted = together(objects, NO_TENANT)[0]
        assert mounted["says"] == {**OF_CLASS, "mount": "/data"}
        assert mounted["of"] == ["persistent_volume_claim/data", "data_source/data"]


def test_a_claim_of_no_project_is_nobodys_volume() -> None:
    stray = {
        "persistent_volume_claim/x": {**OWN_CLAIM, "namespace": "@?namespace/web"},
        "persistent_volume_claim/data": OWN_CLAIM,
    }
    why = "its namespace belongs to no project, and a volume needs a project"
    left = {"left": "persistent_volume_claim/x", "why": why, "fix": "give the namespace a project", "unasked": True}
    found = written(OF_CLASS, "persistent_volume_claim/data")
    assert together(stray, NO_TENANT) == [left, found]
    for kind in ("project", "namespace"):  # then nobody knows whose it is
        assert together(stray, NO_TENANT, sight=Sight(unread=unread(kind))) == [found]


def test_projects_of_the_document_have_volumes_too() -> None:
    claim = {"persistent_volume_claim/data": {**OWN_CLAIM, "namespace": "runai-nlp"}, "project/nlp": None}
    assert together({}, claim, known={"project/nlp": PROJECT}) == [
        written({**OF_CLASS, "tenant": "@tenant/nlp"}, "persistent_volume_claim/data")
    ]


STANDS_ON = [
    "persistent_volume_claim",
    "project",
    "department",
    "namespace",
    "view",
    "view_policy",
    "qos_policy",
    "quota",
]


@pytest.mark.parametrize("kind", STANDS_ON)
def test_a_directory_waits_for_what_cannot_be_read(kind: str) -> None:
    directory: dict[str, Any] = {
        "quota/q": {"tenant": "@tenant/nlp", "path": "/nlp/data"},
        "protected_path/p": {"tenant": "@tenant/nlp", "source_dir": "/nlp/data"},
        "quota/of-another": {"tenant": "@tenant/cv", "path": "/nlp/data"},
        "view/of-another": {"tenant": "@tenant/cv", "path": "/nlp/data"},
        "protected_path/of-another": {"tenant": "@tenant/nlp", "source_dir": "/nlp"},
        "persistent_volume/odd": {**STATIC, "vip_pool": "10.1.1.1"},
        "persistent_volume/of-nobody": {**STATIC, "vip_pool": "@?vip_pool/strange"},
    }
    objects = objects_of(home(HOME), WORLD, directory)
    found = back(COMPOSITION, pieces(objects, sight=Sight(unread=unread(kind))))
    waiting = [
        "persistent_volume/nlp-data",
        "view/data",
        "quota/q",
        "protected_path/p",
        "persistent_volume/odd",
        "persistent_volume/of-nobody",
    ]
    assert [one for one in found if "left" in one] == [{"left": one, "unread": kind} for one in waiting]
    others = back(COMPOSITION, pieces(objects, sight=Sight(unread=unread("snapshot_class"))))
    assert [one for one in others if "left" in one] == []
