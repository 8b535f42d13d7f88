"""The approvals file: consent to the loss of data, by address, with a reason and a last day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, ValidationError, model_validator

from vastplan.document import other_files
from vastplan.document.mistakes import mistakes
from vastplan.document.yaml import load_mapping as load_yaml
from vastplan.engine.live.consent import Approval
from vastplan.model.address import fits
from vastplan.model.errors import Invalid
from vastplan.model.finding import error
from vastplan.model.nearest import closest
from vastplan.model.shell import word
from vastplan.model.wording import quoted
from vastplan.schema.types import MISSING, ByteCount, Count, Says, Spec

ADDRESS = r"^[^/*?]+/[^/*?]+/[^*?]+$"
"""One object."""
PATTERN = r"^[^/]+/[^/]+/[\s\S]+$"
"""One object, or several with `*` and `?`."""


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


_Id = Annotated[str, BeforeValidator(_as_text, json_schema_input_type=str | int)]
_Address = Annotated[str, StringConstraints(pattern=ADDRESS), Says("the address of one object, SITE/KIND/NAME")]


class ApprovalSpec(Spec):
    """Consent that one object, or each of those listed, may go although it holds data or is in use, up to a size and until a day."""

    address: Annotated[
        str,
        StringConstraints(pattern=PATTERN),
        Says("the address of an object, SITE/KIND/NAME, or of several with * and ?"),
    ]
    """Address of the object whose data may be lost, SITE/KIND/NAME. A pattern with `*` and `?` needs `objects`."""
    id: _Id | MISSING = MISSING
    """Id of the object that was looked at, as the template writes it; another object that has the address now is not approved."""
    objects: Annotated[dict[_Address, _Id], Field(min_length=1)] | MISSING = MISSING
    """Objects that the pattern in `address` matched when the approval was written, as the template writes them: the address of each, and
    its id. No other object is approved, whatever the pattern matches now."""
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

    @model_validator(mode="after")
    def _one_or_listed(self) -> ApprovalSpec:
        is_pattern = re.fullmatch(ADDRESS, self.address) is None
        if is_pattern and self.objects is MISSING:
            raise ValueError(
                "objects is missing: a pattern approves the objects that it lists, each by its id "
                f"(plan PATH --approvals-template FILE --approvals-pattern {word(self.address)} writes them)"
            )
        if self.objects is not MISSING and not is_pattern:
            raise ValueError("objects is for a pattern with * or ?; write id")
        if is_pattern and self.id is not MISSING:
            raise ValueError("id is for one object; write the ids of a pattern in objects")
        for address in self.objects if isinstance(self.objects, dict) else ():
            if not fits(address, self.address):
                raise ValueError(f"objects has {address}, which {self.address} does not match")
        return self

    def approvals(self) -> Iterator[Approval]:
        """The approval of each object."""
        one = {self.address: self.id if isinstance(self.id, str) else ""}
        for address, of in (self.objects if isinstance(self.objects, dict) else one).items():
            used = self.max_used if isinstance(self.max_used, int) else 0
            orphans = self.max_orphans if isinstance(self.max_orphans, int) else 0
            by = self.by if isinstance(self.by, str) else ""
            yield Approval(address, self.reason, self.until, used, orphans, of, by)


class ApprovalsFile(Spec):
    """The approvals of one change: somebody's consent to the loss of data."""

    version: Literal[1]
    """Version of the file's format."""
    approvals: list[ApprovalSpec]
    """Approvals of this change, one for each object, or for those that a pattern lists."""


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
    return tuple(approval for spec in file.approvals for approval in spec.approvals())
