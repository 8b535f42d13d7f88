"""Plan files: canonical JSON with its format version, checked when it is read, and without any secret."""

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
"""The steps that an action of each verb may have."""
_WITH_ADDRESSES = ("actions", "operations", "left")
"""The lists of a plan whose members have an address, which is text in the file."""


def plan_to_data(plan: Plan) -> dict[str, Any]:
    """The plan as JSON-able data."""
    data: dict[str, Any] = canonical_json.plain_json(plan)
    return data


def plan_from_data(data: dict[str, Any]) -> Plan:
    """The inverse of `plan_to_data`; fields with a default may be missing. Raises what its parts raise, mostly `ValueError`."""
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
    """The plan in data that somebody may have edited. Raises `ValueError` for values that contradict each other or their fields."""
    plan = plan_from_data(data)
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
    """The paths of the fields in the values, such as `data.password`."""
    for name, value in values.items():
        path = f"{inside}.{name}" if inside else name
        yield path
        if isinstance(value, dict):
            yield from _paths(value, path)


PLAN_FILE: VersionedFile[Plan] = VersionedFile(
    name="plan",
    version=FORMAT_VERSION,
    to_data=plan_to_data,
    from_data=_coherent,
    messages=Messages(
        cut_short=": it was cut short or damaged; plan again",
        other_version="has format {version}; this vastplan reads {ours}: plan again",
        edited="was edited or damaged after it was made; plan again",
        misshapen="does not have a plan's form; plan again",
    ),
    required="actions",
    id_length=32,
    compact=False,
    public_names=lambda data: {path for action in data["actions"] for path in _paths(action["desired"], "")},
)
dumps, sealed, save, load = PLAN_FILE.dumps, PLAN_FILE.sealed, PLAN_FILE.save, PLAN_FILE.load


def looks_like_plan(path: Path) -> bool:
    """Whether a file is a plan rather than a document: a plan begins like JSON."""
    try:
        return regular_files.begins(path, 64).lstrip()[:1] == b"{"
    except OSError:
        return False


def documents(plan: Plan) -> tuple[Path, ...]:
    """The paths of a plan's document: in the folder where the plan was created or, if they do not exist there, in the current folder."""
    paths = document_paths(plan)
    return paths if plan.folder and all(path.exists() for path in paths) else _named(plan)


def document_paths(plan: Plan) -> tuple[Path, ...]:
    """The paths of a plan's document when the plan was created."""
    return tuple(Path(plan.folder) / path for path in _named(plan))


def _named(plan: Plan) -> tuple[Path, ...]:
    return tuple(map(Path, plan.sources or (plan.source,)))


def not_believed(documents: Iterable[Path], file: Path) -> str:
    """Why a plan's own document paths are not trusted, "" if they are: they are in the working folder and did not arrive with the plan.

    A stranger may have written the plan file and put a document beside it: a folder below the working folder that holds the
    plan, at any depth, may come from another job. That applies to the folder of the typed name and to the target of a link.
    """
    working_folder = Path.cwd().resolve()
    above = {folder.resolve() for folder in (*file.absolute().parents, *file.resolve().parents)}
    left_here = above - {working_folder, *working_folder.parents}
    for path in (document.resolve() for document in documents):
        if not path.is_relative_to(working_folder):
            return "not in this folder"
        if not left_here.isdisjoint((path, *path.parents)):
            return "in a folder that holds the plan: who wrote the one may have written the other"
    return ""
