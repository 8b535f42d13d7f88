"""The fields of a directory that two sites share: how its data reaches the other site, and which site writes."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from vastplan.schema.markers import DOCUMENT, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Span, Spec

SHARED = ("replicate", "global_access", "synchronous_replication")
"""The fields by which two sites share a directory."""
SYNCHRONOUS = SHARED[-1]
"""The field that only buckets have."""
_OF_SHARED = ("active", "access")


class GlobalAccess(Spec):
    """Access of another site to what the active one writes, at once: it reads through a cache for the time of a
    lease, and its writes go to the active one."""

    lease: Span
    """Time for which the other site may serve cached data before it asks the active site again; data there is at most
    so old."""
    at: Annotated[list[Name], Field(min_length=1, max_length=1)]
    """The one other site that reads and writes the directory through its cache."""


class SynchronousReplication(Spec):
    """Replication by which a write is answered when both sites have it. After `disconnect_after` without the other
    site, writes no longer wait for it, and the other site gives no access to its copy."""

    disconnect_after: Span
    """Time that a write waits for a site out of reach before the two are disconnected; then only the active site
    gives access."""


class Failover(Spec):
    """What `vastplan watch` does by itself when the active site is lost. A person is needed for all that this does not allow."""

    mode: Literal["automatic"]
    """`automatic`: the move to the other site begins without a person, once a fence has confirmed that nobody writes at the
    lost site any more."""
    after: Annotated[Span, Field(ge=60)]
    """Time for which VMS, Kubernetes and Run:AI of the site must not have answered, seen from two places."""
    lose_at_most: Span
    """Age of the newest restore point at the other site up to which it may be gone back to: what came later is lost."""


class OnTwoSites(Spec):
    """A directory that two sites may share: volumes with a path, views and buckets."""

    replicate: Annotated[ReferenceName | MISSING, Refers("protection_policy"), DOCUMENT] = MISSING
    """Snapshot schedule with replicate_to that sends what the active site writes to the other. It excludes snapshots
    and global_access."""
    global_access: Annotated[GlobalAccess | MISSING, DOCUMENT] = MISSING
    """Access of the other site through a cache, without a copy of its own. It excludes snapshots and replicate."""
    active: Annotated[Name | MISSING, DOCUMENT] = MISSING
    """Site, one of the two in sites, that writes the directory. It needs the field by which the two share it."""

    @model_validator(mode="before")
    @classmethod
    def _by_a_schedule(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        if isinstance(schedules := values.get("snapshots"), list) and len(schedules) > 1:
            raise ValueError(
                "snapshots takes one schedule, which may have several frames: write snapshots: NAME, and in snapshot_schedules "
                "NAME: {frames: [{every: 1h, keep_local: 24h}, {every: 1d, keep_local: 30d}]}"
            )
        replicate = values.get("replicate")
        if isinstance(replicate, dict) and not replicate.keys().isdisjoint(("mode", "synchronous")):
            raise ValueError(
                "replicate takes the name of a schedule; to replicate each write of a bucket, write "
                "synchronous_replication: {disconnect_after: TIME}"
            )
        if SYNCHRONOUS in values and SYNCHRONOUS not in cls.model_fields:
            raise ValueError("synchronous_replication is for S3 buckets only: write an entry of buckets")
        return values

    @model_validator(mode="after")
    def _as_one(self) -> "OnTwoSites":
        given = [name for name in SHARED if getattr(self, name, MISSING) is not MISSING]
        if not given:
            for name in _OF_SHARED:
                if getattr(self, name, MISSING) is not MISSING:
                    words = " or ".join(word for word in SHARED if word in type(self).model_fields)
                    raise ValueError(f"{name} needs {words}")
            return self
        if len(given) > 1:
            raise ValueError(f"give only one of {' and '.join(given)}")
        if getattr(self, "snapshots", MISSING) is not MISSING:
            raise ValueError(f"give either snapshots or {given[0]}: VAST has one protected path for a directory")
        if self.active is MISSING:
            raise ValueError(f"{given[0]} needs active, the site of the two that writes")
        return self

    def protected_by(self) -> str:
        """The field that creates, or would create, a protected path of the directory."""
        return next((name for name in SHARED if getattr(self, name, MISSING) is not MISSING), "snapshots")


class MountedOnTwoSites(OnTwoSites):
    """A mounted directory that two sites may share."""

    access: Annotated[dict[Name, Literal["read"]] | MISSING, DOCUMENT] = MISSING
    """Access of the other site, as SITE: read: it mounts the directory read-only while the active site writes."""
