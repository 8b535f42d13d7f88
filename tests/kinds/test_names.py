"""Names as wide as the vendors': taken, read back, adopted, and told as they are; keys of entries stay plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from tests.report.reading import FORMATS
from vastplan.model.errors import Invalid
from vastplan.model.plan import Verb
from vastplan.model.yaml_text import yaml_scalar

HOSTILE = (
    "R&D",
    "q <b>x</b> {a: b} #1",
    'it\'s "quoted" `x` $(touch /tmp/x) \\',
    "Größe Ω 数据",
    "on",
    "- x: ~",
    "x" * 255,
    " blanks around ",
    "../../etc/passwd?x=1&y=%2e",
    "a'b\u202eb",
)
SITES = {"iad": ["vast"], "pdx": ["runai"], "sfo": ["kubernetes"]}
KINDS = (
    "tenant", "vip_pool", "view_policy", "qos_policy", "protection_policy", "view", "quota", "protected_path",
)  # fmt: skip
NOT_ONE_LINE = ("two\nlines", "a\ttab", "\x1b[2Jclear", "next\x85line", "para\u2029graph", "")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab"), SITES) as one:
        yield one


def document(*names: str) -> dict[str, Any]:
    """For each name, an entry of each section whose name a vendor takes as text."""
    found: dict[str, Any] = {"projects": {"team": {"gpus": {"default": 1}}}}
    for place, name in enumerate(names):
        tenant, path = f"t{place}", f"/v{place}"
        of_tenant = {"name": name, "tenant": tenant}
        made = {
            "name": name,
            "project": "team",
            "mount": "/d",
            "existing_claim": False,
            "size": "1 GiB",
            "storage_class": "vast-nfs",
        }
        entries = {
            "tenants": {"name": name},
            "vip_pools": {**of_tenant, "subnet_cidr": 24, "ip_ranges": [f"10.1.0.{place + 1}"]},
            "view_policies": of_tenant,
            "qos_policies": {**of_tenant, "static_limits": {"max_reads_bw_mbps": "1 GB/s"}},
            "snapshot_schedules": {"name": name, "frames": [{"every": "1h", "keep_local": "1d"}]},
            "views": {**of_tenant, "path": path, "view_policy": f"t{place}", "qos_policy": f"t{place}"},
            "quotas": {**of_tenant, "path": path},
            "protected_paths": {**of_tenant, "source_dir": path, "protection_policy": f"t{place}"},
            "data_sources": {**made, "claim_name": f"d{place}"},
        }
        for section, entry in entries.items():
            found.setdefault(section, {})[tenant] = entry
    return found


def test_each_is_made_kept_adopted_and_referred_to(lab: Lab) -> None:
    lab.write(document(*HOSTILE))
    plan = lab.converge()
    assert lab.plan().actions == ()
    for kind in KINDS:
        assert {*HOSTILE} <= {row["name"] for row in lab.rows("iad", kind)}, kind
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    adopted = lab.plan()
    assert {(action.verb, action.changes) for action in adopted.actions} == {(Verb.ADOPT, ())}
    assert len(adopted.actions) == len(plan.actions)
    lab.converge()
    elsewhere = {
        f"e{place}": {"tenant": {"existing": name}, "view_policy": {"existing": name}, "path": f"/e{place}"}
        for place, name in enumerate(HOSTILE)
    }
    whole = document(*HOSTILE)
    lab.write({**whole, "views": {**whole["views"], **elsewhere}})
    lab.converge()
    assert lab.plan().actions == ()


def test_each_is_told_as_text_in_every_report(tmp_path: Path) -> None:
    with Lab(tmp_path, SITES) as lab:
        lab.write(document(*HOSTILE))
        plan = lab.plan()
    for form, render in FORMATS.items():
        text = render(plan)
        lines = re.sub(r"\x1b\[\d*m|\t", "", text).split("\n")
        assert [line for line in lines if not line.isprintable()] == [], form
        assert form not in ("html", "xml") or "<b>x</b>" not in text


@pytest.mark.parametrize("name", NOT_ONE_LINE)
def test_what_is_not_one_line_is_refused(lab: Lab, name: str) -> None:
    lab.write(document(name))
    with pytest.raises(Invalid) as refused:
        lab.workspace().entries()
    assert {finding.code for finding in refused.value.findings} == {"VP212"}
    lines = {finding.where.line for finding in refused.value.findings if finding.where is not None}
    assert len(lines) == len([section for section in document(name) if section != "projects"])


@pytest.mark.parametrize("key", ["R&D", "<b>", "a/b", "-x", "x" * 129, "数据"])
def test_a_key_is_plain_and_the_message_says_how_to_write_it(lab: Lab, key: str) -> None:
    lab.write({"tenants": {key: {}}})
    with pytest.raises(Invalid) as refused:
        lab.workspace().entries()
    (finding,) = refused.value.findings
    assert (finding.code, f"name: {yaml_scalar(key)}" in finding.message) == ("VP212", True)


def test_the_key_of_a_kubernetes_object_is_as_long_as_kubernetes_says(lab: Lab) -> None:
    lab.write({"secrets": {"s" * 253: {"namespace": {"existing": "default"}}}})
    assert lab.workspace().entries()[0]
    lab.write({"secrets": {"s" * 254: {"namespace": {"existing": "default"}}}})
    with pytest.raises(Invalid):
        lab.workspace().entries()
