"""`vastplan watch`: a watcher over the sites of a document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from vastplan.app.connect import connected, shared_ledger
from vastplan.app.move import abort_move, arm_move, go_on_with_move, plan_move, run_move
from vastplan.app.operation_document import DocumentOf
from vastplan.app.operations import at_new_names
from vastplan.app.watching import commands
from vastplan.app.workspace import Workspace
from vastplan.ledger.lease_watch import LONGEST
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Locked, Refused, Silent, Stale, Unclear, Unreachable, VastplanError
from vastplan.model.move_plan import UNPLANNED
from vastplan.model.operation import WATCHER, Operation
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.operations.clients import Clients
from vastplan.operations.clock import CLOCK, Clock
from vastplan.operations.course import UnderWay
from vastplan.operations.failover import standing
from vastplan.operations.failover.sight import Sighting
from vastplan.operations.failover.units import units_of
from vastplan.operations.failover.watcher import FailoverUnit, Standing, Watcher
from vastplan.operations.run import PastReturn
from vastplan.operations.wanted import WantedMove
from vastplan.report.values import counted
from vastplan.schema.system import Client


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSetup:
    """What a watcher has: its document, opened anew for each beat, its place, and the commands of who runs it."""

    open: Callable[[], Workspace]
    place: str
    say: Callable[[str], None]
    fence: str = ""
    on_alarm: str = ""
    clock: Clock = CLOCK


def watcher_of(setup: WatchSetup, every: float) -> Watcher:
    """The watcher. `beat` is to be called every so many seconds. Raises `VastplanError`."""
    if setup.fence:
        commands.refuse_missing(setup.fence)
    ports = _Ports(setup)
    units = ports.units()
    if not units:
        raise VastplanError("the document has no volume that replicates to another site and is mounted on both")
    alone = ""
    if ports.notes is None:
        alone = "the ledger is in files, where no other watcher can say what it sees"
    elif not setup.fence:
        alone = "without --fence COMMAND nobody confirms that a lost site takes no more writes"
    for unit in units:
        does = f"fails over to {unit.target} by itself" if unit.after and not alone else "alarms"
        why = f" ({alone})" if unit.after and alone else ""
        setup.say(f"watches {unit.address}: if {unit.source} is lost, {does}{why}")
    return Watcher(ports, setup.place, every, setup.clock)


class _Ports:
    """The ports of a watcher over the document as it is in this beat."""

    def __init__(self, setup: WatchSetup) -> None:
        self._setup, self._workspace = setup, setup.open()
        self.notes = self._workspace.document.head.shared_ledger()
        self._fenced: set[str] = set()

    def units(self) -> tuple[FailoverUnit, ...]:
        self._workspace = self._setup.open()
        with _of_the_ledger(), self._workspace.ledger() as backend:
            parts = {site: backend.read(site) for site in backend.sites()}
        return units_of(DocumentOf(self._workspace), latest_operations(parts))

    def answers(self, site: str) -> bool:
        with connected(self._workspace.document, sites=(site,), writable=False, lost=(site,)) as clients:
            for (_, system), client in clients.items():
                if isinstance(client, Exception):
                    raise VastplanError(f"{site} {system}: {client}")
            with ThreadPoolExecutor(max_workers=len(clients)) as pool:
                return any(pool.map(_answers, clients.values()))

    def exchange(self, sighting: Sighting) -> Mapping[str, Sighting]:
        if self.notes is None:
            return {}
        with (
            _of_the_ledger(),
            shared_ledger(
                self._workspace.document, *self.notes, writable=True, report=self._setup.say, timeout=0
            ) as ledger,
        ):
            found = ledger.exchange(sighting.place, {"beat": sighting.beat, "silent": dict(sighting.silent)})
        return {place: heard for place, text in found.items() if (heard := _sighting(place, text)) is not None}

    def standing(self, unit: FailoverUnit) -> Standing:
        if not self._setup.fence:
            return Standing("there is no --fence COMMAND to confirm that nobody writes there")
        document, parts, clock = DocumentOf(self._workspace), self._parts(unit), self._setup.clock
        with connected(
            self._workspace.document, sites=(unit.source, unit.target), writable=False, lost=(unit.source,)
        ) as clients:
            sites = Clients(clients, self._workspace.registry.kinds, clock)
            return standing.standing_of(document, sites, unit, at_new_names(document, parts), clock)

    def fail_over(self, unit: FailoverUnit, begun: str, still: Callable[[], str]) -> str:
        workspace = Workspace(self._workspace.document, self._workspace.registry, 0, LONGEST)
        guard, setup = self._guard(unit, still), self._setup

        def again(id: str) -> str:
            return f"vastplan move run {workspace.document.typed} {id}"

        if begun:
            try:
                abort_move(workspace, begun, setup.say, setup.clock)
                return f"took back the move {begun} of another watcher, and decides anew"
            except PastReturn:
                setup.say(f"goes on with the move {begun}, which cannot be taken back")
            return self._done(unit, go_on_with_move(workspace, begun, setup.say, again(begun), setup.clock, guard))
        try:
            plan = plan_move(workspace, WantedMove(unit.address, unit.target, UNPLANNED), setup.clock)
        except UnderWay:
            return ""
        consent = {
            "by": f"the watcher at {setup.place}, as the document says",
            "at": setup.clock.now().isoformat(timespec="seconds"),
            WATCHER: setup.place,
            "lose_said": plan.lose.get("guid", ""),
        }
        try:
            return self._done(
                unit, run_move(workspace, plan, setup.say, again(plan.id[:8]), setup.clock, consent, guard)
            )
        except (Stale, Locked, UnderWay):
            return ""
        except VastplanError as problem:
            raise VastplanError(f"{_first(problem)}; {self._given_up(workspace, plan.id[:8])}") from problem

    def _done(self, unit: FailoverUnit, move: Operation) -> str:
        self._fenced.discard(unit.source)
        return f"failed over from {unit.source} to {unit.target} (move {move.id}); {unit.source} is fenced"

    def _given_up(self, workspace: Workspace, id: str) -> str:
        """What became of a move that stopped: it is taken back while that is possible."""
        try:
            abort_move(workspace, id, self._setup.say, self._setup.clock)
        except PastReturn:
            return f"the move {id} can only go on"
        except VastplanError as problem:
            return f"the move {id} was not taken back: {_first(problem)}"
        return f"the move {id} was taken back"

    def fenced_in_vain(self, site: str) -> bool:
        return site in self._fenced

    def renew(self, unit: FailoverUnit) -> str:
        again = f"vastplan move arm {self._workspace.document.typed} {unit.address} --to {unit.target}"
        setup = self._setup
        records = arm_move(self._workspace, unit.address, unit.target, setup.say, again, setup.clock)
        kept = {job for record in records for job in record.facts.get("workloads", {})}
        return f"{unit.address}: armed for {unit.target}, {counted(len(kept), 'workload')} kept"

    def say(self, text: str) -> None:
        self._setup.say(text)

    def alarm(self, texts: tuple[str, ...]) -> None:
        setup = self._setup
        lines = [f"ALARM {text}" for text in texts] or ["the alarms are over"]
        for line in lines:
            setup.say(line)
        why = commands.send_alarm(setup.on_alarm, "\n".join(lines) + "\n") if setup.on_alarm else ""
        if why:
            setup.say(f"nobody was notified: {why}")

    def _guard(self, unit: FailoverUnit, still: Callable[[], str]) -> Callable[[], str]:
        """What is asked right before there is no way back: the fence, then whether all is as it was."""

        def guard() -> str:
            self._setup.say(f"fences {unit.source}")
            self._fenced.add(unit.source)  # a command that failed may have done a part of it
            why = commands.run_fence(self._setup.fence, unit.source)
            return f"{unit.source} is not fenced: {why}" if why else still()

        return guard

    def _parts(self, unit: FailoverUnit) -> dict[str, SiteLedger]:
        with self._workspace.ledger() as backend:
            return {site: backend.read(site) for site in (unit.source, unit.target)}


@contextmanager
def _of_the_ledger() -> Iterator[None]:
    try:
        yield
    except (Refused, Unreachable, Unclear) as problem:
        raise VastplanError(f"the ledger cannot be used, so nothing fails over: {problem}") from problem


def _first(problem: VastplanError) -> str:
    return str(problem).partition("\n")[0]


def _answers(client: Client | Exception) -> bool:
    try:
        assert not isinstance(client, Exception)
        client.version()
    except Silent:
        return False
    except (Refused, Unreachable, Unclear):
        pass
    return True


def _sighting(place: str, found: Any) -> Sighting | None:
    """What a watcher says, from what anybody may have written."""
    silent = found.get("silent") if isinstance(found, dict) else None
    if not isinstance(silent, dict):
        return None
    seconds = {str(site): float(value) for site, value in silent.items() if isinstance(value, int | float)}
    return Sighting(
        place, str(found.get("beat", "")), {site: value for site, value in seconds.items() if math.isfinite(value)}
    )
