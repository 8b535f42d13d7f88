"""A unit as its target and the ledger have it now."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.model.escaping import inert
from vastplan.model.move_plan import UNPLANNED
from vastplan.model.operation import WATCHER
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.operations.calls.replica import newest_arrived
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends
from vastplan.operations.failover.watcher import FailoverUnit, Standing
from vastplan.operations.modes.group.pairs import pairs_at
from vastplan.operations.modes.table import ends_of
from vastplan.operations.plan.ages import age_of
from vastplan.operations.sites import Sites
from vastplan.schema.ports.replica import SideRole


def standing_of(
    document: Document, sites: Sites, unit: FailoverUnit, ledger: Mapping[str, SiteLedger], clock: Clock
) -> Standing:
    """Whether a unit can fail over now. Raises what ports raise, and `VastplanError`."""
    met = [
        ends_of(document, sites, pair, ledger, clock)
        for pair in pairs_at(document.objects(), unit.address, unit.target)
    ]
    last = {operation.subject: operation for operation in latest_operations(ledger)}
    begun = ""
    for _, guid in met:
        operation = last.get(guid)
        if operation is not None and not operation.phase.closed:
            if operation.mode == UNPLANNED and operation.target == unit.target and WATCHER in operation.consent:
                begun = operation.id
                continue
            return Standing(
                f"the {operation.kind} {inert(operation.id, 40)} is under way (stage {inert(operation.stage, 40)})"
            )
    ages = list[float | None]()
    for ends, _ in met:
        amiss, age = _of_path(ends, is_begun=bool(begun))
        if amiss:
            return Standing(amiss, begun=begun)
        ages.append(age)
    known = [age for age in ages if age is not None]
    return Standing("", max(known) if len(known) == len(ages) else None, begun)


def _of_path(ends: Ends, *, is_begun: bool) -> tuple[str, float | None]:
    """Why a path cannot fail over now, and how old its newest restore point at the target is. One that has begun may have its new role."""
    site, side = ends.target.site, ends.target.look()
    if is_begun and side.role is not SideRole.DESTINATION:
        return "", None
    if side.role is not SideRole.DESTINATION:
        return f"{site} has to be DESTINATION; it is {inert(side.stated_role, 80)}", None
    if side.connected:
        return f"{site} reports that it is connected to {ends.source.site}", None
    guid, created = newest_arrived(ends.target)
    return ("", age_of(ends, created)) if guid else (f"no restore point has arrived at {site}", None)
