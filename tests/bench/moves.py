"""How long a lost site takes until its workloads run at the other one: the work measured, and the waits as a move asks for them."""

from __future__ import annotations

import contextlib
import cProfile
import os
import pstats
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.row import Figure, Row
from tests.moving.theatre import BASE, Theatre, shared_theatre
from vastplan.app.move import arm_move, plan_in_advance, run_move
from vastplan.model.address import Address
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase
from vastplan.sim.world import PER_READ

RUNS = 10
_GIVING_UP = "fence"  # the stage that begins when the source is given up


def rows() -> list[Row]:
    """One volume, and a project of many."""
    return [_row("move-armed-1", 30, 1, 1), _row("move-armed-20", 60, 20, 10)]


def _row(name: str, target: float, volumes: int, jobs: int) -> Row:
    what = "a volume and its job" if volumes == 1 else f"a project of {volumes} volumes and {jobs} jobs"
    title = f"armed move of {what} from a lost site until the jobs run"
    return Row(name, title, target, "s", lambda: _median(volumes, jobs), lambda: _profile(volumes, jobs))


def _median(volumes: int, jobs: int) -> Figure:
    each = sorted(_sample(volumes, jobs) for _ in range(RUNS))
    _, until_given_up, gates, work = each[len(each) // 2]
    median = statistics.median(one[0] for one in each)
    detail = f"{RUNS} runs, {each[0][0]:.1f} to {each[-1][0]:.1f}; waits {until_given_up:.0f} s until the site is given up, {gates:.0f} s at gates, work {work:.1f} s"
    return Figure(median, detail)


def _document(volumes: int) -> dict[str, Any]:
    home = {"sites": ["iad", "pdx"], "active": "iad", "size": "1 TiB", "replicate": "protected"}
    each = {f"v{number}": {**home, "path": f"/team/v{number}", "mount": f"/v{number}"} for number in range(volumes)}
    schedule = {name: value for name, value in BASE["snapshot_schedules"]["protected"].items() if name != "sites"}
    team = {**BASE["tenants"]["team"], "volumes": each}
    return {**BASE, "snapshot_schedules": {"protected": schedule}, "tenants": {"team": team}}


@contextlib.contextmanager
def _lost(folder: Path, volumes: int, jobs: int) -> Iterator[tuple[Theatre, MovePlan]]:
    """Armed, and then lost with its power, its Run:AI and its nodes."""
    os.environ.setdefault("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(folder, sections=_document(volumes)) as scene:
        scene.clock.sleep(120)
        scene.lab.converge()
        share = volumes // jobs
        with scene.lab.world.lock:
            for number in range(jobs):
                claims = [f"v{volume}" for volume in range(number * share, (number + 1) * share)]
                scene.runai("iad").submit("team", f"job-{number}", gpus=0, claim_names=claims)
        scene.clock.sleep(3700)
        moved = Address("iad", "volume", "v0") if volumes == 1 else Address("iad", "project", "team")
        arm_move(scene.lab.workspace(), moved, "pdx", print_nothing, "again", scene.clock)
        plan = plan_in_advance(scene.lab.workspace(), moved, "pdx", scene.clock)
        scene.lab.world.lose("iad", power=True, jobs="stop")
        scene.clock.sleep(60)
        cluster = scene.vast("pdx")._cluster
        cluster.assumed = replace(cluster.assumed, per_read=PER_READ)  # as vastplan sim serves it
        yield scene, plan


def print_nothing(_: str) -> None:
    """What a run reports, which nobody reads here."""


def _sample(volumes: int, jobs: int, profile: cProfile.Profile | None = None) -> tuple[float, float, float, float]:
    """Seconds in all: until the site is given up, of waits at gates, and of work. Waits pass in the simulated world alone."""
    with (
        tempfile.TemporaryDirectory(prefix="vastplan-bench-") as folder,
        _lost(Path(folder), volumes, jobs) as (scene, plan),
    ):
        began, waited_before, given_up = time.monotonic(), scene.clock.ticks(), list[float]()

        def report(text: str) -> None:
            if _GIVING_UP in text:
                given_up.append(scene.clock.ticks() - waited_before)

        if profile is not None:
            profile.enable()
        done = run_move(scene.lab.workspace(), plan, report, "move.json", scene.clock, {})
        if profile is not None:
            profile.disable()
        work, waits = time.monotonic() - began, scene.clock.ticks() - waited_before
        running = [phase for phase in scene.workloads("pdx").values() if phase in ("Running", "Pending")]
        if done.phase is not Phase.DONE or len(running) != jobs:
            raise RuntimeError(f"the move ended {done.phase}, and {len(running)} of {jobs} jobs run")
        return work + waits, given_up[0], waits - given_up[0], work


def _profile(volumes: int, jobs: int) -> pstats.Stats:
    profile = cProfile.Profile()
    _sample(volumes, jobs, profile)
    return pstats.Stats(profile)
