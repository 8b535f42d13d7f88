"""What checkpoints take: live, pinned by snapshots, on the peer, in files; and what they leave of a shared system.

Bytes and bytes per second. That snapshot space is not charged to a quota, and that reads and writes share a cluster
linearly, is inferred and has to be seen on a live system.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil


def live_bytes(size_bytes: int, keep: int, *, asynchronous: bool = False) -> int:
    """What is kept, and what is being written: one checkpoint, or two when asynchronous."""
    return (keep + (2 if asynchronous else 1)) * size_bytes


def kept_in_snapshots(keep_seconds: float, interval: float, every: float, live: int) -> int:
    """How many checkpoints the snapshots of one schedule hold on to: all that were written while they are kept, unless the
    snapshots are so rare that some came and went between two of them."""
    return min(ceil(keep_seconds / interval), ceil(keep_seconds / every) * live)


def stored_bytes(checkpoints: int, size_bytes: int, reduction: float = 1.0) -> int:
    """What checkpoints take on flash behind data reduction of `reduction` to 1."""
    return ceil(checkpoints * size_bytes / reduction)


def files(checkpoints: int, ranks: int, files_per_rank: int = 1) -> int:
    """Files of so many checkpoints: those of each rank, and one of metadata."""
    return checkpoints * (ranks * files_per_rank + 1)


def transfer_seconds(sent_bytes: float, wan_bytes_per_second: float, reduction: float = 1.0) -> float:
    """How long replication sends; what is reduced on flash is sent reduced."""
    return sent_bytes / (wan_bytes_per_second * reduction)


def readers_left(read_bytes_per_second: float, write_bytes_per_second: float, writing: float) -> float:
    """The read bandwidth left while `writing` bytes a second are written, of a cluster with both capabilities."""
    return max(0.0, read_bytes_per_second * (1 - writing / write_bytes_per_second))


@dataclass(frozen=True, slots=True)
class CapWindow:
    """Between which write caps checkpoints keep up and readers get what they need; empty when `lowest` is above `highest`."""

    lowest: float
    highest: float

    @property
    def empty(self) -> bool:
        """Whether no cap does both."""
        return self.lowest > self.highest


def cap_window(
    average: float, read_bytes_per_second: float, write_bytes_per_second: float, readers: float
) -> CapWindow:
    """The admissible write caps: above the average that is written, and below what readers leave."""
    return CapWindow(average, max(0.0, write_bytes_per_second * (1 - readers / read_bytes_per_second)))
