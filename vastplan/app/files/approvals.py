"""The approvals file: somebody's consent to the loss of data, by address, with a reason and an end."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, StringConstraints, ValidationError

from vastplan.document.yaml import Mapping as Located
from vastplan.document.yaml import Sequence as LocatedList
from vastplan.document.yaml import load as load_yaml
from vastplan.engine.consent import Approval
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.schema.types import MISSING, Bytes, Count, Spec

ADDRESS = r"^[^/*?]+/[^/*?]+/[^*?]+$"
"""One object: an approval is no pattern."""


def _checked_day(value: object) -> object:
    if isinstance(value, str):
        date.fromisoformat(value)
    return value


def _given(value: object) -> object:
    """A reason that says something: somebody else has to answer for it."""
    if isinstance(value, str) and len(value.strip()) < 3:
        raise ValueError("say why it may go, so that whoever reviews this can agree")
    return value


class ApprovalSpec(Spec):
    """One approval. `max_used` is how much may be in use at most: bytes, or a count, as the guard shows it.

    `max_orphans` is how many snapshots may stay behind.
    """

    address: Annotated[str, StringConstraints(pattern=ADDRESS)]
    reason: Annotated[str, BeforeValidator(_given), StringConstraints(min_length=3)]
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
        problems = invalid.errors(include_url=False, include_context=False)
        raise Invalid([_finding(tree, problem["loc"], problem["msg"]) for problem in problems]) from None
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


def _finding(tree: Located, path: tuple[int | str, ...], message: str) -> Finding:
    """VP240 where it stands; `path` is pydantic's."""
    values: Any = tree
    where: Where = tree.at
    for step in path:
        if isinstance(values, Located) and isinstance(step, str) and step in values:
            where, values = values.where(step), values[step]
        elif isinstance(values, LocatedList) and isinstance(step, int) and step < len(values):
            where, values = values.items_at[step], values[step]
    field = ".".join(map(str, path))
    return error("VP240", f"{field}: {message.removeprefix('Value error, ')}", where=where)
