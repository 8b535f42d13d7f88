"""What is said of a directory that two sites share: how what one of them writes comes to the other, and which of them writes."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from vastplan.schema.markers import DOCUMENT, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Span, Spec

SHARED = ("replicate", "global_access")
"""The words by which two sites share something."""
_OF_SHARED = ("active", "access")


class GlobalAccess(Spec):
    """What the active site writes can be read at another at once, from its cache for as long as a lease; writes there go to the active one."""

    lease: Span
    at: Annotated[list[Name], Field(min_length=1, max_length=1)]


class OnTwoSites(Spec):
    """A directory that may be one on two sites: volumes with a path, views and buckets."""

    replicate: Annotated[ReferenceName | MISSING, Refers("protection_policy"), DOCUMENT] = MISSING
    """In the place of `snapshots`: a schedule with `replicate_to`, whose two sites are `sites`. What `active` writes the other gets."""
    global_access: Annotated[GlobalAccess | MISSING, DOCUMENT] = MISSING
    """In the place of `replicate`: the other site has no copy of its own."""
    active: Annotated[Name | MISSING, DOCUMENT] = MISSING
    """Which of the two sites writes."""

    @model_validator(mode="before")
    @classmethod
    def _by_a_schedule(cls, values: Any) -> Any:
        said = values.get("replicate") if isinstance(values, dict) else None
        if isinstance(said, dict) and "mode" in said:
            raise ValueError(
                "replicate is the name of a schedule, by which VAST sends snapshots; "
                "without one (mode: sync) it replicates S3 buckets alone, and vastplan makes no such copies"
            )
        return values

    @model_validator(mode="after")
    def _as_one(self) -> "OnTwoSites":
        given = [name for name in SHARED if getattr(self, name) is not MISSING]
        if not given:
            for name in _OF_SHARED:
                if getattr(self, name, MISSING) is not MISSING:
                    raise ValueError(f"{name} is for what two sites share, with replicate or global_access")
            return self
        if len(given) > 1:
            raise ValueError("two sites share it by one of replicate and global_access")
        if getattr(self, "snapshots", MISSING) is not MISSING:
            raise ValueError(f"give either snapshots or {given[0]}: VAST has one protected path of a directory there")
        if self.active is MISSING:
            raise ValueError(f"{given[0]} needs active: which of its two sites writes")
        return self

    def protected_by(self) -> str:
        """The field that makes a protected path of the directory, or would."""
        return next((name for name in SHARED if getattr(self, name) is not MISSING), "snapshots")


class MountedOnTwoSites(OnTwoSites):
    """The same of a directory that is mounted."""

    access: Annotated[dict[Name, Literal["read"]] | MISSING, DOCUMENT] = MISSING
    """Where the other site mounts it meanwhile, to read."""
