"""A plan read as a check for drift, and the document's rules of what to leave alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from vastplan.app import files
from vastplan.app.flows import Planned
from vastplan.app.workspace import Workspace
from vastplan.model.drift import (
    FORMAT_VERSION,
    ControllerObjects,
    Coverage,
    Drift,
    DriftedField,
    DriftedObject,
    IgnoredDrift,
    UnmanagedObject,
)  # fmt: skip
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Action, IgnoredChange, Verb, by_hand, moved_by_hand

ITSELF = "the system itself"


def drifted(planned: Planned, workspace: Workspace) -> Drift:
    """What moved behind our back, told apart from what the document wants."""
    plan = planned.plan
    found = [action for action in plan.actions if by_hand(action)]
    covered, strangers, made = _looked_over(planned, workspace)
    return Drift(
        document=plan.document,
        checked=plan.created,
        drift=tuple(map(_object, found)),
        unmanaged=strangers,
        unknown=plan.unknown,
        pending=len(plan.actions) - len(found),
        in_sync=plan.in_sync,
        sites=tuple(part.site for part in plan.parts),
        coverage=covered,
        made=made,
        ignored=tuple(one for left in plan.left if left.rule for one in _ignored(left)),
        findings=plan.findings,
        isolation=planned.isolation,
    )


def _object(action: Action) -> DriftedObject:
    fields = tuple(
        DriftedField(one.path, one.before, one.after, one.cause, one.unit, one.units, one.sensitive, one.author)
        for one in action.changes
        if moved_by_hand(one)
    )
    what: Literal["gone", "changed"] = "gone" if action.verb is Verb.CREATE else "changed"
    return DriftedObject(str(action.address), what, fields, action.since, action.author)


def _ignored(left: IgnoredChange) -> list[IgnoredDrift]:
    address = str(left.address)
    return [
        IgnoredDrift(address, one.path, one.before, one.after, one.unit, left.reason, left.until, one.sensitive)
        for one in left.changes
    ] or [IgnoredDrift(address, "", None, None, "", left.reason, left.until)]


def _looked_over(
    planned: Planned, workspace: Workspace
) -> tuple[tuple[Coverage, ...], tuple[UnmanagedObject, ...], tuple[ControllerObjects, ...]]:
    """Of the kinds in use, by site: how many live objects are managed, who nobody manages, and what systems made."""
    named = set(workspace.registry.types) | {one.address.kind for one in planned.entries}
    ours = {(address.kind, address.name) for address in planned.matcher.owned()}
    owned, sites = planned.matcher.owned(), {part.site for part in planned.plan.parts}
    covered, strangers, made = [], [], []
    for (site, kind), collection in sorted(planned.observed.collections.items()):
        if kind not in named or site not in sites or collection.error:
            continue
        managed, unmanaged, makers = 0, 0, Counter[str]()
        for live in collection.objects:
            address = planned.matcher.address_of(live)
            if address in owned:
                managed += 1
            elif address is not None or (live.kind.mirrored and (kind, live.name) in ours):
                continue  # the document speaks of it: to be adopted, or the copy of one of ours
            elif live.controller or live.system_owned:
                makers[live.controller or ITSELF] += 1
            else:
                unmanaged += 1
                strangers.append(UnmanagedObject(site, kind, live.name))
        if managed or unmanaged:
            covered.append(Coverage(site, kind, managed, unmanaged))
        made += [ControllerObjects(site, kind, by, count) for by, count in sorted(makers.items())]
    return tuple(covered), tuple(strangers), tuple(made)


def load(path: Path, document: str) -> Drift:
    """An earlier check, as `drift --format json` wrote it. Raises `VastplanError` for anything else."""
    from pydantic import TypeAdapter, ValidationError

    data, version = files.read_json(path, f"--since {path}")
    if not version or "drift" not in data:
        raise VastplanError(f"--since {path} is not what drift --format json prints")
    if not files.same_major(version, FORMAT_VERSION):
        raise VastplanError(f"--since {path} has format {version}; this vastplan reads {FORMAT_VERSION}")
    try:
        found: Drift = TypeAdapter(Drift).validate_python(_plain(data))
        wrong = [one.address for one in found.drift if one.address.count("/") < 2]
    except (ValidationError, TypeError, KeyError):
        raise VastplanError(f"--since {path} does not have the form that drift --format json prints") from None
    if wrong:
        raise VastplanError(f"--since {path}: {wrong[0][:80]!r} is no address")
    if found.document != document:
        raise VastplanError(f"--since {path} is of another document ({found.document[:80]!r})")
    return found


def _plain(data: Mapping[str, object]) -> dict[str, object]:
    """Without the percentages, which are worked out."""
    coverage = data.get("coverage", ())
    assert isinstance(coverage, list | tuple)
    return {**data, "coverage": [{k: v for k, v in dict(one).items() if k != "percent"} for one in coverage]}
