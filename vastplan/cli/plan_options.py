"""Converts a request into the options of a plan."""

from __future__ import annotations

from vastplan.app.files.approvals import load_approvals as load_approvals
from vastplan.app.files.review_key import load_review_key as load_review_key
from vastplan.app.plan import PlanOptions
from vastplan.app.workspace import Workspace
from vastplan.cli.requests.planning import PlanningRequest
from vastplan.engine.live.consent import Consent


def plan_options(request: PlanningRequest, workspace: Workspace) -> PlanOptions:
    """The options of a plan; reads the approvals. Raises `Invalid` for an unknown site, or approvals that cannot be read."""
    consent = Consent(
        allow_delete=request.allow_delete,
        adopt=request.adopt,
        approvals=load_approvals(request.approvals) if request.approvals else (),
        max_count=request.max_changes,
        allow_narrow=request.allow_narrow,
        believe_gone=request.believe_gone,
    )
    sites, limited = workspace.chosen(request.site), request.site is not None
    key = load_review_key(request.review_key, workspace.document) if request.review_key else None
    return PlanOptions(sites, request.targets, consent, request.keep_drift, limited=limited, review_key=key)
