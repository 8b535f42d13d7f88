"""User: a user of a local provider, and what the user may do by S3."""

from typing import Annotated, Any

from vastplan.kinds.vast._common import OFF, collection
from vastplan.kinds.vast._identities import AttachedPolicies, InProvider, Switch
from vastplan.schema.dependents import Dependents, Linked
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import DOCUMENT, SET, WITNESS, Clears, Opens, Refers, RequiredFrom, Revokes, ServerDefault
from vastplan.schema.types import MISSING, Count, ReferenceName

# VAST's pages about local users require it from 5.3.2 on; newer pages and the API document of 5.5 do not. For the
# releases between, nothing is documented, and vastplan sends nothing that may be refused.
_UID = RequiredFrom(
    product="vms", version="5.3.2", until="5.5", fix="write uid, the number by which NFS knows the user"
)


def _files(before: Any, after: Any) -> list[str]:
    return [f"the files of uid {after}, and no longer those of uid {before}, which keep that owner"]


_MEMBER = Revokes("the user is refused at once what only membership in the group allows")


class User(InProvider):
    """A user of a local provider, and what the user may do by S3. A delete also deletes the S3 keys and keeps the
    files; a user who owns buckets cannot be deleted.

    `gids` are numbers of groups, which VMS need not know; `groups` names groups of this document, instead or in
    addition. The switches say what the user may do by S3, unless an identity policy of the user says otherwise.
    """

    uid: Annotated[Count | MISSING, Opens(at_create=False, whom=_files), _UID] = MISSING
    """UID by which NFS knows the user, unique in the local provider."""
    gids: Annotated[list[Count] | None | MISSING, SET, Clears([]), Opens(), _MEMBER, ServerDefault([], WITNESS)] = (
        MISSING
    )
    """GIDs of all groups that the user is a member of; VMS need not know the groups."""
    groups: Annotated[list[ReferenceName] | MISSING, SET, Refers("group"), DOCUMENT] = MISSING
    """Groups of this document that the user is a member of; their GIDs are added to gids."""
    leading_gid: Annotated[Count | MISSING, Opens(), _MEMBER] = MISSING
    """GID of the leading group of the user."""
    allow_create_bucket: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    """Whether the user may create S3 buckets; an identity policy that says otherwise has priority."""
    allow_delete_bucket: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    """Whether the user may delete S3 buckets; an identity policy that says otherwise has priority."""
    s3_superuser: Annotated[bool | MISSING, Opens(True), Switch, OFF] = MISSING
    """Whether the user is a superuser of S3; an identity policy that says otherwise has priority."""
    s3_policies: AttachedPolicies = MISSING
    """Identity policies attached to the user; those of buckets that list the user in read or write are added."""


KIND = Kind(
    User,
    name="user",
    system="vast",
    section="users",
    endpoint=collection("users"),
    attributes=(Attribute("uid", ("uid",), lambda values: values.get("uid"), ("uid",)),),
    keyed=Keyed(within="local_provider"),
    unique=(("uid", "local_provider"),),
    users=(Linked("s3_key", (("id", "user"),)),),
    dependents=(
        Dependents(
            "view",
            "buckets that the user owns",
            same=(("name", "bucket_owner"), ("local_provider", "tenant.local_provider")),
            by="bucket_owner",
        ),
    ),
)
