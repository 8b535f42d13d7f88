"""An entry that is created at another place than its data says so before anything else, with the way to take the data along."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.library import KINDS, Bench, entry
from tests.lab import Lab
from vastplan.model.finding import Severity
from vastplan.model.plan import Plan
from vastplan.schema.dependents import DataPlace

CLASS = {"driver": "file", "storage_path": "/team/k8s", "allow_volume_expansion": True, "secret": "login"}
TENANT: dict[str, Any] = {
    "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.20.1.10 - 10.20.1.40"]},
    "view_policy": {"flavor": "NFS"},
    "storage_class": CLASS,
    "project": {"department": "research", "gpus": {"default": 4}},
}
SECTIONS: dict[str, Any] = {
    "namespaces": {"csi": {}},
    "secrets": {"login": {"namespace": "csi", "data": {"endpoint": "vms.example.com"}}},
    "departments": {"research": {"gpus": {"default": 8}}},
}
HOME = {"sites": ["iad"], "path": "/team/home", "size": "10 TiB", "mount": "/home"}
SCRATCH = {"sites": ["iad"], "storage_class": "team", "size": "1 TiB", "mount": "/scratch"}
NO_APPLY = "no apply takes data along"
BY_HAND = "to take it along, copy it with a client of both places before the old one is deleted"


def write(lab: Lab, home: dict[str, Any] | None = None, scratch: dict[str, Any] | None = None, **team: Any) -> None:
    volumes = {"home": {**HOME, **(home or {})}, "scratch": {**SCRATCH, **(scratch or {})}}
    lab.write({**SECTIONS, "tenants": {"team": {**TENANT, **team, "volumes": volumes}}})


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    systems = ["vast", "kubernetes", "runai"]
    with Lab(tmp_path, {"iad": systems, "pdx": systems}) as lab:
        write(lab)
        lab.converge()
        (tenant,) = (row for row in lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/") if row["name"] == "team")
        lab.world.vast("iad").usage("/team/home", tenant["id"], 3 * 10**12, 7)
        yield lab


def left(plan: Plan) -> dict[str, tuple[str, str]]:
    found = [finding for finding in plan.findings if finding.code == "VP360"]
    assert {finding.severity for finding in found} <= {Severity.WARNING}
    return {finding.address: (finding.message, re.sub(r"\S+lab.yaml", "PATH", finding.fix)) for finding in found}


def test_on_another_site(lab: Lab) -> None:
    write(lab, {"sites": ["pdx"]}, {"sites": ["pdx"]})
    assert left(lab.plan()) == {
        "pdx/volume/home": (
            f"it is created without the data of iad/volume/home (path /team/home, used 3 TB): {NO_APPLY}",
            "to take it along: write sites: [iad, pdx], active: iad and replicate: SCHEDULE, apply, then: "
            "vastplan move plan PATH iad/volume/home --to pdx",
        ),
        "pdx/volume/scratch": (
            f"it is created without the data of iad/volume/scratch (namespace runai-team): {NO_APPLY}",
            BY_HAND,
        ),
    }


def test_in_another_directory_or_class_of_the_site(lab: Lab) -> None:
    other = {**CLASS, "storage_path": "/team/other"}
    write(lab, {"path": "/team/other home"}, {"storage_class": "other"}, storage_classes={"other": other})
    assert left(lab.plan()) == {
        "iad/volume/home": (
            f"it is created without the data that it has now (path /team/home, used 3 TB): {NO_APPLY}",
            "to take it along: before path changes take a snapshot, and: "
            "vastplan restore plan PATH iad/volume/home --snapshot NAME --directory '/team/other home'",
        ),
        "iad/volume/scratch": (
            f"it is created without the data that it has now (namespace runai-team): {NO_APPLY}",
            BY_HAND,
        ),
    }


OF_HOME = f"it is created without the data that it has now (path /team/home, used 3 TB): {NO_APPLY}"
OF_SCRATCH = f"it is created without the data that it has now (namespace runai-team): {NO_APPLY}"


def test_with_snapshots_too_which_another_site_could_have(lab: Lab) -> None:
    daily = {"snapshot_schedules": {"daily": {"sites": ["iad"], "frames": [{"every": "1d", "keep_local": "7d"}]}}}
    volumes = {"home": {**HOME, "snapshots": "daily"}, "scratch": SCRATCH}
    lab.write({**SECTIONS, **daily, "tenants": {"team": {**TENANT, "volumes": volumes}}})
    lab.converge()
    volumes["home"] = {**volumes["home"], "path": "/team/homes"}
    lab.write({**SECTIONS, **daily, "tenants": {"team": {**TENANT, "volumes": volumes}}})
    assert left(lab.plan())["iad/volume/home"][0] == OF_HOME


def test_from_a_directory_to_a_class_and_the_other_way_round(lab: Lab) -> None:
    volumes = {"home": {**SCRATCH, "mount": "/home"}, "scratch": {**HOME, "path": "/team/scratch", "mount": "/scratch"}}
    lab.write({**SECTIONS, "tenants": {"team": {**TENANT, "volumes": volumes}}})
    assert left(lab.plan()) == {"iad/volume/home": (OF_HOME, BY_HAND), "iad/volume/scratch": (OF_SCRATCH, BY_HAND)}


def test_in_another_tenant_under_another_name(lab: Lab) -> None:
    other = {**TENANT, "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.20.2.10 - 10.20.2.40"]}}
    other |= {"storage_class": {**CLASS, "storage_path": "/other/k8s"}}
    other |= {"volumes": {"house": {**HOME, "renamed_from": "home"}}}
    team = {**TENANT, "volumes": {"scratch": SCRATCH}}
    lab.write({**SECTIONS, "tenants": {"team": team, "other": other}})
    assert left(lab.plan()) == {"iad/volume/house": (OF_HOME, BY_HAND)}


def test_nothing_is_left_behind_where_the_data_stays_or_there_is_none(lab: Lab) -> None:
    write(lab, {"sites": ["iad", "pdx"]}, {"sites": ["iad", "pdx"]})  # one more place, and the first one stays
    assert left(lab.plan()) == {}
    write(lab, {"size": "12 TiB"}, {"size": "2 TiB"})
    assert left(lab.plan()) == {}
    (tenant,) = (row for row in lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/") if row["name"] == "team")
    lab.world.vast("iad").usage("/team/home", tenant["id"], 0, 0)
    write(lab, {"sites": ["pdx"]})
    assert left(lab.plan()) == {}


# --- a vendor that does not exist: shelves with books


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    place = DataPlace(("name", "height"))
    monkeypatch.setitem(KINDS, "shelf", replace(KINDS["shelf"], data_bearing=True, data_place=place))
    return Bench()


def test_an_entry_of_its_own_and_a_figure_that_no_system_reports(bench: Bench) -> None:
    bench.done(entry("shelf", "home", height=3))
    bench.library.named("shelf", "home")["books"] = 7
    assert left(bench.plan(entry("shelf", "home", height=4))) == {
        "iad/shelf/home": (f"it is created without the data that it has now (name home): {NO_APPLY}", BY_HAND)
    }
    assert left(bench.plan(entry("shelf", "home", height=3))) == {}


def test_what_could_not_be_read_is_not_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (books,) = KINDS["shelf"].metrics
    monkeypatch.setitem(KINDS, "shelf", replace(KINDS["shelf"], metrics=(replace(books, unit="bytes"),)))
    bench.done(entry("shelf", "home", height=3))
    del bench.library.named("shelf", "home")["books"]
    ((text, _),) = left(bench.plan(entry("shelf", "home", height=4))).values()
    assert "(name home, cannot determine how much is books)" in text


# --- a view on two sites


def shared(*sites: str) -> dict[str, Any]:
    """A view that is written at iad and copied to another site, with what that needs."""
    pools = {site: {"ip_ranges": [f"10.9.{number}.10 - 10.9.{number}.17"]} for number, site in enumerate(THREE)}
    peers = {
        f"iad-{site}": {"between": {"iad": {"vip_pool": "far"}, site: {"vip_pool": "far"}}} for site in ("pdx", "sjc")
    }
    frames = [{"every": "1h", "keep_local": "1d", "keep_remote": "7d"}]
    view = {"path": "/team/v", "tenant": "team", "sites": list(sites), "active": "iad", "replicate": f"to-{sites[1]}"}
    return {
        "vip_pools": {"far": {"role": "REPLICATION", "subnet_cidr": 24, "per_site": pools}},
        "replication_peers": peers,
        "snapshot_schedules": {
            f"to-{site}": {"sites": ["iad", site], "replicate_to": f"iad-{site}", "frames": frames}
            for site in ("pdx", "sjc")
        },
        "tenants": {"team": {"view_policy": {"flavor": "NFS"}}},
        "views": {"v": view},
    }


THREE = ("iad", "pdx", "sjc")


def test_the_copy_goes_to_another_site_and_the_data_is_copied_from_where_it_stays(tmp_path: Path) -> None:
    with Lab(tmp_path, {site: ["vast"] for site in THREE}) as lab:
        lab.write(shared("iad", "pdx"))
        lab.converge()
        for site in ("iad", "pdx"):
            tenants = lab.by_hand(site, "vast", "GET", "/api/v5/tenants/")
            lab.world.vast(site).usage("/team/v", next(row["id"] for row in tenants if row["name"] == "team"), 9, 1)
        lab.write(shared("iad", "sjc"))
        plan = lab.plan()
        verbs = {str(each.address): each.verb.value for each in plan.actions if each.address.kind == "view"}
        assert verbs == {"pdx/view/v": "delete", "sjc/view/v": "create"}
        assert left(plan) == {}
