"""`vastplan show PATH ADDRESS --snapshots`: the snapshots of a directory of the document."""

from __future__ import annotations

from vastplan.app.connect import connected
from vastplan.app.operation_document import DocumentOf
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.snapshot_list import ListedSnapshot
from vastplan.operations.clients import Clients
from vastplan.operations.clock import CLOCK
from vastplan.operations.listing import places_of, snapshots_of


def listed_snapshots(workspace: Workspace, address: Address) -> tuple[ListedSnapshot, ...]:
    """The snapshots of the directory of an address, on each of its sites. Raises `VastplanError`."""
    places = places_of(DocumentOf(workspace), address)
    with connected(workspace.document, sites=tuple(place.site for place in places), writable=False) as clients:
        return snapshots_of(Clients(clients, workspace.registry.kinds, CLOCK), places)
