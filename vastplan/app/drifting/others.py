"""What other documents own, asked where there is something live that this document does not manage."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.app.claims import site_claims
from vastplan.app.workspace import Workspace
from vastplan.model.claims import SiteClaims
from vastplan.model.errors import NotAuthorised
from vastplan.model.plan import Plan


def claims_of_others(workspace: Workspace, plan: Plan) -> Mapping[str, SiteClaims]:
    """By site of a plan, as the ledgers beside its own say; nothing where they may not be listed."""
    endpoints = {part.site: part.endpoints for part in plan.parts}
    try:
        with workspace.ledger() as backend:
            return site_claims(backend.others(), endpoints, workspace.registry.kinds)
    except NotAuthorised:
        return {}
