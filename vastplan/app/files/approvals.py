"""The approvals file: somebody's consent to the loss of data, by address, with a reason and an end."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, StringConstraints, ValidationError

from vastplan.document import other_files
from vastplan.document.mistakes import mistakes
from vastplan.document.nearest import closest
from vastplan.document.yaml import load as load_yaml
from vastplan.engine.consent import Approval
from vastplan.model.errors import Invalid
from vastplan.model.finding import error
from vastplan.model.wording import quoted
from vastplan.schema.types import MISSING, ByteCount, Count, Says, Spec

ADDRESS = r"^[^/*?]+/[^/*?]+/[^*?]+$"
"""One object: an approval is no pattern."""


def _checked_day(value: object) -> object:
    if isinstance(value, str):
        try:
            date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{quoted(value)} is not a day, such as 2026-12-31") from None
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

    address: Annotated[
        str, StringConstraints(pattern=ADDRESS), Says("the address of one object, SITE/KIND/NAME, without * and ?")
    ]
    reason: Annotated[str, BeforeValidator(_given), StringConstraints(min_length=3)]
    until: Annotated[str, BeforeValidator(_checked_day, json_schema_input_type=str)]
    max_used: ByteCount | MISSING = MISSING
    max_orphans: Count | MISSING = MISSING


class ApprovalsFile(Spec):
    """All approvals of one change."""

    version: Literal[1]
    approvals: list[ApprovalSpec]


def load(path: Path) -> tuple[Approval, ...]:
    """The approvals in a file. Raises `Invalid`."""
    tree = load_yaml(path, str(path))
    if other_files.is_document(tree):
        fix = "vastplan plan PATH --approvals-template FILE begins a file of approvals"
        raise Invalid([error("VP240", "this is a document, no file of approvals", fix=fix, where=tree.at)])
    try:
        file = ApprovalsFile.model_validate(tree)
    except ValidationError as invalid:
        found = mistakes(ApprovalsFile, tree, invalid, closest)
        raise Invalid(
            [error("VP240", each.about(), fix=each.fix, where=each.where or tree.at) for each in found]
        ) from None
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
