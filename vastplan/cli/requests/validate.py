"""What `vastplan validate` takes."""

from __future__ import annotations

from vastplan.cli.request import Request, option, switch
from vastplan.cli.requests.common import COMMITMENTS, CONNECTIONS, DOCUMENT_OR_HERE, formats, isolation_of, report_files


class ValidateRequest(Request):
    command = "validate"
    summary = "check a document without reading any system"
    example = "examples/ai-factory"
    paths = DOCUMENT_OR_HERE
    connections = CONNECTIONS
    isolation = isolation_of("the document")
    commitments = COMMITMENTS
    list_checks = switch("--list-checks", "list the checks instead; needs no document")
    explain = option("--explain", str, "CODE", "show what a check finds, why and what to do; needs no document")
    format = formats("text", "json")
    reports = report_files(".json", ".xml", ".sarif")
