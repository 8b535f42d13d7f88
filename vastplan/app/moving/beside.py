"""The modes of a move that change no role (fork, rehearsal): their ends, why one is refused, what it loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from vastplan.app.connect import Providers
from vastplan.app.moving.branch import apply_command, missing, whose
from vastplan.app.moving.rehearsal import by_hand_of_rehearsal, rehearsed
from vastplan.app.workspace import Workspace
from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.calls.copy import Beside, Wanted
from vastplan.operations.ends import Ends
from vastplan.operations.modes.fork.stages import Forked, amiss_of_fork, fork
from vastplan.operations.modes.rehearsal.calls import Rehearsed
from vastplan.operations.modes.rehearsal.stages import amiss_of_rehearsal, rehearse
from vastplan.operations.plan.pair import Pair
from vastplan.operations.plan.steps import to_stop, unmounted
from vastplan.operations.stages.stage import Stage
from vastplan.systems.vast.restorable import VastDirectory


def with_copy(
    workspace: Workspace, providers: Providers, pair: Pair, ends: Ends, store: VastDirectory,
    ledger: Mapping[str, SiteLedger],
) -> Ends:  # fmt: skip
    """The ends with the copy at the target, for a fork or a rehearsal; the ends of any other move unchanged."""
    branch = pair.branch
    if pair.rehearsal is not None:
        return rehearsed(workspace, providers, pair, _as_they_are(ends), store)
    if branch is None:
        return ends
    return Forked(
        **_as_they_are(ends),
        store=store,
        wanted=Wanted(branch.name, branch.directory, branch.background),
        live=branch.live,
        covers=pair.covers,
        command=apply_command(workspace, branch),
        missing=lambda: missing(workspace, providers, branch, ledger),
        kept=lambda: whose(branch, ledger),
    )


def stages_beside(ends: Beside) -> tuple[Stage, ...]:
    """The stages of the fork or rehearsal."""
    if isinstance(ends, Rehearsed):
        return rehearse(ends)
    assert isinstance(ends, Forked)
    return fork(ends)


def refuse_beside(ends: Beside, pair: Pair) -> None:
    """Raises `VastplanError` if the present state does not allow this mode."""
    if isinstance(ends, Rehearsed):
        problem, what = amiss_of_rehearsal(ends), "rehearsed"
    else:
        assert isinstance(ends, Forked)
        problem, what = amiss_of_fork(ends), "forked"
    if problem:
        raise VastplanError(f"{pair.path} cannot be {what}: {problem}")


def loss_beside(ends: Beside) -> str:
    """What is lost, in words."""
    if isinstance(ends, Rehearsed):
        return "nothing"
    assert isinstance(ends, Forked)
    crash = "nothing; workloads keep running at {0}, so the copy is crash-consistent: files that are being written are incomplete in it"
    frozen = "nothing; what is written at {0} after the copy stays at {0} only"
    return (crash if ends.live else frozen).format(ends.source.site)


def by_hand_beside(pair: Pair) -> tuple[str, ...]:
    """The steps that remain by hand."""
    branch = pair.branch
    if branch is None:
        return by_hand_of_rehearsal(pair)
    return (
        f"the branch is a volume of its own: nothing is merged back into {pair.path}; to delete it, take it out of the document",
        *unmounted(pair, f"{branch.address} for its project", "submitted"),
        *(() if branch.live else (to_stop(pair.source),)),
    )


def _as_they_are(ends: Ends) -> dict[str, Any]:
    return {one.name: getattr(ends, one.name) for one in fields(ends)}
