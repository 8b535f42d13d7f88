"""`vastplan show PATH ADDRESS --jobs`: the workloads that use the data of a project or volume now."""

from __future__ import annotations

from vastplan.app.connect import connected
from vastplan.app.operation_document import DocumentOf
from vastplan.app.operations import at_new_names
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.job_list import ListedJob
from vastplan.operations.clients import Clients
from vastplan.operations.clock import CLOCK
from vastplan.operations.users import jobs_using


def listed_jobs(workspace: Workspace, address: Address) -> tuple[ListedJob, ...]:
    """The workloads at the site of an address. Raises `VastplanError`."""
    document = DocumentOf(workspace)
    with workspace.ledger() as backend:
        parts = at_new_names(document, {address.site: backend.read(address.site)})
    with connected(workspace.document, sites=(address.site,), writable=False) as clients:
        return jobs_using(document.objects(), Clients(clients, workspace.registry.kinds, CLOCK), parts, address)
