"""`python -m tests.contract`: hold the assumptions of docs/unverified.md against live systems."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import requests

from tests.contract import PREFIX
from tests.contract.facts import facts
from tests.contract.probes import probes
from tests.contract.run import Finding, LeftBehind, Verdict, leftovers, run
from tests.contract.systems import Kubernetes, Runai, Vast
from tests.contract.target import PEER, Target, TransportLimits

NAMES = "VASTPLAN_CONTRACT_"


def targets(environment: Mapping[str, str]) -> dict[str, Target]:
    """The systems that the environment names; raises `ValueError` for one that is named by halves."""

    def value(name: str) -> str:
        return environment.get(NAMES + name, "")

    def required(name: str) -> str:
        if not value(name):
            raise ValueError(f"{NAMES}{name} is needed")
        return value(name)

    found: dict[str, Target] = {}
    if url := value("VAST_URL"):
        if not value("VAST_TOKEN"):
            required("VAST_USER")
            required("VAST_PASSWORD")
        found["vast"] = Vast(
            url, user=value("VAST_USER"), password=value("VAST_PASSWORD"), token=value("VAST_TOKEN"),
            ca=value("VAST_CA") or True,
        )  # fmt: skip
    if url := value("VAST_PEER_URL"):
        if "vast" not in found:
            raise ValueError(f"{NAMES}VAST_PEER_URL is that of a peer: {NAMES}VAST_URL is needed, too")
        if not value("VAST_PEER_TOKEN"):
            required("VAST_PEER_USER")
            required("VAST_PEER_PASSWORD")
        found["vast"].peer = required("VAST_PEER")
        found[PEER] = Vast(
            url, user=value("VAST_PEER_USER"), password=value("VAST_PEER_PASSWORD"), token=value("VAST_PEER_TOKEN"),
            ca=value("VAST_PEER_CA") or True, name=PEER,
        )  # fmt: skip
    if url := value("RUNAI_URL"):
        found["runai"] = Runai(
            url, cluster=required("RUNAI_CLUSTER"), client_id=required("RUNAI_CLIENT_ID"),
            client_secret=required("RUNAI_CLIENT_SECRET"), storage_class=value("STORAGE_CLASS"), ca=value("RUNAI_CA") or True,
        )  # fmt: skip
    if file := value("KUBECONFIG"):
        found["kubernetes"] = Kubernetes(file, value("CONTEXT") or None, value("STORAGE_CLASS"))
    if not found:
        raise ValueError(f"no system is named: set {NAMES}VAST_URL, {NAMES}RUNAI_URL or {NAMES}KUBECONFIG")
    return found


def parser() -> argparse.ArgumentParser:
    """The words of the command."""
    words = argparse.ArgumentParser("python -m tests.contract", description=__doc__)
    words.add_argument("--record", metavar="FOLDER", type=Path, help="record every fact's requests there, scrubbed")
    words.add_argument("--clean", action="store_true", help=f"first delete every object called {PREFIX}...")
    words.add_argument("--only", metavar="ID", action="append", default=[], help="this fact only; may be repeated")
    words.add_argument("--list", action="store_true", help="say what would be exercised; ask no system")
    words.add_argument("--looks", type=int, default=60, help="how often to look for what takes time (60)")
    words.add_argument("--pause", type=float, default=2.0, help="seconds between two looks (2)")
    return words


def main(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """0 when everything agrees, 2 when something differs, 1 when something could not be found out."""
    options = parser().parse_args(words)
    known, found = facts(), probes()
    if unknown := [one for one in options.only if one not in found]:
        return _problem(f"there is no {', '.join(unknown)}")
    found = {key: found[key] for key in known if not options.only or key in options.only}
    if options.list:
        for key, one in found.items():
            print(f"{key} {'not exercised: ' + one.because if one.because else f'{len(one.steps)} steps'}")
        return 0
    limits = TransportLimits(options.looks, options.pause)
    systems: dict[str, Target] = {}
    try:
        systems = targets(environment)
        for target in systems.values():
            target.connect()
            if options.clean and (left := target.sweep(PREFIX, limits)):
                return _problem(f"cannot delete {', '.join(left)}")
        if left := leftovers(systems.values()):
            return _problem(f"an earlier run left these behind (--clean deletes them): {', '.join(left)}")
        findings = run(systems, found, known, lambda one: print(one, flush=True), limits=limits, folder=options.record)
    except (ValueError, LeftBehind, OSError, requests.RequestException) as problem:
        text = str(problem)
        for target in systems.values():
            text = target.scrubber.text(text)
        return _problem(text)
    except KeyboardInterrupt:
        return _problem("interrupted; what was made is deleted")
    finally:
        for target in systems.values():
            target.close()
    return _summary(findings)


def _summary(findings: list[Finding]) -> int:
    counts = Counter(one.verdict for one in findings)
    print(", ".join(f"{counts[one]} {one.value}" for one in Verdict))
    if counts[Verdict.ERROR]:
        return 1
    return 2 if counts[Verdict.DIFFERS] else 0


def _problem(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return 1


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)  # a job that is cancelled tidies up, too
    sys.exit(main(sys.argv[1:], os.environ))
