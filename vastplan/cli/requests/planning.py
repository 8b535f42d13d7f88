"""What `plan` and `apply PATH` both take: the selection and the consents of one run."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, option, repeatable, switch
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_OR_HERE, EXPAND, SITE, not_a_path

REVIEW_KEY = option(
    "--review-key", Path, "FILE", "a key of the runner: the plan gets a keyed digest of each secret value, for --reviewed to compare"
)  # fmt: skip


class PlanningRequest(Request):
    """The base of `plan` and `apply`. `site` is a comma-separated list."""

    paths = DOCUMENT_OR_HERE
    connections = CONNECTIONS
    site = SITE
    targets = repeatable(
        "--target", str, "ADDRESS", "only this address, what it needs, and what uses it if it goes or gets another name; patterns allowed; repeatable"
    )  # fmt: skip
    keep_drift = repeatable(
        "--keep-drift", not_a_path("to keep all drift type: --keep-drift '*'"), "ADDRESS",
        "keep what was changed outside vastplan at this address, in this run; patterns allowed, '*' for all; repeatable",
    )  # fmt: skip
    adopt = switch("--adopt", "adopt objects that exist and are not in the ledger")
    allow_delete = repeatable(
        "--allow-delete", str, "ADDRESS", "consent to this delete or replace; patterns allowed; repeatable"
    )
    allow_narrow = repeatable(
        "--allow-narrow", str, "ADDRESS", "consent to refusing clients of an object in use; patterns allowed; repeatable"
    )  # fmt: skip
    believe_gone = repeatable(
        "--believe-gone", str, "ADDRESS",
        "confirm that this object is gone when many are gone at once: recreate or forget it; patterns allowed; repeatable",
    )  # fmt: skip
    approvals = option("--approvals", Path, "FILE", "approvals of data loss, by address, with reason and date")
    max_changes = option(
        "--max-changes", int, "N",
        "how many objects of one kind on one site may change at once (default: 10, or 30 %% if that is more; deletes: 2, or half of them)",
    )  # fmt: skip
    all_or_nothing = switch(
        "--all-or-nothing",
        "refuse a plan of which anything is blocked or stale: exit with 3 or 5, and apply does nothing",
    )
    expand = EXPAND
    review_key: Path | None = None
