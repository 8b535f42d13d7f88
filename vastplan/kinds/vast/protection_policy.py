"""Protection policy: when snapshots are taken, how long they are kept, and to which peer they are replicated."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from vastplan.kinds.vast._common import INTERNAL, OFF, SUFFIXED, collection
from vastplan.kinds.vast.snapshot import snapshots
from vastplan.model.wording import quoted
from vastplan.schema.kind import Kind, Row, Values
from vastplan.schema.live import Attribute, States
from vastplan.schema.markers import (
    DOCUMENT,
    IDENTITY,
    NAMED,
    ONE_WAY,
    Codec,
    Opens,
    Reduces,
    Refers,
    Shorthand,
    Wire,
)
from vastplan.schema.site_groups import Grouped
from vastplan.schema.types import MISSING, ReferenceName, Spec, Text, UnitSpan, VendorName

_START = "%Y-%m-%d %H:%M:%S"


def _moment(text: str) -> str:
    try:
        return datetime.strptime(text, _START).strftime(_START)
    except ValueError:
        raise ValueError(
            f"{quoted(text)} is not a date and time in UTC; write for example '2026-01-31 02:00:00'"
        ) from None


def _read_moment(raw: str) -> str:
    return raw.replace("T", " ").removesuffix("Z")  # VMS has been seen to return both forms


_MOMENT = Codec(str, _read_moment)


class ScheduleFrame(Spec):
    """A frame of a schedule: a snapshot `every` so often, kept for so long here and on the peer.

    VMS takes the frames whole: a part that a frame leaves out is unset when any frame is next changed.
    """

    every: Annotated[UnitSpan, SUFFIXED]
    """Time from one snapshot to the next, such as 1h."""
    start_at: Annotated[Annotated[str, AfterValidator(_moment)] | None | MISSING, Wire("start-at"), _MOMENT] = MISSING
    """Time of the first snapshot in UTC, such as '2026-01-31 02:00:00'."""
    keep_local: Annotated[UnitSpan | None | MISSING, Wire("keep-local"), SUFFIXED] = MISSING
    """Time for which a snapshot is kept on this cluster, such as 2d."""
    keep_remote: Annotated[UnitSpan | None | MISSING, Wire("keep-remote"), SUFFIXED] = MISSING
    """Time for which a snapshot is kept on the peer. It needs replicate_to or peer."""

    @model_validator(mode="after")
    def _keeps(self) -> "ScheduleFrame":
        if not isinstance(self.keep_local, int) and not isinstance(self.keep_remote, int):
            raise ValueError("a frame needs keep_local or keep_remote")
        return self


def _kept_less(before: Any, after: Any) -> bool:
    """Whether a frame is gone, or its snapshots become rarer or are kept for less time."""
    return any(not any(_as_good(frame, new) for new in after or ()) for frame in before or ())


def _as_good(frame: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    kept = all((new.get(keep) or 0) >= (frame.get(keep) or 0) for keep in ("keep_local", "keep_remote"))
    return kept and bool(new["every"] <= frame["every"])


_TARGETS = frozenset({"replicate_to", "peer"})


def _implied(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """`clone_type` need not be written where a target implies it."""
    return {} if values.get("clone_type") == "NATIVE_REPLICATION" and values.keys() & _TARGETS else None


class ProtectionPolicy(Spec):
    """A snapshot schedule: when snapshots are taken and how long they are kept; `replicate_to` also sends them to a
    peer. A protected path puts a directory under it."""

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the schedule in VMS; the entry's key when left out."""
    prefix: Annotated[Text | MISSING, NAMED] = MISSING
    """Beginning of the names of its snapshots; the entry's key when left out."""
    frames: Annotated[list[ScheduleFrame], Field(min_length=1), Reduces(_kept_less)]
    """Intervals at which snapshots are taken, each with the times for which its snapshots are kept."""
    indestructible: Annotated[bool | MISSING, ONE_WAY, OFF] = MISSING
    """Whether the cluster's indestructibility must be unlocked to change or delete the schedule. Once on, it cannot
    be switched off."""
    replicate_to: Annotated[ReferenceName | MISSING, Refers("peering"), DOCUMENT] = MISSING
    """Replication peer of this document, between two of its sites, that the snapshots are sent to. It excludes peer."""
    peer: Annotated[ReferenceName | MISSING, Refers("replication_peer"), Wire("target_object_id"), Opens()] = MISSING
    """Replication peer to a cluster that is not a site of this document, as {existing: NAME}. It excludes
    replicate_to."""
    clone_type: Annotated[Literal["LOCAL", "NATIVE_REPLICATION"], Shorthand(_implied)] = "LOCAL"
    """Type of protection: snapshots here (LOCAL), or also on a peer (NATIVE_REPLICATION). It follows from replicate_to
    and peer."""

    @model_validator(mode="before")
    @classmethod
    def _type_from_target(cls, values: Any) -> Any:
        if isinstance(values, dict) and "clone_type" not in values and values.keys() & _TARGETS:
            return {**values, "clone_type": "NATIVE_REPLICATION"}
        return values

    @model_validator(mode="after")
    def _consistent(self) -> "ProtectionPolicy":
        replicates = self.replicate_to is not MISSING or self.peer is not MISSING
        if self.replicate_to is not MISSING and self.peer is not MISSING:
            raise ValueError("give either replicate_to or peer")
        if replicates != (self.clone_type == "NATIVE_REPLICATION"):
            raise ValueError("clone_type must be NATIVE_REPLICATION with replicate_to, and LOCAL without")
        if any(isinstance(frame.keep_remote, int) for frame in self.frames) != replicates:
            raise ValueError("keep_remote and replicate_to go together")
        return self


def _without_nulls(body: Row, values: Values) -> Row:
    """The body without the fields that a frame clears: VMS replaces frames as a whole, and a local one must not mention the peer."""
    if "frames" in body:
        body["frames"] = [{key: value for key, value in frame.items() if value is not None} for frame in body["frames"]]
    return body


KIND = Kind(
    ProtectionPolicy,
    name="protection_policy",
    system="vast",
    section="snapshot_schedules",
    endpoint=collection("protectionpolicies", vanishes_later=True),
    dependents=(snapshots(("id", "policy")),),
    system_owned=INTERNAL,
    states=States(
        ("state",), frozenset({None, "working"}), leaving=frozenset({"DELETE_PENDING", "delete_pending"}), awaited=False
    ),
    # VMS copies a policy that replicates to the other cluster by itself, with the same guid.
    # Those of a document serve all tenants; somebody else's may be of one.
    attributes=(Attribute("guid", ("guid",)), Attribute("tenant_id", ("tenant_id",))),
    grouped=Grouped("guid"),
    finish_encode=_without_nulls,
)
