"""What `vastplan drift` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, option, repeatable, switch
from vastplan.cli.requests.common import (
    CONNECTIONS,
    DOCUMENT_OR_HERE,
    EVERY_REPORT,
    SITE,
    formats,
    isolation_of,
    report_files,
)


class DriftRequest(Request):
    command = "drift"
    summary = "show what changed outside vastplan since the last apply, and what nobody manages"
    example = "examples/ai-factory"
    paths = DOCUMENT_OR_HERE
    connections = CONNECTIONS
    site = SITE
    isolation = isolation_of("the live state")
    trying = switch(
        "--try", "with --isolation: send as each project what should be refused, for an answer only; exits with 3 if one is not"
    )  # fmt: skip
    since = option(
        "--since", Path, "FILE", "show first what is new since this earlier drift --format json, and what no longer differs"
    )  # fmt: skip
    only_new = switch("--only-new", "with --since: leave out, also of the exit code, what that check had found")
    accept = repeatable(
        "--accept", str, "ADDRESS[.FIELD]",
        "write what was changed outside vastplan into the document, to keep it; repeatable",
    )  # fmt: skip
    format = formats("text", "json", "markdown", "html")
    reports = report_files(*EVERY_REPORT)
