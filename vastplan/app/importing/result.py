"""The stage that builds the result of an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from vastplan.app.drifting.coverage import reported_collections
from vastplan.app.planning.check import check_errors
from vastplan.app.planning.request import Planned
from vastplan.app.workspace import Workspace
from vastplan.engine.live.observe import Live
from vastplan.importing.classify import leave
from vastplan.importing.model import Left, LeftReason, LiveKey, object_key
from vastplan.importing.write import Text
from vastplan.model.address import Address
from vastplan.model.import_result import (
    Import,
    ImportCoverage,
    LeftObject,
    OtherAction,
    TakenEntry,
    UnreadCollection,
    WrittenFile,
)
from vastplan.model.plan import Action, Verb


def import_result(
    workspace: Workspace,
    texts: Sequence[Text],
    free: Iterable[Live],
    left: Iterable[Left],
    creates: Sequence[Address],
    planned: Planned,
    unread: Sequence[tuple[str, str, str]],
    rounds: int,
) -> Import:
    """The result, with the names that its files would have: every object that was read is either taken or `left`, once.

    `workspace` is the document before the import; `free` are the objects that were not left out before anything was written.
    """
    old = {entry.address for entry in workspace.composed().entries}
    keys = taken_objects(planned, old)
    rest = tuple(accounted(free, left, keys))
    plan = planned.plan
    return Import(
        document=workspace.name,
        tried=True,
        files=tuple(
            WrittenFile(text.name, len(text.entries), text.written.text.count("\n")) for text in texts
        ),
        taken=tuple(_entries(texts, planned)),
        left=tuple(
            LeftObject(
                each.site, each.kind, each.id, each.name, each.reason.value, each.why, each.fix, each.path,
                each.reason.counts and not each.path,
            )
            for each in rest
        ),
        coverage=coverage_of(keys, rest, set(reported_collections(planned, workspace))),
        adopts=len(keys),
        creates=tuple(map(str, creates)),
        waiting=sum(_taken_over(action) and action.address in old for action in plan.actions),
        besides=tuple(
            OtherAction(str(action.address), action.verb.value)
            for action in plan.actions
            if (action.address in old and not _taken_over(action)) or action.verb in (Verb.DELETE, Verb.RELEASE)
        ),
        unread=tuple(UnreadCollection(*each) for each in unread),
        findings=tuple(check_errors(plan)),
        rounds=rounds,
    )  # fmt: skip


def _taken_over(action: Action) -> bool:
    return action.verb is Verb.ADOPT and not action.changes


def taken_objects(planned: Planned, old: Set[Address] = frozenset()) -> set[LiveKey]:
    """The live objects that the plan adopts and the `old` document did not have."""
    actions = [action for action in planned.plan.actions if action.verb is Verb.ADOPT and action.address not in old]
    matched = (planned.matches.match(action.address).live for action in actions)
    return {object_key(live) for live in matched if live is not None}


def accounted(free: Iterable[Live], left: Iterable[Left], taken: Set[LiveKey]) -> Iterator[Left]:
    """The objects that are left out, each once with its first reason, and the left-out fields of taken objects."""
    seen = set(taken)
    for each in left:
        key = each.site, each.kind, each.id
        if each.path:
            if key in taken:
                yield each
        elif key not in seen:
            seen.add(key)
            yield each
    for live in free:
        if object_key(live) in seen:
            continue
        if live.kind.mirrored:
            yield leave(live, LeftReason.MIRROR, "it is a copy of an object on another site")
        else:
            yield leave(live, LeftReason.FORM, "the new entries do not adopt it")


def _entries(texts: Sequence[Text], planned: Planned) -> Iterable[TakenEntry]:
    """The new entries, each with the addresses of the adopted objects that it stands for, as the plan composed them."""
    by_line: dict[tuple[str, int], list[str]] = {}
    adopted = {action.address for action in planned.plan.actions if action.verb is Verb.ADOPT}
    for entry in planned.entries:
        if entry.where is not None and entry.address in adopted:
            by_line.setdefault((Path(entry.where.file).name, entry.where.line), []).append(str(entry.address))
    for text in texts:
        for place in text.entries:
            lines = text.written.lines[place]
            name = ".".join(filter(None, (place.inside, place.section, place.key)))
            yield TakenEntry(name, text.name, lines.first, tuple(sorted(by_line.get((text.name, lines.first), ()))))


def coverage_of(
    taken: Iterable[LiveKey], left: Sequence[Left], in_use: Set[tuple[str, str]]
) -> tuple[ImportCoverage, ...]:
    """The coverage, by kind, of the collections whose coverage `drift` reports, counted as `drift` counts it."""
    new = Counter(kind for site, kind, _ in taken if (site, kind) in in_use)
    counted = [each for each in left if (each.site, each.kind) in in_use and not each.path]
    managed = Counter(each.kind for each in counted if each.reason is LeftReason.MANAGED)
    lacking = Counter(each.kind for each in counted if each.reason.counts)
    return tuple(
        ImportCoverage(kind, managed[kind], new[kind], lacking[kind]) for kind in sorted({*new, *managed, *lacking})
    )
