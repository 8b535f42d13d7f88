"""Who may read and write buckets: the identity policies that a bucket creates, and the users and groups that have them.

A bucket lists who may use it, but VAST stores that with the users and groups: a group of three buckets has three policies. So a
group or user collects its policies from the buckets that name it. If a bucket of a tenant has `read` or `write`, the document
decides the policies of all groups and users of that tenant: one that no bucket names any more loses the policy, although its own
entry did not change. Without the last such bucket the document says nothing about their policies, so they keep them: the policies
are in use, and the plan is blocked (`in-use`) until `read: []` and `write: []` were applied.

Actions: VAST KB, "Supported S3 Requests" and "Identity and Bucket Policy Reference", and Amazon's list of the action that each
request needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.kinds.compose._people import after_its_account
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry

_LOOK = ("s3:GetBucketLocation", "s3:ListBucket")
_GET = ("s3:GetObject",)
_PARTS = ("s3:ListBucketMultipartUploads",)
_PUT = ("s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject")
_ACTIONS = {"read": (_LOOK, _GET), "write": ((*_LOOK, *_PARTS), _PUT)}
"""By right, the actions allowed on the bucket and on its objects. Only the owner may delete the bucket, or change who may use it."""
RIGHTS = tuple(_ACTIONS)
HOLDERS = frozenset({"user", "group"})
"""The kinds to which policies are attached."""


def policy(right: str, bucket: str) -> dict[str, Any]:
    """The policy document that lets a user or group read a bucket, or write it."""
    of_it, of_objects = _ACTIONS[right]
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": sorted(of_it), "Resource": [bucket]},
            {"Effect": "Allow", "Action": sorted(of_objects), "Resource": [f"{bucket}/*"]},
        ],
    }


def part_name(bucket: Entry, right: str) -> str:
    """The key of a bucket's policy for a right."""
    return f"{bucket.address.name}-{right}"


Elsewhere = tuple[Address, str]
"""A group of a directory, in a tenant."""


@dataclass(frozen=True, slots=True)
class BucketRights:
    """The rights that the buckets of one site give: the policies of each group or user of the document; those of groups of a
    directory (`elsewhere`), with the first bucket that names such a group; and the tenants in which buckets have `read` or `write`."""

    policies: Mapping[Address, tuple[Ref, ...]]
    elsewhere: Mapping[Elsewhere, tuple[Ref, ...]]
    first: Mapping[Elsewhere, Address]
    tenants: frozenset[Ref]


def rights_of(site: str, scope: Scope) -> BucketRights:
    """The rights that the buckets of a site give; computed once."""
    return scope.indexed(site, "bucket", rights_in)


def rights_in(buckets: Iterable[Entry]) -> BucketRights:
    """The rights that the buckets of one site give."""
    policies: dict[Address, list[Ref]] = {}
    elsewhere: dict[Elsewhere, list[Ref]] = {}
    first: dict[Elsewhere, Address] = {}
    tenants = set()
    for bucket in buckets:
        tenant: Ref = bucket.values["tenant"]
        for right in RIGHTS:
            ref = Ref(bucket.address._replace(kind="s3_policy", name=part_name(bucket, right)))
            if right in bucket.values:
                tenants.add(tenant)
            for subject in bucket.values.get(right) or ():
                if subject.managed:
                    policies.setdefault(subject.target, []).append(ref)
                else:
                    group = (tenant.target, subject.target.name)
                    elsewhere.setdefault(group, []).append(ref)
                    first.setdefault(group, bucket.address)
    return BucketRights(
        {subject: tuple(refs) for subject, refs in policies.items()},
        {group: tuple(refs) for group, refs in elsewhere.items()},
        first,
        frozenset(tenants),
    )


def with_bucket_policies(entry: Entry, tenants: Iterable[Ref], scope: Scope) -> list[Any] | None:
    """The identity policies of a user or group in `tenants`: those in its own entry, and those that buckets add. `None` if no bucket
    of these tenants has `read` or `write`."""
    rights = rights_of(entry.address.site, scope)
    return None if rights.tenants.isdisjoint(tenants) else _joined(entry, rights.policies.get(entry.address, ()))


def of_a_directory(bucket: Entry, scope: Scope) -> Iterable[Entry]:
    """The rights of groups of a directory for which the document has no `group_rights` entry. The first bucket that names a group
    yields them."""
    site, tenant = bucket.address.site, bucket.values["tenant"]
    written, first = scope.indexed(site, "group_right", _by_group), rights_of(site, scope).first
    named = dict.fromkeys(
        subject for right in RIGHTS for subject in bucket.values.get(right) or () if not subject.managed
    )
    for group in ((tenant.target, subject.target.name) for subject in named):
        if group not in written and first.get(group) == bucket.address:
            yield bucket.part("group_right", f"{tenant.target.name}/{group[1]}", {"group": group[1], "tenant": tenant})


def _by_group(rights: Iterable[Entry]) -> dict[Elsewhere, Entry]:
    return {_group(entry): entry for entry in rights}


def _group(right: Entry) -> Elsewhere:
    return right.values["tenant"].target, str(right.values.get("group", right.address.name))


def _joined(entry: Entry, added: Iterable[Ref]) -> list[Any]:
    return sorted({*(entry.values.get("s3_policies") or ()), *added}, key=lambda ref: (str(ref), str(ref.target)))


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """The rights of a group of a directory, with the policies of the buckets that name it."""
    added = rights_of(entry.address.site, scope).elsewhere.get(_group(entry), ())
    values = {**entry.values, "s3_policies": _joined(entry, added)} if added else entry.values
    yield entry.standing_for(values, after=after_its_account(entry, "group", _group(entry)[1], scope))


def _of_user(entry: Entry, scope: Scope) -> Iterable[Entry]:
    name = str(entry.values.get("user", entry.address.name))
    yield entry.standing_for(entry.values, after=after_its_account(entry, "user", name, scope))


OF_GROUP_RIGHT = Composition("group_right", _compose)
OF_USER_RIGHT = Composition("user_right", _of_user)
