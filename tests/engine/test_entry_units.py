"""What one entry of the document composes is changed together or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from tests.restoring.scene import SECTIONS
from vastplan.engine.live.consent import Approval, Consent
from vastplan.model.plan import Action

TIB = 2**40
PARTS = {  # what an approval names
    "quota": "home",
    "view": "home",
    "protected_path": "home",
    "persistent_volume": "team-home",
    "persistent_volume_claim": "home",
    "data_source": "home",
}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(SECTIONS)
        lab.converge()
        yield lab


def write_volume(lab: Lab, home: dict[str, Any] | None) -> None:
    """The document with other settings of the volume `home`, or without it."""
    tenant = SECTIONS["tenants"]["team"]
    volumes = {name: volume for name, volume in tenant["volumes"].items() if name != "home"}
    kept = {} if home is None else {"home": {**tenant["volumes"]["home"], **home}}
    lab.write({**SECTIONS, "tenants": {"team": {**tenant, "volumes": {**kept, **volumes}}}})


def guards(actions: tuple[Action, ...]) -> dict[str, str]:
    """The guard that blocks each part of the volume, "" for none."""
    return {
        action.address.kind: action.blocked[0].guard if action.blocked else ""
        for action in actions
        if action.address.name in ("home", "team-home")
    }


def test_a_size_below_what_is_used_changes_nothing_of_the_volume(lab: Lab) -> None:
    tenant = next(row for row in lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/") if row["name"] == "team")
    lab.world.vast("iad").usage("/team/home", tenant["id"], 6 * TIB, 1)
    write_volume(lab, {"size": "5 TiB"})
    blocked = guards(lab.plan().actions)
    assert blocked.pop("quota") == "below-use"
    assert blocked and set(blocked.values()) <= {"together", "waits", "shrink", "lost-data", "approval"}
    lab.clear_calls()
    lab.apply(lab.plan())
    assert not [call for call in lab.calls() if call.method in ("PATCH", "PUT", "DELETE")]


def fill(lab: Lab) -> None:
    """Somebody writes into the volume."""
    tenant = next(row for row in lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/") if row["name"] == "team")
    lab.world.vast("iad").usage("/team/home", tenant["id"], TIB, 1)


def test_another_change_of_the_same_volume_is_not_held_back(lab: Lab) -> None:
    tenant = next(row for row in lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/") if row["name"] == "team")
    lab.world.vast("iad").usage("/team/home", tenant["id"], 6 * TIB, 1)
    write_volume(lab, {"size": "5 TiB", "description": "what everybody needs"})
    blocked = guards(lab.plan().actions)
    assert blocked["quota"] == "below-use" and "" in blocked.values()


def test_a_removed_entry_needs_consent_for_all_its_parts(lab: Lab) -> None:
    fill(lab)
    write_volume(lab, None)
    without_quota = Consent(
        ("*",),
        True,
        tuple(
            Approval(f"iad/{kind}/{name}", "in a test", "2999-01-01", 2**62)
            for kind, name in PARTS.items()
            if kind != "quota"
        ),
        10_000,
    )
    blocked = guards(lab.plan(without_quota).actions)
    assert blocked.keys() >= PARTS.keys()
    assert blocked.pop("quota") == "approval"
    assert set(blocked.values()) <= {"together", "waits"}, blocked


def test_a_path_changes_for_the_view_and_for_what_mounts_it_or_for_neither(lab: Lab) -> None:
    write_volume(lab, {"path": "/team/house"})
    approvals = tuple(
        Approval(f"iad/{kind}/{name}", "in a test", "2999-01-01", 2**62, 99) for kind, name in PARTS.items()
    )
    consent = Consent(("*",), True, approvals, 10_000, allow_narrow=("*",))
    blocked = guards(lab.plan(consent).actions)
    assert blocked["persistent_volume"] == "in-use" and blocked["view"] == "together" and all(blocked.values()), blocked
    lab.apply(lab.plan(consent))
    view = lab.live("iad/view/home")
    assert view is not None and view.values["path"] == "/team/home"


def test_an_empty_volume_needs_no_approval_for_any_of_its_parts(lab: Lab) -> None:
    write_volume(lab, None)
    blocked = guards(lab.plan(Consent(("iad/volume/home",), max_count=10_000)).actions)
    assert blocked.keys() >= PARTS.keys() and not any(blocked.values()), blocked


def test_a_volume_is_not_given_to_another_claim_while_the_present_one_stays(lab: Lab) -> None:
    fill(lab)
    write_volume(lab, {"name": "house"})
    consent = Consent(allow_delete=("*/data_source/*",), allow_narrow=("*",), max_count=100)
    actions = {action.address.kind: action for action in lab.plan(consent).actions}
    assert [block.guard for block in actions["persistent_volume_claim"].blocked] == ["approval", "in-use"]
    assert [block.guard for block in actions["persistent_volume"].blocked] == ["together"]
    lab.apply(lab.plan(consent))
    live = lab.live("iad/persistent_volume/team-home")
    assert live is not None and live.values["claim_name"] == "home"


def test_a_protocol_is_not_taken_from_a_bound_volume_without_data(lab: Lab) -> None:
    write_volume(lab, {"protocols": ["NFS4"]})
    consent = Consent(allow_delete=("*",), max_count=100)
    (view,) = lab.plan(consent).actions
    assert view.blocked[0].message == (
        "protocols would no longer let in NFS; in use through it: 1 persistent_volume, 1 persistent_volume_claim"
    )
