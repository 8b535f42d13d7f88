"""S3 lifecycle rule: which objects of a bucket VAST deletes by itself, and when."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from vastplan.kinds.vast._common import NOTHING, OFF, collection
from vastplan.model.wording import quoted
from vastplan.schema.access import Deleting
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.markers import (
    DOCUMENT,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    RESENT,
    SCHEMA,
    Clears,
    Codec,
    Deletes,
    Refers,
    ServerDefault,
    Shown,
    Since,
    Wire,
)
from vastplan.schema.types import MISSING, ByteCount, Count, ReferenceName, Spec, Text, VendorName


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{quoted(text)} is not a date; write for example '2026-01-31'") from None


def _sooner(before: Any, after: Any) -> bool:
    """Whether days or a date delete sooner than before; `None` never deletes."""
    return after is not None and (before is None or after < before)


def _smaller(before: Any, after: Any) -> bool:
    """Whether a smallest size matches more objects than before: a lower one does, and so does none."""
    return bool(before) and (after or 0) < before


def _larger(before: Any, after: Any) -> bool:
    """Whether a largest size matches more objects than before: a higher one does, and so does none."""
    return before is not None and (after is None or after > before)


def _shorter(before: Any, after: Any) -> bool:
    """Whether a prefix matches other objects than before: it does unless it begins with the former prefix."""
    return not (after or "").startswith(before or "")


def _fewer(before: Any, after: Any) -> bool:
    """Whether required tags match other objects than before: they do if one is removed or has another value."""
    return any((after or {}).get(tag) != value for tag, value in (before or {}).items())


def _kept_less(before: Any, after: Any) -> bool:
    """Whether fewer versions than before, or none, are kept whatever their age."""
    return bool(before) and (after or 0) < before


def _switched_on(before: Any, after: Any) -> bool:
    return before is False and after is True


def _marked(before: Any, after: Any) -> bool:
    return after is True and before is not True


def _another(before: Any, after: Any) -> bool:
    """Whether age is counted from another time than before, which may be an earlier one."""
    return before is not None and before != after


_SOONER = Deletes(_sooner)
_Days = Annotated[Count, Field(ge=1, le=2**31 - 1)]
_Day = Annotated[str, StringConstraints(max_length=32), AfterValidator(_day)]
_DATE = Codec(str, lambda raw: _day(str(raw)[:10]))  # VMS may return the midnight of the day, too
_Tag = Annotated[str, StringConstraints(min_length=1, max_length=128)]
_NONE = Clears(None)


class LifecycleActions(Spec):
    """Which objects of a bucket a lifecycle rule deletes, and when. A day begins at midnight UTC.

    In a bucket without versions, objects that expire are deleted for good. With versions, the current one becomes a
    noncurrent one; `noncurrent_days` says when those are deleted, and `newer_noncurrent_versions` of them are kept.
    After `expiration_date`, new objects are deleted at once.
    """

    enabled: Annotated[bool | MISSING, RESENT, ServerDefault(True, PROSE), Deletes(_switched_on)] = MISSING
    """Whether the rule is in force; otherwise it deletes nothing."""
    prefix: Annotated[Text | None | MISSING, Clears(""), NOTHING, Deletes(_shorter)] = MISSING
    """Prefix of the names of objects that the rule applies to; null is all objects."""
    min_size: Annotated[ByteCount | None | MISSING, _NONE, NOTHING, Deletes(_smaller)] = MISSING
    """Smallest size of objects that the rule applies to, in bytes; null is any."""
    max_size: Annotated[ByteCount | None | MISSING, _NONE, NOTHING, Deletes(_larger)] = MISSING
    """Largest size of objects that the rule applies to, in bytes; null is any."""
    tags: Annotated[
        dict[_Tag, Text] | None | MISSING, _NONE, Shown(), Since("vms", "5.5"), NOTHING, Deletes(_fewer)
    ] = MISSING
    """Tags, with their values, that an object must have for the rule to apply to it; null is none."""
    object_age_attr: Annotated[
        Literal["M_TIME", "A_TIME", "C_TIME"] | MISSING,
        ServerDefault("M_TIME", SCHEMA),
        Deletes(_another),
    ] = MISSING
    """Time of an object that its age is counted from: mtime (M_TIME), atime (A_TIME) or ctime (C_TIME)."""
    expiration_days: Annotated[_Days | None | MISSING, _NONE, NOTHING, _SOONER] = MISSING
    """Days after which a current version expires, at the next midnight UTC; null is never. It excludes
    expiration_date."""
    expiration_date: Annotated[_Day | None | MISSING, _NONE, NOTHING, _DATE, _SOONER] = MISSING
    """Day at whose midnight UTC current versions expire, such as 2026-01-31; later ones expire at once. It excludes
    expiration_days."""
    expired_obj_delete_marker: Annotated[bool | MISSING, OFF, Deletes(_marked)] = MISSING
    """Whether delete markers that are the only version of their object are removed. It excludes expiration_days and
    expiration_date."""
    noncurrent_days: Annotated[_Days | None | MISSING, _NONE, NOTHING, _SOONER] = MISSING
    """Days after which a version is deleted for good, counted from when it stopped being the current one; null is
    never."""
    newer_noncurrent_versions: Annotated[_Days | None | MISSING, _NONE, NOTHING, Deletes(_kept_less)] = MISSING
    """Number of the newest noncurrent versions of each object that are kept whatever their age; null is none. It needs
    noncurrent_days."""
    abort_mpu_days_after_initiation: Annotated[_Days | None | MISSING, _NONE, NOTHING, _SOONER] = MISSING
    """Days after its beginning when an unfinished multipart upload is aborted; null is never."""

    @model_validator(mode="after")
    def _does_something(self) -> "LifecycleActions":
        marker = self.expired_obj_delete_marker is True
        days, day = isinstance(self.expiration_days, int), isinstance(self.expiration_date, str)
        if days and day:
            raise ValueError("give either expiration_days or expiration_date")
        if marker and (days or day):
            raise ValueError(
                "expired_obj_delete_marker needs a rule of its own, without expiration_days and expiration_date"
            )
        noncurrent = isinstance(self.noncurrent_days, int)
        if isinstance(self.newer_noncurrent_versions, int) and not noncurrent:
            raise ValueError("newer_noncurrent_versions needs noncurrent_days")
        if not (days or day or marker or noncurrent or isinstance(self.abort_mpu_days_after_initiation, int)):
            raise ValueError(
                "the rule does nothing; write expiration_days, expiration_date, expired_obj_delete_marker, noncurrent_days or "
                "abort_mpu_days_after_initiation"
            )
        if isinstance(self.min_size, int) and isinstance(self.max_size, int) and self.max_size < self.min_size:
            raise ValueError("min_size is above max_size")
        return self


class LifecycleRule(LifecycleActions):
    """A lifecycle rule inside its view; `name` is the rule's ID for S3 clients."""

    name: VendorName
    """Name of the rule, which S3 clients see as its ID; unique in a view."""


class S3LifecycleRule(LifecycleActions):
    """A lifecycle rule of a bucket, which deletes objects. `lifecycle` of a view creates such rules. A deleted rule deletes nothing more.

    A change by which a rule deletes more than before, or sooner, needs an approval.
    """

    name: Annotated[VendorName | MISSING, IDENTITY, RESENT] = MISSING
    """Name of the rule, which S3 clients see as its ID; the entry's key when left out."""
    view: Annotated[ReferenceName, Refers("view"), Wire("view_id"), IDENTITY, IMMUTABLE, RESENT]
    """View whose bucket holds the objects that the rule applies to."""
    tenant: Annotated[ReferenceName | MISSING, Refers("tenant"), DOCUMENT] = MISSING
    """Tenant that the entry is written in, if any; it is not sent to a system."""


KIND = Kind(
    S3LifecycleRule,
    name="s3_lifecycle_rule",
    system="vast",
    section="s3_lifecycle_rules",
    endpoint=collection("s3lifecyclerules"),
    keyed=Keyed(within="view"),
    deleting=Deleting(of="view", unless="enabled"),
)
