"""The project's budgets, measured in one run and printed as ratios: `make bench`. Nothing here passes or fails on seconds."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from vastplan.app import checks as checking
from vastplan.app.apply import apply_plan
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.checks.checkpoint.judged import budgets
from vastplan.engine.guards.consent import Consent
from vastplan.sim.world import World

HERE = Path(__file__).parent
COLLECTIONS = ("tenants", "viewpolicies", "views", "quotas")
RUNS = 3


def document(folder: Path, objects: int) -> Path:
    """A document of about so many objects: views with a quota each, in ten tenants."""
    tenants: dict[str, Any] = {}
    for team in range(10):
        views = {
            f"team-{team}-v{index}": {
                "path": f"/team-{team}/v{index}",
                "protocols": ["NFS"],
                "quota": {"hard_limit": "10 TiB", "soft_limit": "9 TiB"},
            }
            for index in range((objects - 20) // 20)
        }
        tenants[f"team-{team}"] = {
            "capacity_rules": {"hard_limit": "500 TiB"},
            "client_ip_ranges": [f"10.0.{team}.1 - 10.0.{team}.9"],
            "view_policy": {"flavor": "NFS", "nfs_no_squash": [f"10.0.{team}.0/24"]},
            "views": views,
        }
    head = {"version": 1, "name": "bench", "sites": {"iad": {"sim": {"systems": ["vast"]}}}}
    path = folder / "bench.yaml"
    path.write_text(yaml.safe_dump({**head, "tenants": tenants}, sort_keys=False))
    return path


@contextmanager
def world_of(workspace: Workspace) -> Iterator[World]:
    """The document's world in this process, so that its calls can be counted."""
    world = World(workspace.document.folder / ".vastplan" / "sim", {"iad": ["vast"]}).start()
    world.publish()
    try:
        yield world
    finally:
        world.stop()


def apply_all(workspace: Workspace) -> int:
    """Make everything; answers how many objects."""
    options = PlanOptions(("iad",), consent=Consent(max_count=10**9))
    plan = make_plan(workspace, options).plan
    apply_plan(workspace, plan, lambda *_: None, threading.Event())
    return len(plan.actions)


def cpu_of(words: list[str]) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and peak kB of one process, the median of some runs."""
    found = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = process.communicate()
        wall = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.returncode:
            raise SystemExit(f"{words}: exit {process.returncode}\n{output.decode()[-2000:]}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append((cpu, wall, after.ru_maxrss))
    return statistics.median(f[0] for f in found), statistics.median(f[1] for f in found), found[-1][2]


def no_op(objects: int) -> dict[str, float]:
    """The no-op plan of a document against the least that any tool must do."""
    with tempfile.TemporaryDirectory() as name:
        path = document(Path(name), objects)
        workspace = open_workspace([path])
        with world_of(workspace) as world:
            made = apply_all(workspace)
            calls = world.sites["iad"].servers["vast"].calls
            calls.clear()
            plan = make_plan(workspace, PlanOptions(("iad",))).plan
            assert not plan.actions
            gets = sum(1 for call in calls if call.method == "GET" and call.path != "/api/v5/versions/")
            pages = sum(-(-len(_rows(world, one)) // 1000) or 1 for one in _collections(calls))
            writes = len(world.sites["iad"].servers["vast"].writes())
        server = subprocess.Popen([sys.executable, "-m", "vastplan", "sim", str(path)], stdout=subprocess.DEVNULL)
        endpoints = path.parent / ".vastplan" / "sim" / "endpoints.json"
        while not endpoints.exists():
            time.sleep(0.05)
        try:
            ours, wall, peak = cpu_of([sys.executable, "-m", "vastplan", "plan", str(path), "--detailed-exitcode"])
            least, _, _ = cpu_of([sys.executable, str(HERE / "baseline.py"), str(endpoints), str(path), *COLLECTIONS])
        finally:
            server.terminate()
            server.wait()
        return {
            "objects": made, "cpu": ours, "wall": wall, "least": least, "ratio": ours / least, "requests": gets, "pages": pages,
            "writes": writes, "peak": peak,
        }  # fmt: skip


def _collections(calls: list[Any]) -> set[str]:
    return {
        call.path.strip("/").rsplit("/", 1)[-1]
        for call in calls
        if call.method == "GET" and call.path != "/api/v5/versions/"
    }


def _rows(world: World, collection: str) -> list[Any]:
    return world._stores[0].rows(collection)


def apply_under_latency(objects: int, latency: float) -> dict[str, float]:
    """Apply with every call delayed, against the ideal schedule: three calls a change, or work over the limit of 8 at once."""
    with tempfile.TemporaryDirectory() as name:
        workspace = open_workspace([document(Path(name), objects)])
        with world_of(workspace) as world:
            plan = make_plan(workspace, PlanOptions(("iad",), consent=Consent(max_count=10**9))).plan
            server = world.sites["iad"].servers["vast"]
            server.calls.clear()
            server.latency = latency
            began = time.monotonic()
            apply_plan(workspace, plan, lambda *_: None, threading.Event())
            wall = time.monotonic() - began
            calls = len(server.calls)
        longest = 4  # tenant, view policy, view, quota
        ideal = max(longest * 3 * latency, len(plan.actions) * 3 * latency / 8)
        return {"changes": len(plan.actions), "calls": calls, "wall": wall, "ideal": ideal, "ratio": wall / ideal}


def teams(folder: Path, objects: int) -> Path:
    """A document of about so many objects in teams that each have everything, down to volumes and projects."""
    a_team, per_volume = 10, 4
    checkpoint = {"size": "200 GB", "interval": "30m", "reliability": {"mtbf": "2d"}, "targets": {"rpo": "1h"}}
    count = max(1, objects // (a_team + 10 * per_volume))
    tenants = {
        f"team-{team}": {
            "capacity_rules": {"hard_limit": "50 TiB"},
            "client_ip_ranges": [f"10.{team // 250}.{team % 250}.1 - 10.{team // 250}.{team % 250}.9"],
            "vip_pool": {
                "subnet_cidr": 24,
                "ip_ranges": [f"10.{100 + team // 250}.{team % 250}.1 - 10.{100 + team // 250}.{team % 250}.9"],
            },
            "view_policy": {"flavor": "NFS"},
            "qos_policy": {"static_limits": {"max_reads_bw_mbps": "2 GB/s", "max_writes_bw_mbps": "1 GB/s"}},
            "storage_class": {"driver": "file", "storage_path": f"/team-{team}/k8s", "secret": {"existing": "csi/vms"}},
            "project": {"gpus": {"default": 4}},
            "volumes": {
                f"team-{team}-v{index}": {
                    "path": f"/team-{team}/v{index}",
                    "size": "1 TiB",
                    "qos_policy": f"team-{team}",
                    **({"checkpoint": checkpoint} if index == 0 else {}),
                }
                for index in range(10)
            },
        }
        for team in range(count)
    }
    head = {"version": 1, "name": "bench", "sites": {"iad": {"sim": {}}}}
    path = folder / "teams.yaml"
    path.write_text(yaml.safe_dump({**head, "tenants": tenants}, sort_keys=False))
    return path


def checks(objects: int) -> dict[str, float]:
    """All checks over a document, with isolation proofs and checkpoint budgets, against PyYAML's C loader on the same."""
    with tempfile.TemporaryDirectory() as name:
        path = teams(Path(name), objects)
        text = path.read_bytes()
        load = _cpu(lambda: yaml.load(text, Loader=yaml.CSafeLoader))
        workspace = open_workspace([path])
        composed = workspace.composed()
        checking.catalogue()

        def work() -> None:
            facts = checking.facts_of(workspace, composed)
            checking.findings(workspace, facts, date(2026, 1, 1))
            assert len(budgets(facts)) >= objects // 50 - 1

        own = _cpu(work)
        return {"objects": len(composed.entries), "load": load, "checks": own, "ratio": own / load}


def _cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process, the median of some runs."""
    found = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return statistics.median(found)


def main() -> None:
    """Print the figures."""
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; medians of {RUNS} runs\n")
    empty, _, _ = cpu_of([sys.executable, "-c", "pass"])
    version, _, _ = cpu_of([sys.executable, "-m", "vastplan", "--version"])
    print(f"--version: {version / empty:.1f} x an empty Python start ({version * 1000:.0f} ms of CPU)")
    sizes = [int(word) for word in sys.argv[1:]] or [1_000, 10_000]
    small, large = no_op(sizes[0]), no_op(sizes[1])
    for one in (small, large):
        print(
            f"no-op plan of {one['objects']:,.0f} objects: {one['ratio']:.2f} x the CPU of fetching, parsing and loading the same "
            f"({one['cpu']:.2f} s against {one['least']:.2f} s; {one['wall']:.2f} s of wall); "
            f"{one['requests']:.0f} requests for {one['pages']:.0f} pages, {one['writes']:.0f} writes"
        )
    per_object = (large["peak"] - small["peak"]) * 1024 / (large["objects"] - small["objects"])
    print(
        f"peak memory: {per_object / 1000:.1f} kB an object (between {small['objects']:,.0f} and {large['objects']:,.0f} objects)"
    )
    for size in sizes:
        one = checks(size)
        print(
            f"all checks over {one['objects']:,.0f} objects: {one['ratio']:.2f} x the CPU of loading their YAML "
            f"({one['checks']:.2f} s against {one['load']:.2f} s)"
        )
    slow = apply_under_latency(300, 0.05)
    print(
        f"apply of {slow['changes']:.0f} changes with 50 ms a call: {slow['ratio']:.2f} x the ideal schedule "
        f"({slow['wall']:.1f} s against {slow['ideal']:.1f} s; {slow['calls'] / slow['changes']:.2f} calls a change)"
    )


if __name__ == "__main__":
    main()
