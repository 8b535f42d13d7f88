"""The snapshots of a directory of the document, on each of its sites."""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.snapshot_list import ListedSnapshot
from vastplan.operations.document import Document
from vastplan.operations.modes.restore.place import Place, place_of
from vastplan.operations.sites import Sites


def places_of(document: Document, address: Address) -> tuple[Place, ...]:
    """The place of an address, and those of the same volume, view or bucket on other sites. Raises `VastplanError`."""
    places = [place_of(document, address)]
    for site in document.sites:
        if site != address.site:
            try:
                places.append(place_of(document, address._replace(site=site)))
            except VastplanError:
                continue  # it is not on that site
    return tuple(places)


def snapshots_of(sites: Sites, places: Iterable[Place]) -> tuple[ListedSnapshot, ...]:
    """The snapshots of each place, the oldest first. Raises what `Provider` raises."""
    return tuple(
        ListedSnapshot(
            str(place.address), place.directory, snapshot.name, snapshot.created, snapshot.expires, snapshot.ready,
            snapshot.locked, snapshot.size,
        )
        for place in places
        for snapshot in sites.directory(place.site, place.tenant, place.directory)[0].snapshots()
    )  # fmt: skip
