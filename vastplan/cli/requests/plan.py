"""What `vastplan plan` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import option, repeatable, switch
from vastplan.cli.requests.common import COMMITMENTS, EVERY_REPORT, formats, isolation_of, report_files
from vastplan.cli.requests.planning import REVIEW_KEY, PlanningRequest


class PlanRequest(PlanningRequest):
    command = "plan"
    summary = "show what would change, and save it"
    example = "examples/ai-factory --out plan.json"
    snapshot = option(
        "--snapshot", Path, "FILE",
        "plan against a snapshot of vastplan record, without credentials or network; the plan can be reviewed, not applied",
    )  # fmt: skip
    base = option(
        "--base", Path, "PATH", "the document before the change: the plan separates this change from pending changes and drift"
    )  # fmt: skip
    approvals_template = option(
        "--approvals-template", Path, "FILE",
        "write a new approvals file for what this plan needs approved, with the evidence; you add the reasons",
    )  # fmt: skip
    approvals_pattern = repeatable(
        "--approvals-pattern", str, "PATTERN",
        "with --approvals-template: one entry for all objects that match, which lists each by its id; repeatable",
    )  # fmt: skip
    review_key = REVIEW_KEY
    out = option("--out", Path, "FILE", "save the plan for vastplan apply FILE")
    sign = option(
        "--sign", Path, "KEYFILE", "sign the plan of --out with this Ed25519 key, in FILE.sig beside it, for apply --require-signature"
    )  # fmt: skip
    detailed_exitcode = switch("--detailed-exitcode", "exit with 2 when there are changes, 3 when some are blocked")
    isolation = isolation_of("the document")
    commitments = COMMITMENTS
    format = formats("text", "json", "markdown", "html")
    reports = report_files(*EVERY_REPORT)
