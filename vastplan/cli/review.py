"""The review of a change at the command line: `record`, the options of `plan`, and `apply --reviewed`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vastplan.app import plan_file, snapshot_file
from vastplan.app.base import no_base
from vastplan.app.reviewed import differences, refusal
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import Invalid, Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding
from vastplan.model.plan import Plan
from vastplan.report.json_report import Review
from vastplan.report.values import counted

if TYPE_CHECKING:
    from vastplan.model.snapshot import Snapshot


def record(words: argparse.Namespace, screen: Screen) -> int:
    """Read everything, keep what is no secret, say what could not be read."""
    from vastplan.app.record import record as recorded

    workspace = open_workspace(words.paths, words.connections)
    taken = recorded(workspace, workspace.chosen(words.site), words.without)
    snapshot_file.save(taken, words.out)
    count = sum(len(one.objects) for one in taken.collections)
    unread = [one for one in taken.collections if one.error]
    for one in unread:
        screen.show(f"  ? {inert(f'{one.site} {one.kind}')}: {inert(one.error)}")
    screen.show(
        f"Recorded {counted(count, 'object')} of {counted(len(taken.sites), 'site')} as {taken.id[:12]} in {words.out}; "
        f"{counted(len(unread), 'collection')} could not be read."
    )
    return errors.INCOMPLETE if unread else errors.OK


def opened(words: argparse.Namespace) -> tuple[Workspace, Snapshot | None]:
    """The document of a plan, and the snapshot that it is to be made from."""
    if words.snapshot is None:
        return open_workspace(words.paths, words.connections), None
    if words.connections is not None:
        raise VastplanError("with --snapshot nothing is connected: leave out --connections")
    snapshot = snapshot_file.load(words.snapshot)
    return open_workspace(words.paths, None, snapshot), snapshot


def base(words: argparse.Namespace, snapshot: Snapshot | None) -> Workspace | Finding | None:
    """The document that the change is based on; a finding where there is none that can be read."""
    if words.base is None:
        return None
    try:
        return open_workspace([words.base], words.connections, snapshot)
    except Invalid as problem:
        return no_base(problem)


def held_against(words: argparse.Namespace, screen: Screen, live: Plan) -> Review | None:
    """Whether the live plan is the reviewed one. Raises `Stale` where it is not, unless `--allow-difference` was said."""
    if words.reviewed is None:
        return None
    reviewed = plan_file.load(words.reviewed)
    found = differences(reviewed, live)
    if found and not words.allow_difference:
        raise Stale(refusal(found))
    said = f"differs from the reviewed plan in {counted(len(found), 'point')}, which is allowed" if found else (
        "does what the reviewed plan does, and no more"
    )  # fmt: skip
    screen.progress(f"The live plan {said} ({reviewed.id[:12]} of {reviewed.created}).")
    return Review(reviewed.id, not found, tuple(found))


def check_words(words: argparse.Namespace) -> None:
    """Refuse options of a review that have nothing to act on."""
    if getattr(words, "allow_difference", False) and words.reviewed is None:
        raise VastplanError("--allow-difference is said to --reviewed FILE")
