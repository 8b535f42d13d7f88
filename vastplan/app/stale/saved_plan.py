"""Checks whether a saved plan still holds for this document, these systems and this ledger, before anything else is done."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from vastplan.app.connect import Providers
from vastplan.app.endpoints import endpoints
from vastplan.app.planning.source import LiveSource
from vastplan.app.workspace import Composed, Workspace
from vastplan.engine.deciding.plan import LIFETIME
from vastplan.ledger.backend import LockedPart
from vastplan.model.errors import Invalid, Stale, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import error
from vastplan.model.plan import Plan, PlannedSite
from vastplan.model.value import from_json, sources

_CLOCKS = timedelta(minutes=5)
"""The allowed difference between the clocks of two machines."""


def check_time(workspace: Workspace, plan: Plan, now: datetime) -> None:
    """Raises `VastplanError` for a plan of another document, `Stale` for one that has expired or was made from a snapshot."""
    if plan.document != workspace.name:
        text = f"the plan was made for the document {inert(plan.document, 80)}, and this document is {workspace.name}"
        raise VastplanError(
            f"{text}; plan again, or pass the path of the document {inert(plan.document, 80)} with --document PATH"
        )
    if plan.snapshot is not None:
        raise Stale(
            f"the plan was made from a snapshot of {inert(plan.snapshot.taken, 40)}: it can be reviewed, and only a live plan "
            f"can be applied; plan again, or: vastplan apply {workspace.document.typed} --reviewed FILE"
        )
    if refusal := out_of_time(plan, now):
        raise Stale(f"the plan {refusal}; plan again")


def out_of_time(plan: Plan, now: datetime) -> str:
    """Why a plan is not valid at `now`, such as `expired on ...`; "" if it is. A file cannot extend the lifetime of plans."""
    created, expires = datetime.fromisoformat(plan.created), datetime.fromisoformat(plan.expires)
    clock = f"it is {now.isoformat(timespec='seconds')}"
    if expires < now:
        return f"expired on {inert(plan.expires, 40)}, and {clock}"
    if created > now + _CLOCKS:
        return f"was made on {inert(plan.created, 40)}, and {clock}: this clock or that of the machine it was made on is wrong"
    if expires - created > LIFETIME:
        return (
            f"is of {inert(plan.created, 40)} and says that it is valid until {inert(plan.expires, 40)}, and no plan is valid longer "
            f"than {LIFETIME // timedelta(hours=1)} hours"
        )
    return ""


def check_places(workspace: Workspace, plan: Plan) -> None:
    """Raises `VastplanError` for sites and kinds that the document does not have: anybody may have edited the plan file, and its
    names become names of files and requests."""
    sites = [part.site for part in plan.parts]
    for site in sites:
        if site not in workspace.document.head.sites:
            raise VastplanError(
                f"the plan is for a site {inert(site, 80)}, which the document does not have; plan again"
            )
    for action in plan.actions:
        if action.address.site not in sites or action.address.kind not in workspace.registry.kinds:
            where = inert(action.address, 200)
            raise VastplanError(
                f"the plan has an action on {where}, which is not an address of this document; plan again"
            )


def check_sources(workspace: Workspace, plan: Plan) -> None:
    """Raises `Invalid` (VP322) for sources of secrets in the plan that are not allowed, before anything is written."""
    allowed = workspace.document.secrets
    refused = [
        error("VP322", reason, fix=allowed.fix(kind), address=str(action.address))
        for action in plan.actions
        if not action.blocked
        for kind, where in sources(from_json(dict(action.desired)))
        if (reason := allowed.refusal(kind, where))
    ]
    if refused:
        raise Invalid(refused)


def check_ledger(plan: Plan, sessions: Mapping[str, LockedPart]) -> None:
    """Raises `Stale` if the plan was begun already, or if the ledger is another one or has changed since.

    A plan is begun once. A plan whose run died is not continued: writes without an answer are intents in the ledger, and the
    next ordinary plan determines their outcome.
    """
    for part in plan.parts:
        ledger = sessions[part.site].part
        if plan.id in ledger.plans:
            cut = f", and {len(ledger.intents)} of its writes have no known outcome" if ledger.intents else ""
            raise Stale(
                f"this plan was applied already on {part.site} (the last apply there: {ledger.applied}{cut}); plan again"
            )
        lineage = ledger.lineage if ledger.serial else ""
        if lineage != part.lineage:
            was, now = part.lineage[:8] or "never written", lineage[:8] or "never written"
            raise Stale(
                f"{part.site} has another ledger than the plan was made from (was {was}, is now {now}); plan again"
            )
        if ledger.serial != part.serial:
            raise Stale(
                f"the ledger of {part.site} has changed since the plan was made "
                f"(serial {part.serial} then, {ledger.serial} now); plan again"
            )


def check_endpoints(plan: Plan, providers: Providers, ledger: str) -> None:
    """Raises `Stale` if a system or the ledger has another address than when the plan was made."""
    current = endpoints(providers, ledger)
    for part in plan.parts:
        for system, was, now in _elsewhere(part, current.get(part.site, {"ledger": ledger})):
            where = f"the {system} of {part.site}"
            raise Stale(
                f"{where} was {inert(was, 120)} when the plan was made and is {inert(now, 120)} now; plan again"
            )


def _elsewhere(part: PlannedSite, now: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The systems with another address, as name, old and new. A system that could not be reached then or now is not compared."""
    reached = {name: was for name, was in part.endpoints.items() if was}
    return [
        (name, was, now.get(name, "not there"))
        for name, was in sorted(reached.items())
        if now.get(name, "not there") not in (was, "")
    ]


def check_planned_document(workspace: Workspace, plan: Plan, source: LiveSource, offline: Composed) -> None:
    """Raises `Stale` if the document differs from the planned one, `Unreachable` if that cannot be determined."""
    probed = source.probed() if offline.probed else {}
    composed = workspace.composed(probed) if offline.probed else offline
    now = workspace.digest(composed.entries)
    if now == plan.digest:
        return
    for site, system in source.providers:
        if offline.probed and f"{system}_version" not in probed.get(site, {}):
            raise Unreachable(
                f"cannot determine whether the document is still what was planned: {system} of {site} did not say its version"
            )
    raise Stale(
        f"the document has changed since the plan was made (was {inert(plan.digest[:12], 40)}, is now {now[:12]}); plan again"
    )
