"""What `vastplan record` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, option, repeatable
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_OR_HERE, SITE


class RecordRequest(Request):
    command = "record"
    summary = "write a snapshot of the live systems without secrets, to plan without credentials"
    example = "examples/ai-factory --out snapshot.json"
    paths = DOCUMENT_OR_HERE
    connections = CONNECTIONS
    site = SITE
    out = option("--out", Path, "FILE", "where to write the snapshot", required=True)
    without = repeatable(
        "--without", str, "KIND", "leave out a kind with too many objects (snapshot, workload); plans report it as not read; repeatable"
    )  # fmt: skip
