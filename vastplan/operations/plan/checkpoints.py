"""The newest complete checkpoint of the data that moves, by the document's rule: the commands that show it on each side.

A step by hand, because VMS lists no directory (`stat_path` describes one path whose name is known) and vastplan reads no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vastplan.model.move_plan import KEEP, PLANNED, REJOIN
from vastplan.model.shell import word
from vastplan.operations.plan.pair import Pair
from vastplan.schema.entries import Entry


def by_rule(written: Iterable[Entry], pair: Pair, mode: str) -> tuple[str, ...]:
    """The lines of this step; none if no volume of the pair has a rule for complete checkpoints. `written` are the document's entries."""
    volumes = tuple(written)
    source = _volume(volumes, pair.source, pair.source_directory)
    directory = pair.branch.directory if pair.branch is not None else pair.target_directory
    target = _volume(volumes, pair.target, directory)
    rule = _rule(source) or _rule(target)
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


def _volume(volumes: tuple[Entry, ...], site: str, directory: str) -> Entry | None:
    return next(
        (
            volume
            for volume in volumes
            if (volume.address.site, volume.address.kind) == (site, "volume") and volume.values.get("path") == directory
        ),
        None,
    )


def _rule(volume: Entry | None) -> Mapping[str, str]:
    checkpoint = volume.values.get("checkpoint") if volume is not None else None
    rule = checkpoint.get("complete") if isinstance(checkpoint, Mapping) else None
    return rule if isinstance(rule, Mapping) else {}


def _command(volume: Entry | None, other: Entry | None, directory: str, rule: Mapping[str, str]) -> str:
    """The command prints one directory, or nothing if none is complete. It starts at the volume's `mount`, else at its directory."""
    mounts = [volume.values.get("mount") for volume in (volume, other) if volume is not None]
    root = word(next((mount for mount in mounts if mount), directory))
    excluded = "-name .snapshot"
    if "marker" in rule:
        matched = f"-type f -name {word(rule['marker'])} -printf '%T@ %h\\n'"
    else:
        name = rule["name"]
        if "." not in name.partition("*")[2]:  # step-400.tmp does not match step-*: it is being written
            excluded = f"\\( {excluded} -o -name {word(name.rstrip('*') + '*.*')} \\)"
        matched = f"-type d -name {word(name)} -prune -printf '%T@ %p\\n'"
    return f"find {root} {excluded} -prune -o {matched} | sort -n | tail -n 1"
