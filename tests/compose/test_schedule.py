"""Schedules that replicate: the peer behind `replicate_to`, and back."""

from __future__ import annotations

import pytest

from tests.compose.short import Said, back, entry, made, pieces
from vastplan.kinds.compose.schedule import COMPOSITION

LINK = {"between": {"iad": {"vip_pool": "r"}, "pdx": {"vip_pool": "r"}}}
FRAMES = {"frames": [{"every": "1h"}]}
LINKS: dict[str, Said | None] = {"peering/link": LINK, "pdx:peering/link": LINK}


def test_a_schedule_of_one_site_is_itself() -> None:
    assert made(COMPOSITION, entry("protection_policy/daily", FRAMES), {}) == ({"protection_policy/daily": FRAMES}, [])


@pytest.mark.parametrize(
    ("site", "peer", "after"),
    [("", "@replication_peer/link", []), ("pdx:", "@?pdx:replication_peer/link", ["replication_peer/link"])],
)
def test_the_first_site_makes_the_peer_and_the_second_waits_for_it(site: str, peer: str, after: list[str]) -> None:
    name = f"{site}protection_policy/far"
    found, wrong = made(COMPOSITION, entry(name, {**FRAMES, "replicate_to": f"@{site}peering/link"}), LINKS)
    says = {**FRAMES, "peer": peer, "clone_type": "NATIVE_REPLICATION"}
    assert (found, wrong) == ({name: says | ({"(after)": after} if after else {})}, [])
    again = [{"entry": name, "says": {**FRAMES, "replicate_to": f"@{site}peering/link"}, "of": [name]}]
    assert back(COMPOSITION, pieces({name: says, "peering/link": LINK})) == again
    assert back(COMPOSITION, pieces({name: says, **LINKS})) == again
    assert back(COMPOSITION, pieces({name: says}, known={"pdx:peering/link": LINK})) == again


def test_what_replicates_to_nobody_known_is_refused() -> None:
    policy = entry("protection_policy/far", {"replicate_to": "@peering/nowhere"})
    fix = "add the peer to replication_peers"
    wrong = ("VP235", "replicate_to has to name a replication peer of this document", fix)
    assert made(COMPOSITION, policy, LINKS) == ({}, [wrong])


@pytest.mark.parametrize(
    "says",
    [
        {"peer": "@replication_peer/other", "clone_type": "NATIVE_REPLICATION"},
        {"peer": "@replication_peer/link", "clone_type": "CLOUD_REPLICATION"},
        {"peer": None, "clone_type": "NATIVE_REPLICATION"},
        {},
    ],
)
def test_what_replicates_otherwise_is_written_as_it_is(says: Said) -> None:
    assert back(COMPOSITION, pieces({"protection_policy/far": {**FRAMES, **says}, **LINKS})) == []
