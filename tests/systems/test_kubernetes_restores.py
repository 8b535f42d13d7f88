"""Which VolumeSnapshot is meant, and what is sent of it."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.kinds.kubernetes import persistent_volume_claim, snapshot_content
from vastplan.model.errors import Refused
from vastplan.schema.endpoint import OfSnapshots
from vastplan.systems.kubernetes import restores
from vastplan.systems.kubernetes.restores import SnapshotChoice

CLAIM, CONTENT = (one.KIND.endpoint.shape for one in (persistent_volume_claim, snapshot_content))
NEWEST = SnapshotChoice("team", "", "data", "")


def row(name: str, made: str | None, *, claim: str = "data", ready: object = True, **metadata: Any) -> dict[str, Any]:
    status = {"readyToUse": ready, **({"creationTime": made} if made else {})}
    return {
        "metadata": {"name": name, "namespace": "team", **metadata},
        "spec": {"source": {"persistentVolumeClaimName": claim}},
        "status": status,
    }


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([row("a", "2027-01-02T00:00:00Z"), row("b", "2027-01-01T00:00:00Z")], "a"),
        (
            [row("a", "2027-01-01T00:00:00Z"), row("b", "2027-01-01T00:00:00Z")],
            "b",
        ),  # at once: by name, always the same
        ([row("a", "2027-01-01T00:00:00Z"), row("b", "2027-01-02T00:00:00Z", ready=False)], "a"),
        ([row("a", "2027-01-01T00:00:00Z"), row("b", "2027-01-02T00:00:00Z", ready="true")], "a"),
        ([row("a", "2027-01-01T00:00:00Z"), row("b", "2027-01-02T00:00:00Z", claim="other")], "a"),
        ([row("a", "2027-01-01T00:00:00Z"), row("b", "2027-01-02T00:00:00Z", deletionTimestamp="x")], "a"),
        ([row("a", "2027-01-01T00:00:00Z"), row("b", None, creationTimestamp="2027-01-02T00:00:00Z")], "b"),
        ([row("a", "2027-01-01T00:00:00Z"), row("b", "no time")], "a"),
    ],
)
def test_the_newest(rows: list[dict[str, Any]], name: str) -> None:
    for listed in (rows, rows[::-1]):
        found = restores.usable(listed, NEWEST)
        assert found is not None and found["metadata"]["name"] == name


def test_what_has_no_time_is_before_none() -> None:
    with pytest.raises(Refused, match=r"no ready VolumeSnapshot from 2027-01-01 or before \(1 exist\)"):
        restores.usable([row("a", "no time")], SnapshotChoice("team", "", "data", "2027-01-01"))


def test_by_name() -> None:
    which = SnapshotChoice("team", "a", "", "")
    assert restores.usable([row("a", None, ready=False)], which) is None
    assert restores.usable([row("b", None), row("a", None)], which) == row("a", None)
    with pytest.raises(Refused, match="namespace team has no VolumeSnapshot a"):
        restores.usable([row("b", None)], which)
    silent = restores.overdue([row("a", None, ready=False)], which, 300)
    assert str(silent) == "VolumeSnapshot team/a is not ready after 300 s; nothing was created from it"
    told = {**row("a", None, ready=False), "status": {"error": {"message": "no\nclass"}}}
    assert str(restores.overdue([told], which, 300)).endswith("nothing was created from it: no class")


def test_by_name_it_is_of_the_claim_that_is_meant() -> None:
    rows = [row("a", None, claim="other\n")]
    assert restores.usable(rows, SnapshotChoice("team", "a", "", "")) == rows[0]
    with pytest.raises(Refused, match="VolumeSnapshot team/a is of claim other, not of data"):
        restores.usable(rows, SnapshotChoice("team", "a", "", "", "data"))
    del rows[0]["spec"]["source"]["persistentVolumeClaimName"]  # of a content: whose it is, it does not say
    assert restores.usable(rows, SnapshotChoice("team", "a", "", "", "data")) == rows[0]


@pytest.mark.parametrize("least", ["10Gi", "9.5Gi", 0, None, "no quantity", {"a": 1}])
def test_a_claim_that_is_as_large(least: object) -> None:
    body = {"spec": {"resources": {"requests": {"storage": "10Gi"}}}}
    snapshot = {**row("a", None), "status": {"restoreSize": least}}
    assert isinstance(CLAIM, OfSnapshots)
    assert restores.claim_body(CLAIM, body, snapshot)["spec"]["dataSource"]["name"] == "a"
    snapshot["status"] = {"restoreSize": "11Gi"}
    with pytest.raises(Refused, match="its size 10Gi is less than that of VolumeSnapshot team/a, 11Gi"):
        restores.claim_body(CLAIM, body, snapshot)


def test_what_is_made_of_no_snapshot() -> None:
    assert isinstance(CLAIM, OfSnapshots)
    for spec in ({}, {"dataSource": {"kind": "PersistentVolumeClaim", "name": "x"}}):
        assert restores.snapshot_choice(CLAIM, {"metadata": {"namespace": "team"}, "spec": spec}) is None


def test_a_content_without_a_handle_is_none() -> None:
    assert isinstance(CONTENT, OfSnapshots)
    original = {**row("a", None), "status": {"boundVolumeSnapshotContentName": "c"}}
    with pytest.raises(Refused, match="VolumeSnapshotContent c has no snapshot handle"):
        restores.of_content(CONTENT, {}, original, {"spec": {"driver": "d"}})
    given = {"spec": {"driver": "d", "source": {"snapshotHandle": "7"}}}
    body: dict[str, Any] = {"spec": {"deletionPolicy": "Retain"}}
    assert restores.of_content(CONTENT, body, original, given) == {
        "metadata": {"annotations": {"vastplan.io/made-of": "team/a"}},
        "spec": {"deletionPolicy": "Retain", "driver": "d", "source": {"snapshotHandle": "7"}},
    }
    assert body == {"spec": {"deletionPolicy": "Retain"}}
