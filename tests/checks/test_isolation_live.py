"""Which live objects the proof of isolation follows, and under which address."""

from typing import Any

from vastplan.checks.isolation.live import followed, live_namespace
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def live(kind: str, name: str, id: str = "7", **values: Any) -> tuple[Entry, str]:
    return Entry(Address("iad", kind, name), values), id


def names(*objects: tuple[Entry, str]) -> list[str]:
    return [f"{entry.address.kind}/{entry.address.name}" for entry in followed(objects)]


def test_the_namespace_is_the_one_that_the_system_says_or_makes() -> None:
    assert live_namespace("team", {"namespace": "theirs"}) == "theirs"
    assert live_namespace("team", {}) == live_namespace("team", {"namespace": ""}) == "runai-team"


def test_classes_of_other_drivers_and_their_claims_lead_nowhere() -> None:
    classes = (
        live("storage_class", "files", driver="file"), live("storage_class", "blocks", driver="block"),
        live("storage_class", "other", driver="ebs"), live("storage_class", "unsaid"), live("vip_pool", "files"),
        live("view", "v", storage_class="other"),
    )  # fmt: skip
    claims = (
        live("persistent_volume_claim", "a", storage_class="files"),
        live("persistent_volume_claim", "b", storage_class=Ref(Address("iad", "storage_class", "blocks"))),
        live("persistent_volume_claim", "c", storage_class=Ref(Address("iad", "storage_class", "other"))),
        live("persistent_volume_claim", "d", storage_class="unsaid"),
        live("persistent_volume_claim", "e"),
    )
    kept = ["storage_class/files", "storage_class/blocks", "vip_pool/files", "view/v"]
    kept += ["persistent_volume_claim/a", "persistent_volume_claim/b", "persistent_volume_claim/e"]
    assert names(*classes, *claims) == kept


def test_only_volumes_of_a_directory_are_followed() -> None:
    volumes = (
        live("persistent_volume", "provisioned", volume_handle="csi:pvc-1"),
        live("persistent_volume", "ours", volume_handle="/team/data"),
        live("persistent_volume", "unsaid"),
    )
    assert names(*volumes) == ["persistent_volume/ours"]


def test_no_two_stand_under_one_address_and_what_is_left_out_takes_none() -> None:
    objects = (
        live("storage_class", "other", driver="ebs"),
        live("persistent_volume_claim", "data", "1", storage_class="other"),
        live("persistent_volume_claim", "data", "2"),
        live("persistent_volume_claim", "data", "3"),
        live("view", "data", "2"),
    )
    kept = ["persistent_volume_claim/data", "persistent_volume_claim/data (id 3)", "view/data"]
    assert names(*objects) == kept


def test_claims_without_a_class_share_none() -> None:
    claims = [live("persistent_volume_claim", name, storage_class="", volume=name) for name in "ab"]
    assert [entry.values for entry in followed(claims)] == [{"storage_class": None, "volume": name} for name in "ab"]
