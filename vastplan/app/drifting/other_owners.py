"""What other documents own, read when something live is not managed by this document."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.app.claims import site_claims
from vastplan.app.workspace import Workspace
from vastplan.model.claims import SiteClaims
from vastplan.model.errors import NotAuthorised
from vastplan.model.plan import Plan


def claims_of_others(workspace: Workspace, plan: Plan) -> Mapping[str, SiteClaims]:
    """The claims in other documents' ledgers, by site of the plan; empty if the credentials may not list those ledgers."""
    endpoints = {part.site: part.endpoints for part in plan.parts}
    try:
        with workspace.ledger() as backend:
            return site_claims(backend.others(), endpoints, workspace.registry.kinds)
    except NotAuthorised:
        return {}
