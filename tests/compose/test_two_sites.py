"""What two sites share, whatever it is: what is made on each, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import Said, entry, made, value
from vastplan.kinds.compose._two_sites import stands_on
from vastplan.kinds.compose.bucket import COMPOSITION as BUCKET
from vastplan.kinds.compose.view_parts import COMPOSITION as VIEW
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry, Site

SAID: dict[str, Said] = {
    "view": {"path": "/nlp/data", "view_policy": "@view_policy/nlp", "owner": "ana", "create_dir_mode": "750", "create_dir": True},
    "bucket": {"size": 10, "owner": "@?user/ana", "view_policy": "@view_policy/nlp"},
}  # fmt: skip
SHARED: Said = {"active": "iad", "replicate": "@protection_policy/far"}
WORLD: dict[str, Said | None] = {
    "tenant/nlp": {},
    "pdx:tenant/nlp": {"name": "copies"},
    "pdx:tenant/other": {},
    "peering/link": {"between": {"iad": {}, "pdx": {}}},
    "protection_policy/far": {"replicate_to": "@peering/link"},
    "pdx:protection_policy/far": {"replicate_to": "@peering/link"},
}
COMPOSITIONS = {"view": VIEW, "bucket": BUCKET}
KINDS = pytest.mark.parametrize("kind", COMPOSITIONS)


def both(kind: str, site: str, there: Said | None = None, **here: Any) -> tuple[Said, list[Any]]:
    """What it is composed to on a site, beside itself on the other one."""
    ours = {"tenant": "@tenant/nlp", **SAID[kind], **SHARED, **here}
    theirs = {**ours, "tenant": "@pdx:tenant/nlp", **(there or {})}
    texts = {"iad": (f"{kind}/data", ours), "pdx": (f"pdx:{kind}/data", theirs)}
    other = "pdx" if site == "iad" else "iad"
    return made(COMPOSITIONS[kind], entry(*texts[site]), {**WORLD, texts[other][0]: texts[other][1]})


@KINDS
def test_the_path_is_made_where_it_is_active_and_the_directory_too(kind: str) -> None:
    found, wrong = both(kind, "iad")
    copy, none = both(kind, "pdx")
    target = "/nlp/data" if kind == "view" else "/copies/data"
    assert found["protected_path/data"] == {
        "name": "data", "tenant": "@tenant/nlp", "source_dir": "/nlp/data", "target_exported_dir": target,
        "protection_policy": "@protection_policy/far", "capabilities": "ASYNC_REPLICATION", "(after)": ["view/data"],
    }  # fmt: skip
    assert found["view/data"]["create_dir"] is True and copy["pdx:view/data"]["create_dir"] is False
    assert not {"active", "replicate"} & (found["view/data"].keys() | copy["pdx:view/data"].keys())
    assert not [text for text in copy if "protected_path" in text] and (wrong, none) == ([], [])


def test_with_what_a_directory_is_made_counts_where_it_is_made() -> None:
    found, copy = both("view", "iad")[0]["view/data"], both("view", "pdx")[0]["pdx:view/data"]
    assert (found["owner"], found["create_dir_mode"]) == ("ana", "750")
    assert not {"owner", "create_dir_mode"} & copy.keys()


@KINDS
def test_another_tenant_there_and_another_name(kind: str) -> None:
    found, _ = both(kind, "iad", {"tenant": "@pdx:tenant/other", "path": "/other"}, names={"protected_path": "p"})
    path = found["protected_path/data"]
    assert (path["remote_tenant"], path["target_exported_dir"], path["name"]) == ("other", "/other", "p")
    found, _ = both(kind, "iad", {"tenant": "@?pdx:tenant/theirs", "path": "/other"})
    assert found["protected_path/data"]["remote_tenant"] == {"existing": "theirs"}


def test_a_bucket_of_another_name_has_a_path_that_nobody_named() -> None:
    found, _ = both("bucket", "iad", bucket="sets")
    assert found["protected_path/data"]["(defaults)"] == ["name"]
    found, _ = both("bucket", "iad", bucket="sets", names={"protected_path": "p"})
    assert "(defaults)" not in found["protected_path/data"]


@KINDS
def test_global_access(kind: str) -> None:
    shared: Said = {
        "tenant": "@tenant/nlp",
        **SAID[kind],
        "active": "iad",
        "global_access": {"lease": 60, "at": ["pdx"]},
    }
    there = {f"pdx:{kind}/data": {**shared, "tenant": "@pdx:tenant/nlp"}}
    found, wrong = made(COMPOSITIONS[kind], entry(f"{kind}/data", shared), {**WORLD, **there})
    path = found["protected_path/data"]
    assert (path["capabilities"], path["lease_expiry_time"], path["peer"], wrong) == (
        "STARED_GLOBAL_NAMESPACE", 60, "@replication_peer/link", [],
    )  # fmt: skip


def three(kind: str, shared: Said) -> list[tuple[str, str]]:
    """What is wrong with it on three sites."""
    names = ("fra", "iad", "pdx")
    sites = {site: Site(site, frozenset({"vast"})) for site in names}
    prefix = {site: "" if site == "iad" else f"{site}:" for site in names}
    all_of_it: list[Entry] = [entry(text, what) for text, what in WORLD.items()]
    for site in names:
        own = {"tenant": f"@{prefix[site]}tenant/nlp", **SAID[kind], **shared}
        all_of_it.append(entry(f"{prefix[site]}{kind}/data", own))
    scope = Scope(sites, all_of_it)
    for one in [one for one in all_of_it if one.address.kind == kind]:
        list(COMPOSITIONS[kind].compose(one, scope))
    return [(finding.code, finding.message) for finding in scope.findings]


@KINDS
def test_three_sites_are_refused(kind: str) -> None:
    assert ("VP291", "far replicates between iad and pdx, and it is on fra, iad, pdx") in three(kind, SHARED)
    shared: Said = {"active": "iad", "global_access": {"lease": 60, "at": ["pdx"]}}
    text = "it is on fra, iad, pdx, and global access is between the active site iad and one site of at"
    assert ("VP291", text) in three(kind, shared)


@pytest.mark.parametrize("kind", ["volume", "view", "bucket"])
def test_a_schedule_stands_where_what_replicates_by_it_is_active(kind: str) -> None:
    schedules = [entry(f"{prefix}protection_policy/far", {}) for prefix in ("", "pdx:")]
    own = {"sites": {site: Site(site, frozenset({"vast"})) for site in ("iad", "pdx")}}
    for active in ("iad", "pdx"):
        shares = [
            Entry(
                entry(f"{prefix}{kind}/data").address,
                value({"active": active, "replicate": f"@{prefix}protection_policy/far"}),
            )
            for prefix in ("", "pdx:")
        ]
        scope = Scope(own["sites"], [*schedules, *shares])
        assert [one.address.site for one in schedules if stands_on(one, scope)] == [active]
