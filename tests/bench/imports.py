"""The rows of `vastplan import`: each against planning what it writes, which is the least that proves it."""

from __future__ import annotations

import pstats
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.bench import measure, seam, worlds
from tests.bench.measure import Cost
from tests.bench.row import Figure, Row

_LARGE = 50_000  # from this size on one run is enough


class Imports:
    """Worlds of any size as snapshots, the document that an import makes of each, and what both cost. `size` shrinks them."""

    def __init__(self, folder: Path, size: Callable[[int], int]) -> None:
        self._folder, self._size = folder, size
        self._recorded = cache(self._record)
        self._import = cache(self._measure_import)
        self._plan = cache(self._measure_plan)

    def rows(self, usual: int, large: int) -> list[Row]:
        """All of them."""
        return [
            Row(
                f"import-{usual}", f"import of {usual:,} objects from a snapshot: CPU against planning its result", 2, "x",
                lambda: self._ratio(usual), lambda: self._profile(usual),
            ),
            Row(
                f"import-{large}", f"import of {large:,} objects: CPU against that of {usual:,}", 11, "x",
                lambda: self._growth(usual, large), lambda: self._profile(large),
            ),
            Row(
                "import-memory", f"peak memory an object, from {usual:,} to {large:,}", 12, "kB",
                lambda: self._memory(usual, large), lambda: self._profile(large),
            ),
            Row(
                "import-bad-values", f"import of {usual:,} objects, a value of a newer version in one view of every tenant, against the same", 2, "x",
                lambda: self._storm(usual), lambda: self._profile(usual),
            ),
            Row(
                "import-lines", f"lines an object, of {usual:,} objects", 1.3, "x",
                lambda: self._lines(usual), lambda: self._profile(usual),
            ),
        ]  # fmt: skip

    # What is measured.

    def _ratio(self, objects: int) -> Figure:
        own, plan = self._import(objects), self._plan(objects)
        return Figure(own.cpu / plan.cpu, f"{own.cpu:.2f} s against {plan.cpu:.2f} s; {own.wall:.1f} s of wall")

    def _growth(self, few: int, many: int) -> Figure:
        small, large = self._import(few), self._import(many)
        return Figure(large.cpu / small.cpu, f"{large.cpu:.2f} s against {small.cpu:.2f} s; {large.wall:.1f} s of wall")

    def _memory(self, few: int, many: int) -> Figure:
        small, large = self._import(few).peak, self._import(many).peak
        objects = self._size(many) - self._size(few)
        return Figure((large - small) / objects / 1000, f"{large / 1e6:.0f} MB against {small / 1e6:.0f} MB")

    def _storm(self, objects: int) -> Figure:
        with self._head(self._recorded(objects)) as folder:
            bad = _with_bad_values(self._recorded(objects) / "snapshot.json", folder / "bad.json")
            own = measure.median(_import(folder, bad), _runs(objects))
        usual = self._import(objects)
        return Figure(own.cpu / usual.cpu, f"{own.cpu:.2f} s against {usual.cpu:.2f} s")

    def _lines(self, objects: int) -> Figure:
        self._plan(objects)
        texts = [one.read_text() for one in (self._recorded(objects) / "result").glob("*.yaml")]
        lines = sum(text.count("\n") for text in texts)
        return Figure(lines / self._size(objects), f"{lines:,} lines in {len(texts)} files")

    def _measure_import(self, objects: int) -> Cost:
        with self._head(self._recorded(objects)) as folder:
            return measure.median(_import(folder, self._recorded(objects) / "snapshot.json"), _runs(objects))

    def _measure_plan(self, objects: int) -> Cost:
        world = self._recorded(objects)
        result = world / "result"
        if not result.exists():
            result.mkdir()
            shutil.copy(world / "head.yaml", result)
            measure.run([*seam.COMMAND, "import", str(result), "--snapshot", str(world / "snapshot.json")])
        plan = [*seam.COMMAND, "plan", str(result), "--snapshot", str(world / "snapshot.json"), "--adopt"]
        return measure.median(plan, _runs(objects))

    def _profile(self, objects: int) -> pstats.Stats:
        with self._head(self._recorded(objects)) as folder:
            return measure.profile(_import(folder, self._recorded(objects) / "snapshot.json"))

    # What that needs.

    def _record(self, objects: int) -> Path:
        """A world that nobody owns any more, as `snapshot.json` beside the head of its document."""
        folder = Path(tempfile.mkdtemp(prefix="import-", dir=self._folder))
        worlds.make(folder, self._size(objects))
        for file in folder.glob("team-*.yaml"):
            file.unlink()
        shutil.rmtree(folder / ".vastplan" / "ledger")
        with worlds.served(folder):
            measure.run([*seam.COMMAND, "record", str(folder), "--out", str(folder / "snapshot.json")])
        return folder

    @contextmanager
    def _head(self, world: Path) -> Iterator[Path]:
        """A folder with the three lines that an import begins with."""
        with tempfile.TemporaryDirectory(prefix="head-", dir=self._folder) as folder:
            shutil.copy(world / "head.yaml", folder)
            yield Path(folder)


def _runs(objects: int) -> int:
    return 1 if objects >= _LARGE else measure.RUNS


def _import(folder: Path, snapshot: Path) -> list[str]:
    return [*seam.COMMAND, "import", str(folder), "--snapshot", str(snapshot), "--dry-run", "--format", "json"]


def _with_bad_values(snapshot: Path, to: Path) -> Path:
    """The snapshot, one view of every tenant with a protocol that nobody knows yet."""
    tenants: set[object] = set()

    def spoilt(values: Mapping[str, Any]) -> Mapping[str, Any]:
        if values.get("tenant") in tenants:
            return values
        tenants.add(values.get("tenant"))
        return {**values, "protocols": ["NFS", "RDMA9"]}

    seam.rewrite_snapshot(snapshot, to, "view", spoilt)
    return to
