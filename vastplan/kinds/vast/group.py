"""Group: a group of a local provider."""

from typing import Annotated

from vastplan.kinds.vast._common import collection
from vastplan.kinds.vast._identities import AttachedPolicies, InProvider
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import Opens
from vastplan.schema.types import MISSING, Count, Text


class Group(InProvider):
    """A group of a local provider. Users are its members by its `gid`, and keep that number when it is deleted."""

    gid: Count
    """GID of the group, by which users are its members; unique in the local provider."""
    sid: Annotated[Text | MISSING, Opens(at_create=False)] = MISSING
    """SID of the group, such as S-1-5-21-1004336348-1177238915-682003330-512."""
    s3_policies: AttachedPolicies = MISSING
    """Identity policies attached to the group; those of buckets that list the group in read or write are added."""


KIND = Kind(
    Group,
    name="group",
    system="vast",
    section="groups",
    endpoint=collection("groups"),
    attributes=(Attribute("gid", ("gid",), lambda values: values.get("gid"), ("gid",)),),
    keyed=Keyed(within="local_provider"),
    unique=(("gid", "local_provider"),),
)
