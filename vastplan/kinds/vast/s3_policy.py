"""Identity policy: what its users and groups may do by S3, in the part of Amazon's policy language that VAST supports."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, StringConstraints

from vastplan.kinds.vast._common import collection
from vastplan.model import s3_policy
from vastplan.model.canonical_json import plain_json
from vastplan.model.plan import Stage
from vastplan.model.s3_narrowing import gained_permissions, lost_permissions
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.markers import (
    AFTER_CREATE,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    Opens,
    Refers,
    Revokes,
    ServerDefault,
    Wire,
)
from vastplan.schema.shapes.document import JsonDocument
from vastplan.schema.types import MISSING, ReferenceName, Says, Spec, plain_key

PolicyName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\s\x00-\x1f\x7f-\x9f]+$"),
    Says("the name of an identity policy, without blanks"),
    BeforeValidator(plain_key),
]
_POLICY = JsonDocument(s3_policy.canonical_policy)
_LESS = "users and groups that have the policy are refused at once what nothing else allows"


def _policy(document: dict[str, Any]) -> dict[str, Any]:
    s3_policy.parse_policy(document)
    data: dict[str, Any] = plain_json(document)
    return data


class S3Policy(Spec):
    """An identity policy of one tenant: what users and groups may do by S3. `s3_policies` of users and groups attach
    it; VMS does not show bucket policies.

    It counts only for views whose view policy has the flavor S3_NATIVE. What one policy of a user denies, no other
    can allow; where no policy applies, the access lists decide, by which the owner of a bucket may do everything.
    """

    name: Annotated[PolicyName | MISSING, IDENTITY] = MISSING
    """Name of the policy in VMS, without blanks; the entry's key when left out."""
    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), IDENTITY, IMMUTABLE]
    """Tenant that the policy belongs to; it applies to the buckets of that tenant."""
    policy: Annotated[
        dict[str, Any],
        AfterValidator(_policy),
        _POLICY,
        Opens(whom=gained_permissions),
        Revokes(_LESS, lost=lost_permissions),
    ]
    """Policy document, written as data with Version and Statement, in VAST's part of Amazon's policy language."""
    enabled: Annotated[
        bool | MISSING, AFTER_CREATE, Opens(at_create=False), Revokes(_LESS), ServerDefault(True, PROSE)
    ] = MISSING
    """Whether the policy is in force; otherwise it allows and denies nothing."""


KIND = Kind(
    S3Policy,
    name="s3_policy",
    system="vast",
    section="s3_policies",
    stage=Stage.POLICY,
    endpoint=collection("s3policies"),
    keyed=Keyed(within="tenant"),
    # the copy of a policy of another cluster, created and deleted with that policy
    system_owned=((("is_replicated",), True),),
)
