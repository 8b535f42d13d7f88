"""What a document says of checkpoints: read with everything around the volume, refused where it makes no sense, sent nowhere."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import vastplan.kinds
from tests.checks.checkpoint.conftest import Evaluate
from tests.conftest import Run
from tests.lab import SYSTEMS
from vastplan.checks.checkpoint.arithmetic import Budget
from vastplan.checks.checkpoint.inputs import CheckpointInputs, CheckpointWriter, SiteThroughput
from vastplan.document.load import load_document
from vastplan.model.errors import Invalid
from vastplan.schema.composition import Scope, compose
from vastplan.schema.discover import discover

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = (ROOT / "examples" / "checkpoints.yaml").read_text()
DOCUMENT = """\
version: 1
name: one
sites: {lab: {sim: {}, capability: {reads_bw_mbps: 20 GB/s, writes_bw_mbps: 10 GB/s}}, far: {sim: {}}}
secrets: {mgmt: {sites: [lab], namespace: vast-csi, data: {endpoint: e, username: csi, password: {env: X}}}}
namespaces: {vast-csi: {sites: [lab]}}
tenants:
  team:
    sites: [lab]
    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.1.10 - 10.20.1.13], cnode_ids: [1, 2]}
    view_policy: {flavor: NFS}
    storage_class: {driver: file, storage_path: /team/k8s, secret: mgmt}
    project: {gpus: {default: 8, h100: 64}}
    volumes:
      checkpoints:
        path: /team/checkpoints
        size: 1 TB
        checkpoint:
          size: 100 GB
          interval: 10m
"""
LIMITS = yaml.safe_load((Path(__file__).parent / "limits.yaml").read_text())
PLACE = "          size: 100 GB\n          interval: 10m\n"


def budget_of(evaluate: Evaluate, text: str) -> Budget:
    evaluated = evaluate(text)
    assert evaluated.budget is not None, evaluated.findings
    return evaluated.budget


def edited(*changes: tuple[str, str]) -> str:
    text = DOCUMENT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_the_example_fails_and_says_which_limit_binds(evaluate: Evaluate) -> None:
    evaluated = evaluate(EXAMPLE)
    assert evaluated.budget is not None
    assert str(evaluated.budget.binding) == "IOPS x I/O size of volume checkpoints"
    assert [(finding.code, finding.severity.value) for finding in evaluated.findings] == [
        ("CKP-01", "error"), ("CKP-03", "error"), ("CKP-04", "warning"), ("CKP-11", "warning"),
    ]  # fmt: skip
    assert "IOPS x I/O size of volume checkpoints binds" in evaluated.findings[0].message
    assert "raise the bandwidth to 1.09 GB/s for each job" in evaluated.findings[0].fix


def test_one_line_of_the_example_makes_it_pass(evaluate: Evaluate) -> None:
    lines = EXAMPLE.splitlines(keepends=True)
    (index,) = (number for number, line in enumerate(lines) if line.strip() == "max_writes_iops: 3000")
    lines[index] = lines[index].replace("3000", "40000")
    evaluated = evaluate("".join(lines))
    assert evaluated.budget is not None and evaluated.findings == ()
    assert (evaluated.budget.write_seconds, str(evaluated.budget.binding)) == (
        490,
        "QoS bandwidth of volume checkpoints",
    )


def test_what_a_volume_says_is_what_is_computed_with(evaluate: Evaluate) -> None:
    more = """\
          model: {params: 8B, state: fp32+moments}
          gpus: {default: 8, h100: 56}
          nodes: 8
          write_per_rank: 50 MB/s
          write_per_node: 1 GB/s
          staging_per_rank: 5 GB/s
          files_per_rank: 2
          mode: async
          steps: {every: 500, takes: 4s}
          keep_last: 3
          concurrent_jobs: 2
          aligned: false
          collective_timeout: 10m
          grace_period: 1m
          restore: {read_per_rank: 100 MB/s, attach: 20s, restart: 5m}
          readers: 5 GB/s
          reliability: {gpu_days_per_failure: 2112}
          tier: {durability: node, drain: 1 GB/s, drain_to: region}
          targets: {rpo: 1h, rto: 15m, remote_rpo: 2h, stall_fraction: 0.02, overhead: 0.1, durability: region}
"""
    inputs = budget_of(evaluate, edited((PLACE, more))).inputs
    writer, targets = inputs.writer, inputs.targets
    assert (inputs.size_bytes, inputs.bytes_per_parameter) == (96 * 10**9, 12)
    assert (writer.ranks, writer.nodes, writer.files_per_rank, writer.jobs, writer.aligned) == (64, 8, 2, 2, False)
    assert (writer.rank_bytes_per_second, writer.node_bytes_per_second) == (50 * 10**6, 10**9)
    assert (writer.asynchronous, writer.staging_bytes_per_second) == (True, 5 * 10**9)
    assert (inputs.interval, inputs.keep, inputs.gpus, inputs.gpu_days_per_failure) == (2000, 3, 64, 2112)
    assert (inputs.collective_timeout, inputs.grace_period, inputs.attach, inputs.restart) == (600, 60, 20, 300)
    assert (inputs.read_per_rank, inputs.readers) == (100 * 10**6, 5 * 10**9)
    assert (inputs.durability.name, inputs.drain_bytes_per_second, inputs.drained.name) == ("NODE", 10**9, "REGION")
    assert (targets.rpo, targets.rto, targets.remote_rpo) == (3600, 900, 7200)
    assert (targets.stall_fraction, targets.overhead) == (0.02, 0.1)
    assert targets.durability is not None and targets.durability.name == "REGION"
    assert (inputs.quota_bytes, inputs.tenant_bytes, inputs.max_inodes) == (10**12, None, None)
    site = inputs.capability
    assert (site.read_bytes_per_second, site.write_bytes_per_second) == (20 * 10**9, 10**10)


def test_what_a_volume_does_not_say(evaluate: Evaluate) -> None:
    site = SiteThroughput(read_bytes_per_second=20 * 10**9, write_bytes_per_second=10**10)
    least = CheckpointInputs(size_bytes=10**11, interval=600, keep=1, quota_bytes=10**12, capability=site)
    assert budget_of(evaluate, DOCUMENT).inputs == least
    model = edited((PLACE, "          model: {params: 1B}\n          event: preemption\n          gpus: {h100: 3}\n"))
    assert budget_of(evaluate, model).inputs == replace(
        least, size_bytes=14 * 10**9, bytes_per_parameter=14, interval=None, gpus=3, writer=CheckpointWriter(ranks=3),
        no_interval="checkpoints are written on an event",
    )  # fmt: skip
    more = edited(
        ("size: 1 TB", "size: 1 TB\n        max_inodes: 7"),
        ("reads_bw_mbps: 20 GB/s, writes_bw_mbps: 10 GB/s", "reduction_ratio: 2.5"),
        ("  team:\n", "  team:\n    capacity_rules: {hard_limit: 5 TB}\n"),
        (
            "interval: 10m",
            "interval: 10m\n          ranks: 2\n          gpus: {h100: 3}\n          reliability: {mtbf: 1d}",
        ),
    )
    assert budget_of(evaluate, more).inputs == replace(
        least, capability=SiteThroughput(reduction=2.5), tenant_bytes=5 * 10**12, max_inodes=7, gpus=3, mtbf=86400,
        writer=CheckpointWriter(ranks=2),
    )  # fmt: skip


@pytest.mark.parametrize("case", LIMITS, ids=[f"{number}: {case['binds']}" for number, case in enumerate(LIMITS)])
def test_every_limit_on_the_way_is_counted(evaluate: Evaluate, case: dict[str, Any]) -> None:
    budget = budget_of(evaluate, edited((case["old"], case["new"])))
    assert (str(budget.binding), budget.write_seconds) == (case["binds"], case["write"])
    assert budget.inputs.unknown == ()


def test_a_policy_by_name_and_that_of_a_class(evaluate: Evaluate) -> None:
    policies = "  team:\n    qos_policies: {slow: {static_limits: {max_writes_bw_mbps: 500}}}\n"
    named = edited(("  team:\n", policies), ("size: 1 TB", "size: 1 TB\n        qos_policy: slow"))
    assert str(budget_of(evaluate, named).binding) == "QoS bandwidth of policy slow"
    of_class = edited(
        ("  team:\n", policies), ("path: /team/checkpoints", "storage_class: team"),
        ("secret: mgmt}", "secret: mgmt, qos_policy: slow}"),
    )  # fmt: skip
    assert (str(budget_of(evaluate, of_class).binding), budget_of(evaluate, of_class).write_seconds) == (
        "QoS bandwidth of policy slow", 200,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("size: 1 TB", "size: 1 TB\n        qos_policy: {existing: gold}", "QoS policy"),
        ("size: 1 TB", "size: 1 TB\n        snapshots: {existing: hourly}", "snapshot schedule"),
        ("path: /team/checkpoints", "storage_class: {existing: gold}", "storage class"),
        ("size: 1 TB", "size: 1 TB\n        qos: {mode: USED_CAPACITY, capacity_limits: {max_writes_bw_mbps_per_gb_capacity: 2}}", "depends on the used capacity"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_said(evaluate: Evaluate, old: str, new: str, words: str) -> None:
    (finding,) = evaluate(edited((old, new))).findings
    assert finding.code == "CKP-00" and words in finding.message


def test_snapshots_and_the_link_that_replicates_them(evaluate: Evaluate) -> None:
    text = edited(
        ("writes_bw_mbps: 10 GB/s", "writes_bw_mbps: 10 GB/s, wan_bw_mbps: {far: 1 GB/s}, reduction_ratio: 2"),
        ("size: 1 TB", "size: 1 TB\n        snapshots: kept"),
        ("secrets:", "replication_peers: {link: {between: {lab: {vip_pool: out}, far: {vip_pool: out}}}}\n"
         "vip_pools: {out: {role: REPLICATION, subnet_cidr: 24, ip_ranges: [10.9.0.1 - 10.9.0.4]}}\n"
         "snapshot_schedules: {kept: {sites: [lab], replicate_to: link, frames: "
         "[{every: 1h, keep_local: 5h, keep_remote: 10h}, {every: 1d, keep_local: 30d}]}}\nsecrets:"),
    )  # fmt: skip
    budget = budget_of(evaluate, text)
    assert budget.space.live == 2 * 10**11
    assert budget.space.pinned == (10 + 60) * 10**11 // 2  # 5 h of hourly ones hold 2 each, 30 daily ones 2 each
    assert budget.space.remote == 20 * 10**11 // 2
    assert budget.replication is not None
    assert (budget.replication.every, budget.replication.sent, budget.replication.transfer) == (3600, 10**11, 50)
    assert budget.replication.rpo == 600 + 10 + 3600 + 50


def test_a_satellite_writes_over_the_wan(evaluate: Evaluate) -> None:
    far = ("interval: 10m", "interval: 10m\n          origin: far")
    budget = budget_of(
        evaluate, edited(far, ("writes_bw_mbps: 10 GB/s", "writes_bw_mbps: 10 GB/s, wan_bw_mbps: {far: 1 GB/s}"))
    )
    assert (str(budget.binding), budget.write_seconds) == ("WAN", 100)
    evaluated = evaluate(edited(far))
    assert evaluated.budget is None
    (finding,) = evaluated.findings
    assert (finding.code, finding.severity.value) == ("CKP-00", "error")
    assert finding.message.endswith("write sites.lab.capability.wan_bw_mbps.far")


def test_gpus_that_the_project_has_none_of(evaluate: Evaluate) -> None:
    evaluated = evaluate(edited(("interval: 10m", "interval: 10m\n          gpus: {a100: 8}")))
    assert evaluated.budget is None
    assert evaluated.findings[0].message == (
        "project team has no GPUs in node pool a100: give it some there, or use one of default, h100"
    )


@pytest.mark.parametrize(
    ("wrong", "line", "column", "words"),
    [
        ("size: 0\n          interval: 10m", 18, 11, "0 is too small: a checkpoint has a size"),
        ("size: -5\n          interval: 10m", 18, 11, "-5 is too small: a checkpoint has a size"),
        ("size: -5 GB\n          interval: 10m", 18, 11, "'-5 GB' is not a size"),
        ("size: 1 GB\n          interval: 0", 19, 11, "0 is too small: checkpoints follow each other"),
        ("size: 1 GB\n          interval: 0s", 19, 11, "0s is too small: checkpoints follow each other"),
        ("size: 1 GB\n          interval: often", 19, 11, "'often' is not a duration"),
        ("size: 1 GB", 17, 9, "give one of interval"),
        ("interval: 10m", 17, 9, "give either size, or model"),
        ("size: 1 GB\n          model: {params: 8B}\n          interval: 10m", 17, 9, "give either size, or model"),
        ("model: {params: 8GB}\n          interval: 10m", 18, 19, "'8GB' is not a number of parameters"),
        ("model: {params: 0B}\n          interval: 10m", 18, 19, "0B is too small: a model has parameters"),
        ("model: {params: 8B, state: adam}\n          interval: 10m", 18, 31, "'mixed-adam'"),
        ("model: {params: 8B, state: mixed-adam, bytes_per_param: 4}\n          interval: 10m", 18, 11, "give either state"),
        ("model: {params: 8B, bytes_per_param: 100}\n          interval: 10m", 18, 31, "100 is out of range"),
        ("size: 1 GB\n          interval: 10m\n          gpus: 8", 20, 11, "GPUs belong to a node pool: write {default: 8}"),
        ("size: 1 GB\n          interval: 10m\n          gpus: {default: 0}", 20, 18, "0 is too small"),
        ("size: 1 GB\n          interval: 10m\n          mode: async", 17, 9, "mode async needs staging_per_rank"),
        ("size: 1 GB\n          interval: 10m\n          staging_per_rank: 1 GB/s", 17, 9, "needs mode async"),
        ("size: 1 GB\n          interval: 10m\n          write_per_node: 1 GB/s", 17, 9, "needs nodes"),
        ("size: 1 GB\n          interval: 10m\n          write_per_rank: 1 Gb/s", 20, 11, "in bits"),
        ("size: 1 GB\n          interval: 10m\n          targets: {stall_fraction: 0}", 20, 21, "0 is out of range"),
        ("size: 1 GB\n          interval: 10m\n          targets: {overhead: 1}", 20, 21, "1 is out of range"),
        ("size: 1 GB\n          interval: 10m\n          targets: {rpo: 0s}", 20, 21, "0s is too small"),
        ("size: 1 GB\n          interval: 10m\n          reliability: {}", 20, 11, "give either mtbf"),
        ("size: 1 GB\n          interval: 10m\n          intervall: 5m", 20, 11, "unknown key intervall"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_has_a_line_and_a_way_out(
    evaluate: Evaluate, wrong: str, line: int, column: int, words: str
) -> None:
    with pytest.raises(Invalid) as caught:
        evaluate(edited((PLACE, f"          {wrong}\n")))
    (finding,) = caught.value.findings
    assert words in finding.message
    assert finding.where is not None
    assert (finding.where.line, finding.where.column) == (line, column)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("writes_bw_mbps: 0 GB/s", "0 GB/s is too small: leave out what is not known"),
        ("writes_bw_mbps: -1", "-1 is too small"),
        ("writes_bw_mbps: 10 Gb/s", "in bits"),
        ("reduction_ratio: 0.5", "0.5 is out of range"),
        ("wan_bw_mbps: {fra: 1 GB/s}", "the document has no other site fra"),
        ("wan_bw_mbps: {lab: 1 GB/s}", "the document has no other site lab"),
        ("writes: 1 GB/s", "unknown key writes"),
    ],
)
def test_a_capability_that_makes_no_sense(evaluate: Evaluate, wrong: str, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        evaluate(edited(("writes_bw_mbps: 10 GB/s", wrong)))
    (finding,) = caught.value.findings
    assert words in finding.message
    assert finding.where is not None and finding.where.line == 3


def test_parameters_are_counted_exactly(evaluate: Evaluate) -> None:
    for written, count in (
        ("70B", 70 * 10**9),
        ("1.5T", 15 * 10**11),
        ("350M", 35 * 10**7),
        ("0.5 B", 5 * 10**8),
        ("12345", 12345),
    ):
        text = edited((PLACE, f"          model: {{params: {written}, bytes_per_param: 1}}\n          interval: 10m\n"))
        assert budget_of(evaluate, text).inputs.size_bytes == count


def test_it_is_part_of_no_object(tmp_path: Path) -> None:
    registry = discover(vastplan.kinds)

    def objects(text: str) -> object:
        (tmp_path / "document.yaml").write_text(text)
        document = load_document([tmp_path / "document.yaml"], registry, SYSTEMS)
        scope = Scope(document.sites(), document.entries)
        return [
            (entry.address, entry.values)
            for entry in compose(scope, document.entries, registry.compositions, registry.kinds)
        ]

    assert objects(DOCUMENT) == objects(edited(("        checkpoint:\n" + PLACE, "")))
    assert objects(DOCUMENT) == objects(edited((", capability: {reads_bw_mbps: 20 GB/s, writes_bw_mbps: 10 GB/s}", "")))


@pytest.mark.slow
def test_a_change_of_it_changes_nothing(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "checkpoints.yaml"
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    file.write_text(EXAMPLE.replace("max_writes_iops: 3000", "max_writes_iops: 40000"))
    assert vastplan("apply", file, "--auto-approve").code == 0
    text = file.read_text()
    file.write_text(text.replace("interval: 15m", "interval: 14m").replace("write: 50 GB/s", "write: 40 GB/s"))
    assert file.read_text() != text
    assert vastplan("plan", file, "--detailed-exitcode").code == 0
    assert vastplan("drift", file).code == 0
