"""Plan files: canonical JSON that says its format, checked when it is read, and never more than one person's secret."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vastplan.app import files
from vastplan.model import canonical_json, collector
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.plan import FORMAT_VERSION, Plan
from vastplan.model.value import from_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def to_data(plan: Plan) -> dict[str, Any]:
    """The plan as JSON-able data."""
    data: dict[str, Any] = canonical_json.plain(plan)
    return data


@collector.paused()
def dumps(plan: Plan) -> str:
    """Canonical JSON: keys sorted, one trailing newline."""
    return canonical_json.text(plan)


@collector.paused()
def sealed(plan: Plan) -> Plan:
    """The plan with its id: a digest of everything else, so that an edited file is noticed."""
    return replace(plan, id=_identity(to_data(plan)))


def _identity(data: dict[str, Any]) -> str:
    text = json.dumps({**data, "id": ""}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def save(plan: Plan, path: Path) -> None:
    """Write the file, whole or not at all, readable by the owner only. Raises `VastplanError`."""
    files.write(path, dumps(plan).encode(), f"the plan {path}")


def looks_like_plan(path: Path) -> bool:
    """Whether a file is a plan rather than a document: it begins as JSON does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(64).lstrip()[:1] == b"{"


@collector.paused()
def load(path: Path) -> Plan:
    """The plan in a file. Raises `VastplanError` for one that was cut short, edited, or is of a newer major version."""
    from pydantic import ValidationError

    data, version = files.read_json(path, f"the plan {path}", ": it was cut short or damaged; plan again")
    if not version:
        raise VastplanError(f"{path} is not a plan")
    if not files.same_major(version, FORMAT_VERSION):
        raise VastplanError(f"the plan {path} has format {version}; this vastplan reads {FORMAT_VERSION}: plan again")
    if _identity(data) != data.get("id"):
        raise VastplanError(f"the plan {path} was edited or damaged after it was made; plan again")
    try:
        plan = from_data(data)
        _understood(plan)
        return plan
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError):
        raise VastplanError(f"the plan {path} does not have a plan's form; plan again") from None


def from_data(data: dict[str, Any]) -> Plan:
    """The inverse of `to_data`; what has a default may be left out. Raises what its parts raise, `ValueError` for most."""
    parts = {
        name: [{**entry, "address": Address.parse(entry["address"])} for entry in data.get(name, ())]
        for name in ("actions", "operations", "left")
    }
    return _reader().validate_python({**data, **parts})


@cache
def _reader() -> TypeAdapter[Plan]:
    from pydantic import TypeAdapter

    return TypeAdapter(Plan)


def _understood(plan: Plan) -> None:
    """Raises `ValueError` for texts that do not say what their fields stand for."""
    if datetime.fromisoformat(plan.expires).tzinfo is None:
        raise ValueError("a time without a zone")
    places = {action.address for action in plan.actions}
    for index, operation in enumerate(plan.operations):
        if operation.address not in places or any(not 0 <= one < index for one in operation.after):
            raise ValueError("an operation of nothing, or before what it waits for")
    carried = {operation.address for operation in plan.operations}
    for action in plan.actions:
        if action.address not in carried and not action.blocked:
            raise ValueError("an action that nothing carries out")
        from_json(dict(action.desired))
