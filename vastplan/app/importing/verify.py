"""The stage that compares a text with the objects that it was written from: its plan must adopt everything and change nothing.

Each finding and action is attributed to the entry whose line it names. The objects of that entry fall a step, or lose the field, and the
next round tries again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType

from vastplan.app.importing.entry_places import Behind
from vastplan.app.plan import weigh
from vastplan.app.planning.request import Planned, PlanOptions
from vastplan.app.planning.source import LiveSource
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.engine.live.observe import Live, Observed
from vastplan.importing.meaning import meaning
from vastplan.importing.model import Degraded, EntryForm, LeftReason, LiveKey
from vastplan.importing.place import Placed
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Severity, Where
from vastplan.model.plan import Action, Verb
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_NO_SUCH = "VP209"  # a name that the document does not have


@dataclass(frozen=True, slots=True)
class Line:
    """Where an entry is in the files that would be written, from its first line to its last, and the entry that contains it."""

    file: str
    first: int
    last: int
    entry: Placed
    inside: str

    @property
    def form(self) -> EntryForm:
        """The form in which the entry is written."""
        if len(self.entry.stands_for) > len(self.entry.sites):
            return EntryForm.COMPOSED
        return EntryForm.NESTED if self.inside else EntryForm.FLAT


@dataclass(frozen=True, slots=True)
class VerifiedRound:
    """The result of a round: its plan, where one was possible, and what the next round must write differently."""

    planned: Planned | None
    degraded: Degraded
    changed: bool
    refused: tuple[Finding, ...] = ()
    """Findings that no entry can be blamed for; if there are any, nothing can be written."""
    creates: tuple[Address, ...] = ()


@dataclass(slots=True)
class _Faults:
    """What a round has found wrong, by object."""

    fall: dict[LiveKey, tuple[EntryForm, LeftReason, str]] = field(default_factory=dict)
    """The step that an object falls from, and why."""
    fields: dict[LiveKey, dict[str, str]] = field(default_factory=dict)
    refused: list[Finding] = field(default_factory=list)


def verify(
    paths: Sequence[Path],
    folder: Path,
    before: Workspace,
    connections: Path | None,
    snapshot: RecordedSnapshot,
    options: PlanOptions,
    source: LiveSource,
    observed: Observed,
    lines: Sequence[Line],
    degraded: Degraded,
    *,
    patient: bool,
) -> VerifiedRound:
    """Read the document with the new files (`paths` are copies of both, `folder` is the document's) and plan it.

    `observed` is everything that was read: the plan reads only what its document refers to, and an object that an old line named may
    have a new entry now.

    Unless `patient`, an object with a fault is left out at once instead of falling a step.
    """
    faults, index = _Faults(), _Index(lines)
    try:
        workspace = open_workspace(paths, connections, snapshot, folder)
        composed = workspace.composed()
        planned = weigh(workspace, options, source, composed)
    except Invalid as problem:
        # a missing name may only follow from the other errors: it counts if there are no others
        first = [finding for finding in problem.findings if finding.code != _NO_SUCH]
        for finding in first or problem.findings:
            _blame(index.at(finding.where), finding, faults)
        return _learned(None, degraded, faults, patient)
    old = {entry.address: entry for entry in before.composed().entries}
    new = {entry.address: entry for entry in planned.everything}
    for address, entry in old.items():
        if address not in new or not _same(entry, new[address], planned, observed, workspace.registry):
            faults.refused.append(_meaning(address))
    judge = _Judge(planned, Behind(planned.everything, index.at), faults)
    new_actions = [action for action in planned.plan.actions if action.address not in old]
    creates = tuple(action.address for action in new_actions if judge.creates(action))
    return _learned(planned, degraded, faults, patient, creates)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Judges the actions for new entries, and attributes their faults to the lines behind them."""

    planned: Planned
    behind: Behind[Line]
    faults: _Faults

    def creates(self, action: Action) -> bool:
        """Whether it creates an object that keeps access closed. Any other action that is not a plain adoption is attributed to its
        lines."""
        kind = self.planned.matches.kinds[action.address.kind]
        keeps_closed = bool(kind.closes) or kind.enforces is not None
        if action.verb in (Verb.DELETE, Verb.RELEASE) or self._stops(action, kind):
            return False
        if action.verb is Verb.CREATE and keeps_closed:
            return True
        if action.verb is not Verb.ADOPT or action.changes:
            self._would_change(action, keeps_closed)
        return False

    def _stops(self, action: Action, kind: Kind) -> bool:
        """Whether a guard would block it, because another document owns the object or because somebody would lose access."""
        blocks = {block.guard: block for block in reversed(action.blocked)}
        foreign, cuts_off = blocks.get("other-document"), blocks.get("narrows")
        lines = self.behind.lines(action.address) if foreign or cuts_off else []
        if foreign is not None and lines:
            _leave(lines, action, LeftReason.OTHER, f"{action.address}: {foreign.message}", self.faults)
            return True
        if cuts_off is None:
            return False
        unread = any(self.planned.observed.error(action.address.site, rule.kind) for rule in kind.closes)
        fixes = [rule.fix for rule in kind.closes if rule.fix and action.desired.get(rule.field) is not None]
        text = "; ".join([f"an apply would narrow access: {cuts_off.message}", *(f"write {fix}" for fix in fixes)])
        _leave(lines, action, LeftReason.UNREAD if unread else LeftReason.FORM, text, self.faults)
        return True

    def _would_change(self, action: Action, keeps_closed: bool) -> None:
        lines = self.behind.lines(action.address)
        if not lines:
            self.faults.refused.append(_change(action))
        elif keeps_closed:
            text = f"{action.address} would change: {_changes(action)}"
            _leave(lines, action, LeftReason.FORM, text, self.faults)
        else:
            _blame_action(lines[0], action, self.faults)


def _leave(lines: Iterable[Line], action: Action, reason: LeftReason, text: str, faults: _Faults) -> None:
    """Leave out the objects of these lines on the action's site: no other form of their entries would help."""
    for line in lines:
        for key in line.entry.stands_for:
            if key[0] == action.address.site:
                faults.fall.setdefault(key, (EntryForm.FLAT, reason, text))


def _changes(action: Action) -> str:
    return "; ".join(f"{change.path}: {_shown(change.before)} → {_shown(change.after)}" for change in action.changes)


def _shown(value: object) -> str:
    return some(value) if isinstance(value, list) and value else "nothing" if value in (None, [], "") else str(value)


def _change(action: Action) -> Finding:
    text = f"the new entries would change it: {_changes(action)}"
    return Finding("VP341", Severity.ERROR, text, address=str(action.address))


def _same(old: Entry, new: Entry, planned: Planned, observed: Observed, registry: Registry) -> bool:
    """Whether an object of the document has the same meaning with the new entries."""
    if (old.values, old.origin) == (new.values, new.origin):
        return True

    def live_of(ref: Ref) -> Live | None:
        target = ref.target
        named = observed.named(target.site, registry.kinds[target.kind], target.name)
        return planned.matches.match(target).live or (named[0] if len(named) == 1 else None)

    return old.origin == new.origin and meaning(old, registry, live_of) == meaning(new, registry, live_of)


def _meaning(address: Address) -> Finding:
    return Finding("VP340", Severity.ERROR, "the new entries would change its meaning", address=str(address))


def _blame(line: Line | None, finding: Finding, faults: _Faults) -> None:
    if line is None:
        faults.refused.append(finding)
        return
    site = finding.address.partition("/")[0]
    on_site = [key for key in line.entry.stands_for if key[0] == site]
    for key in on_site or line.entry.stands_for:  # an entry may be correct on another site
        faults.fall.setdefault(key, (line.form, LeftReason.FORM, f"{finding.code}: {finding.message}"))


def _blame_action(line: Line, action: Action, faults: _Faults) -> None:
    composed = line.form is EntryForm.COMPOSED
    for key in line.entry.stands_for:
        if key[0] != action.address.site:
            continue
        if composed or action.verb is not Verb.ADOPT:
            paths = ", ".join(change.path for change in action.changes)
            faults.fall.setdefault(key, (line.form, LeftReason.FORM, f"as an entry it would differ: {paths}"))
        else:
            for change in action.changes:
                name = change.path.split(".")[0]
                faults.fields.setdefault(key, {})[name] = "the system returns it in a form that it does not accept"


def _learned(
    planned: Planned | None, degraded: Degraded, faults: _Faults, patient: bool, creates: tuple[Address, ...] = ()
) -> VerifiedRound:
    steps, why, fields = (
        dict(degraded.steps),
        dict(degraded.why),
        {key: dict(names) for key, names in degraded.fields.items()},
    )
    for key, (form, reason, text) in faults.fall.items():
        steps[key] = form.below if patient else EntryForm.LEFT
        why[key] = reason, text
    for key, names in faults.fields.items():
        if key in fields and names.keys() <= fields[key].keys():
            steps[key] = (
                degraded.step(key).below if patient else EntryForm.LEFT
            )  # the field was left out already, and the plan still changes it
            why.setdefault(key, (LeftReason.FORM, next(iter(names.values()))))
        fields.setdefault(key, {}).update(names)
    learned = replace(
        degraded, steps=MappingProxyType(steps), why=MappingProxyType(why), fields=MappingProxyType(fields)
    )
    return VerifiedRound(planned, learned, bool(faults.fall or faults.fields), tuple(faults.refused), creates)


class _Index:
    """The entries by the lines that they occupy."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines: dict[tuple[str, int], Line] = {}
        for line in lines:  # a nested entry comes after the entry that contains it
            for number in range(line.first, line.last + 1):
                self._lines[line.file, number] = line

    def at(self, where: Where | None) -> Line | None:
        """The innermost entry at a place."""
        return None if where is None else self._lines.get((where.file, where.line))
