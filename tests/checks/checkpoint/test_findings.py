"""Every code on both sides of its bound, from the case file; and several budgets beside each other."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from vastplan.checks.checkpoint.arithmetic import Budget, compute_budget
from vastplan.checks.checkpoint.capacity import BYTES_PER_PARAMETER
from vastplan.checks.checkpoint.catalogue import TITLES
from vastplan.checks.checkpoint.findings import coinciding_findings, volume_findings
from vastplan.checks.checkpoint.inputs import (
    CheckpointInputs,
    CheckpointWriter,
    Durability,
    SiteThroughput,
    SnapshotFrame,
    Targets,
)
from vastplan.checks.checkpoint.summary import budget_changes
from vastplan.checks.checkpoint.write_time import LimitKind, WriteLimit, iops_limit

CASES = yaml.safe_load((Path(__file__).parent / "findings.yaml").read_text())
WRITER = CheckpointWriter(rank_bytes_per_second=10**9, staging_bytes_per_second=10**10)
SITE = SiteThroughput(read_bytes_per_second=2 * 10**10, write_bytes_per_second=10**10)
BASE = CheckpointInputs(size_bytes=10**11, writer=WRITER, interval=1000, capability=SITE)


def limit(case: dict[str, Any]) -> WriteLimit:
    if "iops" in case:
        return iops_limit("view v", case["iops"])
    return WriteLimit(LimitKind.QOS_BANDWIDTH, "view v", case["rate"], case.get("burst"), case.get("credit", 0))


def inputs(case: dict[str, Any]) -> CheckpointInputs:
    """The base with what a case gives laid over it; `writer: {}` and `capability: {}` are nothing known."""
    values: dict[str, Any] = dict(case)
    for name, base, empty in (("writer", WRITER, CheckpointWriter()), ("capability", SITE, SiteThroughput())):
        if name in case:
            values[name] = replace(base, **case[name]) if case[name] else empty
    if "limits" in case:  # in place of what the ranks can do
        credit = any("credit" in limit for limit in case["limits"])
        writer = replace(WRITER, asynchronous=credit, rank_bytes_per_second=10**9)
        values |= {"limits": tuple(map(limit, case["limits"])), "writer": writer}
    for name in ("durability", "drained"):
        if name in case:
            values[name] = Durability[case[name]]
    targets = dict(case.get("targets", {}))
    if "durability" in targets:
        targets["durability"] = Durability[targets["durability"]]
    values["targets"] = Targets(**targets)
    values["frames"] = tuple(SnapshotFrame(**frame) for frame in case.get("frames", ()))
    values["unknown"] = tuple(case.get("unknown", ()))
    return replace(BASE, **values)


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_a_code_is_found_where_it_should_be_and_nowhere_else(case: dict[str, Any]) -> None:
    findings = volume_findings(compute_budget(inputs(case.get("given", {}))))
    expected = [said.partition(" ") for said in case["says"]]
    assert [finding.code for finding in findings] == [code for code, _, _ in expected], findings
    for finding, (_, _, words) in zip(findings, expected, strict=True):
        assert words in f"{finding.message} ({finding.fix})"
        assert finding.fix


def test_every_code_has_a_case_and_a_title() -> None:
    told = {said.partition(" ")[0] for case in CASES for said in case["says"]}
    assert told | {"CKP-10"} == set(TITLES) == {f"CKP-{number:02}" for number in range(18)}


def test_every_code_is_explained() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "checkpoints.md").read_text()
    assert set(re.findall(r"^\| (CKP-\d\d) \|", text, flags=re.M)) == set(TITLES)
    assert all(f"`{name}` {count}" in text for name, count in BYTES_PER_PARAMETER.items())


def test_checkpoints_that_coincide() -> None:
    def capped(rate: float, aligned: bool = True) -> Budget:
        limits = (WriteLimit(LimitKind.QOS_BANDWIDTH, "v", rate),)
        return compute_budget(
            replace(BASE, limits=limits, writer=replace(WRITER, rank_bytes_per_second=None, aligned=aligned))
        )

    assert coinciding_findings({"a": capped(6e9), "b": capped(4e9)}) == ()
    others = {"b": capped(4e9), "c": compute_budget(BASE)}
    (finding,) = coinciding_findings({"a": capped(6e9), **others})
    assert finding.code == "CKP-10"
    assert "11 GB/s of the site's 10 GB/s" in finding.message
    assert coinciding_findings({"a": capped(6e9, aligned=False), **others}) == ()


def test_jobs_of_one_volume_coincide_too() -> None:
    def findings(jobs: int) -> list[str]:
        budget = compute_budget(replace(BASE, writer=replace(WRITER, jobs=jobs)))
        return [finding.code for finding in coinciding_findings({"a": budget})]

    assert (findings(10), findings(11)) == ([], ["CKP-10"])


def test_what_a_lower_limit_does() -> None:
    def with_limit(rate: float) -> Budget:
        return compute_budget(
            replace(BASE, limits=(WriteLimit(LimitKind.QOS_BANDWIDTH, "view v", rate),), targets=Targets(rpo=1200))
        )

    changes = budget_changes(with_limit(2e9), with_limit(2e8))
    assert changes[0] == "write time 100 s -> 8.33 min"
    assert changes[1] == "binding limit: writing ranks -> QoS bandwidth of view v"
    assert "work that may be lost 18.3 min -> 25 min" in changes
    assert changes[-1] == "breaks CKP-03 (more work may be lost than the target allows)"
    assert budget_changes(with_limit(2e9), with_limit(3e9)) == ()
