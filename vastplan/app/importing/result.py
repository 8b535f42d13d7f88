"""The stage that tells what an import did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from vastplan.app.planning.check import forbidden
from vastplan.app.planning.request import Planned
from vastplan.importing.model import Left, LiveKey, Reason
from vastplan.importing.write import Text
from vastplan.model.address import Address
from vastplan.model.imported import (
    Import,
    ImportCoverage,
    LeftObject,
    TakenEntry,
    UnreadCollection,
    WrittenFile,
)
from vastplan.model.plan import Verb


def told(
    document: str,
    texts: Sequence[Text],
    left: Iterable[Left],
    creates: Sequence[Address],
    planned: Planned,
    unread: Sequence[tuple[str, str, str]],
    rounds: int,
) -> Import:
    """The result, its files called as they would be; `left` without what the plan takes over all the same."""
    keys = taken_objects(planned)
    rest = tuple(each for each in left if each.path or (each.site, each.kind, each.id) not in keys)
    plan = planned.plan
    adopts = sum(action.verb is Verb.ADOPT for action in plan.actions)
    return Import(
        document=document,
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
        coverage=_coverage(keys, rest),
        adopts=adopts,
        creates=tuple(map(str, creates)),
        unread=tuple(UnreadCollection(*each) for each in unread),
        findings=tuple(forbidden(plan)),
        rounds=rounds,
    )  # fmt: skip


def taken_objects(planned: Planned) -> Set[LiveKey]:
    """The live objects that a plan takes over."""
    return {key for keys in _taken(planned).values() for key in keys}


def _taken(planned: Planned) -> Mapping[Address, list[LiveKey]]:
    """The live objects that the new entries are matched with, by address."""
    taken: dict[Address, list[LiveKey]] = {}
    for action in planned.plan.actions:
        live = planned.matches.match(action.address).live
        if action.verb is Verb.ADOPT and live is not None:
            taken.setdefault(action.address, []).append((live.site, live.kind.name, live.id))
    return taken


def _entries(texts: Sequence[Text], planned: Planned) -> Iterable[TakenEntry]:
    """The new entries with the addresses that each stands for, as the plan composed them."""
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


def _coverage(taken: Iterable[LiveKey], left: Sequence[Left]) -> tuple[ImportCoverage, ...]:
    new = Counter(kind for _, kind, _ in taken)
    managed = Counter(each.kind for each in left if each.reason is Reason.MANAGED)
    lacking = Counter(each.kind for each in left if each.reason.counts and not each.path)
    return tuple(
        ImportCoverage(kind, managed[kind], new[kind], lacking[kind]) for kind in sorted({*new, *managed, *lacking})
    )
