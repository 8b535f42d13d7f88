"""The checkpoints of a volume in a document: what writes them, and the targets that they have to meet.

Nothing of it is sent to a system. Validated bandwidths are MB/s (10^6 bytes), sizes bytes, spans seconds, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import MISSING, BeforeValidator, Field, StringConstraints, model_validator

from vastplan.model import units
from vastplan.model.secret_words import names_secret, secret_in
from vastplan.model.wording import quoted
from vastplan.schema.bounds import Many, Rate, above_zero, in_bounds
from vastplan.schema.markers import Typed
from vastplan.schema.types import Bytes, Name, Says, Span, Spec, Text

_COUNTS = {"M": 10**6, "B": 10**9, "T": 10**12}
ModelState = Literal[
    "weights-bf16", "weights-fp32", "bf16+moments-fp32", "fp32+moments", "mixed-adam", "mixed-adam+grads"
]
DurabilityName = Literal["node", "cluster", "region"]


def _parameters(value: Any) -> Any:
    """The number of parameters for a text such as `70B`: M is 10^6, B 10^9, T 10^12, as in names of models."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?\s?([MBT])", value.strip())
    if not match:
        raise ValueError(
            f"{quoted(value)} is not a number of parameters; write for example 70B, 1.5T or a plain number"
        )
    return int(match[1] + (match[2] or "")) * _COUNTS[match[3]] // 10 ** len(match[2] or "")


def _model_size(parameters: int) -> int | str:
    """The number of parameters with the largest letter that is exact; the plain number where none is."""
    letters = sorted(_COUNTS.items(), key=lambda count: -count[1])
    return next((f"{parameters // size}{letter}" for letter, size in letters if parameters % size == 0), parameters)


def _by_pool(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f"GPUs belong to a node pool: write {{default: {value}}}, or the name of the pool")
    return value


_Size = Annotated[Bytes, above_zero(units.parse_bytes, "a checkpoint has a size, for example 980 GB")]
_Interval = Annotated[
    Span, above_zero(units.parse_span, "checkpoints follow each other after some time, for example 30m")
]
_Time = Annotated[Span, above_zero(units.parse_span, "give a time, for example 30m, or leave it out")]
_Parameters = Annotated[
    Annotated[int, Field(ge=1, le=10**16), BeforeValidator(_parameters, json_schema_input_type=int | str)],
    Typed(_model_size),
    above_zero(_parameters, "a model has parameters, for example 70B"),
]
_Share = Annotated[
    Annotated[float, Field(gt=0, lt=1)],
    in_bounds(
        lambda share: 0 < share < 1,
        "a share is above 0 and below 1, for example 0.02 for 2 %",
    ),
]
_Saved = Annotated[
    Annotated[float, Field(gt=0, le=64)],
    in_bounds(
        lambda size: 0 < size <= 64,
        "more than 0 and at most 64 bytes are saved for each parameter: 10 to 16 with the optimizer",
    ),
]


class CheckpointModel(Spec):
    """The model whose state is saved: its parameters, and the bytes saved of each, by `state` or as measured."""

    params: _Parameters
    """Number of parameters of the model, such as 70B; M is 10^6, B 10^9 and T 10^12."""
    state: ModelState | MISSING = MISSING
    """State that is saved of each parameter; left out, `mixed-adam`: 14 bytes of weights, master weights and two
    moments. Excludes `bytes_per_param`."""
    bytes_per_param: _Saved | MISSING = MISSING
    """Bytes saved of each parameter, as measured: 10 to 16 with the optimizer's state. Excludes `state`."""

    @model_validator(mode="after")
    def _once(self) -> CheckpointModel:
        if self.state is not MISSING and self.bytes_per_param is not MISSING:
            raise ValueError("give either state or bytes_per_param")
        return self


class Steps(Spec):
    """An interval in training steps."""

    every: Many
    """Training steps from one checkpoint to the next."""
    takes: _Time | MISSING = MISSING
    """Seconds that one step takes; without it the interval is not a time, and nothing limits the work that is lost."""


class Restore(Spec):
    """How a job restarts after a failure: what each rank reads, and the time for attaching and restarting."""

    read_per_rank: Rate | MISSING = MISSING
    """Read bandwidth of one rank in MB/s; all ranks together read no faster than the site's `reads_bw_mbps`."""
    attach: _Time | MISSING = MISSING
    """Seconds that attaching the volume takes after a failure, before it can be read."""
    restart: _Time | MISSING = MISSING
    """Seconds that the job takes to run again once the checkpoint is read."""


class Reliability(Spec):
    """How often a job fails, as measured; left out, the rate of Llama 3 (2,112 GPU-days per failure) is taken."""

    mtbf: _Time | MISSING = MISSING
    """Mean time between failures of the job in seconds, as measured; excludes `gpu_days_per_failure`."""
    gpu_days_per_failure: Many | MISSING = MISSING
    """GPU-days per failure, as measured; divided by the job's GPUs it is the time between failures. Excludes `mtbf`."""

    @model_validator(mode="after")
    def _one(self) -> Reliability:
        if (self.mtbf is MISSING) == (self.gpu_days_per_failure is MISSING):
            raise ValueError("give either mtbf, or gpu_days_per_failure")
        return self


class Tier(Spec):
    """The storage where checkpoints land first, when that is not this volume's cluster, and how they are copied on."""

    durability: DurabilityName = "cluster"
    """Durability of the storage where checkpoints land first: that of a node, a cluster or a region."""
    drain: Rate | MISSING = MISSING
    """Bandwidth in MB/s at which checkpoints are copied on; left out, they stay where they land."""
    drain_to: DurabilityName = "cluster"
    """Durability of the storage that checkpoints are copied to; counts only with `drain`."""


class CheckpointTargets(Spec):
    """Targets of a volume's checkpoints: lost work, time to restart, shares of 1 for stall and overhead, and
    durability."""

    rpo: _Time | MISSING = MISSING
    """Most work that may be lost, in seconds: interval, write and the copy to another tier together."""
    rto: _Time | MISSING = MISSING
    """Most time until the job runs again after a failure, in seconds: attaching, reading and restarting together."""
    remote_rpo: _Time | MISSING = MISSING
    """Most work that may be lost on the other site, in seconds: interval, write, schedule and transfer together."""
    stall_fraction: _Share | MISSING = MISSING
    """Largest share of the time that the job may wait for checkpoints, such as 0.02 for 2 %."""
    overhead: _Share | MISSING = MISSING
    """Largest share of the time that checkpoints, and work that is repeated after failures, may cost together."""
    durability: DurabilityName | MISSING = MISSING
    """Least durability that checkpoints have to reach, where they land or where `tier` copies them."""


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
    Says("the names of directories: letters, digits and ._@:+-, then a *, such as step-*"),
]


class Complete(Spec):
    """How a complete checkpoint is recognised: by a file in its directory, or by the name that its directory was
    renamed to."""

    marker: _Marker | MISSING = MISSING
    """Name of a file that is in the directory of a checkpoint once it is complete; excludes `name`."""
    name: _Pattern | MISSING = MISSING
    """Pattern of the names that directories of complete checkpoints are renamed to, such as step-*; excludes
    `marker`."""

    @model_validator(mode="after")
    def _one(self) -> Complete:
        if (self.marker is MISSING) == (self.name is MISSING):
            raise ValueError(
                "give either marker (a file that shows that the checkpoint is complete), or name (such as step-*)"
            )
        return self


CHECKPOINT = "{checkpoint}"
"""In a text of `resume`: the path of the checkpoint in the container."""
_Variable = Annotated[
    str,
    StringConstraints(max_length=255, pattern=r"^\.?[A-Za-z_-][A-Za-z0-9._-]*$"),
    Says("the name of an environment variable: letters, digits and _.-, without a digit at the beginning"),
]


class Resume(Spec):
    """What a workload starts with, so that its program goes on from the last checkpoint where a move submits it again."""

    env: Annotated[dict[_Variable, Text], Field(min_length=1, max_length=32)] | MISSING = MISSING
    """Environment variables that are set in each workload that a move submits, such as RESUME: "1"; they replace those
    of the same name. `{checkpoint}` in a value is the path of the checkpoint that the run of the move is given."""
    args: Text | MISSING = MISSING
    """Text that is appended to the arguments of each such workload, unless it is there already; `{checkpoint}` as in
    `env`."""

    @model_validator(mode="after")
    def _some(self) -> Resume:
        if self.env is MISSING and self.args is MISSING:
            raise ValueError("give env (variables to set), args (text to append to the arguments), or both")
        env, args = self.texts()
        if (
            CHECKPOINT in args and not args.replace(CHECKPOINT, "").strip()
        ):  # it could not be found again among other arguments
            raise ValueError(f"args: write it with its option, such as --resume_from_checkpoint {CHECKPOINT}")
        found = [f"the variable {name}" for name, value in env.items() if names_secret(name) or secret_in(value)]
        found += [f"args: {word}"] if (word := secret_in(args)) else []
        if found:
            raise ValueError(
                f"{found[0]} looks like a secret, and plans show it; give the workload a credential of Run:AI instead"
            )
        return self

    def texts(self) -> tuple[dict[str, str], str]:
        """The variables and the arguments, empty where they are left out."""
        return {} if self.env is MISSING else self.env, "" if self.args is MISSING else self.args


def names_checkpoint(env: Mapping[str, str], args: str) -> bool:
    """Whether one of the texts of `resume` has the path of a checkpoint in it."""
    return any(CHECKPOINT in text for text in (*env.values(), args))


class Checkpoint(Spec):
    """The checkpoints that jobs write to a volume. Checks compute with it; it is not sent to a system, so a change of it plans no change."""

    size: _Size | MISSING = MISSING
    """Size of one checkpoint in bytes, as measured; excludes `model`."""
    model: CheckpointModel | MISSING = MISSING
    """Model whose state is saved, from which the size of a checkpoint is computed; excludes `size`."""
    gpus: Annotated[dict[Name, Many], Field(min_length=1), BeforeValidator(_by_pool)] | MISSING = MISSING
    """GPUs of one job, by node pool as the project names them; the number of ranks and the rate of failures follow from
    them."""
    ranks: Many | MISSING = MISSING
    """Processes that write a checkpoint; left out, one for each GPU, and one where no GPUs are given."""
    nodes: Many | MISSING = MISSING
    """Nodes that write a checkpoint; `write_per_node` needs it."""
    write_per_rank: Rate | MISSING = MISSING
    """Most that one rank writes, in MB/s."""
    write_per_node: Rate | MISSING = MISSING
    """Most that one node writes, in MB/s; needs `nodes`."""
    staging_per_rank: Rate | MISSING = MISSING
    """Bandwidth in MB/s at which a rank copies from GPU to host memory; mode async blocks only for that copy. Async
    needs it, sync excludes it."""
    files_per_rank: Many | MISSING = MISSING
    """Files that each rank writes for one checkpoint, 1 when left out; compared with `max_inodes` of the volume."""
    mode: Literal["sync", "async"] = "sync"
    """Whether the job waits for the whole write (sync), or for the copy to host memory and goes on while it is written
    (async)."""
    interval: _Interval | MISSING = MISSING
    """Seconds from one checkpoint to the next; excludes `steps` and `event`."""
    steps: Steps | MISSING = MISSING
    """Training steps from one checkpoint to the next, and the time of one; excludes `interval` and `event`."""
    event: Text | MISSING = MISSING
    """Text that says what triggers a checkpoint, for irregular ones; nothing limits the lost work then. Excludes
    `interval` and `steps`."""
    complete: Complete | MISSING = MISSING
    """How a complete checkpoint is recognised, so that a move finds the newest; without it a move reports nothing
    about checkpoints."""
    resume: Resume | MISSING = MISSING
    """What workloads that a move submits start with, so that they go on from the last checkpoint; left out, they start as
    they did first."""
    keep_last: Many = 1
    """Number of complete checkpoints that each job keeps, besides the one that it is writing."""
    concurrent_jobs: Many = 1
    """Number of jobs that write such checkpoints to the volume; they share its limits and its space."""
    aligned: bool = True
    """true if checkpoints of these jobs may be written at the same time, which is the worst case; false if they never
    are."""
    collective_timeout: _Time | MISSING = MISSING
    """Seconds after which ranks that wait for a synchronous write give up."""
    grace_period: _Time | MISSING = MISSING
    """Seconds that a pod is given to end (`terminationGracePeriodSeconds`); a write should take no longer."""
    restore: Restore | MISSING = MISSING
    """How a job restarts after a failure: what it reads, and how long attaching and restarting take."""
    readers: Rate | MISSING = MISSING
    """Read bandwidth in MB/s that others on the site need while a checkpoint is written."""
    reliability: Reliability | MISSING = MISSING
    """How often the job fails; left out, it follows from the number of GPUs and the failures of Llama 3."""
    tier: Tier | MISSING = MISSING
    """Storage where checkpoints land first, when that is not this volume's cluster, and how they are copied on."""
    origin: Name | MISSING = MISSING
    """Site that receives the writes to this path, when the path is a satellite of a global namespace here; the link
    there limits them."""
    targets: CheckpointTargets | MISSING = MISSING
    """Targets; each one that is missed is a finding."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Checkpoint:
        if (self.size is MISSING) == (self.model is MISSING):
            raise ValueError("give either size, or model (its parameters and the bytes saved for each)")
        if sum(value is not MISSING for value in (self.interval, self.steps, self.event)) != 1:
            raise ValueError(
                "give one of interval (a time), steps (a number of training steps), or event (what triggers it)"
            )
        if self.resume is not MISSING and names_checkpoint(*self.resume.texts()) and self.complete is MISSING:
            raise ValueError(
                f"resume with {CHECKPOINT} needs complete: {{marker: FILE}} or {{name: PATTERN}}, to find the newest one"
            )
        if self.mode == "async" and self.staging_per_rank is MISSING:
            raise ValueError("mode async needs staging_per_rank: the copy to host memory still blocks training")
        if self.mode == "sync" and self.staging_per_rank is not MISSING:
            raise ValueError("staging_per_rank needs mode async: a synchronous write blocks until all is written")
        if self.write_per_node is not MISSING and self.nodes is MISSING:
            raise ValueError("write_per_node needs nodes, the number of nodes that write")
        return self
