"""`vastplan drift`: finds what changed since the last apply and what nobody manages, stage by stage. Only reads from the systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vastplan.app.drifting import earlier_check
from vastplan.app.drifting.derivation import drifted
from vastplan.app.drifting.other_owners import claims_of_others
from vastplan.app.plan import Planned, PlanOptions, make_plan
from vastplan.app.workspace import Workspace
from vastplan.model.dataclass import dataclass
from vastplan.model.drift import Drift, compared
from vastplan.model.watch import UNWATCHED, Watch

__all__ = ["DriftFound", "drifted", "find_drift"]


@dataclass(frozen=True, slots=True)
class DriftFound:
    """The drift, and the plan it was derived from."""

    drift: Drift
    planned: Planned


def find_drift(
    workspace: Workspace, site: str | None, *, prove: bool = False, since: Path | None = None, only_new: bool = False,
    trying: bool = False, watch: Watch = UNWATCHED,
) -> DriftFound:  # fmt: skip
    """Check the named sites (comma-separated; all when left out), and compare with an earlier check if `since` names one; `only_new`
    leaves what that had found out of the reports. `trying` sends the requests that isolation should refuse; nothing is carried out.

    The earlier check is read before any system. Raises `Invalid` for a site that does not exist.
    """
    sites = workspace.chosen(site)
    before = earlier_check.load_drift(since, workspace.name) if since else None
    planned = make_plan(workspace, PlanOptions(sites, prove=prove, limited=site is not None, watch=watch))
    drift = drifted(planned, workspace)
    if drift.unmanaged:
        drift = drifted(planned, workspace, claims_of_others(workspace, planned.plan))
    if trying:
        from vastplan.app.drifting.trial import try_isolation

        drift = replace(drift, tried=try_isolation(workspace, planned))
    if before is not None:
        drift = compared(drift, before, only_new=only_new)
    return DriftFound(drift, planned)
