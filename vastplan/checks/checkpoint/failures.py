"""How often a job of many GPUs is interrupted.

The time between failures of a job falls as 1/N with its GPUs. The default rate is that of Llama 3: 419 unplanned
interruptions in 54 days on 16,384 GPUs. Meta measured 7.9 h on 1,024 GPUs of its RSC-1 where 1/N from its large jobs says
28.8 h (arXiv 2410.21680), so below about 4,096 GPUs the law is kind.
"""

from __future__ import annotations

DAY = 86400.0
GPU_DAYS_PER_FAILURE = 54 * 16384 / 419
SMALL_JOB = 4096
SMALL_JOB_PESSIMISM = 7.9 / 28.8
"""What to multiply a derived time by to see the worse end of the range below `SMALL_JOB` GPUs."""


def mtbf_seconds(gpus: int, gpu_days_per_failure: float = GPU_DAYS_PER_FAILURE) -> float:
    """The mean time between the failures of a job."""
    if gpus < 1:
        raise ValueError("the time between failures depends on how many GPUs a job has: give gpus, or its mtbf")
    if gpu_days_per_failure <= 0:
        raise ValueError("gpu_days_per_failure is how many GPU-days pass between failures: more than 0, as 2112")
    return gpu_days_per_failure * DAY / gpus


def node_days(failures_per_node_day: float, gpus_per_node: int = 8) -> float:
    """GPU-days between failures from failures of a node a day: the form in which Meta publishes them."""
    return gpus_per_node / failures_per_node_day
