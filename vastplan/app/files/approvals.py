"""The approvals file: somebody's consent to the loss of data, by address, with a reason and an end."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, StringConstraints, ValidationError

from vastplan.document.yaml import load as load_yaml
from vastplan.engine.consent import Approval
from vastplan.model.errors import Invalid
from vastplan.model.finding import error
from vastplan.schema.types import MISSING, Bytes, Count, Spec


def _checked_day(value: object) -> object:
    if isinstance(value, str):
        date.fromisoformat(value)
    return value


class ApprovalSpec(Spec):
    """One approval. `max_used` is how much may be in use at most: bytes, or a count, as the guard shows it.

    `max_orphans` is how many snapshots may stay behind.
    """

    address: Annotated[str, StringConstraints(pattern=r"^[^/*?]+/[^/*?]+/[^*?]+$")]
    reason: Annotated[str, StringConstraints(min_length=3)]
    until: Annotated[str, BeforeValidator(_checked_day, json_schema_input_type=str)]
    max_used: Bytes | MISSING = MISSING
    max_orphans: Count | MISSING = MISSING


class ApprovalsFile(Spec):
    """All approvals of one change."""

    version: Literal[1]
    approvals: list[ApprovalSpec]


def load(path: Path) -> tuple[Approval, ...]:
    """The approvals in a file. Raises `Invalid`."""
    tree = load_yaml(path, str(path))
    try:
        file = ApprovalsFile.model_validate(tree)
    except ValidationError as invalid:
        findings = []
        for problem in invalid.errors(include_url=False, include_context=False):
            field = ".".join(map(str, problem["loc"]))
            message = problem["msg"].removeprefix("Value error, ")
            findings.append(error("VP240", f"{field}: {message}", where=tree.at))
        raise Invalid(findings) from None
    return tuple(
        Approval(
            approval.address,
            approval.reason,
            approval.until,
            approval.max_used if isinstance(approval.max_used, int) else 0,
            approval.max_orphans if isinstance(approval.max_orphans, int) else 0,
        )
        for approval in file.approvals
    )
