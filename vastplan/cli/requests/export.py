"""What `vastplan export` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, choice, option, repeatable, switch
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_AFTER, SITE, formats


class ExportRequest(Request):
    command = "export"
    summary = "write what SkyPilot needs to use the document's buckets and volumes"
    verb = "skypilot"
    example = "examples/object-storage.yaml --out sky"
    target = choice("", ("skypilot",), "the tool to write for")
    paths = DOCUMENT_AFTER
    connections = CONNECTIONS
    site = SITE
    out = option(
        "--out", Path, "DIR", "the folder to write to; it gets a folder for each site and tenant", required=True
    )
    tenants = repeatable("--tenant", str, "NAME", "only this tenant; repeatable")
    projects = repeatable("--project", str, "NAME", "only what this project mounts; repeatable")
    tasks = repeatable(
        "--task", Path, "FILE", "a SkyPilot task: check it, and write it for each site instead of an example task; repeatable"
    )  # fmt: skip
    snapshot = option("--snapshot", Path, "FILE", "also report the buckets that this snapshot does not have")
    skypilot = option(
        "--skypilot", str, "VERSION", "the version of SkyPilot; versions before 0.12.0 do not support VAST", default=""
    )
    with_credentials = switch(
        "--with-credentials", "also write the key (mode 0600), from the Secret that it is delivered to"
    )
    secret = option(
        "--secret", str, "NAMESPACE/NAME", "the Secret with the key, where the document has none or several", default=""
    )
    overwrite = switch("--overwrite", "also overwrite files that were edited or that vastplan did not write")
    format = formats("text", "json")
