"""What the sums of a site's promises read live: which kinds are summed, and which of their references are followed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Followed:
    """A field of a summed kind that is followed, and the kind that it refers to.

    Two objects outside the document may have the same name; with `by_name` they count as one.
    """

    field: str
    kind: str
    by_name: bool = False


SUMMED_LIVE: Mapping[str, tuple[Followed, ...]] = MappingProxyType(
    {
        "quota": (Followed("tenant", "tenant", by_name=True),),
        "view": (
            Followed("qos_policy", "qos_policy"),
            Followed("view_policy", "view_policy"),
            Followed("tenant", "tenant", by_name=True),
        ),
        "qos_policy": (Followed("tenant", "tenant", by_name=True),),
        "project": (),
        "tenant": (),
    }
)
"""The kinds whose live objects are summed (`Facts.before`, `Facts.after`)."""
CLAIMS, CLAIM_SIZE, CLAIM_HOME = "persistent_volume_claim", "size", "quota"
"""The kind whose live objects have a size of their own (`Facts.made`), the field of that size, and the kind that the system creates for
each of them, which is summed.
"""
