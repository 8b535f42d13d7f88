"""What compositions say of themselves, by which an import and its report go: whose they are, what they make and choose, and their order."""

from __future__ import annotations

from vastplan.kinds.compose import (
    access,
    bucket,
    isolation,
    local_provider,
    peering,
    protected_path,
    schedule,
    view_parts,
    volume,
    volume_snapshot,
)
from vastplan.kinds.kubernetes import (
    admission_binding,
    admission_policy,
    bound_snapshot,
    claim_snapshot,
    persistent_volume,
    persistent_volume_claim,
    snapshot_content,
)
from vastplan.kinds.kubernetes import resource_quota as quota_of_a_namespace
from vastplan.kinds.runai import access_key_credential, access_rule, data_source, department, project, s3_data_source
from vastplan.kinds.vast import (
    clone,
    group,
    group_right,
    protection_policy,
    qos_policy,
    quota,
    replication_peer,
    s3_key,
    s3_policy,
    snapshot,
    user,
    view,
)
from vastplan.kinds.vast import protected_path as path_of_a_view

WHOLE = {
    "project": access.OF_PROJECT, "department": access.OF_DEPARTMENT, "access_rule": access.OF_RULE, "peering": peering.COMPOSITION,
    "storage_class": isolation.COMPOSITION, "protected_path": protected_path.COMPOSITION, "view": view_parts.COMPOSITION,
    "protection_policy": schedule.COMPOSITION, "volume": volume.COMPOSITION,
    "volume_snapshot": volume_snapshot.COMPOSITION, "bucket": bucket.COMPOSITION,
    "user": local_provider.OF_USER, "group": local_provider.OF_GROUP,
}  # fmt: skip
MADE = {
    "storage_class": (admission_binding, admission_policy, quota_of_a_namespace),
    "peering": (replication_peer,),
    "view": (quota, path_of_a_view, qos_policy),
    "volume": (
        persistent_volume,
        persistent_volume_claim,
        view,
        data_source,
        clone,
        snapshot_content,
        bound_snapshot,
    ),
    "volume_snapshot": (snapshot, claim_snapshot),
    "bucket": (
        view,
        s3_policy,
        group_right,
        s3_key,
        access_key_credential,
        s3_data_source,
        persistent_volume,
        persistent_volume_claim,
    ),
    "user": (user,),
    "group": (group,),
    "project": (access_rule,),
    "department": (access_rule,),
    "protection_policy": (protection_policy,),
    "access_rule": (project, department),
    "protected_path": (path_of_a_view,),
}


def test_what_only_a_composition_makes_is_read_for_an_import() -> None:
    for of, composition in WHOLE.items():
        assert composition.of == of
        assert composition.creates == {module.KIND.name for module in MADE[of] if not module.KIND.section}, of


def test_what_stands_inside_others_is_put_together_first() -> None:
    rank = {of: composition.rank for of, composition in WHOLE.items()}
    # a schedule names a link, a path and a view a schedule; a class is in the tenant of projects, a volume of both and of a view
    assert rank["peering"] < rank["protection_policy"] < min(rank["protected_path"], rank["view"])
    assert max(rank["project"], rank["department"]) < rank["storage_class"] < rank["volume"]
    # a bucket is a view that is no volume's, and whom it names has no policy of his own then
    assert rank["view"] < rank["volume"] < rank["bucket"] < rank["user"]
    assert (
        rank["user"] < rank["group"]
    )  # a user is in the groups of his provider, which a group that is put together does not say


def test_of_a_class_only_what_closes_it_may_be_missing() -> None:
    closing = {admission_policy.KIND.name, admission_binding.KIND.name}
    assert {of: set(composition.adds) for of, composition in WHOLE.items() if composition.adds} == {
        "storage_class": closing
    }


def test_what_an_entry_may_leave_out_to_a_composition() -> None:
    chooses = {of: set(composition.chooses) for of, composition in WHOLE.items() if composition.chooses}
    assert chooses == {
        "storage_class": {"vip_pool", "view_policy", "secret"},
        "view": {"view_policy"},
        "bucket": {"view_policy", "path"},
        "volume": {"project", "view_policy", "vip_pool", "secret"},
    }
    claim = persistent_volume_claim.KIND.name
    implied = {of: set(composition.implied) for of, composition in WHOLE.items() if composition.implied}
    assert implied == {"volume": {(claim, "volume"), (claim, "size")}}
    for of, composition in WHOLE.items():
        assert composition.recover is not None or of in (
            "access_rule",
            "volume_snapshot",
        )  # why a snapshot was made, it does not say


def test_what_follows_from_names_only_buckets_can_write() -> None:
    assert [of for of, composition in WHOLE.items() if composition.keeps is not None] == ["bucket"]
