"""`vastplan drift`: shows what changed outside vastplan and what nobody manages; writes such changes into the document."""

from __future__ import annotations

from vastplan.app import checks, reports
from vastplan.app.clock import now
from vastplan.app.drift import find_drift
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import output
from vastplan.cli.request import Format
from vastplan.cli.requests.drift import DriftRequest
from vastplan.cli.screen import Screen
from vastplan.cli.wait import waiting
from vastplan.model import errors
from vastplan.model.drift import Drift
from vastplan.model.errors import VastplanError
from vastplan.model.finding import SPLIT, Severity
from vastplan.model.replication import WRITTEN_TWICE
from vastplan.report import drift as drift_report
from vastplan.report.isolation import isolation_text
from vastplan.report.isolation_trial import trial_text


def run(request: DriftRequest, screen: Screen) -> int:
    """Check for drift, compare with an earlier check if one is given, and print; or write accepted values into the document."""
    if request.only_new and not request.since:
        raise VastplanError("--only-new compares with an earlier check: name it with --since FILE")
    if request.trying and not request.isolation:
        raise VastplanError("--try tries what the proof says: add --isolation")
    workspace = open_workspace(request.paths, request.connections)
    if request.accept:
        return _accept(request, screen, workspace)
    with waiting(screen) as watch:
        drift_found = find_drift(
            workspace,
            request.site,
            prove=request.isolation,
            trying=request.trying,
            since=request.since,
            only_new=request.only_new,
            watch=watch,
        )
    drift = drift_found.drift
    renderers = reports.drift_renderers(drift, reports.entry_places(drift_found.planned))
    conditions = output.write(request, screen, renderers)
    if request.format is Format.TEXT:
        from vastplan.app.drifting.accept import first_acceptable

        field = first_acceptable(request.paths, request.connections, drift_found.planned, drift)
        screen.show(drift_report.drift_text(drift, screen.style, request.paths, field, request.connections))
        if request.isolation:
            screen.show(isolation_text(drift.isolation, screen.style, of="the live state"))
            screen.show(trial_text(drift.tried, screen.style))
    else:
        screen.rendered(renderers[request.format.ending](), is_json=request.format is Format.JSON)
    return errors.exit_code(conditions | _conditions(drift) | _unproven(workspace, drift))


def _unproven(workspace: Workspace, drift: Drift) -> set[int]:
    """The conditions from `--isolation` and `--try`; empty without the options."""
    if any(one.through for one in drift.tried):
        return {errors.BLOCKED}
    if any(one.untried for one in drift.tried):
        return {errors.INCOMPLETE}
    if any(proof.unknown for proof in drift.isolation):
        return {errors.INCOMPLETE}
    return {errors.BLOCKED} if checks.live_meetings(workspace, drift.isolation, now().date()) else set()


def _conditions(drift: Drift) -> set[int]:
    """The conditions of a drift check: drift and replication that differs from the document are changes, and so is what is not
    well; unread is incomplete."""
    moved = drift.reported() or drift.astray() or drift.ailing() or drift.not_ours
    conditions = {errors.CHANGES} if moved else set()
    if any(row.state in WRITTEN_TWICE for row in drift.replications):
        conditions.add(errors.BLOCKED)
    if drift.unknown:
        conditions.add(errors.INCOMPLETE)
    wrong = [finding for finding in drift.findings if finding.severity is Severity.ERROR]
    stops_its_own = (finding.checked or finding.code == SPLIT for finding in wrong)
    conditions |= {errors.BLOCKED if its_own else errors.ERROR for its_own in stops_its_own}
    return conditions


def _accept(request: DriftRequest, screen: Screen, workspace: Workspace) -> int:
    if request.since or request.reports or request.format is not Format.TEXT:
        raise VastplanError("--accept changes the document and prints what it wrote; run drift again for a report")
    from vastplan.app.drifting.accept import accept

    drift_found = find_drift(workspace, request.site)
    for accepted in accept(request.paths, request.connections, drift_found.planned, drift_found.drift, request.accept):
        screen.show(f"{accepted.where}: {accepted.address} {accepted.path} is now {accepted.shown}")
    return errors.OK
