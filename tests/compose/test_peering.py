"""Replication peers: one entry for both ends of a link, and back."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.compose.short import LEAVE_OUT, Said, back, entry, made, pieces
from vastplan.kinds.compose.peering import COMPOSITION, PEERING

BETWEEN = {"iad": {"vip_pool": "here"}, "pdx": {"vip_pool": "there"}}
OPTIONS = {"secure_mode": "SECURE", "transport_mode": "TCP", "mss": 9000}
POOLS: dict[str, Said | None] = {
    "vip_pool/here": {"role": "REPLICATION"},
    "pdx:vip_pool/there": {"role": "REPLICATION"},
}
PEER = {"name": "link", "pool": "@vip_pool/here", "leading_vip": "@pdx:vip_pool/there"}


@pytest.mark.parametrize("options", [{}, OPTIONS])
def test_the_first_site_makes_it(options: Said) -> None:
    says = {"between": BETWEEN, **options}
    assert made(COMPOSITION, entry("peering/link", says), POOLS) == ({"replication_peer/link": {**PEER, **options}}, [])
    assert made(COMPOSITION, entry("pdx:peering/link", says), POOLS) == ({}, [])


@pytest.mark.parametrize(
    ("pools", "code", "message", "fix"),
    [
        ({"vip_pool/here": None}, "VP209", "no vip_pool here on iad, which this replication peer uses", "write a pool with role: REPLICATION on iad"),
        ({"pdx:vip_pool/there": None}, "VP209", "no vip_pool there on pdx, which this replication peer uses", "write a pool with role: REPLICATION on pdx"),
        ({"pdx:vip_pool/there": {"role": "PROTOCOLS"}}, "VP234", "vip_pool there on pdx has role PROTOCOLS",
         "role: REPLICATION"),
        ({"vip_pool/here": {}}, "VP234", "vip_pool here on iad has role None", "role: REPLICATION"),
    ],
)  # fmt: skip
def test_each_end_is_a_pool_that_replicates(pools: dict[str, Any], code: str, message: str, fix: str) -> None:
    _, wrong = made(COMPOSITION, entry("peering/link", {"between": BETWEEN}), {**POOLS, **pools})
    assert wrong == [(code, message, fix)]


def test_an_entry_is_of_the_two_sites_that_it_names() -> None:
    assert (PEERING.name, PEERING.section, PEERING.within_tenant) == ("peering", "replication_peers", False)
    assert PEERING.systems({}) == {"vast"}
    assert PEERING.sites is not None and PEERING.sites({"between": BETWEEN}) == ("iad", "pdx")
    for mistake in ({"iad": {"vip_pool": "x"}}, {**BETWEEN, "fra": {"vip_pool": "x"}}):
        with pytest.raises(ValidationError):
            PEERING.model.model_validate({"between": mistake})
    whole = PEERING.model.model_validate({"between": BETWEEN, **OPTIONS})
    assert whole.model_dump(exclude_unset=True) == {"between": BETWEEN, **OPTIONS}


def mirror(of: Said) -> Said:
    """The same peer as the other site shows it."""
    return {**of, "pool": "@pdx:vip_pool/there", "leading_vip": "@vip_pool/here"}


def links(here: Said, there: Said, **more: Any) -> dict[str, Said | None]:
    """Both ends, the second first."""
    return {"pdx:replication_peer/link": there, "replication_peer/link": here, **more}


BOTH = ["replication_peer/link", "pdx:replication_peer/link"]


@pytest.mark.parametrize("options", [{}, OPTIONS])
def test_both_ends_are_one_entry_which_begins_with_the_first_by_name(options: Said) -> None:
    found = back(COMPOSITION, pieces(links({**PEER, **options}, mirror(PEER))))
    assert found == [{"entry": "peering/link", "says": {"between": BETWEEN, **options}, "of": BOTH}]
    assert list(found[0]["says"]["between"]) == ["iad", "pdx"]


def test_it_begins_where_schedules_replicate_over_it() -> None:
    used = {"pdx:protection_policy/far": {"peer": "@pdx:replication_peer/link"}}
    found = back(COMPOSITION, pieces(links(PEER, mirror(PEER), **used)))
    assert [one["entry"] for one in found] == ["pdx:peering/link"] and list(found[0]["says"]["between"]) == [
        "pdx",
        "iad",
    ]
    assert found[0]["of"] == BOTH[::-1]
    other = {"pdx:something_else/far": {"peer": "@pdx:replication_peer/link"}}
    assert [one["entry"] for one in back(COMPOSITION, pieces(links(PEER, mirror(PEER), **other)))] == ["peering/link"]


def test_it_is_called_as_the_system_calls_it() -> None:
    objects = {"replication_peer/a": PEER, "pdx:replication_peer/b": mirror(PEER)}
    [found] = back(COMPOSITION, pieces(objects))
    assert found["entry"] == "peering/link" and found["of"] == ["replication_peer/a", "pdx:replication_peer/b"]


@pytest.mark.parametrize(
    "objects",
    [
        {"replication_peer/link": PEER},
        {"replication_peer/a": PEER, "replication_peer/b": PEER},
        {key: {**PEER, "leading_vip": "@vip_pool/here"} for key in ("replication_peer/a", "replication_peer/b")},
        links(PEER, mirror(PEER), **{"pdx:replication_peer/x": mirror(PEER)}),
        links({**PEER, "pool": 7}, mirror(PEER)),
        links({**PEER, "leading_vip": "10.1.1.1"}, mirror(PEER)),
        links({**PEER, "leading_vip": "@vip_pool/here"}, mirror(PEER)),
        links({**PEER, "pool": LEAVE_OUT}, mirror(PEER)),
        links({**PEER, "name": "another"}, mirror(PEER)),
    ],
)
def test_what_is_no_link_between_two_sites_is_none(objects: dict[str, Any]) -> None:
    assert back(COMPOSITION, pieces(objects)) == []


def test_one_that_is_no_link_hides_no_other() -> None:
    odd = {
        "replication_peer/odd": {"name": "odd"},
        "replication_peer/far": {"name": "far"},
        "pdx:replication_peer/far": {"name": "far"},
    }
    found = back(COMPOSITION, pieces({**odd, **links(PEER, mirror(PEER))}))
    assert [one["entry"] for one in found] == ["peering/link"]
