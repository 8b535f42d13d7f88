"""Every code on both sides of its bound, from the case file; and several budgets beside each other."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from vastplan.checks.checkpoint import (
    TITLES,
    Demand,
    Durability,
    Frame,
    Limit,
    SiteThroughput,
    Sort,
    Targets,
    Writer,
    budget,
    change,
    findings,
    iops_limit,
    together,
)
from vastplan.checks.checkpoint.size import BYTES_PER_PARAMETER

CASES = yaml.safe_load((Path(__file__).parent / "findings.yaml").read_text())
WRITER = Writer(rank_bytes_per_second=10**9, staging_bytes_per_second=10**10)
SITE = SiteThroughput(read_bytes_per_second=2 * 10**10, write_bytes_per_second=10**10)
BASE = Demand(size_bytes=10**11, writer=WRITER, interval=1000, capability=SITE)


def limit(given: dict[str, Any]) -> Limit:
    if "iops" in given:
        return iops_limit("view v", given["iops"])
    return Limit(Sort.QOS_BANDWIDTH, "view v", given["rate"], given.get("burst"), given.get("credit", 0))


def demand(given: dict[str, Any]) -> Demand:
    """The base with what a case gives laid over it; `writer: {}` and `capability: {}` are nothing known."""
    made: dict[str, Any] = dict(given)
    for name, base, empty in (("writer", WRITER, Writer()), ("capability", SITE, SiteThroughput())):
        if name in given:
            made[name] = replace(base, **given[name]) if given[name] else empty
    if "limits" in given:  # in place of what the ranks can do
        made |= {"limits": tuple(map(limit, given["limits"])), "writer": _unbound(given)}
    for name in ("durability", "drained"):
        if name in given:
            made[name] = Durability[given[name]]
    targets = dict(given.get("targets", {}))
    if "durability" in targets:
        targets["durability"] = Durability[targets["durability"]]
    made["targets"] = Targets(**targets)
    made["frames"] = tuple(Frame(**one) for one in given.get("frames", ()))
    made["unknown"] = tuple(given.get("unknown", ()))
    return replace(BASE, **made)


def _unbound(given: dict[str, Any]) -> Writer:
    credit = any("credit" in one for one in given["limits"])
    return replace(WRITER, asynchronous=credit, rank_bytes_per_second=10**9)


@pytest.mark.parametrize("case", CASES, ids=[one["case"] for one in CASES])
def test_a_code_is_found_where_it_should_be_and_nowhere_else(case: dict[str, Any]) -> None:
    found = findings(budget(demand(case.get("given", {}))))
    said = [one.partition(" ") for one in case["says"]]
    assert [one.code for one in found] == [code for code, _, _ in said], found
    for one, (_, _, words) in zip(found, said, strict=True):
        assert words in f"{one.sentence} ({one.fix})"
        assert one.fix


def test_every_code_has_a_case_and_a_title() -> None:
    seen = {one.partition(" ")[0] for case in CASES for one in case["says"]}
    assert seen | {"CKP-10"} == set(TITLES) == {f"CKP-{number:02}" for number in range(18)}


def test_every_code_is_explained() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "checkpoints.md").read_text()
    assert set(re.findall(r"^\| (CKP-\d\d) \|", text, flags=re.M)) == set(TITLES)
    assert all(f"`{name}` {count}" in text for name, count in BYTES_PER_PARAMETER.items())


def test_checkpoints_that_coincide() -> None:
    one = budget(
        replace(BASE, limits=(Limit(Sort.QOS_BANDWIDTH, "v", 6e9),), writer=replace(WRITER, rank_bytes_per_second=None))
    )
    four = budget(replace(one.demand, limits=(Limit(Sort.QOS_BANDWIDTH, "v", 4e9),)))
    assert together({"a": one, "b": four}) == ()
    (found,) = together({"a": one, "b": four, "c": budget(BASE)})
    assert found.code == "CKP-10"
    assert "11 GB/s of the site's 10 GB/s" in found.sentence
    apart = replace(one.demand, writer=replace(one.demand.writer, aligned=False))
    assert together({"a": budget(apart), "b": four, "c": budget(BASE)}) == ()


def test_jobs_of_one_volume_coincide_too() -> None:
    jobs = replace(BASE, writer=replace(WRITER, jobs=11))
    assert [one.code for one in together({"a": budget(jobs)})] == ["CKP-10"]
    assert together({"a": budget(replace(BASE, writer=replace(WRITER, jobs=10)))}) == ()


def test_what_a_lower_limit_does() -> None:
    def with_limit(rate: float) -> Demand:
        return replace(BASE, limits=(Limit(Sort.QOS_BANDWIDTH, "view v", rate),), targets=Targets(rpo=1200))

    said = change(budget(with_limit(2e9)), budget(with_limit(2e8)))
    assert said[0] == "write time 100 s -> 8.33 min"
    assert said[1] == "what binds: writing ranks -> QoS bandwidth of view v"
    assert "work that may be lost 18.3 min -> 25 min" in said
    assert said[-1] == "breaks CKP-03 (more work may be lost than wanted)"
    assert change(budget(with_limit(2e9)), budget(with_limit(3e9))) == ()
