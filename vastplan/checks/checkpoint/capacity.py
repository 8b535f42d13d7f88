"""How large checkpoints are and what they take: live, pinned by snapshots, on the peer, in files; and what bandwidth they
leave.

Sizes are bytes (MB is 10^6 bytes, MiB is 2^20), rates bytes a second. That snapshot space is not charged to a quota, and that
reads and writes share a cluster linearly, is inferred and has to be confirmed on a live system.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType

from vastplan.model.dataclass import dataclass

BYTES_PER_PARAMETER: Mapping[str, int] = MappingProxyType(
    {
        "weights-bf16": 2,  # 70B: 140 GB
        "weights-fp32": 4,  # 70B: 280 GB
        "bf16+moments-fp32": 10,  # 2 + 4 + 4
        "fp32+moments": 12,  # 4 + 4 + 4; NVIDIA's nvCOMP article: 782 GiB for 70B
        "mixed-adam": 14,  # 2 + 4 + 4 + 4; the sizes of MLPerf Storage 2.0, read as GiB
        "mixed-adam+grads": 16,  # what Lockwood and VAST's "A Checkpoint on Checkpoints" count
    }
)
"""The bytes that are saved of each parameter. A training state has 10 or more; fewer are weights without the optimizer."""

TRAINING_STATE = 10


def model_bytes(parameters: int, bytes_per_parameter: float) -> int:
    """The size of a model's saved state; random states and data loaders are too small to count."""
    if parameters < 1:
        raise ValueError("params has to be 1 or more, for example 70B")
    if not 0 < bytes_per_parameter <= 64:
        raise ValueError("bytes_per_param has to be more than 0 and at most 64: with optimizer state it is 10 to 16")
    return round(parameters * bytes_per_parameter)


def shard_bytes(size_bytes: int, ranks: int) -> float:
    """What each writing rank saves: an even share. `torch.save` writes from one rank, PyTorch's distributed checkpoints from all."""
    return size_bytes / ranks


def live_bytes(size_bytes: int, keep: int, *, asynchronous: bool = False) -> int:
    """The bytes of the kept checkpoints and of those being written: one, or two when asynchronous."""
    return (keep + (2 if asynchronous else 1)) * size_bytes


def kept_in_snapshots(keep_seconds: float, interval: float, every: float, live: int) -> int:
    """How many checkpoints the snapshots of one schedule hold: all that were written while the snapshots are kept, unless the
    snapshots are so rare that some checkpoints were written and deleted between two of them.
    """
    return min(ceil(keep_seconds / interval), ceil(keep_seconds / every) * live)


def stored_bytes(checkpoints: int, size_bytes: int, reduction: float = 1.0) -> int:
    """The bytes that checkpoints use on flash with a data reduction of `reduction` to 1."""
    return ceil(checkpoints * size_bytes / reduction)


def file_count(checkpoints: int, ranks: int, files_per_rank: int = 1) -> int:
    """The number of files of so many checkpoints: those of each rank, and one of metadata."""
    return checkpoints * (ranks * files_per_rank + 1)


def transfer_seconds(sent_bytes: float, wan_bytes_per_second: float, reduction: float = 1.0) -> float:
    """The seconds that replication takes to send; data that is reduced on flash is sent reduced."""
    return sent_bytes / (wan_bytes_per_second * reduction)


def readers_left(read_bytes_per_second: float, write_bytes_per_second: float, writing: float) -> float:
    """The read bandwidth left while `writing` bytes a second are written, of a cluster with both capabilities."""
    return max(0.0, read_bytes_per_second * (1 - writing / write_bytes_per_second))


@dataclass(frozen=True, slots=True)
class WriteCaps:
    """The range of write caps at which checkpoints keep up and readers get what they need; empty if `lowest` is above `highest`."""

    lowest: float
    highest: float

    @property
    def empty(self) -> bool:
        """Whether no cap does both."""
        return self.lowest > self.highest


def write_caps(
    average: float, read_bytes_per_second: float, write_bytes_per_second: float, readers: float
) -> WriteCaps:
    """The admissible write caps: above the average that is written, and below what readers leave."""
    return WriteCaps(average, max(0.0, write_bytes_per_second * (1 - readers / read_bytes_per_second)))
