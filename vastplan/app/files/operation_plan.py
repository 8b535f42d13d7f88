"""Files of planned moves and restores: canonical JSON with a digest, like saved plans."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from vastplan.app.files.versioned import Messages, VersionedFile
from vastplan.model import canonical_json, move_plan, restore_plan
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation_plan import OperationPlan
from vastplan.model.restore_plan import RestorePlan

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Planned = TypeVar("Planned", bound=OperationPlan)


def _file_of(plan_type: type[Planned], kind: str, modes: tuple[str, ...], version: str) -> VersionedFile[Planned]:
    """The file format of one kind of operation plan. Its `from_data` raises `ValueError` for another kind, or a mode not in `modes`."""

    @cache
    def adapter() -> TypeAdapter[Planned]:
        from pydantic import TypeAdapter

        return TypeAdapter(plan_type)

    def from_data(data: dict[str, Any]) -> Planned:
        plan = adapter().validate_python(data)
        if any(datetime.fromisoformat(time).tzinfo is None for time in (plan.created, plan.expires)):
            raise ValueError("a time without a zone")
        if plan.mode not in modes or plan.kind != kind:
            raise ValueError(f"no mode of a {kind}")
        return plan

    to_data: Callable[[Planned], dict[str, Any]] = canonical_json.plain_json
    return VersionedFile(
        name=kind,
        version=version,
        to_data=to_data,
        from_data=from_data,
        messages=Messages(
            cut_short=f": it was cut short or damaged; plan the {kind} again",
            other_version=f"has format {{version}}; this vastplan reads {{ours}}: plan the {kind} again",
            edited=f"was edited or damaged after it was saved; plan the {kind} again",
            misshapen=f"does not have the form of a planned {kind}; plan it again",
        ),
        required="stages",
        id_length=32,
        compact=False,
    )


MOVE_FILE = _file_of(MovePlan, "move", move_plan.MODES, move_plan.FORMAT_VERSION)
RESTORE_FILE = _file_of(RestorePlan, "restore", restore_plan.MODES, restore_plan.FORMAT_VERSION)
