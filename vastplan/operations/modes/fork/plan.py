"""The mode of a fork: its ends, why it is refused, what it loses, its steps by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.calls.copy import CopyTarget
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends
from vastplan.operations.modes.fork.branch import apply_command, facts_of, forked, missing, whose
from vastplan.operations.modes.fork.stages import Forked, amiss, stages
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.plan.pair import Branch, Pair
from vastplan.operations.plan.steps import to_stop, unmounted_claims
from vastplan.operations.sites import PathAt, Sites
from vastplan.operations.stage import Stage
from vastplan.operations.wanted import WantedMove


class Fork(Mode):
    """The fork."""

    def aimed(self, document: Document, pair: Pair, wanted: WantedMove) -> Pair:
        """The pair with its branch. Raises `VastplanError` if the document has no such clone."""
        return forked(document.objects(), pair, wanted.fork, live=wanted.live)

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """Its stages, in order."""
        return stages(_of_fork(ends))

    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` if the copy exists, or its data does not arrive at the target."""
        problem = amiss(_of_fork(ends))
        if problem:
            raise VastplanError(f"{pair.path} cannot be forked: {problem}")

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """Nothing."""
        site = ends.source.site
        if _of_fork(ends).live:
            return {}, (
                f"nothing; workloads keep running at {site}, so the copy is crash-consistent: files that are being written are "
                "incomplete in it"
            )
        return {}, f"nothing; what is written at {site} after the copy stays at {site} only"

    def manual_steps(self, pair: Pair) -> tuple[str, ...]:
        """The steps that remain by hand."""
        branch = _of(pair)
        return (
            f"the branch is a volume of its own: nothing is merged back into {pair.path}; to delete it, take it out of the document",
            *unmounted_claims(pair, f"{branch.address} for its project", "submitted"),
            *(() if branch.live else (to_stop(pair.source),)),
        )

    def facts(self, pair: Pair, ends: Ends, users: Users, id: str) -> Mapping[str, Any]:
        """The branch."""
        return {"fork": facts_of(_of(pair), pair.covers)}


def with_branch(
    document: Document, sites: Sites, pair: Pair, ends: Ends, target: PathAt, ledger: Mapping[str, SiteLedger]
) -> Forked:
    """The ends with the copy that the document declares."""
    branch = _of(pair)
    return Forked(
        **ends.as_they_are(),
        store=target.directory(),
        copy=CopyTarget(branch.name, branch.directory, branch.background),
        live=branch.live,
        covers=pair.covers,
        command=apply_command(document, branch),
        missing=lambda: missing(document, sites, branch, ledger),
        kept=lambda: whose(branch, ledger),
    )


def _of(pair: Pair) -> Branch:
    assert pair.branch is not None
    return pair.branch


def _of_fork(ends: Ends) -> Forked:
    assert isinstance(ends, Forked)
    return ends
