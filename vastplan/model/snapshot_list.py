"""The snapshots of a directory, as they are listed."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ListedSnapshot:
    """A snapshot. `expires` is "" for never, `size` `None` where its system does not say it; `ready` is whether it can be restored,
    `locked` whether it can be deleted only after an unlock."""

    address: str
    directory: str
    name: str
    created: str
    expires: str
    ready: bool
    locked: bool
    size: int | None
