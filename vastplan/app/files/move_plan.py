"""Files of planned moves: canonical JSON with a digest, as saved plans are."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from vastplan.app.files.versioned import Messages, VersionedFile
from vastplan.model import canonical_json
from vastplan.model.move_plan import FORMAT_VERSION, MODES, MovePlan

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def _to_data(plan: MovePlan) -> dict[str, Any]:
    data: dict[str, Any] = canonical_json.plain(plan)
    return data


@cache
def _adapter() -> TypeAdapter[MovePlan]:
    from pydantic import TypeAdapter

    return TypeAdapter(MovePlan)


def _from_data(data: dict[str, Any]) -> MovePlan:
    plan = _adapter().validate_python(data)
    if any(datetime.fromisoformat(time).tzinfo is None for time in (plan.created, plan.expires)):
        raise ValueError("a time without a zone")
    if plan.mode not in MODES or plan.kind != "move":
        raise ValueError("no mode of a move")
    return plan


MOVE_FILE: VersionedFile[MovePlan] = VersionedFile(
    name="move",
    version=FORMAT_VERSION,
    to_data=_to_data,
    from_data=_from_data,
    messages=Messages(
        cut_short=": it was cut short or damaged; plan the move again",
        other_version="has format {version}; this vastplan reads {ours}: plan the move again",
        edited="was edited or damaged after it was made; plan the move again",
        misshapen="does not have the form of a planned move; plan it again",
    ),
    required="stages",
    id_length=32,
    compact=False,
)
