"""Plan files: canonical JSON that says its format, checked when it is read, and never with anybody's secret in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vastplan.app.files.versioned import Messages, VersionedFile
from vastplan.model import canonical_json, regular_files
from vastplan.model.address import Address
from vastplan.model.plan import FORMAT_VERSION, Plan, Step, Verb
from vastplan.model.value import from_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_STEPS = dict.fromkeys(Verb, (Step.WRITE,)) | {
    Verb.UPDATE: (Step.DETACH, Step.WRITE),
    Verb.ADOPT: (Step.DETACH, Step.WRITE),
    Verb.DELETE: (Step.DELETE,),
    Verb.REPLACE: (Step.DETACH, Step.DELETE, Step.WRITE),
}
"""What an action of a verb may be carried out in."""
_WITH_ADDRESSES = ("actions", "operations", "left")
"""The lists of a plan whose members have an address, which the file holds as its text."""


def to_data(plan: Plan) -> dict[str, Any]:
    """The plan as JSON-able data."""
    data: dict[str, Any] = canonical_json.plain(plan)
    return data


def from_data(data: dict[str, Any]) -> Plan:
    """The inverse of `to_data`; what has a default may be left out. Raises what its parts raise, `ValueError` for most."""
    lists = {
        name: [{**member, "address": Address.parse(member["address"])} for member in data.get(name, ())]
        for name in _WITH_ADDRESSES
    }
    return _adapter().validate_python({**data, **lists})


@cache
def _adapter() -> TypeAdapter[Plan]:
    from pydantic import TypeAdapter

    return TypeAdapter(Plan)


def _coherent(data: dict[str, Any]) -> Plan:
    """The plan in data that somebody may have written. Raises `ValueError` for texts that do not say what their fields stand for."""
    plan = from_data(data)
    if any(datetime.fromisoformat(time).tzinfo is None for time in (plan.created, plan.expires)):
        raise ValueError("a time without a zone")
    acted_on = {action.address: action for action in plan.actions}
    if len(acted_on) != len(plan.actions):
        raise ValueError("two actions on one object")
    nodes = {(operation.address, operation.step) for operation in plan.operations}
    if len(nodes) != len(plan.operations):
        raise ValueError("a step twice")
    for index, operation in enumerate(plan.operations):
        if operation.address not in acted_on or any(not 0 <= earlier < index for earlier in operation.after):
            raise ValueError("an operation of nothing, or before what it waits for")
        if operation.step not in _STEPS[acted_on[operation.address].verb]:
            raise ValueError("a step that is none of its action's")
    carried_out = {operation.address for operation in plan.operations}
    for action in plan.actions:
        if action.address not in carried_out and not action.blocked:
            raise ValueError("an action that nothing carries out")
        if any(Address.parse(other) not in acted_on for other in action.together):
            raise ValueError("an action that is applied together with nothing")
        if action.renamed_from and Address.parse(action.renamed_from)[:2] != action.address[:2]:
            raise ValueError("a rename from another site or kind")
        from_json([dict(action.desired), dict(action.seen), *([each.before, each.after] for each in action.changes)])
    return plan


def _paths(values: Mapping[str, Any], inside: str) -> Iterator[str]:
    """The paths of the fields that the document says: `data.password`."""
    for name, value in values.items():
        path = f"{inside}.{name}" if inside else name
        yield path
        if isinstance(value, dict):
            yield from _paths(value, path)


PLAN_FILE: VersionedFile[Plan] = VersionedFile(
    name="plan",
    version=FORMAT_VERSION,
    to_data=to_data,
    from_data=_coherent,
    messages=Messages(
        cut_short=": it was cut short or damaged; plan again",
        other_version="has format {version}; this vastplan reads {ours}: plan again",
        edited="was edited or damaged after it was made; plan again",
        misshapen="does not have a plan's form; plan again",
    ),
    id_length=32,
    compact=False,
    ours=lambda data: {path for action in data["actions"] for path in _paths(action["desired"], "")},
)
dumps, sealed, save, load = PLAN_FILE.dumps, PLAN_FILE.sealed, PLAN_FILE.save, PLAN_FILE.load


def looks_like_plan(path: Path) -> bool:
    """Whether a file is a plan rather than a document: it begins as JSON does."""
    try:
        return regular_files.begins(path, 64).lstrip()[:1] == b"{"
    except OSError:
        return False


def documents(plan: Plan) -> tuple[Path, ...]:
    """Where a plan's document is: from the folder that the plan was made in, or, where that is not on this machine, from here."""
    there = made_of(plan)
    return there if plan.folder and all(path.exists() for path in there) else _named(plan)


def made_of(plan: Plan) -> tuple[Path, ...]:
    """Where a plan's document was when it was made."""
    return tuple(Path(plan.folder) / path for path in _named(plan))


def _named(plan: Plan) -> tuple[Path, ...]:
    return tuple(map(Path, plan.sources or (plan.source,)))


def not_believed(documents: Iterable[Path], file: Path) -> str:
    """Why a plan does not say which document is read, "" where it does: in the working folder, and not come there with the plan.

    A plan file may have been written by a stranger, who may have put a document beside it: a folder inside of this one that
    holds a plan, however deep, is what a job left there. So is that of the name which was typed, wherever a link leads to.
    """
    here = Path.cwd().resolve()
    above = {folder.resolve() for folder in (*file.absolute().parents, *file.resolve().parents)}
    left_here = above - {here, *here.parents}
    for path in (document.resolve() for document in documents):
        if not path.is_relative_to(here):
            return "not in this folder"
        if not left_here.isdisjoint((path, *path.parents)):
            return "in a folder that holds the plan: who wrote the one may have written the other"
    return ""
