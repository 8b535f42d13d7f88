"""What somebody plans, runs and takes back, each with what must be so when it has ended, one way or the other."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from tests.moving.mixed import OF_ALL, REPLICATED, Branch, Mixed
from tests.moving.rehearsing import things
from tests.moving.seen import SITES
from tests.moving.sharing import Watch
from vastplan.app import move, restore
from vastplan.model.address import Address
from vastplan.model.move_plan import FORK, KEEP, PLANNED, REHEARSE, REJOIN, THROUGH, UNPLANNED, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.model.restore_plan import IN_PLACE, RestorePlan
from vastplan.operations.wanted import WantedMove, WantedRestore

IDLE = ("Stopping", "Stopped", "Failed", "Completed")
SHARED = {"iad": "SOURCE", "pdx": "DESTINATION"}


class Broken(AssertionError):
    """A promise that does not hold."""


def holds(true: bool, text: str) -> None:
    if not true:
        raise Broken(text)


def _other(site: str) -> str:
    (other,) = {*SITES} - {site}
    return other


def _at_work(found: dict[str, str]) -> set[str]:
    return {name for name, phase in found.items() if phase not in IDLE}


@dataclass(frozen=True)
class State:
    """What there is: the roles and the labels of each volume, the objects of each site."""

    roles: dict[str, dict[str, str]]
    labels: dict[str, dict[str, set[str]]]
    things: dict[str, dict[str, list[str]]]

    @classmethod
    def of(cls, mixed: Mixed) -> State:
        labels = {volume: {site: seen.labels(site) for site in SITES} for volume, seen in mixed.of.items()}
        return cls(mixed.roles(), labels, {site: things(mixed.scene, site) for site in SITES})

    def gone(self, before: State) -> dict[str, set[str]]:
        """Which objects there were that are not there any more, by site and kind."""
        found = {
            f"{site} {kind}": set(names) - set(self.things[site][kind])
            for site, kinds in before.things.items()
            for kind, names in kinds.items()
        }
        return {where: names for where, names in found.items() if names}


@dataclass
class Way:
    """One of them. `moves` are the volumes of which it may change roles or data."""

    mixed: Mixed
    moves: tuple[str, ...] = ()
    events, lasts = 110, 100
    """About how many events it has to be killed at, and how many seconds in which something may fail."""
    turns = False
    """Whether it changes who leads."""
    deletes = False
    """Whether it may remove what it made itself."""
    parts = False
    """Whether two sides may lead afterwards."""

    before: State = field(init=False)
    known: dict[str, set[str]] = field(init=False)
    work: dict[str, dict[str, set[str]]] = field(init=False)

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def about(self) -> str:
        """What it is, as it is told."""
        return self.name

    @property
    def plan(self) -> MovePlan | RestorePlan:
        raise NotImplementedError

    def planned(self) -> None:
        """Plan it. Raises `VastplanError`."""
        raise NotImplementedError

    def begin(self) -> None:
        """Look at what there is before it."""
        mixed = self.mixed
        self.before = State.of(mixed)
        self.known = {volume: set(written) for volume, written in mixed.written.items()}
        self.work = {site: {one: _at_work(mixed.work(site, one)) for one in OF_ALL} for site in SITES}

    def run(self) -> Operation:
        raise NotImplementedError

    def go_on(self) -> Operation:
        """By its id alone."""
        raise NotImplementedError

    def abort(self) -> Operation:
        raise NotImplementedError

    def second(self) -> None:
        """Each second while it runs."""

    def stopped(self, text: str) -> str:
        """What somebody does about a stop, told; "" for nothing but to type it again."""
        return ""

    def given_up(self) -> None:
        """It was refused, or has not begun."""

    def ended(self, done: Operation) -> None:
        """What must be so when it has ended well."""

    def taken_back(self, done: Operation) -> None:
        """What must be so when it was taken back."""

    def judge(self, done: Operation) -> None:
        now = State.of(self.mixed)
        holds(not now.gone(self.before), f"something is gone: {now.gone(self.before)}")
        for volume in OF_ALL:
            if volume not in self.moves:
                holds(not self.turned(volume), f"it changed roles of {volume}: {self.turned(volume)}")
                for site, role in now.roles[volume].items():
                    missing = self.acknowledged(volume, site) - now.labels[volume][site] if role == "SOURCE" else None
                    holds(not missing, f"it lost something of {volume} at {site}: {missing}")
        if done.phase is Phase.DONE:
            self.ended(done)
        else:
            self.taken_back(done)

    def turned(self, volume: str) -> dict[str, str]:
        """The sites whose role is another one now; one of two that lead may have heard of the other meanwhile."""
        before = self.before.roles[volume]
        heard = {("SOURCE", "STANDALONE")} if volume in self.mixed.parted else set()
        now = self.mixed.of[volume].roles()
        return {site: role for site, role in now.items() if role != before[site] and (before[site], role) not in heard}

    def acknowledged(self, volume: str, site: str) -> set[str]:
        """What was there before, and what clients of the site have written since."""
        new = self.mixed.written[volume].keys() - self.known[volume]
        everywhere = volume == "shared"  # what is written at the satellite is at the origin
        return self.before.labels[volume][site] | {one for one in new if everywhere or f"-{site}-" in one}

    def _only_told(self, volume: str, lost: set[str], created: str) -> None:
        """What is lost was written after what was gone back to."""
        told, written = seconds(created), self.mixed.written[volume]
        more = {one for one in lost if written[one] < told}
        holds(not more, f"more of {volume} was lost than was told: {sorted(more)}")


@dataclass
class OfMove(Way):
    """A move of any mode. `to` is the side that is to lead, to work, or to be copied to."""

    to: str = ""

    @property
    def plan(self) -> MovePlan:
        return self._plan

    def _wanted(self) -> WantedMove:
        raise NotImplementedError

    @property
    def about(self) -> str:
        return f"{self.name} to {self.to}"

    def planned(self) -> None:
        scene = self.mixed.scene
        self._plan = move.plan_move(scene.lab.workspace(), self._wanted(), scene.clock)

    def run(self) -> Operation:
        said = {"lose_said": self.plan.lose["guid"]} if self.plan.lose else {}
        return self.mixed.scene.run(self.plan, **said)

    def go_on(self) -> Operation:
        return self.mixed.scene.go_on(self.plan)

    def abort(self) -> Operation:
        return self.mixed.scene.abort(self.plan)

    def points(self, guids: dict[str, str]) -> dict[str, set[str]]:
        """What the restore point of each volume has at the target."""
        return {volume: self.mixed.of[volume].of_point(self.to, guid) for volume, guid in guids.items()}

    def went_back(self, volume: str, point: set[str], created: str) -> None:
        """The target leads, with what its restore point had, and what is lost is later than was told."""
        seen, target = self.mixed.of[volume], self.plan.target
        holds(seen.roles()[target] == "SOURCE", f"{target} does not lead")
        now = seen.labels(target)
        holds(point <= now, "the restore point that was named is not what it went back to")
        self._only_told(volume, self.acknowledged(volume, self.plan.source) - now, created)

    def recorded(self, done: Operation) -> None:
        """Both ledgers say the same."""
        with self.mixed.scene.lab.workspace().ledger() as backend:
            parts = [
                {subject: one for subject, one in backend.read(site).operations.items() if one.id == done.id}
                for site in SITES
            ]
        holds(parts[0] == parts[1], "the parts of the ledger differ")
        paths = set(self.plan.paths.values()) or {self.plan.subject}
        holds(set(parts[0]) == paths, f"the ledger has a record of {sorted(parts[0])}, not of {sorted(paths)}")
        phases = {one.phase for part in parts for one in part.values()}
        holds(phases == {done.phase}, f"the ledger says {phases}")

    def follows(self, volume: str) -> None:
        """What the move was to does so: all that was written is there, and the work."""
        mixed, source, target = self.mixed, self.plan.source, self.plan.target
        roles, now = mixed.of[volume].roles(), mixed.of[volume].labels(target)
        holds(roles == {target: "SOURCE", source: "DESTINATION"}, f"the roles of {volume} are {roles}")
        missing = (self.acknowledged(volume, source) | self.acknowledged(volume, target)) - now
        missing -= self.before.labels[volume][target] - self.before.labels[volume][source]
        holds(not missing, f"a planned move lost something of {volume}: {missing}")
        holds(not _at_work(mixed.work(source, volume)), f"work runs at {source}, which follows")
        there = len(_at_work(mixed.work(target, volume)))
        holds(there >= len(self.work[source][volume]), "work that ran before does not run now")

    def stayed(self, volume: str) -> None:
        """What a planned move took back is as it was."""
        mixed, source = self.mixed, self.plan.source
        holds(not self.turned(volume), f"taken back, and {volume} has other roles")
        missing = self.acknowledged(volume, source) - mixed.of[volume].labels(source)
        holds(not missing, f"taken back, and something of {volume} is gone: {missing}")
        lost = self.work[source][volume] - _at_work(mixed.work(source, volume))
        holds(not lost, f"taken back, and {lost} stand still")


@dataclass
class Moved(OfMove):
    """One volume: planned, unplanned, rejoined or kept."""

    mode: str = PLANNED
    broken: str = ""
    point: dict[str, set[str]] = field(default_factory=dict)
    turns = True

    def __post_init__(self) -> None:
        self.parts = self.mode in (UNPLANNED, KEEP)

    @property
    def name(self) -> str:
        return self.mode

    @property
    def about(self) -> str:
        return f"{self.mode} of {self.moves[0]} to {self.to}"

    def _wanted(self) -> WantedMove:
        return WantedMove(self.mixed.address(self.moves[0], "iad"), self.to, self.mode, broken=self.broken)

    def begin(self) -> None:
        super().begin()
        if self.mode == UNPLANNED:
            self.point = self.points({self.moves[0]: self.plan.lose["guid"]})

    def ended(self, done: Operation) -> None:
        (volume,), source, target = self.moves, self.plan.source, self.plan.target
        seen = self.mixed.of[volume]
        self.recorded(done)
        if self.mode == UNPLANNED:
            self.went_back(volume, self.point[volume], self.plan.lose["created"])
            return
        holds(seen.roles()[target] == "SOURCE", f"{target} does not lead")
        if self.mode == PLANNED:
            self.follows(volume)
            return
        now, here = seen.labels(target), self.acknowledged(volume, source)
        lost = here - now
        holds(seen.roles()[source] == "DESTINATION", f"{source} does not follow")
        holds(not _at_work(self.mixed.work(source, volume)), f"work runs at {source}, which follows")
        there = self.before.labels[volume][target]
        holds(there <= now and there <= seen.labels(source) <= now, "what was to be kept was not")
        holds(lost <= seen.kept(source), "the branch is in no snapshot")
        self._only_told(volume, lost - self.mixed.given_up[volume], self.plan.lose["created"])

    def taken_back(self, done: Operation) -> None:
        (volume,) = self.moves
        if self.mode == PLANNED:
            self.stayed(volume)
            return
        seen, target = self.mixed.of[volume], self.plan.target
        holds(self.mode == KEEP or not self.turned(volume), "taken back, and it has other roles")
        holds(self.before.labels[volume][target] <= seen.labels(target), "taken back, and something is gone")


@dataclass
class Together(OfMove):
    """The project with both of its volumes."""

    source: str = "iad"
    mode: str = PLANNED
    broken: str = ""
    point: dict[str, set[str]] = field(default_factory=dict)
    events, lasts = 330, 150
    turns = True

    def __post_init__(self) -> None:
        self.parts = self.mode == UNPLANNED
        if self.parts:
            self.events = 190

    @property
    def name(self) -> str:
        return "project" if self.mode == PLANNED else f"project {self.mode}"

    def _wanted(self) -> WantedMove:
        return WantedMove(Address(self.source, "project", "team"), self.to, self.mode, broken=self.broken)

    @property
    def _of_each(self) -> dict[str, dict[str, str]]:
        """The restore point of each volume, of a move that goes back to one."""
        return {Address.parse(path).name: dict(point) for path, point in self.plan.lose_each.items()}

    def begin(self) -> None:
        super().begin()
        self.point = self.points({volume: point["guid"] for volume, point in self._of_each.items()})

    def stopped(self, text: str) -> str:
        """Whichever site each stands on by now is told."""
        where = text.partition("\nnow: ")[2]
        silent = [path for path in self.plan.paths if path not in where] if where else []
        holds(
            not silent or "did not answer" in where or "cannot be read" in where,
            f"the stop does not say where {silent} stands: {text}",
        )
        return ""

    def ended(self, done: Operation) -> None:
        self.recorded(done)
        for volume in REPLICATED:
            if self.parts:
                self.went_back(volume, self.point[volume], self._of_each[volume]["created"])
            else:
                self.follows(volume)

    def taken_back(self, done: Operation) -> None:
        self.recorded(done)
        for volume in REPLICATED:
            if self.parts:
                holds(not self.turned(volume), f"taken back, and {volume} has other roles")
            else:
                self.stayed(volume)


@dataclass
class Through(OfMove):
    """The work of the volume that is shared."""

    warm: str = ""
    events, lasts = 80, 400
    deletes = True  # a prefetch that is under way

    @property
    def name(self) -> str:
        return THROUGH

    def _wanted(self) -> WantedMove:
        return WantedMove(Address("iad", "volume", "shared"), self.to, THROUGH, warm=self.warm)

    def begin(self) -> None:
        super().begin()
        self._watch = Watch(replace(self.mixed.scene, volume="shared"), "shared")

    def judge(self, done: Operation) -> None:
        super().judge(done)
        self.recorded(done)
        crowd = [sites for sites in self._watch.crowds if len(sites) > 1]
        holds(not crowd, "work was at both sites at once")
        holds(not self._watch.missing, f"work began without {self._watch.missing}")

    def ended(self, done: Operation) -> None:
        mixed, source, target = self.mixed, self.plan.source, self.plan.target
        holds(not _at_work(mixed.work(source, "shared")), f"work runs at {source}, which it has left")
        holds(len(_at_work(mixed.work(target, "shared"))) >= len(self.work[source]["shared"]), "work did not go along")

    def taken_back(self, done: Operation) -> None:
        mixed, source, target = self.mixed, self.plan.source, self.plan.target
        lost = self.work[source]["shared"] - _at_work(mixed.work(source, "shared"))
        more = _at_work(mixed.work(target, "shared")) - self.work[target]["shared"]
        holds(not lost and not more, f"taken back, and {lost} stand still, {more} run at {target}")


@dataclass
class Forked(OfMove):
    """A branch of the first volume at the side that follows. `live` is whether its work goes on meanwhile."""

    live: bool = False
    applied: bool = False
    events, lasts = 100, 80
    deletes = True  # the clone, where it is taken back

    def __post_init__(self) -> None:
        self.branch: Branch = self.mixed.declare(self.to)

    @property
    def name(self) -> str:
        return "fork live" if self.live else FORK

    def _wanted(self) -> WantedMove:
        home = self.mixed.address("home", _other(self.to))
        return WantedMove(home, self.to, FORK, fork=self.branch.name, live=self.live)

    def stopped(self, text: str) -> str:
        if "is not applied yet" not in text:
            return ""
        self.mixed.branches[self.branch.name] = self.branch
        self.applied = True
        return f"{self.branch.name} is applied: {self.mixed.apply(self.branch) or 'all went well'}"

    def second(self) -> None:
        if self.live:  # nothing of it stands still
            names = self.work[self.plan.source]["home"]
            still = names - _at_work(self.mixed.work(self.plan.source, "home"))
            holds(not still, f"{still} stand still though the fork is live")

    def given_up(self) -> None:
        self.mixed.withdraw(self.branch)

    def _source_works(self) -> None:
        source = self.plan.source
        lost = self.work[source]["home"] - _at_work(self.mixed.work(source, "home"))
        holds(not lost, f"{lost} of the source stand still")

    def ended(self, done: Operation) -> None:
        self.recorded(done)
        self._source_works()
        missing = self.before.labels["home"][self.plan.source] - self.mixed.of_branch(self.branch)
        holds(not missing, f"the branch is without {missing}")
        there = len(_at_work(self.mixed.work_of_branch(self.branch.name)))
        holds(there >= len(self.work[self.plan.source]["home"]), "nothing works on the branch")

    def taken_back(self, done: Operation) -> None:
        self.recorded(done)
        self._source_works()
        if not self.applied:
            now = State.of(self.mixed)
            holds(now.things == self.before.things, f"taken back, and there is more: {now.things}")
            self.given_up()


@dataclass
class Rehearsed(OfMove):
    """A move of a volume that is only tried."""

    volume: str = "home"
    events, lasts = 166, 30
    deletes = True  # all that it made

    @property
    def name(self) -> str:
        return REHEARSE

    def _wanted(self) -> WantedMove:
        return WantedMove(self.mixed.address(self.volume, "iad"), self.to, REHEARSE)

    def second(self) -> None:
        mixed = self.mixed
        for volume in OF_ALL:
            holds(not self.turned(volume), f"a rehearsal touched roles: {mixed.roles()}")
            still = {name for site in SITES for name in self.work[site][volume] - _at_work(mixed.work(site, volume))}
            holds(not still, f"{still} stand still in a rehearsal")

    def judge(self, done: Operation) -> None:
        super().judge(done)
        self.recorded(done)
        now = State.of(self.mixed)
        holds(now.things == self.before.things, f"a rehearsal left something: {now.things}, {self.before.things}")


@dataclass
class Restored(Way):
    """A volume put back to a snapshot, in place or beside it. `site` is where."""

    volume: str = "home"
    site: str = "iad"
    snapshot: str = ""
    mode: str = ""
    called: str = ""
    events, lasts = 60, 30
    deletes = True  # a copy that is stopped

    @property
    def name(self) -> str:
        return f"restore {self.mode}"

    @property
    def about(self) -> str:
        return f"{self.name} of {self.volume} at {self.site} from {self.snapshot}"

    @property
    def plan(self) -> RestorePlan:
        return self._plan

    def planned(self) -> None:
        address = self.mixed.address(self.volume, self.site)
        wanted = WantedRestore(address, self.snapshot, self.mode, self.called)
        self._plan = restore.plan_restore(self.mixed.scene.lab.workspace(), wanted, self.mixed.scene.clock)

    def begin(self) -> None:
        super().begin()
        self._held = self._of_snapshot()
        if self.mode != IN_PLACE:
            self.events = 16

    def _of_snapshot(self) -> set[str]:
        return set(self.mixed.scene.labels_of_snapshot(self.site, self.snapshot))

    def run(self) -> Operation:
        scene = self.mixed.scene
        said = {"lose_said": self.snapshot} if self.mode == IN_PLACE else {}
        scene.told.clear()
        return restore.run_restore(scene.lab.workspace(), self.plan, scene.told.append, "again", scene.clock, said)

    def go_on(self) -> Operation:
        scene = self.mixed.scene
        return restore.go_on_with_restore(
            scene.lab.workspace(), self.plan.id[:8], scene.told.append, "again", scene.clock
        )

    def abort(self) -> Operation:
        scene = self.mixed.scene
        return restore.abort_restore(scene.lab.workspace(), self.plan.id[:8], scene.told.append, scene.clock)

    def ended(self, done: Operation) -> None:
        mixed, scene, volume = self.mixed, self.mixed.scene, self.volume
        if self.mode != IN_PLACE:
            with scene.lab.world.lock:
                found = set(scene.vast(self.site).labels(self.plan.directory, tenant_id=scene.tenant[self.site]))
            holds(found == self._held, f"the copy holds {found}, not {self._held}")
            return
        seen = mixed.of[volume]
        holds(not self.turned(volume), f"a restore changed the roles of {volume}")
        now, here = seen.labels(self.site), self.acknowledged(volume, self.site)
        since = mixed.written[volume].keys() - self.known[volume]
        holds(self._held <= now <= self._held | since, f"it holds {now}, and the snapshot {self._held}")
        lost = here - now
        holds(lost <= seen.kept(self.site), "what was given up is in no snapshot")
        self._only_told(volume, lost, str(self.plan.snapshot["created"]))
        still = self.work[self.site][volume] - _at_work(mixed.work(self.site, volume))
        holds(not still, f"{still} stand still after a restore")
        mixed.given_up[volume] |= lost
        for label in now - here:  # what is there again is as new as this
            mixed.written[volume][label] = scene.clock.now().timestamp()
            mixed.given_up[volume].discard(label)

    def taken_back(self, done: Operation) -> None:
        if self.mode != IN_PLACE:
            return
        seen, volume = self.mixed.of[self.volume], self.volume
        holds(not self.turned(volume), f"a restore changed the roles of {volume}")
        missing = self.acknowledged(volume, self.site) - seen.labels(self.site)
        holds(not missing, f"taken back, and something of {volume} is gone: {missing}")
        still = self.work[self.site][volume] - _at_work(self.mixed.work(self.site, volume))
        holds(not still, f"taken back, and {still} stand still")


def chosen(kind: str, mixed: Mixed, rng: random.Random, *, trouble: bool, away: set[str]) -> Way:
    """One of a kind, mostly such as makes sense now; what does not is refused."""
    if kind == "move":
        return _move(mixed, rng, trouble=trouble, away=away)
    if kind == "project lost":
        source = next(iter(away)) if len(away) == 1 else rng.choice(SITES)
        broken = "it is broken" if rng.random() < 0.5 else ""
        return Together(mixed, REPLICATED, to=_other(source), source=source, mode=UNPLANNED, broken=broken)
    if kind == "project":
        source = mixed.leads("home") if rng.random() < 0.9 else ""
        source = source or rng.choice(SITES)
        return Together(mixed, REPLICATED, to=_other(source), source=source)
    if kind == "through":
        here = [site for site in SITES if _at_work(mixed.work(site, "shared"))]
        to = _other(here[0]) if here and rng.random() < 0.9 else rng.choice(SITES)
        return Through(mixed, to=to, warm=rng.choice(["", "", "run-7"]) if to == "pdx" else "")
    if kind == "fork":
        leads = mixed.leads("home")
        to = _other(leads) if leads and rng.random() < 0.9 else rng.choice(SITES)
        return Forked(mixed, to=to, live=rng.random() < 0.4)
    if kind == "rehearse":
        volume = rng.choice([*REPLICATED, *REPLICATED, "shared"])
        leads = mixed.leads(volume)
        to = _other(leads) if leads and rng.random() < 0.9 else rng.choice(SITES)
        return Rehearsed(mixed, to=to, volume=volume)
    mode, volume = kind.removeprefix("restore "), rng.choice(REPLICATED)
    site = rng.choice(SITES) if mode != IN_PLACE or rng.random() < 0.1 else "iad"
    snapshot = rng.choice(mixed.snapshots(site, volume) or ["none"])
    moves = (volume,) if mode == IN_PLACE else ()
    return Restored(mixed, moves, volume, site, snapshot, mode, "" if moves else mixed.called("back"))


def _move(mixed: Mixed, rng: random.Random, *, trouble: bool, away: set[str]) -> Way:
    volume = rng.choice(["home", "home", "home", "data"])
    mode, to = rng.choice([PLANNED, UNPLANNED, REJOIN, KEEP]), rng.choice(SITES)
    follows = [site for site, role in mixed.of[volume].roles().items() if role == "DESTINATION"]
    if follows and rng.random() < 0.8:
        (to,) = follows
        mode = UNPLANNED if trouble and away != {to} else rng.choice([PLANNED, PLANNED, UNPLANNED])
    elif not follows and rng.random() < 0.8:
        mode = rng.choice([REJOIN, KEEP])
    broken = "it is broken" if mode == UNPLANNED and rng.random() < 0.5 else ""
    return Moved(mixed, (volume,), to, mode, broken)


def seconds(created: str) -> float:
    if not created:
        return 0.0
    moment = datetime.fromisoformat(created)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
