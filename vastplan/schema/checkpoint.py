"""What a document says of checkpoints: what writes them to a volume, and what has to hold.

None of it is on any wire. Bandwidths are MB/s (10^6 bytes) when validated, sizes bytes, spans seconds, as everywhere.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import MISSING, BeforeValidator, Field, StringConstraints, model_validator

from vastplan.model import units
from vastplan.model.wording import quoted
from vastplan.schema.bounds import Many, Rate, some, within
from vastplan.schema.markers import Typed
from vastplan.schema.types import Bytes, Name, Says, Span, Spec, Text

_COUNTS = {"M": 10**6, "B": 10**9, "T": 10**12}
ModelState = Literal[
    "weights-bf16", "weights-fp32", "bf16+moments-fp32", "fp32+moments", "mixed-adam", "mixed-adam+grads"
]
DurabilityName = Literal["node", "cluster", "region"]


def _parameters(value: Any) -> Any:
    """`70B` parameters as a number: M is 10^6, B 10^9, T 10^12, as models are named."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?\s?([MBT])", value.strip())
    if not match:
        raise ValueError(
            f"{quoted(value)} is not a number of parameters; write for example 70B, 1.5T or a plain number"
        )
    return int(match[1] + (match[2] or "")) * _COUNTS[match[3]] // 10 ** len(match[2] or "")


def _model_size(parameters: int) -> int | str:
    """The same in the largest letter that says it exactly."""
    letters = sorted(_COUNTS.items(), key=lambda count: -count[1])
    return next((f"{parameters // size}{letter}" for letter, size in letters if parameters % size == 0), parameters)


def _by_pool(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f"GPUs are of a node pool: write {{default: {value}}}, or the pool's name")
    return value


_Size = Annotated[Bytes, some(units.parse_bytes, "a checkpoint has a size, for example 980 GB")]
_Interval = Annotated[Span, some(units.parse_span, "checkpoints follow each other after some time, for example 30m")]
_Time = Annotated[Span, some(units.parse_span, "give a time, for example 30m, or leave it out")]
_Parameters = Annotated[
    Annotated[int, Field(ge=1, le=10**16), BeforeValidator(_parameters, json_schema_input_type=int | str)],
    Typed(_model_size),
    some(_parameters, "a model has parameters, for example 70B"),
]
_Share = Annotated[
    Annotated[float, Field(gt=0, lt=1)],
    within(
        lambda share: 0 < share < 1,
        "a share is above 0 and below 1, as 0.02 for 2 %: no interval does without all cost",
    ),
]
_Saved = Annotated[
    Annotated[float, Field(gt=0, le=64)],
    within(
        lambda size: 0 < size <= 64,
        "above 0 and at most 64 bytes are saved of a parameter: 10 to 16 with its optimizer",
    ),
]


class CheckpointModel(Spec):
    """The model whose state is saved: parameters, and the bytes saved of each (by `state`, or as measured)."""

    params: _Parameters
    state: ModelState | MISSING = MISSING
    """What is saved. `mixed-adam`, 14 bytes, is taken when nothing is said: weights, master weights, two moments."""
    bytes_per_param: _Saved | MISSING = MISSING

    @model_validator(mode="after")
    def _once(self) -> CheckpointModel:
        if self.state is not MISSING and self.bytes_per_param is not MISSING:
            raise ValueError("give either state or bytes_per_param")
        return self


class Steps(Spec):
    """An interval in training steps; without what one `takes` no recovery point can be told."""

    every: Many
    takes: _Time | MISSING = MISSING


class Restore(Spec):
    """Getting back after a failure: what each rank reads, and the time for attaching and restarting."""

    read_per_rank: Rate | MISSING = MISSING
    attach: _Time | MISSING = MISSING
    restart: _Time | MISSING = MISSING


class Reliability(Spec):
    """How often a job fails, as measured; without it the rate of Llama 3 (2,112 GPU-days a failure) is taken."""

    mtbf: _Time | MISSING = MISSING
    gpu_days_per_failure: Many | MISSING = MISSING

    @model_validator(mode="after")
    def _one(self) -> Reliability:
        if (self.mtbf is MISSING) == (self.gpu_days_per_failure is MISSING):
            raise ValueError("give either mtbf, or gpu_days_per_failure")
        return self


class Tier(Spec):
    """Where checkpoints land first, when that is not this volume's cluster, and how they are copied on."""

    durability: DurabilityName = "cluster"
    drain: Rate | MISSING = MISSING
    drain_to: DurabilityName = "cluster"


class CheckpointTargets(Spec):
    """What has to hold: lost work, time to get back, and shares of 1 for stall and overhead."""

    rpo: _Time | MISSING = MISSING
    rto: _Time | MISSING = MISSING
    remote_rpo: _Time | MISSING = MISSING
    stall_fraction: _Share | MISSING = MISSING
    overhead: _Share | MISSING = MISSING
    durability: DurabilityName | MISSING = MISSING


_Marker = Annotated[
    str,
    StringConstraints(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9._@:+-]*[A-Za-z0-9_@:+-][A-Za-z0-9._@:+-]*$"),
    Says("the name of one file: letters, digits and ._@:+-, without / and without *"),
]
_Pattern = Annotated[
    str,
    StringConstraints(
        min_length=2,
        max_length=255,
        pattern=r"^[A-Za-z0-9._@:+-]*[A-Za-z0-9_@:+-][A-Za-z0-9._@:+-]*\*[A-Za-z0-9._@:+*-]*$",
    ),
    Says("the names of directories: letters, digits and ._@:+-, then a *, as step-*"),
]


class Complete(Spec):
    """By what a whole checkpoint is known: a file of this name in its directory, or a directory that was renamed to such a name."""

    marker: _Marker | MISSING = MISSING
    name: _Pattern | MISSING = MISSING

    @model_validator(mode="after")
    def _one(self) -> Complete:
        if (self.marker is MISSING) == (self.name is MISSING):
            raise ValueError("give either marker (a file that says that it is whole), or name (as step-*)")
        return self


class Checkpoint(Spec):
    """What writes checkpoints to a volume. It is computed with, and written nowhere: a change of it changes nothing."""

    size: _Size | MISSING = MISSING
    model: CheckpointModel | MISSING = MISSING
    gpus: Annotated[dict[Name, Many], Field(min_length=1), BeforeValidator(_by_pool)] | MISSING = MISSING
    """The GPUs of one job by node pool, as its project names them."""
    ranks: Many | MISSING = MISSING
    """How many processes write; one for each GPU when left out, and one when no GPUs are given."""
    nodes: Many | MISSING = MISSING
    write_per_rank: Rate | MISSING = MISSING
    write_per_node: Rate | MISSING = MISSING
    staging_per_rank: Rate | MISSING = MISSING
    """The copy from GPU to host memory: all that an asynchronous checkpoint blocks."""
    files_per_rank: Many | MISSING = MISSING
    mode: Literal["sync", "async"] = "sync"
    interval: _Interval | MISSING = MISSING
    steps: Steps | MISSING = MISSING
    event: Text | MISSING = MISSING
    """What triggers a checkpoint, where nothing regular does: there is then no bound on the work that is lost."""
    complete: Complete | MISSING = MISSING
    """How the newest whole one is found. Without it a move says nothing of checkpoints: none is guessed."""
    keep_last: Many = 1
    concurrent_jobs: Many = 1
    aligned: bool = True
    """Whether the jobs' checkpoints may coincide, which is the worst case."""
    collective_timeout: _Time | MISSING = MISSING
    grace_period: _Time | MISSING = MISSING
    restore: Restore | MISSING = MISSING
    readers: Rate | MISSING = MISSING
    """Reads of the site that must go on while a checkpoint is written."""
    reliability: Reliability | MISSING = MISSING
    tier: Tier | MISSING = MISSING
    origin: Name | MISSING = MISSING
    """The site that the writes of this path go to, when the path is only a satellite of a global namespace here."""
    targets: CheckpointTargets | MISSING = MISSING

    @model_validator(mode="after")
    def _makes_sense(self) -> Checkpoint:
        if (self.size is MISSING) == (self.model is MISSING):
            raise ValueError("give either size, or model (its parameters and what is saved of each)")
        if sum(value is not MISSING for value in (self.interval, self.steps, self.event)) != 1:
            raise ValueError(
                "say when: give one of interval (a time), steps (every so many), or event (what triggers it)"
            )
        if self.mode == "async" and self.staging_per_rank is MISSING:
            raise ValueError("mode async needs staging_per_rank: the copy to host memory is what still blocks")
        if self.mode == "sync" and self.staging_per_rank is not MISSING:
            raise ValueError("staging_per_rank is for mode async: a synchronous write blocks for all of it")
        if self.write_per_node is not MISSING and self.nodes is MISSING:
            raise ValueError("write_per_node needs nodes, the number of nodes that write")
        return self
