"""How much of what is live is managed: of the kinds in use, by site, what is ours, what other documents or nobody manages,
what systems made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from vastplan.app.planning.request import Planned
from vastplan.app.workspace import Workspace
from vastplan.engine.guards.owner import owners
from vastplan.engine.made import made_by
from vastplan.model.claims import SiteClaims
from vastplan.model.drift import ControllerObjects, Coverage, OtherDocumentObjects, UnmanagedObject


@dataclass(frozen=True, slots=True)
class Overview:
    """The live objects of the kinds in use, sorted by who has to do with them."""

    coverage: tuple[Coverage, ...]
    unmanaged: tuple[UnmanagedObject, ...]
    controller_owned: tuple[ControllerObjects, ...]
    elsewhere: tuple[OtherDocumentObjects, ...] = ()


def look_over(planned: Planned, workspace: Workspace, claims: Mapping[str, SiteClaims]) -> Overview:
    """Sort what was read; `claims` are what other documents own, by site."""
    others = owners(planned.plan.document, claims)
    kinds_in_use = set(workspace.registry.types)
    kinds_in_use |= {entry.address.kind for entry in planned.entries}
    owned, sites = planned.matches.owned, {part.site for part in planned.plan.parts}
    owned_names = {(address.kind, address.name) for address in owned}
    coverage, unmanaged, controller_owned, elsewhere = [], [], [], []
    for (site, kind), collection in sorted(planned.observed.collections.items()):
        if kind not in kinds_in_use or site not in sites or collection.error:
            continue
        managed, strangers, by_controller, by_document = 0, 0, Counter[str](), Counter[str]()
        for live in collection.objects:
            address = planned.matches.address_of(live)
            if address in owned:
                managed += 1
            elif address is not None or (live.kind.mirrored and (kind, live.name) in owned_names):
                continue  # the document speaks of it: to be adopted, or the copy of one of ours
            elif document := others.of(live):
                by_document[document] += 1
            elif maker := made_by(live):
                by_controller[maker] += 1
            else:
                strangers += 1
                unmanaged.append(UnmanagedObject(site, kind, live.name, opens=live.kind.lets_in is not None))
        if managed or strangers:
            coverage.append(Coverage(site, kind, managed, strangers))
        controller_owned += [
            ControllerObjects(site, kind, controller, count) for controller, count in sorted(by_controller.items())
        ]
        elsewhere += [
            OtherDocumentObjects(site, kind, document, count) for document, count in sorted(by_document.items())
        ]
    return Overview(tuple(coverage), tuple(unmanaged), tuple(controller_owned), tuple(elsewhere))
