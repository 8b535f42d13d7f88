"""What `vastplan show` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, optional_positional, positionals, switch
from vastplan.cli.requests.common import CONNECTIONS, EVERY_REPORT, EXPAND, formats, report_files


class ShowRequest(Request):
    """`vastplan show`: a saved plan, its actions on one address, an object of a document, or the rights that a document needs."""

    command = "show"
    summary = "show a saved plan, what it does to one object, or one object: desired, live and who changed each field"
    example = "examples/ai-factory iad/tenant/team-a"
    rights = switch("--rights", "show the rights that vastplan's own identities need for a document")
    paths = positionals(
        "PLAN|PATH", Path, "a saved plan, or a document; left out, the document of the current folder", "?"
    )
    address = optional_positional("ADDRESS", "one object of the plan or of the document", None)
    snapshots = switch(
        "--snapshots", "list the snapshots of the volume, view, bucket or protected path ADDRESS, with their times"
    )
    jobs = switch(
        "--jobs",
        "list the workloads that use the data of the project or volume ADDRESS now, and why move arm would not keep one",
    )
    expand = EXPAND
    connections = CONNECTIONS
    format = formats("text", "json", "markdown", "html")
    reports = report_files(*EVERY_REPORT)
