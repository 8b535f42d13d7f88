"""`vastplan record`: read everything, save all but secrets, report what could not be read."""

from __future__ import annotations

from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.record import record_snapshot as take_snapshot
from vastplan.app.workspace import open_workspace
from vastplan.cli.requests.record import RecordRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.escaping import inert
from vastplan.report.values import counted


def run(request: RecordRequest, screen: Screen) -> int:
    """Write a snapshot."""
    workspace = open_workspace(request.paths, request.connections)
    snapshot = take_snapshot(workspace, workspace.chosen(request.site), request.without)
    snapshot_file.save(snapshot, request.out)
    objects = sum(len(collection.objects) for collection in snapshot.collections)
    partial = [collection for collection in snapshot.collections if collection.error]
    unread = [collection for collection in partial if not collection.asked]
    for collection in partial:
        screen.show(f"  ? {inert(f'{collection.site} {collection.kind}')}: {inert(collection.error)}")
    screen.show(
        f"Recorded {counted(objects, 'object')} of {counted(len(snapshot.sites), 'site')} as {snapshot.id[:12]} "
        f"in {request.out}; {counted(len(unread), 'collection')} could not be read."
    )
    return errors.INCOMPLETE if unread else errors.OK
