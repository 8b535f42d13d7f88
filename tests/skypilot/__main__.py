"""`make skypilot`: all that an export writes, and the task files that people begin with, in the hands of SkyPilot itself.

`python -m tests.skypilot PYTHON`: SkyPilot and moto are installed for PYTHON. The example is applied to the simulators; what it
exports, key included, is put into a home; an S3 server has the buckets that the simulator says exist. Fails where SkyPilot refuses
what we write, takes what our checks refuse, or finds another bucket than the one that is meant.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SITE, TENANT = "iad", "vision"
_EXAMPLE = "object-storage.yaml"
_BY_THE_PARSER = ("ValueError", "InvalidSkyPilotConfigError")  # as the older and the newer ones say it


class Wrong(Exception):
    """What does not hold."""


def main(python: Path) -> int:
    """Export, have it judged, print what was said; answer the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        try:
            lines = list(_judged(home, python))
        except Wrong as wrong:
            print(f"WRONG: {wrong}")
            return 1
    print("\n".join(lines))
    return 0


def _judged(folder: Path, python: Path) -> Iterator[str]:
    port = _free_port()
    document = _document(folder, f"http://127.0.0.1:{port}")
    _vastplan("apply", document, "--auto-approve")
    out, given = folder / "sky", folder / "given"
    words = ("export", "skypilot", document, "--out")
    exported = json.loads(_vastplan(*words, out, "--with-credentials", "--format", "json"))
    tasks = [argument for task in sorted((HERE / "seed").glob("*.yaml")) for argument in ("--task", task)]
    _vastplan(*words, given, *tasks)
    buckets, keys = _there(folder, document)
    plan = {
        "port": port,
        "buckets": [*buckets, "my-training-data", "skypilot"],
        "keys": keys,
        "tasks": [str(file) for file in _files(out, given, HERE / "seed", part="tasks")],
        "volumes": [str(file) for file in _files(out, given, part="volumes")],
        "cases": str(HERE / "cases.yaml"),
        "stand_ins": str(folder / "bin"),
        "construct": [
            str(out / SITE / TENANT / "tasks" / f"{TENANT}.yaml"),
            *(str(given / SITE / TENANT / "tasks" / file.name) for file in sorted((HERE / "seed").glob("*.yaml"))),
        ],
    }
    told = _asked(folder, out / SITE / TENANT, python, plan)
    yield from _compared(told, plan, exported, buckets)


def _compared(
    told: dict[str, Any], plan: dict[str, Any], exported: dict[str, Any], buckets: list[str]
) -> Iterator[str]:
    """What was said, a line each; raises `Wrong`."""
    _hold(told["enabled"] is True, "SkyPilot does not find the store")
    _hold([told["key"]] == plan["keys"], f"SkyPilot found the key {told['key']}, the simulator has {plan['keys']}")
    _hold(
        "nobody has this key" in told["stranger"], f"the S3 server says to a stranger: {told['stranger'] or 'nothing'}"
    )
    yield f"SkyPilot {told['version']}: VastData enabled, endpoint {told['endpoint']}, the key that the simulator made"
    for name in ("tasks", "volumes"):
        refused = {path: problem for path, problem in told[name].items() if problem}
        _hold(not refused and told[name], f"SkyPilot refuses {refused}")
        yield f"{len(told[name])} {name} accepted"
    cases = yaml.safe_load((HERE / "cases.yaml").read_text())
    for title, case in cases.items():
        problem, expected = told["cases"][title], case.get("skypilot", "")
        found = problem.partition(":")[0]
        found = "the parser" if found in _BY_THE_PARSER else found
        _hold(
            found == expected,
            f"{title}: SkyPilot says {problem or 'nothing'}, not {expected or 'nothing'}",
        )
    yield f"{len(cases)} cases as our checks take them, {sum('skypilot' in case for case in cases.values())} of them refused"
    _hold(not told["not_made"], f"not to be had: {told['not_made']}")
    own, *seeds = plan["construct"]
    (folder,) = (each for each in exported["folders"] if each["site"] == SITE)
    for mount in folder["mounts"]:
        if mount["kind"] == "bucket":
            seen = told["made"][own][mount["path"]]
            wanted = f"told=this is {mount['name']}"
            _hold(mount["name"] in buckets, f"bucket {mount['name']} is not on the simulator")
            _hold(seen.startswith("found") and wanted in seen, f"{mount['path']} shows {seen}")
            yield f"{mount['path']}: bucket {mount['name']}, {seen}"
    made = {place: seen for path in seeds for place, seen in told["made"][path].items()}
    _hold(len(told["made"]) == 1 + len(seeds) == 5, f"not all were made: {sorted(told['made'])}")
    for path in seeds:
        for place, seen in told["made"][path].items():
            tree = yaml.safe_load(Path(path).read_text())["file_mounts"][place]
            _hold(seen.startswith("made" if "name" in tree else "found"), f"{path} {place}: {seen}")
            yield f"{Path(path).name} {place}: {seen}"
    _hold(bool(made), "no task file mounts anything")


def _document(folder: Path, endpoint: str) -> Path:
    """The example with the server for an endpoint."""
    tree = yaml.safe_load((ROOT / "examples" / _EXAMPLE).read_text())
    for said in tree["tenants"][TENANT]["vip_pool"]["per_site"].values():
        said["s3_endpoint"] = endpoint
    document = folder / _EXAMPLE
    document.write_text(yaml.safe_dump(tree, sort_keys=False))
    return document


def _there(folder: Path, document: Path) -> tuple[list[str], list[str]]:
    """The buckets and the access keys that the simulator says exist."""
    snapshot = folder / "snapshot.json"
    _vastplan("record", document, "--site", SITE, "--out", snapshot)
    found: dict[str, list[dict[str, Any]]] = {
        collection["kind"]: collection["objects"] for collection in json.loads(snapshot.read_text())["collections"]
    }
    buckets = [live["values"]["bucket"] for live in found["view"] if live["values"].get("bucket")]
    return sorted(buckets), sorted(live["attributes"]["access_key"] for live in found["s3_key"])


def _asked(folder: Path, exported: Path, python: Path, plan: dict[str, Any]) -> dict[str, Any]:
    """What SkyPilot says, in a home where the exported files are where it looks for them."""
    home = folder / "home"
    (home / ".vastdata").mkdir(parents=True)
    for name in ("vastdata.config", "vastdata.credentials"):
        shutil.copy(exported / name, home / ".vastdata" / name)
    (folder / "bin").mkdir()
    asked = folder / "plan.json"
    asked.write_text(json.dumps(plan))
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    ran = subprocess.run(
        [python, HERE / "judge.py", asked], env=environment, cwd=home, capture_output=True, text=True, timeout=1200
    )
    for line in ran.stdout.splitlines():
        if line.startswith("JUDGED "):
            judged: dict[str, Any] = json.loads(line.removeprefix("JUDGED "))
            return judged
    raise Wrong(f"SkyPilot ended with {ran.returncode}: {ran.stdout[-2000:]} {ran.stderr[-4000:]}")


def _files(*folders: Path, part: str) -> list[Path]:
    return sorted(
        file
        for folder in folders
        for file in folder.rglob("*.yaml")
        if part in (file.parent.name, folder.name) or folder.name == "seed"
    )


def _vastplan(*words: object) -> str:
    environment = {**os.environ, "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "vastplan", *map(str, words)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    _hold(
        ran.returncode == 0,
        f"vastplan {words[0]} ended with {ran.returncode}: {ran.stdout[-1000:]} {ran.stderr[-2000:]}",
    )
    return ran.stdout


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def _hold(holds: object, otherwise: str) -> None:
    if not holds:
        raise Wrong(otherwise)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
