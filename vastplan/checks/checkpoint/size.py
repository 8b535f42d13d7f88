"""How large a checkpoint is. Sizes are bytes; MB is 10^6 bytes, MiB is 2^20."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
"""What is saved of each parameter. A training state is 10 bytes or more: fewer is the weights without the optimizer."""

TRAINING_STATE = 10


def model_bytes(parameters: int, bytes_per_parameter: float) -> int:
    """The size of what is saved of a model; random states and data loaders are too small to count."""
    if parameters < 1:
        raise ValueError("a model has parameters: give how many, for example 70B")
    if not 0 < bytes_per_parameter <= 64:
        raise ValueError(
            "what is saved of a parameter is more than 0 and at most 64 bytes: with its optimizer state it is 10 to 16"
        )
    return round(parameters * bytes_per_parameter)


def shard_bytes(size_bytes: int, ranks: int) -> float:
    """What each writing rank saves: an even share. `torch.save` is one rank; PyTorch's distributed checkpoints are all."""
    return size_bytes / ranks
