"""What `vastplan import` takes."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from vastplan.cli.request import Request, choice, option, repeatable, switch
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_OR_HERE, SITE, formats, report_files


def _kind(text: str) -> str:
    """Returns the kind. Raises `ArgumentTypeError` for a path, which was meant as the document."""
    if os.path.exists(text) or "/" in text:
        raise argparse.ArgumentTypeError(f"{text} is a path, not a kind: type --full last, or --full=KIND")
    return text


class ImportRequest(Request):
    command = "import"
    summary = "write what exists as a document whose plan adopts it and changes nothing"
    example = "site.yaml --out ."
    paths = DOCUMENT_OR_HERE
    connections = CONNECTIONS
    site = SITE
    snapshot = option("--snapshot", Path, "FILE", "import from a snapshot that vastplan record wrote, offline")
    out = option(
        "--out",
        Path,
        "FOLDER",
        "folder for the new files, created if it does not exist; left out, PATH, if that is a folder",
    )
    layout = choice("--layout", ("tenants", "single"), "a file for each tenant, or one for all", default="tenants")
    tenants = repeatable("--tenant", str, "PATTERN", "only tenants that match, and what is in them; repeatable")
    kinds = repeatable("--kind", str, "PATTERN", "only this kind; repeatable")
    take = repeatable(
        "--take", str, "PATTERN", "also import this object, of a kind that import skips, as SITE/KIND/NAME; repeatable"
    )
    without = repeatable("--except", str, "PATTERN", "leave out this object, as SITE/KIND/NAME; repeatable")
    labels = repeatable("--labels", str, "PATTERN", "also labels and annotations whose key matches; repeatable")
    full = repeatable(
        "--full", _kind, "KIND", "write every readable value, also defaults: of all kinds, or with --full=KIND of one; repeatable",
        alone="*",
    )  # fmt: skip
    defaults = switch("--defaults", "write values that all entries of a section share once, as defaults")
    census = switch("--census", "count objects that vastplan has no kind for, with a small request for each type")
    close = switch("--close", "close an open storage class, where that refuses nobody that vastplan can see")
    terraform = repeatable(
        "--terraform", str, "[SITE=]FILE",
        "a Terraform state: its names are used, and the report shows how to remove its objects from Terraform; repeatable",
    )  # fmt: skip
    dry_run = switch("--dry-run", "print the files instead of writing them")
    detailed_exitcode = switch("--detailed-exitcode", "exit with 2 when there is something new")
    format = formats("text", "json")
    reports = report_files(".md", ".json")
