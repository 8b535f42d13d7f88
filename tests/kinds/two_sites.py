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


@contextlib.contextmanager
def on_two_sites(folder: Path) -> Iterator[Lab]:
    """The lab, with the password that its documents read from a file."""
    with Lab(folder, {one: ["vast", "kubernetes", "runai"] for one in BOTH}) as one:
        (folder / "pw").write_text("pw", encoding="utf-8")
        (folder / "pw").chmod(0o600)
        yield one
