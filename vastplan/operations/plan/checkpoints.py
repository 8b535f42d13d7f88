"""The newest complete checkpoint of the data that moves, by the document's rule: the commands that show it on each side.

A step by hand, because VMS lists no directory (`stat_path` describes one path whose name is known) and vastplan reads no file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from vastplan.model.escaping import inert
from vastplan.model.formatting import span
from vastplan.model.move_plan import FORK, KEEP, PLANNED, REJOIN, THROUGH
from vastplan.model.operation_plan import Fact
from vastplan.model.shell import word
from vastplan.operations.ends import Ends
from vastplan.operations.plan.ages import age_of
from vastplan.operations.plan.pair import Pair
from vastplan.schema.checkpoint import names_checkpoint
from vastplan.schema.entries import Entry


def by_rule(written: Iterable[Entry], pair: Pair, mode: str) -> tuple[str, ...]:
    """The lines of this step; none if no volume of the pair has a rule for complete checkpoints. `written` are the document's entries."""
    source, target = _volumes(written, pair)
    directory = _at_target(pair)
    rule = _checkpoint(source).get("complete") or _checkpoint(target).get("complete")
    if not rule or mode in (REJOIN, KEEP):  # these submit no workloads
        return ()
    look_at_target = (
        f"on a client at {pair.target}, before anything resumes from it: {_command(target, source, directory, rule)}"
    )
    if mode != PLANNED:
        return (
            f"the newest complete checkpoint of {pair.path}, from which workloads resume, is what this prints {look_at_target}",
        )
    before = f"on a client at {pair.source}, once the workloads have stopped: {_command(source, target, pair.source_directory, rule)}"
    return (
        f"the newest complete checkpoint of {pair.path}: compare both sides, because VMS lists no directory",
        before,
        look_at_target,
        "both have to print the same directory (below the mount point); if they differ, do not resume the workloads; "
        "if neither prints one, no checkpoint is complete by that rule",
    )


def resume_of(written: Iterable[Entry], pair: Pair, mode: str) -> dict[str, Any]:
    """The `resume` of the volume at the target, or else of the one at the source; empty without one.

    If it has the path of a checkpoint, also the `name` of complete ones, and where which command finds the newest (`find`).
    """
    source, target = _volumes(written, pair)
    checkpoint = next((one for one in (_checkpoint(target), _checkpoint(source)) if "resume" in one), {})
    resume = dict(checkpoint.get("resume", {}))
    if not names_checkpoint(resume.get("env", {}), resume.get("args", "")):
        return resume
    rule = checkpoint["complete"]
    if mode in (PLANNED, THROUGH, FORK):  # all others have what arrived
        find = f"on a client at {pair.source}: {_command(source, target, pair.source_directory, rule)}"
    else:
        find = f"on a client at {pair.target}: {_command(target, source, pair.target_directory, rule)}"
    return {**resume, "name": rule.get("name", ""), "find": find}


def of_lost_work(written: Iterable[Entry], pair: Pair, age: float | None) -> tuple[Fact, ...]:
    """How much training is done again after going back to a restore point so many seconds old; none where the document does not say how
    often a checkpoint comes."""
    checkpoint = next((found for volume in _volumes(written, pair) if (found := _checkpoint(volume))), {})
    steps = checkpoint.get("steps") or {}
    interval = checkpoint.get("interval") or steps.get("every", 0) * steps.get("takes", 0)
    if not interval or age is None:
        return ()
    most = age + interval
    figure = f"{math.ceil(most / steps['takes'])} steps ({span(most)})" if steps else span(most)
    why = f"the restore point is {span(age)} old, and a checkpoint comes every {span(interval)}"
    return (Fact("work done again", f"at most {figure} and the time to write a checkpoint: {why}"),)


def goes_back(written: Iterable[Entry], pair: Pair, ends: Ends, point: Mapping[str, str]) -> Iterator[str]:
    """The restore point that a path goes back to, and what training is done again: lines for the record."""
    created = point.get("created", "")
    yield f"{pair.path} goes back to {inert(point.get('guid'), 80)} as of {inert(created, 40)}"
    yield from (f"{fact.name}: {fact.value}" for fact in of_lost_work(written, pair, age_of(ends, created)))


def is_complete(directory: str, name: str) -> bool:
    """Whether a directory has a name of complete checkpoints, `name` by the document."""
    return fnmatchcase(directory, name) and not ((written := _being_written(name)) and fnmatchcase(directory, written))


def _being_written(name: str) -> str:
    """The pattern of what `name` does not mean: step-400.tmp does not match step-*. "" if it has a `.` of its own behind the `*`."""
    return "" if "." in name.partition("*")[2] else f"{name.rstrip('*')}*.*"


def _at_target(pair: Pair) -> str:
    return pair.branch.directory if pair.branch is not None else pair.target_directory


def _volumes(written: Iterable[Entry], pair: Pair) -> tuple[Entry | None, Entry | None]:
    volumes = tuple(volume for volume in written if volume.address.kind == "volume")
    places = (pair.source, pair.source_directory), (pair.target, _at_target(pair))
    source, target = (
        next((one for one in volumes if (one.address.site, one.values.get("path")) == place), None) for place in places
    )
    return source, target


def _checkpoint(volume: Entry | None) -> Mapping[str, Any]:
    checkpoint = volume.values.get("checkpoint") if volume is not None else None
    return checkpoint if isinstance(checkpoint, Mapping) else {}


def _command(volume: Entry | None, other: Entry | None, directory: str, rule: Mapping[str, str]) -> str:
    """The command prints one directory, or nothing if none is complete. It starts at the volume's `mount`, else at its directory."""
    mounts = [volume.values.get("mount") for volume in (volume, other) if volume is not None]
    root = word(next((mount for mount in mounts if mount), directory))
    excluded = "-name .snapshot"
    if "marker" in rule:
        matched = f"-type f -name {word(rule['marker'])} -printf '%T@ %h\\n'"
    else:
        name = rule["name"]
        if written := _being_written(name):
            excluded = f"\\( {excluded} -o -name {word(written)} \\)"
        matched = f"-type d -name {word(name)} -prune -printf '%T@ %p\\n'"
    return f"find {root} {excluded} -prune -o {matched} | sort -n | tail -n 1"
