"""The work of the checks grows with the document, not with the square of its projects: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Any

from tests.checks.cases import facts_of, written
from vastplan.app import checks


def document(teams: int) -> dict[str, Any]:
    """Teams in one tenant with one secret and one pool, each with a class, a project and a directory inside another's."""
    members = range(teams)
    return {
        "tenants": {"all": {"vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.0.0.1"]}, "view_policy": {"flavor": "NFS"}}},
        "storage_classes": {
            f"c{n}": {
                "driver": "file", "storage_path": f"/k8s/{n % 7}/{n}", "secret": {"existing": "csi/s"}, "vip_pool": "all",
                "view_policy": "all",
            }
            for n in members
        },
        "projects": {f"p{n}": {"storage_classes": [f"c{n}"]} for n in members},
    }  # fmt: skip


def calls(teams: int, folder: Path) -> int:
    workspace = written(document(teams), folder)
    facts = facts_of(workspace, {})
    checks.catalogue()
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        findings = checks.check_findings(workspace, facts, date(2026, 1, 1))
    finally:
        sys.setprofile(None)
    assert any(finding.code == "ISO-01" for finding in findings)
    return count


def test_twice_the_projects_are_twice_the_work(tmp_path: Path) -> None:
    small, large = calls(50, tmp_path), calls(200, tmp_path)
    assert large < 4.6 * small  # four times the projects; with their square it would be sixteen
