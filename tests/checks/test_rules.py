"""The document's word on checks: waivers, severities, and where a finding is seen."""

from __future__ import annotations

import importlib
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checks.cases import TODAY, checked, facts_of, written
from tests.conftest import Run
from tests.lab import Lab
from vastplan.app import checks
from vastplan.checks.check import Check, Violation, discover_checks
from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.checks.paths import enclosing
from vastplan.checks.runner import CheckSettings, Waiver, run_checks
from vastplan.model.address import Address
from vastplan.model.finding import Severity, Where
from vastplan.schema.entries import Entry
from vastplan.sim.faults import Effect, Fault

OVERLAP = {"tenants": {"a": {"client_ip_ranges": ["10.0.0.1"]}, "b": {"client_ip_ranges": ["10.0.0.1"]}}}
WAIVER = {"code": "TEN-01", "address": "iad/tenant/*", "reason": "both are the same team", "until": "2026-06-15"}
FLOOR = {
    "tenants": {"a": {"client_ip_ranges": ["10.0.0.1"]}},
    "qos_policies": {"q": {"tenant": "a", "static_limits": {"min_reads_bw_mbps": 500, "max_reads_bw_mbps": 900}}},
}


def findings_under(document: dict[str, Any], folder: Path, **checks: Any) -> list[tuple[str, str, str]]:
    """Code, severity and message of everything that is found under `checks`."""
    findings = checked(written({**document, "checks": checks}, folder))
    rows = [
        (finding.code, finding.severity.value, finding.message)
        for finding in findings
        if finding.code[:3] in ("TEN", "VP2")
    ]
    return sorted(rows, key=lambda row: row[0], reverse=True)


def test_a_waiver_holds_to_the_end_of_its_day(tmp_path: Path) -> None:
    message = "client_ip_ranges share 10.0.0.1 with tenant a"
    waived = f"{message} [waived until 2026-06-15: both are the same team]"
    assert findings_under(OVERLAP, tmp_path, waive=[WAIVER]) == [("TEN-01", "note", waived)]
    expired = findings_under(OVERLAP, tmp_path, waive=[{**WAIVER, "until": "2026-06-14"}])
    assert expired == [
        ("VP261", "error", "the waiver of TEN-01 for iad/tenant/* expired on 2026-06-14"),
        ("TEN-01", "error", message),
    ]


def test_a_waiver_of_something_else_waives_nothing(tmp_path: Path) -> None:
    elsewhere = {**WAIVER, "address": "pdx/tenant/*"}
    (unused, (code, severity, _)) = findings_under(OVERLAP, tmp_path, waive=[elsewhere])
    assert unused == ("VP262", "warning", "the waiver of TEN-01 for pdx/tenant/* waives nothing")
    assert (code, severity) == ("TEN-01", "error")


def test_a_waiver_of_what_only_a_plan_can_tell_is_not_called_unused_offline(tmp_path: Path) -> None:
    document = {**FLOOR, "checks": {"waive": [{**WAIVER, "code": "QOS-06", "address": "iad/qos_policy/q"}]}}
    workspace = written(document, tmp_path)
    assert not [finding for finding in checked(workspace) if finding.code == "VP262"]
    assert [finding for finding in checked(workspace, {"iad": {"vms": {"QoS minimums": 1}}}) if finding.code == "VP262"]
    (waived,) = (
        finding for finding in checked(workspace, {"iad": {"vms": {"QoS minimums": 0}}}) if finding.code == "QOS-06"
    )
    assert waived.severity is Severity.NOTE


def test_every_word_about_checks_has_its_place(tmp_path: Path) -> None:
    checks = {"waive": [{**WAIVER, "code": "TEN-91"}], "raise": {"TEM-01": "error"}}
    findings = [
        finding
        for finding in checked(written({**OVERLAP, "checks": checks}, tmp_path))
        if finding.code.startswith("VP")
    ]
    assert [(finding.code, finding.message) for finding in findings] == [
        ("VP260", "no check TEN-91"),
        ("VP260", "no check TEM-01"),
    ]
    lines = (tmp_path / "case.yaml").read_text().splitlines()
    assert ["TEN-91" in lines[finding.where.line - 1] for finding in findings[:1] if finding.where] == [True]
    assert ["TEM-01" in lines[finding.where.line - 1] for finding in findings[1:2] if finding.where] == [True]
    assert [finding.fix for finding in findings[1:]] == ["did you mean TEN-01?"]


def test_raise_raises_and_never_lowers(tmp_path: Path) -> None:
    assert findings_under(OVERLAP, tmp_path, **{"raise": {"TEN-01": "warning"}}) == [
        ("VP263", "error", "checks.raise: TEN-01 is already an error"),
        ("TEN-01", "error", "client_ip_ranges share 10.0.0.1 with tenant a"),
    ]


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"waive": [{**WAIVER, "until": "soon"}]}, "checks.waive.0.until: 'soon' is not a date"),
        ({"waive": [{**WAIVER, "until": "2026-02-30"}]}, "2026-02-30"),
        ({"waive": [{**WAIVER, "reason": ""}]}, "checks.waive.0.reason"),
        ({"waive": [{**WAIVER, "address": "tenant"}]}, "site/kind/name"),
        ({"raise": {"TEN-01": "note"}}, "warning"),
        ({"lower": {"TEN-01": "note"}}, "lower"),
    ],
    ids=json.dumps,
)
def test_what_is_no_word_about_checks_is_refused(wrong: Any, word: str, tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    head = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {}}}}
    file.write_text(yaml.safe_dump({**head, **OVERLAP, "checks": wrong}))
    ran = vastplan("validate", file)
    assert ran.code == 1 and word in ran.err, ran


def test_an_error_of_a_check_stops_every_command(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(OVERLAP)
        file = tmp_path / "lab.yaml"
        ran = vastplan("validate", file)
        assert ran.code == 3 and "error TEN-01: iad/tenant/b" in ran.err and "has 1 error" in ran.out, ran
        assert json.loads(vastplan("validate", file, "--format", "json").out)["findings"][0]["code"] == "TEN-01"
        saved = tmp_path / "plan.json"
        ran = vastplan("plan", file, "--out", saved)
        assert ran.code == 3 and "TEN-01" in ran.out, ran
        for words in (("apply", saved), ("apply", file, "--auto-approve")):
            ran = vastplan(*words)
            assert ran.code == 3 and [row["name"] for row in lab.rows("iad", "tenant")] == ["default"], ran
        ran = vastplan("drift", file, "--format", "json")
        assert ran.code == 3 and json.loads(ran.out)["findings"][0]["code"] == "TEN-01", ran


def test_what_the_vms_says_is_asked_when_a_check_wants_it(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(FLOOR)
        file = tmp_path / "lab.yaml"
        assert vastplan("plan", file).code == 0
        vms = lab.world.sites["iad"].servers["vast"]
        assert any(call.path.endswith("/vms/") for call in vms.calls)
        (row,) = lab.world._stores[0].rows("vms")
        row["min_qos_supported"] = False
        ran = vastplan("plan", file)
        assert ran.code == 3 and "min_qos_supported: false" in ran.out, ran
        vms.faults.arm(Fault(Effect.STATUS, path="/vms/", times=500, status=403))
        ran = vastplan("plan", file)
        assert ran.code == 0 and "warning QOS-06: this could not be checked against iad: vms" in ran.out, ran
        lab.write({"tenants": {"a": {}}})
        vms.calls.clear()
        assert vastplan("plan", file).code == 0
        assert not any(call.path.endswith("/vms/") for call in vms.calls)


PEERED: dict[str, Any] = {
    "vip_pools": {
        "r": {
            "role": "REPLICATION",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.9.1.1"]}, "pdx": {"ip_ranges": ["10.9.2.1"]}},
        }
    },
    "replication_peers": {"link": {"between": {"iad": {"vip_pool": "r"}, "pdx": {"vip_pool": "r"}}}},
}


def test_a_peer_that_was_lost_is_told_by_plan_and_drift(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"], "pdx": ["vast"]}) as lab:
        lab.write(PEERED)
        lab.converge()
        file = tmp_path / "lab.yaml"
        assert "REP-06" not in vastplan("plan", file).out
        (row,) = lab.world._stores[0].rows("nativereplicationremotetargets")
        row["state"] = "ERROR"
        for command in ("plan", "drift"):
            ran = vastplan(command, file)
            assert "REP-06" in ran.out and "link is disconnected" in ran.out, ran


def test_a_figure_that_no_check_wants_may_be_untold(tmp_path: Path, vastplan: Run) -> None:
    """A cluster that does not say how much it reads says what may be promised; only who asks for bandwidth is told."""
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        (row,) = lab.world._stores[0].rows("clusters")
        assert row["max_cluster_read_bw_mb"] is None
        file = tmp_path / "lab.yaml"
        lab.write(QUOTA)
        ran = vastplan("plan", file)
        assert ran.code == 0 and "could not be checked" not in ran.out, ran
        lab.write({"tenants": {"a": {**QUOTA["tenants"]["a"], **LIMITED}}})
        ran = vastplan("plan", file)
        lines = [line for line in ran.out.splitlines() if "could not be checked" in line]
        assert len(lines) == 1 and lines[0].startswith("warning QOS-07") and "read bandwidth: unknown" in lines[0], ran
        row |= {"max_cluster_read_bw_mb": 900, "max_cluster_write_bw_mb": 900}
        assert "could not be checked" not in vastplan("plan", file).out


MINIMUMS: dict[str, Any] = {
    "tenants": {
        "a": {
            "qos_policy": {"static_limits": {"min_reads_bw_mbps": "2 GB/s", "min_writes_bw_mbps": "2 GB/s"}},
            "view_policy": {"flavor": "NFS"},
            "vip_pool": {
                "subnet_cidr": 24,
                "per_site": {"iad": {"ip_ranges": ["10.1.0.1"]}, "pdx": {"ip_ranges": ["10.2.0.1"]}},
            },
            "views": {"v": {"path": "/v", "qos_policy": "a"}},
        }
    },
}


def test_minimums_that_two_clusters_cannot_keep_are_one_line(tmp_path: Path, vastplan: Run) -> None:
    """And so is that neither of them says what it can do."""
    with Lab(tmp_path, {"iad": ["vast"], "pdx": ["vast"]}) as lab:
        file = tmp_path / "lab.yaml"
        lab.write(MINIMUMS)
        (line,) = (line for line in vastplan("plan", file).out.splitlines() if "QOS-07" in line)
        assert line.startswith(
            "warning QOS-07: this could not be checked against iad, pdx: cluster: read bandwidth: unknown"
        )
        assert line.endswith("(write in sites.SITE.capability what the cluster does not report)")
        lab.told = {site: {"capability": {"reads_bw_mbps": "1 GB/s", "writes_bw_mbps": "1 GB/s"}} for site in lab.sites}
        lab.write(MINIMUMS)
        (line,) = (line for line in vastplan("plan", file).out.splitlines() if "QOS-07" in line)
        assert (
            "warning QOS-07: iad, pdx: the clusters cannot keep all QoS minimums together: reads on iad 2 GB/s of 1 GB/s, "
            "writes on iad 2 GB/s of 1 GB/s, reads on pdx 2 GB/s of 1 GB/s, writes on pdx 2 GB/s of 1 GB/s (lower"
        ) in line
        rows = json.loads(vastplan("plan", file, "--format", "json").out)["findings"]
        assert [row["code"] for row in rows].count("QOS-07") == 4, "files for machines list each"


def test_tenants_on_the_same_nodes_are_one_line(tmp_path: Path, vastplan: Run) -> None:
    project = {"project": {"department": "d", "gpus": {"default": 1}}}
    tenants = {name: {"client_ip_ranges": [f"10.0.0.{number}"], **project} for number, name in enumerate("abc", 1)}
    head = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {}}}, "departments": {"d": {"gpus": {"default": 9}}}}
    file = tmp_path / "doc.yaml"
    file.write_text(yaml.safe_dump({**head, "tenants": tenants}))
    (line,) = (line for line in vastplan("validate", file).err.splitlines() if "TEN-04" in line)
    assert "iad: tenants recognized by client addresses only share node pool default: a, b, c (give" in line


def test_an_error_of_a_check_exits_with_3_and_an_invalid_document_with_1(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    document = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {}}}}
    file.write_text(yaml.safe_dump({**document, **OVERLAP}))
    assert (ran := vastplan("validate", file)).code == 3 and "doc has 1 error" in ran.out, ran
    file.write_text(yaml.safe_dump({**document, **OVERLAP, "tenant": {}}))
    assert vastplan("validate", file).code == 1


def test_checks_are_listed_and_explained(vastplan: Run) -> None:
    listed = vastplan("validate", "--list-checks")
    assert listed.code == 0 and "TEN-01  error    client ranges of two tenants overlap" in listed.out.splitlines()
    explained = vastplan("validate", "--explain", "TEN-01")
    assert explained.code == 0 and "must be unique per tenant" in explained.out
    wrong = vastplan("validate", "--explain", "CAP-1")
    assert wrong.code == 1 and "no check CAP-1; did you mean CAP-01?" in wrong.err
    assert vastplan("validate").code == 1


assert TODAY.isoformat() == WAIVER["until"]


def test_only_the_chosen_sites_are_told_of_and_the_others_still_count(tmp_path: Path, vastplan: Run) -> None:
    far = {
        "sites": ["iad"],
        "replicate_to": "link",
        "frames": [{"every": "1h", "keep_local": "2h", "keep_remote": "2h"}],
    }
    pools = {"iad": {"ip_ranges": ["10.9.1.1"]}, "pdx": {"ip_ranges": ["10.9.2.1"]}}
    team = {
        "client_ip_ranges": ["10.0.0.1"],
        "vip_pool": {
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.1.0.1"]}, "pdx": {"ip_ranges": ["10.2.0.1"]}},
        },
        "view_policy": {},
        "views": {"o": {"sites": ["iad"], "path": "/o", "snapshots": "far"}},
    }
    with Lab(tmp_path, {"iad": ["vast"], "pdx": ["vast"]}) as lab:
        lab.write(
            {
                "vip_pools": {"r": {"role": "REPLICATION", "subnet_cidr": 24, "per_site": pools}},
                "replication_peers": {"link": {"between": {"iad": {"vip_pool": "r"}, "pdx": {"vip_pool": "r"}}}},
                "snapshot_schedules": {"far": far},
                "tenants": {"a": team, "b": {"client_ip_ranges": ["10.0.0.1"]}},
            }
        )
        ran = vastplan("plan", tmp_path / "lab.yaml", "--site", "iad", "--format", "json")
        shown = {(finding["code"], finding["address"]) for finding in json.loads(ran.out)["findings"]}
        assert shown == {("TEN-01", "iad/tenant/b"), ("TEN-02", "iad/tenant/a")}, ran


QUOTA = {"tenants": {"a": {"quotas": {"q": {"path": "/q", "hard_limit": "5 B"}}}}}
LIMITED = {"view_policy": {}, "views": {"v": {"path": "/v", "qos": {"static_limits": {"min_reads_bw_mbps": 500}}}}}
KEPT = {"view_policy": {}, "views": {"v": {"path": "/v", "qos": {"static_limits": {"min_reads_iops": 500}}}}}
CEILING = {"view_policy": {}, "views": {"v": {"path": "/v", "qos": {"static_limits": {"max_reads_bw_mbps": 500}}}}}


@pytest.mark.parametrize(
    ("document", "asked"),
    [
        ({"tenants": {"a": {}}}, []),
        (QUOTA, ["cluster"]),
        ({**QUOTA, "sites": {"iad": {"sim": {}, "capability": {"usable_capacity": "9 B"}}}}, []),
        ({"tenants": {"a": LIMITED}}, ["cluster", "vms"]),
        ({"tenants": {"a": LIMITED}, "sites": {"iad": {"sim": {}, "capability": {"reads_bw_mbps": 900}}}}, ["vms"]),
        ({"tenants": {"a": KEPT}}, ["vms"]),
        ({"tenants": {"a": CEILING}}, []),
    ],
    ids=[
        "nothing",
        "a quota",
        "a quota of what is said",
        "a floor",
        "a floor of what is said",
        "operations",
        "a ceiling",
    ],
)
def test_only_what_a_check_needs_is_asked(document: dict[str, Any], asked: list[str], tmp_path: Path) -> None:
    facts = facts_of(written(document, tmp_path), {})
    assert sorted(checks.collections_of_checks(facts)) == [("iad", kind) for kind in asked]


class _Site:
    """The least that a check is run on: an entry, and a check that finds something about it."""

    def __init__(self, severity: Severity, milder: Severity | None = None, fix: str = "", mild: bool = False) -> None:
        entry = Entry(Address("iad", "tenant", "a"), {}, Where("doc.yaml", 3, 1))
        finding = Violation(entry, "is found", fix, milder if mild else None)
        self.checks = {
            "AAA-01": Check(
                "AAA-01", "t", severity, "w.", "the check's own fix", "s", lambda _: [finding], milder=milder
            )
        }
        self.facts = Facts({}, Index([entry]), Index([entry]))

    def findings(self, *waivers: Waiver, raised: Severity | None = None) -> list[tuple[str, str, str, str]]:
        settings = CheckSettings(waivers, {"AAA-01": (raised, Where("doc.yaml", 1, 1))} if raised else {})
        return [
            (finding.code, finding.severity.value, finding.message, finding.fix)
            for finding in run_checks(self.checks, self.facts, settings, TODAY)
        ]


RAISED = [  # what a check weighs, what it is raised to, and what it weighs then
    (Severity.NOTE, Severity.WARNING, "warning"),
    (Severity.NOTE, Severity.ERROR, "error"),
    (Severity.WARNING, Severity.ERROR, "error"),
]


@pytest.mark.parametrize(("own", "to", "then"), RAISED)
def test_a_finding_weighs_what_it_is_raised_to(own: Severity, to: Severity, then: str) -> None:
    assert _Site(own).findings(raised=to) == [("AAA-01", then, "is found", "the check's own fix")]
    assert _Site(Severity.ERROR, own, "its fix", mild=True).findings(raised=to) == [
        ("AAA-01", then, "is found", "its fix")
    ]


@pytest.mark.parametrize(("own", "to", "says"), [
    (Severity.WARNING, Severity.NOTE, "already a warning"),
    (Severity.ERROR, Severity.WARNING, "already an error"),
])  # fmt: skip
def test_a_finding_is_not_lowered(own: Severity, to: Severity, says: str) -> None:
    misread = ("VP263", "error", f"checks.raise: AAA-01 is {says}", "remove it; only a waiver lowers a finding")
    assert _Site(own).findings(raised=to) == [misread, ("AAA-01", own.value, "is found", "the check's own fix")]
    assert _Site(Severity.ERROR, own).findings(raised=to)[0][2] == f"checks.raise: AAA-01 is {says}"


def test_what_is_said_of_waivers_that_do_not_hold_any_more() -> None:
    def waiver(code: str, until: date, address: str = "*") -> Waiver:
        return Waiver(code, address, "known", until, Where("doc.yaml", 2, 1))

    tomorrow, yesterday = TODAY + timedelta(days=1), TODAY - timedelta(days=1)
    site, unwaived = _Site(Severity.WARNING), ("AAA-01", "warning", "is found", "the check's own fix")
    assert site.findings(waiver("AAA-01", tomorrow)) == [
        ("AAA-01", "note", f"is found [waived until {tomorrow}: known]", "")
    ]
    assert site.findings(waiver("ZZZ-01", yesterday), waiver("AAA-01", yesterday)) == [
        (
            "VP261", "error", f"the waiver of AAA-01 for * expired on {yesterday}",
            "fix the cause, or write a later until",
        ),
        unwaived,
    ]  # fmt: skip
    assert site.findings(waiver("AAA-01", yesterday), waiver("AAA-01", tomorrow, "pdx/*")) == [
        (
            "VP261", "error", f"the waiver of AAA-01 for * expired on {yesterday}",
            "fix the cause, or write a later until",
        ),
        ("VP262", "warning", "the waiver of AAA-01 for pdx/* waives nothing", "remove it"),
        unwaived,
    ]  # fmt: skip
    for finding in run_checks(site.checks, site.facts, CheckSettings((waiver("AAA-01", tomorrow),)), TODAY):
        assert finding.waived
    for finding in run_checks(site.checks, site.facts, CheckSettings((waiver("AAA-01", tomorrow, "pdx/*"),)), TODAY):
        assert not finding.waived and finding.address == ("" if finding.code == "VP262" else "iad/tenant/a")


def test_two_checks_of_one_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "twice"
    package.mkdir()
    text = "from vastplan.checks.csi.secret import CHECK as first\nfrom dataclasses import replace\nCHECK = replace(first)\n"
    for name in ("__init__", "a", "b"):
        (package / f"{name}.py").write_text("" if name == "__init__" else text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TypeError, match=r"^check CSI-06 is declared twice$"):
        discover_checks(importlib.import_module("twice"))


def test_directories_inside_one_another() -> None:
    assert enclosing(["/a/c", "/", "/a/b/d", "/ab", "/a", "/a/b"]) == {
        "/": (), "/a": ("/",), "/a/b": ("/", "/a"), "/a/b/d": ("/", "/a", "/a/b"), "/a/c": ("/", "/a"), "/ab": ("/",),
    }  # fmt: skip
