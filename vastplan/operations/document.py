"""What operations read of a document. App implements this protocol."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from vastplan.model.dataclass import dataclass
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class WanWrite:
    """The write of a checkpoint over the WAN: its size in bytes, the rate in bytes per second, and how long it takes in seconds.

    `interval` is the seconds between two checkpoints, `None` if unknown. While an `asynchronous` one is written, workloads keep running.
    """

    size: float
    rate: float
    seconds: float
    interval: float | None
    asynchronous: bool


class Document(Protocol):
    """A document. Nothing is composed before it is needed: what a record keeps can be taken back while the document is not valid."""

    @property
    def written(self) -> tuple[Entry, ...]:
        """Its entries as they are written."""

    @property
    def sites(self) -> Collection[str]:
        """The names of its sites."""

    @property
    def paths(self) -> str:
        """Its files, as somebody types them."""

    def objects(self) -> tuple[Entry, ...]:
        """The objects that it is composed to. Raises `Invalid`."""

    def wan_write(self, volume: str, site: str, origin: str) -> WanWrite | str | None:
        """The write of a volume's checkpoint from a site to the origin of its data: `None` if the document has no checkpoints for it, a
        text that says why it is unknown. Raises `Invalid`."""
