"""`vastplan watch`."""

from __future__ import annotations

from vastplan.app.watch import WatchSetup, watcher_of
from vastplan.app.workspace import open_workspace
from vastplan.cli.requests.watch import WatchRequest
from vastplan.cli.screen import Screen
from vastplan.operations.clock import CLOCK


def run(request: WatchRequest, screen: Screen) -> int:
    """Watch until interrupted."""

    def say(text: str) -> None:
        screen.show(f"{CLOCK.now().isoformat(timespec='seconds')} {text}")

    site = WatchSetup(
        open=lambda: open_workspace(request.paths, request.connections),
        place=request.place,
        say=say,
        fence=request.fence or "",
        on_alarm=request.on_alarm or "",
    )
    watcher = watcher_of(site, request.every)
    while True:
        began = CLOCK.ticks()
        watcher.beat()
        CLOCK.sleep(max(0.0, began + request.every - CLOCK.ticks()))
