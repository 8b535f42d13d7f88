"""Two sites whose clusters are peers: what documents about them begin with, and a lab with both."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.lab import Lab

BOTH = ("iad", "pdx")
PEERED: dict[str, Any] = {
    "vip_pools": {
        "replication": {
            "role": "REPLICATION",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.9.1.10"]}, "pdx": {"ip_ranges": ["10.9.2.10"]}},
        }
    },
    "replication_peers": {"iad-pdx": {"between": {one: {"vip_pool": "replication"} for one in BOTH}}},
}


def stands(lab: Lab, document: dict[str, Any]) -> None:
    """A document is applied, and what it replicates has had its first copy: nothing is left to do."""
    lab.write(document)
    lab.converge()
    lab.world.pass_time(90)
    assert lab.plan().actions == ()
    lab.clear_calls()


@contextlib.contextmanager
def on_two_sites(folder: Path) -> Iterator[Lab]:
    """The lab, with the password that its documents read from a file."""
    with Lab(folder, {one: ["vast", "kubernetes", "runai"] for one in BOTH}) as one:
        (folder / "pw").write_text("pw", encoding="utf-8")
        (folder / "pw").chmod(0o600)
        yield one
