"""How many live objects are managed, by site, for the kinds in use: those this ledger owns, other documents own, nobody manages,
or systems created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from vastplan.app.drifting.rehearsal_objects import live_key, made_by_rehearsals
from vastplan.app.planning.request import Planned
from vastplan.app.workspace import Workspace
from vastplan.engine.live.creator import creator_of
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import owners
from vastplan.engine.state.responsibility import Responsibility, standings
from vastplan.importing.model import take_pattern
from vastplan.model.claims import SiteClaims
from vastplan.model.dataclass import dataclass
from vastplan.model.drift import ControllerObjects, Coverage, OtherDocumentObjects, UnmanagedObject


@dataclass(frozen=True, slots=True)
class Overview:
    """The live objects of the kinds in use, grouped by who manages or created them."""

    coverage: tuple[Coverage, ...]
    unmanaged: tuple[UnmanagedObject, ...]
    controller_owned: tuple[ControllerObjects, ...]
    elsewhere: tuple[OtherDocumentObjects, ...] = ()


def look_over(planned: Planned, workspace: Workspace, claims: Mapping[str, SiteClaims]) -> Overview:
    """Group the observed objects; `claims` are what other documents own, by site."""
    others = owners(planned.plan.document, claims)
    standing = standings(planned.matches, others, planned.matches.owned)
    rehearsed = made_by_rehearsals(planned.operations)
    coverage, unmanaged, controller_owned, elsewhere = [], [], [], []
    for site, kind in reported_collections(planned, workspace):
        managed, strangers, by_controller, by_document = 0, 0, Counter[str](), Counter[str]()
        for live in planned.observed.objects(site, kind):
            match standing.of(live):
                case Responsibility.MANAGED:
                    managed += 1
                case Responsibility.ELSEWHERE:
                    by_document[others.of(live)] += 1
                case Responsibility.MADE:
                    by_controller[creator_of(live)] += 1
                case Responsibility.NOBODYS if rehearsed and (by := rehearsed.get(live_key(live))):
                    by_controller[by] += 1
                case Responsibility.NOBODYS:
                    strangers += 1
                    opens = live.kind.lets_in is not None
                    unmanaged.append(UnmanagedObject(site, kind, live.name, opens=opens, take=_take(live)))
        if managed or strangers:
            coverage.append(Coverage(site, kind, managed, strangers))
        controller_owned += [
            ControllerObjects(site, kind, controller, count) for controller, count in sorted(by_controller.items())
        ]
        elsewhere += [
            OtherDocumentObjects(site, kind, document, count) for document, count in sorted(by_document.items())
        ]
    return Overview(tuple(coverage), tuple(unmanaged), tuple(controller_owned), tuple(elsewhere))


def _take(live: Live) -> str | None:
    """How import takes the object: see `UnmanagedObject.take`."""
    if live.kind.distinct_by_id:
        return None
    return take_pattern(live) if live.kind.on_request else ""


def reported_collections(planned: Planned, workspace: Workspace) -> list[tuple[str, str]]:
    """The collections that coverage reports, as site and kind: readable, and of kinds that a document can have or this one has."""
    kinds = set(workspace.registry.types) | {entry.address.kind for entry in planned.entries}
    sites = {part.site for part in planned.plan.parts}
    collections = sorted(planned.observed.collections.items())
    return [
        (site, kind)
        for (site, kind), read in collections
        if kind in kinds and site in sites and not read.error and not read.beside
    ]
