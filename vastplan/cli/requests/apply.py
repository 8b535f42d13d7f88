"""What `vastplan apply` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import option, repeatable, switch
from vastplan.cli.requests.common import LOCK_TIMEOUT, formats, report_files
from vastplan.cli.requests.planning import REVIEW_KEY, PlanningRequest

_FOR_ANY_PLAN = frozenset(
    {
        "paths",
        "connections",
        "approvals",
        "require_signature",
        "auto_approve",
        "lock_timeout",
        "documents",
        "format",
        "reports",
        "all_or_nothing",
    }
)


class ApplyRequest(PlanningRequest):
    """`vastplan apply`: a saved plan, or a document. `documents` is where a saved plan's document is now, if it moved."""

    command = "apply"
    summary = "apply a saved plan, or plan, show the plan and ask"
    example = "plan.json"
    reviewed = option(
        "--reviewed", Path, "FILE", "plan again, and apply only if the plan does no more than this reviewed plan"
    )
    review_key = REVIEW_KEY
    allow_difference = switch("--allow-difference", "apply although the plan differs from the reviewed one")
    allow_secret_values = repeatable(
        "--allow-secret-values", str, "ADDRESS",
        "update rotated secret values of this object whose source is unchanged, which no review can see; repeatable",
    )  # fmt: skip
    require_signature = option(
        "--require-signature", Path, "PUBKEY",
        "accept only a plan, also for --reviewed, signed with one of the keys in this file (plan --sign)",
    )  # fmt: skip
    auto_approve = switch("--auto-approve", "do not ask")
    lock_timeout = LOCK_TIMEOUT
    documents = repeatable("--document", Path, "PATH", "the plan's document, if it moved")
    format = formats("text", "json")
    reports = report_files(".json", ".xml", ".sarif")

    def planning_options(self) -> dict[str, list[str]]:
        """The typed options that control planning, each with all its typed words: with a saved plan they have no effect.

        Those that count with a saved plan too are left out, as is `--approvals`: approvals are in a separate file by somebody else,
        which is read again.
        """
        return {
            argument.flag: argument.words(getattr(self, name))
            for name, argument in self.arguments.items()
            if name not in _FOR_ANY_PLAN and getattr(self, name) != argument.default
        }
