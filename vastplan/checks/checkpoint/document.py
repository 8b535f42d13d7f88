"""From the entries of a document to the demand of one volume, and its judgement in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.checks.checkpoint.around import Around
from vastplan.checks.checkpoint.budget import Budget, budget
from vastplan.checks.checkpoint.demand import Demand, Durability, SiteThroughput, Targets, Writer
from vastplan.checks.checkpoint.findings import findings
from vastplan.checks.checkpoint.qos import MB
from vastplan.checks.checkpoint.size import BYTES_PER_PARAMETER, model_bytes
from vastplan.checks.checkpoint.timely import ERROR, Violation
from vastplan.schema.entries import Entry, Scope

Values = Mapping[str, Any]


def evaluate_guards(volume: Entry, scope: Scope, site: Values) -> tuple[Budget | None, tuple[Violation, ...]]:
    """The budget of a volume and what it says: `(None, ())` for a volume without `checkpoint`.

    `scope` is the document before its composite entries are expanded, `site` what is said that the volume's site can do
    (`words/capability.py`). What makes no sense together is one finding, CKP-00, instead of figures.
    """
    if "checkpoint" not in volume.values:
        return None, ()
    try:
        found = budget(demand(volume, scope, site))
    except ValueError as senseless:
        return None, (Violation("CKP-00", ERROR, str(senseless), "the budget is computed once this is settled"),)
    return found, findings(found)


def demand(volume: Entry, scope: Scope, site: Values) -> Demand:
    """All that the document says of a volume's checkpoints. Raises `ValueError` with what would have to change."""
    values: Values = volume.values
    said: Values = values["checkpoint"]
    around = Around(volume, scope)
    size, parameter = _size(said)
    restore, tier = said.get("restore", {}), said.get("tier", {})
    reliability = said.get("reliability", {})
    gpus = sum(said["gpus"].values()) if "gpus" in said else None
    around.pools(said.get("gpus", {}))
    frames, goes_to = around.schedule()
    limits = tuple(around.limits(site.get("writes_bw_mbps_per_cnode")))
    return Demand(
        size_bytes=size,
        bytes_per_parameter=parameter,
        writer=_writer(said, gpus),
        interval=_interval(said),
        no_interval=_no_interval(said),
        keep=said["keep_last"],
        gpus=gpus,
        mtbf=reliability.get("mtbf"),
        gpu_days_per_failure=reliability.get("gpu_days_per_failure"),
        restart=restore.get("restart", 0),
        attach=restore.get("attach", 0),
        read_per_rank=_rate(restore.get("read_per_rank")),
        collective_timeout=said.get("collective_timeout"),
        grace_period=said.get("grace_period"),
        readers=_rate(said.get("readers")),
        durability=_outlives(tier.get("durability", "cluster")),
        drain_bytes_per_second=_rate(tier.get("drain")),
        drained=_outlives(tier.get("drain_to", "cluster")),
        limits=limits,
        capability=_capability(site, goes_to, volume.address.site, said.get("origin")),
        frames=frames,
        quota_bytes=values.get("size"),
        tenant_bytes=around.tenant_values.get("capacity_rules", {}).get("hard_limit") or None,
        max_inodes=values.get("max_inodes"),
        targets=_targets(said.get("targets", {})),
        unknown=tuple(around.unknown),
    )


def _writer(said: Values, gpus: int | None) -> Writer:
    return Writer(
        ranks=said.get("ranks") or gpus or 1,
        nodes=said.get("nodes"),
        rank_bytes_per_second=_rate(said.get("write_per_rank")),
        node_bytes_per_second=_rate(said.get("write_per_node")),
        staging_bytes_per_second=_rate(said.get("staging_per_rank")),
        files_per_rank=said.get("files_per_rank", 1),
        jobs=said["concurrent_jobs"],
        aligned=said["aligned"],
        asynchronous=said["mode"] == "async",
    )


def _capability(site: Values, goes_to: str, name: str, origin: str | None) -> SiteThroughput:
    """What the site `name` can do, with its links to where the volume replicates and to where its writes go."""
    wan = site.get("wan_bw_mbps", {})
    if origin is not None and origin not in wan:
        raise ValueError(
            f"writes go to {origin}, and no link there is known: give sites.{name}.capability.wan_bw_mbps.{origin}"
        )
    return SiteThroughput(
        read_bytes_per_second=_rate(site.get("reads_bw_mbps")),
        write_bytes_per_second=_rate(site.get("writes_bw_mbps")),
        wan_bytes_per_second=_rate(wan.get(goes_to)),
        origin_bytes_per_second=_rate(wan.get(origin)),
        reduction=site.get("reduction_ratio", 1.0),
    )


def _targets(said: Values) -> Targets:
    spans = {name: value for name, value in said.items() if name != "durability"}
    return Targets(**spans, durability=_outlives(said["durability"]) if "durability" in said else None)


def _size(said: Values) -> tuple[int, float | None]:
    """The size of a checkpoint, and of how many bytes a parameter, if it is a model's."""
    if "model" not in said:
        return said["size"], None
    model = said["model"]
    parameter = float(model.get("bytes_per_param") or BYTES_PER_PARAMETER[model.get("state", "mixed-adam")])
    return model_bytes(model["params"], parameter), parameter


def _interval(said: Values) -> int | None:
    steps = said.get("steps", {})
    return steps["every"] * steps["takes"] if "takes" in steps else said.get("interval")


def _no_interval(said: Values) -> str:
    if "event" in said:
        return "checkpoints come with an event"
    return f"a checkpoint every {said['steps']['every']:,} steps of unknown length" if "steps" in said else ""


def _rate(megabytes: int | None) -> int | None:
    return None if megabytes is None else megabytes * MB


def _outlives(name: str) -> Durability:
    return Durability[name.upper()]
