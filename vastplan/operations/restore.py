"""Restores: the subject is a directory of the document, whose snapshot is copied or put back in place."""

from __future__ import annotations

from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.operation import Operation
from vastplan.model.restore_plan import IN_PLACE, RestorePlan
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.modes.restore.copy import named, restored_copy
from vastplan.operations.modes.restore.in_place import path_of
from vastplan.operations.modes.restore.mode import RestoreMet
from vastplan.operations.modes.restore.place import Place, place_begun, place_of
from vastplan.operations.sites import Sites
from vastplan.operations.subject import Parts, Subject
from vastplan.operations.wanted import WantedRestore


class Restores:
    """The kind of operation that restores a snapshot."""

    name = "restore"

    def wanted(self, document: Document, wanted: WantedRestore) -> Subject[RestorePlan]:
        """The place that somebody asks for. Raises `VastplanError`."""
        place = place_of(document, wanted.address)
        if wanted.mode == IN_PLACE:
            return _restore(document, place, replace(wanted, name="", directory=""))
        return _restore(document, place, named(place, wanted))

    def planned(self, document: Document, plan: RestorePlan) -> Subject[RestorePlan]:
        """The place of a plan. Raises `VastplanError`."""
        address, snapshot = Address.parse(plan.address), str(plan.snapshot.get("name"))
        wanted = WantedRestore(address, snapshot, plan.mode, plan.name, plan.directory)
        return _restore(document, place_of(document, address), wanted)

    def begun(self, document: Document, operation: Operation) -> Subject[RestorePlan]:
        """The place of an operation, as its record keeps it, or else from the document. Raises `VastplanError`."""
        place = place_begun(operation) or place_of(document, Address.parse(operation.address))
        wanted = WantedRestore(place.address, "", operation.mode, directory=str(operation.facts["directory"]))
        return _restore(document, place, wanted)


def _restore(document: Document, place: Place, wanted: WantedRestore) -> Subject[RestorePlan]:
    def meet(sites: Sites, parts: Parts, clock: Clock) -> RestoreMet:
        if wanted.mode == IN_PLACE:
            return path_of(document, sites, place, wanted, parts, clock)
        return restored_copy(document, sites, place, wanted, parts, clock)

    return Subject(str(place.address), (place.site,), meet)
