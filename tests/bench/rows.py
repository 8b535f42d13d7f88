"""The rows of the table: what each measures, against what, and where the command under measurement spends its time."""

from __future__ import annotations

import cProfile
import pstats
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import yaml

from tests.bench import documents, measure, moves, seam, worlds
from tests.bench.imports import Imports
from tests.bench.measure import Cost
from tests.bench.row import Figure, Row

REPOSITORY = Path(__file__).parents[2]
COLLECTIONS = ("tenants", "viewpolicies", "views", "quotas")
LARGE = 50_000  # from this size on one run is enough: it lasts long, and start-up is nothing of it
Scene = Callable[[], Iterator[list[str]]]


class Bench:
    """The measurements, each made once a run however many rows need it. `scale` shrinks all sizes, to try the bench itself."""

    def __init__(self, folder: Path, scale: float = 1.0) -> None:
        self._folder = folder
        self._scale = scale
        self._world = cache(self._make_world)
        self._no_op = cache(self._measure_no_op)
        self._floor = cache(self._measure_floor)
        self._empty = cache(lambda: measure.median([sys.executable, "-c", "pass"]).cpu)

    def rows(self) -> list[Row]:
        """All rows in the order in which they are printed."""
        small, usual, large = 1_000, 10_000, 100_000
        return [
            self._start("start-version", "--version against an empty Python start", 2, "--version"),
            self._start("start-validate", "validate of examples/minimal.yaml against the same", 8, "validate"),
            self._start("start-plan", "plan of it, simulators running beside, against the same", 8, "plan"),
            self._no_op_row(small, 2.0),
            self._no_op_row(usual, 1.6),
            Row(
                "no-op-100000", "no-op plan of 100,000 objects: CPU against that of 10,000", 11, "x",
                lambda: self._growth(usual, large), lambda: self._profile(lambda: self._no_op_scene(large)),
            ),
            Row(
                "memory", "peak memory an object, from 10,000 to 100,000", 8, "kB",
                lambda: self._memory(usual, large), lambda: self._profile(lambda: self._no_op_scene(large)),
            ),
            Row(
                "requests", "requests of a no-op plan of 10,000 objects against pages", 1, "x",
                lambda: self._requests(usual), lambda: self._profile(lambda: self._no_op_scene(usual)),
            ),
            self._mass_row("updates", self._updates_scene, usual),
            self._mass_row("deletes", self._deletes_scene, usual),
            self._mass_row("creates", self._creates_scene, usual),
            Row(
                "apply-10000", "apply of 10,000 creates: CPU against requests sending the same calls", 2, "x",
                lambda: self._apply(usual), lambda: self._profile(lambda: self._apply_scene(usual)),
            ),
            Row(
                "plan-file-100000", "showing a plan file of 100,000 actions against json.load of it", 3, "x",
                lambda: self._plan_file(large), lambda: self._profile(lambda: self._plan_file_scene(large)),
            ),
            Row(
                "latency", "apply of 300 creates at 50 ms a call against three calls a change, 8 at once", 1.15, "x",
                lambda: self._latency(300, 0.05), lambda: self._profile(lambda: self._apply_scene(300)),
            ),
            Row(
                "checks", "all checks over 10,000 objects against loading their YAML", 1, "x",
                lambda: self._checks(usual), lambda: self._checks_profile(usual),
            ),
            *Imports(self._folder, self._size).rows(usual, large),
            *moves.rows(),
        ]  # fmt: skip

    # What is measured.

    def _start(self, name: str, title: str, target: float, command: str) -> Row:
        def scene() -> Iterator[list[str]]:
            return self._minimal_scene(command)

        def ratio() -> Figure:
            cost = self._cost(scene)
            return Figure(cost.cpu / self._empty(), f"{cost.cpu:.3f} s against {self._empty():.3f} s")

        return Row(name, title, target, "x", ratio, lambda: self._profile(scene))

    def _no_op_row(self, objects: int, target: float) -> Row:
        title = f"no-op plan of {objects:,} objects: CPU against fetching, parsing and loading the same"
        return Row(
            f"no-op-{objects}", title, target, "x", lambda: self._least(objects),
            lambda: self._profile(lambda: self._no_op_scene(objects)),
        )  # fmt: skip

    def _mass_row(self, what: str, scene_of: Callable[[int], Iterator[list[str]]], objects: int) -> Row:
        def ratio() -> Figure:
            cost = self._cost(lambda: scene_of(objects), runs=1, codes=measure.SOMETHING_TO_DO)
            no_op = self._no_op(objects)
            return Figure(
                cost.cpu / no_op.cpu, f"{cost.cpu:.2f} s against {no_op.cpu:.2f} s; {cost.wall:.1f} s of wall"
            )

        title = f"plan of {objects:,} {what}: CPU against the no-op's"
        return Row(f"{what}-{objects}", title, 3, "x", ratio, lambda: self._profile(lambda: scene_of(objects)))

    def _least(self, objects: int) -> Figure:
        cost, least = self._no_op(objects), self._floor(objects)
        return Figure(cost.cpu / least.cpu, f"{cost.cpu:.2f} s against {least.cpu:.2f} s; {cost.wall:.2f} s of wall")

    def _growth(self, few: int, many: int) -> Figure:
        small, large = self._no_op(few), self._no_op(many)
        return Figure(large.cpu / small.cpu, f"{large.cpu:.2f} s against {small.cpu:.2f} s; {large.wall:.1f} s of wall")

    def _memory(self, few: int, many: int) -> Figure:
        small, large = self._no_op(few).peak, self._no_op(many).peak
        objects = self._size(many) - self._size(few)
        return Figure((large - small) / objects / 1000, f"{large / 1e6:.0f} MB against {small / 1e6:.0f} MB")

    def _requests(self, objects: int) -> Figure:
        folder = self._world(objects)
        with worlds.listened(folder) as listener:
            measure.run([*seam.COMMAND, "plan", str(folder)])
            asked = [request for _, request in listener.calls]
        reads = [request for request in asked if request.method == "GET" and "versions" not in request.path]
        writes = [request for request in asked if request.method != "GET" and not request.path.endswith("/token/")]
        fetched = {request.path.strip("/").rsplit("/", 1)[-1] for request in reads}
        views = documents.TEAMS * documents.views_a_team(self._size(objects))
        pages = sum(-(-views // 1000) if name in ("views", "quotas") else 1 for name in fetched)
        return Figure(len(reads) / pages, f"{len(reads)} requests for {pages} pages, {len(writes)} writes")

    def _apply(self, objects: int) -> Figure:
        calls = self._folder / "calls.json"
        with self._planned(objects) as (document, plan), worlds.listened(document) as listener:
            measure.run([*seam.COMMAND, "apply", str(plan)])
            listener.save(calls)
            count = len(listener.calls)
        with self._emptied(objects) as document, worlds.served(document) as endpoint:
            bare = measure.run(self._floor_words("send", endpoint, calls))
        own = self._cost(lambda: self._apply_scene(objects), runs=1)
        return Figure(
            own.cpu / bare.cpu,
            f"{own.cpu:.1f} s against {bare.cpu:.1f} s for {count:,} calls; {own.wall:.0f} s of wall",
        )

    def _plan_file(self, objects: int) -> Figure:
        with contextmanager(self._plan_file_scene)(objects) as words:
            own, least = measure.median(words), measure.median(worlds.floor_words("load", words[-1]))
        return Figure(own.cpu / least.cpu, f"{own.cpu:.2f} s against {least.cpu:.2f} s; {own.peak / 1e6:.0f} MB")

    def _latency(self, objects: int, latency: float) -> Figure:
        with self._planned(objects) as (document, plan), worlds.listened(document, latency) as listener:
            measure.run([*seam.COMMAND, "apply", str(plan)])
        first = next(
            index
            for index, (_, request) in enumerate(listener.calls)
            if request.method != "GET" and not request.path.rstrip("/").endswith("/token")
        )
        calls = listener.calls[first:]
        wall = calls[-1][0] + latency - calls[0][0]  # of the changes: without start-up and reading what is there
        changes = documents.FIXED + 2 * documents.TEAMS * documents.views_a_team(self._size(objects))
        longest = 4  # tenant, view policy, view, quota
        ideal = max(longest * 3 * latency, changes * 3 * latency / 8)
        detail = f"{wall:.1f} s against {ideal:.1f} s; {len(calls) / changes:.2f} calls a change"
        return Figure(wall / ideal, detail)

    def _checks(self, objects: int) -> Figure:
        path = documents.teams(self._folder, self._size(objects))
        text = path.read_bytes()
        count, work = seam.checks(path)
        own, least = measure.cpu(work), measure.cpu(lambda: yaml.load(text, Loader=yaml.CSafeLoader))
        return Figure(own / least, f"{own:.2f} s against {least:.2f} s for {count:,} objects")

    def _checks_profile(self, objects: int) -> pstats.Stats:
        _, work = seam.checks(documents.teams(self._folder, self._size(objects)))
        profile = cProfile.Profile()
        profile.runcall(work)
        return pstats.Stats(profile)

    # Where it is measured: each scene yields a command that is ready to run.

    def _minimal_scene(self, command: str) -> Iterator[list[str]]:
        folder = self._fresh("minimal")
        document = shutil.copy(REPOSITORY / "examples" / "minimal.yaml", folder)
        shutil.copy(REPOSITORY / "examples" / "csi-password", folder)
        if command.startswith("-"):
            yield [*seam.COMMAND, command]
        else:
            with worlds.served(Path(document)):
                yield [*seam.COMMAND, command, str(document)]

    def _no_op_scene(self, objects: int) -> Iterator[list[str]]:
        folder = self._world(objects)
        with worlds.served(folder):
            yield [*seam.COMMAND, "plan", str(folder), "--detailed-exitcode"]

    def _updates_scene(self, objects: int) -> Iterator[list[str]]:
        folder = self._world(objects)
        documents.views(folder, self._size(objects), changed=True)
        try:
            with worlds.served(folder):
                yield [*seam.COMMAND, "plan", str(folder), "--detailed-exitcode", *seam.CHANGE_ALL]
        finally:
            documents.views(folder, self._size(objects))

    def _deletes_scene(self, objects: int) -> Iterator[list[str]]:
        folder = self._world(objects)
        documents.views(folder, documents.FIXED)
        try:
            with worlds.served(folder):
                yield [*seam.COMMAND, "plan", str(folder), "--detailed-exitcode", *seam.CHANGE_ALL]
        finally:
            documents.views(folder, self._size(objects))

    def _creates_scene(self, objects: int) -> Iterator[list[str]]:
        with self._emptied(objects) as folder, worlds.served(folder):
            yield [*seam.COMMAND, "plan", str(folder), "--detailed-exitcode", *seam.CHANGE_ALL]

    def _apply_scene(self, objects: int) -> Iterator[list[str]]:
        with self._planned(objects) as (folder, plan), worlds.served(folder):
            yield [*seam.COMMAND, "apply", str(plan)]

    def _plan_file_scene(self, objects: int) -> Iterator[list[str]]:
        with self._planned(objects) as (_, plan):
            yield [*seam.COMMAND, "show", str(plan)]

    # What that needs.

    def _size(self, objects: int) -> int:
        """The size that stands for so many objects at this scale."""
        return max(documents.FIXED + 2 * documents.TEAMS, int(objects * self._scale))

    def _fresh(self, name: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self._folder))

    @contextmanager
    def _emptied(self, objects: int) -> Iterator[Path]:
        """A document of so many objects, of which nothing is there."""
        folder = self._fresh("empty")
        yield documents.views(folder, self._size(objects))
        shutil.rmtree(folder)

    @contextmanager
    def _planned(self, objects: int) -> Iterator[tuple[Path, Path]]:
        """The same, with a saved plan that makes them."""
        with self._emptied(objects) as folder:
            plan = folder / "plan.json"
            measure.run([*seam.COMMAND, "plan", str(folder), "--out", str(plan), *seam.CHANGE_ALL])
            yield folder, plan

    def _make_world(self, objects: int) -> Path:
        return worlds.make(self._fresh("world"), self._size(objects))

    def _measure_no_op(self, objects: int) -> Cost:
        return self._cost(lambda: self._no_op_scene(objects), runs=1 if objects >= LARGE else measure.RUNS)

    def _measure_floor(self, objects: int) -> Cost:
        folder = self._world(objects)
        with worlds.served(folder) as endpoint:
            return measure.median(self._floor_words("fetch", endpoint, folder, *COLLECTIONS))

    @staticmethod
    def _floor_words(what: str, endpoint: seam.ServedEndpoint, *words: str | Path) -> list[str]:
        return worlds.floor_words(what, endpoint.url, endpoint.ca_file, endpoint.username, endpoint.password, *words)

    @staticmethod
    def _cost(scene: Scene, runs: int = measure.RUNS, codes: Sequence[int] = measure.NOTHING_TO_DO) -> Cost:
        with contextmanager(scene)() as words:
            return measure.median(words, runs, codes)

    @staticmethod
    def _profile(scene: Scene) -> pstats.Stats:
        with contextmanager(scene)() as words:
            return measure.profile(words)


def chosen(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """The rows of these names, all when there is none. Raises `SystemExit` for one that is not there."""
    known = {row.name: row for row in rows}
    for name in names:
        if name not in known:
            raise SystemExit(f"no row {name}; there are {', '.join(known)}")
    return [known[name] for name in names] if names else list(rows)
