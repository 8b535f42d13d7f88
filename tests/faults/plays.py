"""The documents of the matrix: the reference, a small one with all its kinds, and what each becomes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ai-factory"


def reference(folder: Path) -> tuple[Path, Path]:
    """`examples/ai-factory`, and the same with fields changed, objects replaced and objects gone."""
    first, second = folder / "reference-1", folder / "reference-2"
    shutil.copytree(EXAMPLE, first, ignore=shutil.ignore_patterns(".vastplan"))
    shutil.copytree(first, second)
    _edit(second / "factory.yaml", _factory)
    _edit(second / "team-a.yaml", _team_a)
    _edit(second / "team-b.yaml", _team_b)
    return first, second


def _edit(file: Path, change: Any) -> None:
    tree = yaml.safe_load(file.read_text())
    change(tree)
    file.write_text(yaml.safe_dump(tree, sort_keys=False))


def _factory(tree: dict[str, Any]) -> None:
    tree["departments"]["research"]["gpus"] = {"default": 160}
    tree["snapshot_classes"]["vast-block"]["deletion_policy"] = "Retain"  # immutable: replaced
    tree["snapshot_schedules"]["daily"]["frames"] = [{"every": "1d", "keep_local": "7d"}]


def _team_a(tree: dict[str, Any]) -> None:
    team = tree["tenants"]["team-a"]
    team["capacity_rules"]["hard_limit"] = "600 TiB"
    team["storage_class"]["mount_options"] = ["nconnect=16"]  # immutable: replaced
    team["qos_policy"]["static_limits"]["max_reads_bw_mbps"] = "24 GB/s"
    team["project"]["access"] = {"ML engineer": ["grp-team-a2"]}  # another rule; the old one goes
    team["volumes"]["team-a-checkpoints"]["size"] = "120 TiB"
    del team["volumes"]["team-a-scratch"]
    del team["volumes"]["team-a-data"]


def _team_b(tree: dict[str, Any]) -> None:
    team = tree["tenants"]["team-b"]
    team["project"]["gpus"] = {"default": 48}
    del team["volumes"]["team-b-checkpoints"]
    del team["volumes"]["team-b-data"]
