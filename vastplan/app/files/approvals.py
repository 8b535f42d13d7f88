"""The approvals file: consent to the loss of data, by address, with a reason and a last day."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, StringConstraints, ValidationError

from vastplan.document import other_files
from vastplan.document.mistakes import mistakes
from vastplan.document.yaml import load_mapping as load_yaml
from vastplan.engine.live.consent import Approval
from vastplan.model.errors import Invalid
from vastplan.model.finding import error
from vastplan.model.nearest import closest
from vastplan.model.wording import quoted
from vastplan.schema.types import MISSING, ByteCount, Count, Says, Spec

ADDRESS = r"^[^/*?]+/[^/*?]+/[^*?]+$"
"""One object: an approval cannot be a pattern."""


_SHORTEST = 3
_WHY = f"write why it may be deleted, in {_SHORTEST} characters or more, for whoever reviews this"


def _checked_day(value: object) -> object:
    if isinstance(value, str):
        try:
            date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{quoted(value)} is not a date, such as 2026-12-31") from None
    if isinstance(value, int | float):
        raise ValueError("is a number; write a day, such as 2026-12-31")
    return value


def _given(value: object) -> object:
    """Raises `ValueError` for an empty or very short reason: a reviewer has to decide on it."""
    reason = value.strip() if isinstance(value, str) else value
    if reason in (None, ""):
        raise ValueError(f"is empty; {_WHY}")
    if isinstance(reason, str) and len(reason) < _SHORTEST:
        raise ValueError(f"{quoted(reason)} is too short; {_WHY}")
    return value


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class ApprovalSpec(Spec):
    """Consent that one object may go although it holds data or is in use, up to a size and until a day."""

    address: Annotated[
        str, StringConstraints(pattern=ADDRESS), Says("the address of one object, SITE/KIND/NAME, without * and ?")
    ]
    """Address of the one object whose data may be lost, SITE/KIND/NAME; patterns are refused."""
    id: Annotated[str, BeforeValidator(_as_text, json_schema_input_type=str | int)] | MISSING = MISSING
    """Id of the object that was looked at, as the template writes it; another object that has the address now is not approved."""
    reason: Annotated[str, BeforeValidator(_given), StringConstraints(min_length=_SHORTEST)]
    """Why the data may go, for whoever reviews the file."""
    by: str | MISSING = MISSING
    """Who approves it; the history of the ledger keeps it."""
    until: Annotated[str, BeforeValidator(_checked_day, json_schema_input_type=str)]
    """Last day on which the approval counts, such as 2026-12-31."""
    max_used: ByteCount | MISSING = MISSING
    """Most that may be in use, in bytes or as a count, as the guard shows it; left out, 0. More stays blocked."""
    max_orphans: Count | MISSING = MISSING
    """Most snapshots that may stay behind without what they were made of; left out, 0."""


class ApprovalsFile(Spec):
    """The approvals of one change: somebody's consent to the loss of data."""

    version: Literal[1]
    """Version of the file's format."""
    approvals: list[ApprovalSpec]
    """Approvals of this change, one for each object."""


def load_approvals(path: Path) -> tuple[Approval, ...]:
    """The approvals in a file. Raises `Invalid`."""
    tree = load_yaml(path, str(path))
    if other_files.is_document(tree):
        fix = "create one with: vastplan plan PATH --approvals-template FILE"
        raise Invalid([error("VP240", "this is a document, not an approvals file", fix=fix, where=tree.at)])
    try:
        file = ApprovalsFile.model_validate(tree)
    except ValidationError as invalid:
        problems = mistakes(ApprovalsFile, tree, invalid, closest)
        raise Invalid(
            [error("VP240", each.about(), fix=each.fix, where=each.where or tree.at) for each in problems]
        ) from None
    return tuple(
        Approval(
            approval.address,
            approval.reason,
            approval.until,
            approval.max_used if isinstance(approval.max_used, int) else 0,
            approval.max_orphans if isinstance(approval.max_orphans, int) else 0,
            approval.id if isinstance(approval.id, str) else "",
            approval.by if isinstance(approval.by, str) else "",
        )
        for approval in file.approvals
    )
