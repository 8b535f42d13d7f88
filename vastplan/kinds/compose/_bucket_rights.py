"""Who may read and write buckets: the identity policies that a bucket makes, and on whom it has them.

A bucket says whom it lets in, and a system has that at those who are let in: a group of three buckets has three policies. So a
group or a user looks for the buckets that name it. In a tenant one of whose buckets says who reads or writes it, the document says
of all its groups and users which policies they have: one that no bucket names any more has its policy no more, though nobody wrote
a word about it.

Actions: VAST KB, "Supported S3 Requests" and "Identity and Bucket Policy Reference", and Amazon's list of which action a request needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Scope

_LOOK = ("s3:GetBucketLocation", "s3:ListBucket")
_GET = ("s3:GetObject",)
_PARTS = ("s3:ListBucketMultipartUploads",)
_PUT = ("s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject")
_ACTIONS = {"read": (_LOOK, _GET), "write": ((*_LOOK, *_PARTS), _PUT)}
"""What is allowed of the bucket, and of what is in it. Nobody but the owner deletes the bucket, or changes who gets at it."""
RIGHTS = tuple(_ACTIONS)
HOLDERS = frozenset({"user", "group"})
"""What policies are attached to."""


def policy(right: str, bucket: str) -> dict[str, Any]:
    """The document by which somebody may read a bucket, or write it."""
    of_it, of_objects = _ACTIONS[right]
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": sorted(of_it), "Resource": [bucket]},
            {"Effect": "Allow", "Action": sorted(of_objects), "Resource": [f"{bucket}/*"]},
        ],
    }


def part_name(bucket: Entry, right: str) -> str:
    """What the policy of a bucket is called among the entries."""
    return f"{bucket.address.name}-{right}"


@dataclass(frozen=True, slots=True)
class BucketRights:
    """On one site: the policies that buckets have on each group or user, and the tenants in which buckets say who reads or writes."""

    policies: Mapping[Address, tuple[Ref, ...]]
    tenants: frozenset[Ref]


def rights_of(site: str, scope: Scope) -> BucketRights:
    """What the buckets of a site say; put together once."""
    return scope.indexed(site, "bucket", rights_in)


def rights_in(buckets: Iterable[Entry]) -> BucketRights:
    """What buckets of one site say."""
    policies: dict[Address, list[Ref]] = {}
    tenants = set()
    for bucket in buckets:
        for right in RIGHTS:
            if right in bucket.values:
                tenants.add(bucket.values["tenant"])
            for whom in bucket.values.get(right) or ():
                ref = Ref(bucket.address._replace(kind="s3_policy", name=part_name(bucket, right)))
                policies.setdefault(whom.target, []).append(ref)
    return BucketRights({whom: tuple(refs) for whom, refs in policies.items()}, frozenset(tenants))


def with_bucket_policies(entry: Entry, tenants: Iterable[Ref], scope: Scope) -> list[Any] | None:
    """The identity policies of somebody in these tenants: what is written of him, and what buckets add; `None` where no bucket
    there says who reads or writes."""
    rights = rights_of(entry.address.site, scope)
    if rights.tenants.isdisjoint(tenants):
        return None
    written = list(entry.values.get("s3_policies") or ())
    return [*written, *(ref for ref in rights.policies.get(entry.address, ()) if ref not in written)]
