"""The ends of a move, for a replicated path or one with global access."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.app.connect import Providers
from vastplan.app.moving import ends
from vastplan.app.moving.ends import Met
from vastplan.app.moving.sharing import meet_sharing
from vastplan.app.workspace import Workspace
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.plan.pair import Pair


def meet(workspace: Workspace, providers: Providers, pair: Pair, ledger: Mapping[str, SiteLedger], clock: Clock) -> Met:
    """The ends of a pair, over the clients of its sites. Raises `VastplanError` if the path does not exist."""
    found = meet_sharing if pair.origin else ends.meet
    return found(workspace, providers, pair, ledger, clock)
