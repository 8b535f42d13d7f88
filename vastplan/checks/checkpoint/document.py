"""What a document says of a volume's checkpoints: its own entry, and the project, tenant, schedule and policies around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.checkpoint.capacity import BYTES_PER_PARAMETER, model_bytes
from vastplan.checks.checkpoint.inputs import (
    CheckpointInputs,
    CheckpointWriter,
    Durability,
    SiteThroughput,
    SnapshotFrame,
    Targets,
)
from vastplan.checks.checkpoint.write_time import MB, LimitKind, WriteLimit, follows_used_capacity, policy_limits
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry

Values = Mapping[str, Any]


def read_inputs(volume: Entry, scope: Scope, site: Values) -> CheckpointInputs:
    """All that the document says about the checkpoints of `volume`, which has some.

    `scope` is the document before its composite entries are expanded, `site` the `capability` of the volume's site
    (`schema/capability.py`). Raises `ValueError` with what has to change.
    """
    values: Values = volume.values
    checkpoint: Values = values["checkpoint"]
    context = VolumeContext(volume, scope)
    size, bytes_per_parameter = _size(checkpoint)
    restore, tier = checkpoint.get("restore", {}), checkpoint.get("tier", {})
    reliability = checkpoint.get("reliability", {})
    gpus = sum(checkpoint["gpus"].values()) if "gpus" in checkpoint else None
    context.require_node_pools(checkpoint.get("gpus", {}))
    frames, replicates_to = context.snapshot_schedule()
    limits = tuple(context.write_limits(site.get("writes_bw_mbps_per_cnode")))
    return CheckpointInputs(
        size_bytes=size,
        bytes_per_parameter=bytes_per_parameter,
        writer=_writer(checkpoint, gpus),
        interval=_interval(checkpoint),
        no_interval=_no_interval(checkpoint),
        keep=checkpoint["keep_last"],
        gpus=gpus,
        mtbf=reliability.get("mtbf"),
        gpu_days_per_failure=reliability.get("gpu_days_per_failure"),
        restart=restore.get("restart", 0),
        attach=restore.get("attach", 0),
        read_per_rank=_rate(restore.get("read_per_rank")),
        collective_timeout=checkpoint.get("collective_timeout"),
        grace_period=checkpoint.get("grace_period"),
        readers=_rate(checkpoint.get("readers")),
        durability=_durability(tier.get("durability", "cluster")),
        drain_bytes_per_second=_rate(tier.get("drain")),
        drained=_durability(tier.get("drain_to", "cluster")),
        limits=limits,
        capability=_throughput(site, replicates_to, context, checkpoint.get("origin")),
        frames=frames,
        quota_bytes=values.get("size"),
        tenant_bytes=context.tenant_values.get("capacity_rules", {}).get("hard_limit") or None,
        max_inodes=values.get("max_inodes"),
        targets=_targets(checkpoint.get("targets", {})),
        unknown=tuple(context.unknown),
    )


class VolumeContext:
    """Looks up what a volume refers to; `unknown` collects, in sentences, what could not be taken into account."""

    def __init__(self, volume: Entry, scope: Scope) -> None:
        self.unknown: list[str] = []
        self._volume, self._scope, self.site = volume, scope, volume.address.site
        self._project = self._named_or_only("project", volume.values.get("project"), volume.values.get("tenant"))
        tenant = volume.values.get("tenant") or (self._project.values.get("tenant") if self._project else None)
        self._tenant = tenant if isinstance(tenant, Ref) else None
        self.tenant_values: Values = self._values(self._tenant) or {}

    def require_node_pools(self, gpus: Values) -> None:
        """Refuse GPUs (by node pool) of a pool in which the project has none."""
        project = self._project
        pools = project.values.get("node_pools") if project else None
        for pool in gpus:
            if project and pools and pool not in pools:
                raise ValueError(
                    f"project {project.address.name} has no GPUs in node pool {pool}: "
                    f"give it some there, or use one of {', '.join(sorted(pools))}"
                )

    def snapshot_schedule(self) -> tuple[tuple[SnapshotFrame, ...], str]:
        """The frames of the volume's snapshots, and the site that they replicate to."""
        schedule = self._volume.values.get("snapshots", self._volume.values.get("replicate"))
        values = self._values(schedule)
        if values is None:
            self._note_unmanaged("snapshot schedule", schedule)
            return (), ""
        frames = tuple(
            SnapshotFrame(
                every=frame["every"],
                keep_local=frame.get("keep_local") or 0,
                keep_remote=frame.get("keep_remote") or 0,
            )
            for frame in values["frames"]
        )
        peering = self._values(values.get("replicate_to")) or {}
        return frames, next((site for site in peering.get("between", ()) if site != self.site), "")

    def origin(self) -> str:
        """The site that the volume is a satellite of by `global_access`, "" if it is not a satellite."""
        active = self._volume.values.get("active")
        return str(active) if "global_access" in self._volume.values and active != self.site else ""

    def write_limits(self, mbps_per_cnode: int | None) -> Iterator[WriteLimit]:
        """The limits of every QoS policy known to apply to the volume's writes, and of its VIP pool."""
        values = self._volume.values
        storage_class = self._values(values.get("storage_class")) or {}
        self._note_unmanaged("storage class", values.get("storage_class"))
        size = values.get("size")
        if isinstance(values.get("qos"), Mapping):
            yield from self._policy_limits(values["qos"], f"volume {self._volume.address.name}", size)
        for reference in (values.get("qos_policy"), storage_class.get("qos_policy")):
            policy = self._values(reference)
            if policy is not None:
                yield from self._policy_limits(policy, f"policy {reference}", size)
            else:
                self._note_unmanaged("QoS policy", reference)
        if isinstance(self.tenant_values.get("qos"), Mapping):
            yield from self._policy_limits(self.tenant_values["qos"], f"tenant {self._tenant}", None)
        self._note_unmanaged("tenant", self._tenant)
        for entry in self._scope.owned_by(self._tenant, self.site, "qos_policy"):
            if entry.values.get("policy_type") == "USER" and entry.values.get("is_default") is True:
                yield from self._policy_limits(entry.values, f"policy {entry.address.name}", None)
        pool = self._named_or_only("vip_pool", values.get("vip_pool") or storage_class.get("vip_pool"), self._tenant)
        cnodes = pool.values.get("cnode_ids") if pool else None
        if mbps_per_cnode and cnodes and pool:  # a pool without a list uses all CNodes: the site's bandwidth applies
            yield WriteLimit(LimitKind.VIP_POOL, pool.address.name, mbps_per_cnode * MB * len(cnodes))

    def _policy_limits(self, values: Values, owner: str, size: int | None) -> Iterator[WriteLimit]:
        if follows_used_capacity(values):
            self.unknown.append(f"QoS of {owner} depends on the used capacity, which a document does not say")
        yield from policy_limits(values, owner, size)

    def _values(self, reference: object) -> Values | None:
        entry = self._scope.get(reference.target) if isinstance(reference, Ref) else None
        return entry.values if entry else None

    def _note_unmanaged(self, name: str, reference: object) -> None:
        if isinstance(reference, Ref) and self._values(reference) is None:
            self.unknown.append(f"{name} {reference} is not in this document: its limits are not counted")

    def _named_or_only(self, kind: str, reference: object, tenant: Ref | None) -> Entry | None:
        """The named entry, or the tenant's only one."""
        if isinstance(reference, Ref):
            return self._scope.get(reference.target)
        entries = self._scope.owned_by(tenant, self.site, kind)
        return entries[0] if len(entries) == 1 else None


def _writer(checkpoint: Values, gpus: int | None) -> CheckpointWriter:
    return CheckpointWriter(
        ranks=checkpoint.get("ranks") or gpus or 1,
        nodes=checkpoint.get("nodes"),
        rank_bytes_per_second=_rate(checkpoint.get("write_per_rank")),
        node_bytes_per_second=_rate(checkpoint.get("write_per_node")),
        staging_bytes_per_second=_rate(checkpoint.get("staging_per_rank")),
        files_per_rank=checkpoint.get("files_per_rank", 1),
        jobs=checkpoint["concurrent_jobs"],
        aligned=checkpoint["aligned"],
        asynchronous=checkpoint["mode"] == "async",
    )


def _throughput(site: Values, replicates_to: str, context: VolumeContext, origin: str | None) -> SiteThroughput:
    """What a volume's site can do, with its links to where the volume replicates and to where its writes go.

    A satellite by `global_access` also reads over that link, whatever it reads for the first time.
    """
    wan, name, shared = site.get("wan_bw_mbps", {}), context.site, context.origin()
    if shared and shared not in wan:
        context.unknown.append(
            f"reads come over the WAN, and writes go to the origin {shared}: the speed of the link is not known without sites.{name}.capability.wan_bw_mbps.{shared}"
        )
    if shared in wan:
        origin = shared
    if origin is not None and origin not in wan:
        raise ValueError(
            f"writes go to {origin}, and the speed of the link is not known: write sites.{name}.capability.wan_bw_mbps.{origin}"
        )
    reads = [rate for rate in (site.get("reads_bw_mbps"), wan.get(shared)) if rate is not None]
    return SiteThroughput(
        read_bytes_per_second=_rate(min(reads, default=None)),
        write_bytes_per_second=_rate(site.get("writes_bw_mbps")),
        wan_bytes_per_second=_rate(wan.get(replicates_to)),
        origin_bytes_per_second=_rate(wan.get(origin)),
        origin=shared,
        reduction=site.get("reduction_ratio", 1.0),
    )


def _targets(targets: Values) -> Targets:
    figures = {name: value for name, value in targets.items() if name != "durability"}
    return Targets(**figures, durability=_durability(targets["durability"]) if "durability" in targets else None)


def _size(checkpoint: Values) -> tuple[int, float | None]:
    """The size of a checkpoint, and the bytes per parameter if the size is a model's."""
    if "model" not in checkpoint:
        return checkpoint["size"], None
    model = checkpoint["model"]
    bytes_per_parameter = float(model.get("bytes_per_param") or BYTES_PER_PARAMETER[model.get("state", "mixed-adam")])
    return model_bytes(model["params"], bytes_per_parameter), bytes_per_parameter


def _interval(checkpoint: Values) -> int | None:
    steps = checkpoint.get("steps", {})
    return steps["every"] * steps["takes"] if "takes" in steps else checkpoint.get("interval")


def _no_interval(checkpoint: Values) -> str:
    if "event" in checkpoint:
        return "checkpoints are written on an event"
    if "steps" in checkpoint:
        return f"a checkpoint every {checkpoint['steps']['every']:,} steps of unknown length"
    return ""


def _rate(megabytes: int | None) -> int | None:
    return None if megabytes is None else megabytes * MB


def _durability(name: str) -> Durability:
    return Durability[name.upper()]
