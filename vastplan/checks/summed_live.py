"""What the sums of what a site promises want of what is live: which kinds are summed, and what of theirs is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Followed:
    """A field of a summed kind that is followed, and the kind that it refers to.

    Two strangers may have one name; `by_name` says that they count as one all the same.
    """

    field: str
    kind: str
    by_name: bool = False


SUMMED_LIVE: Mapping[str, tuple[Followed, ...]] = MappingProxyType(
    {
        "quota": (Followed("tenant", "tenant", by_name=True),),
        "view": (Followed("qos_policy", "qos_policy"),),
        "qos_policy": (),
        "project": (),
        "tenant": (),
    }
)
"""The kinds that are summed as they are live (`Facts.before`, `Facts.after`)."""
CLAIMS, CLAIM_SIZE, CLAIM_HOME = "persistent_volume_claim", "size", "quota"
"""What has a size of its own where it is live (`Facts.made`), and the kind that is then made for it and summed."""
