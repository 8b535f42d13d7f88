"""Which objects each edit of a document changes, and where the entry of each action is written.

An edit belongs to the innermost entry around it. An entry may become many objects: of several edits of one entry, an object belongs to
those that name a field of it that changes, or have its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os.path import relpath
from typing import Any

from vastplan.app.planning.request import Planned
from vastplan.document.file_edits import FileEdit, Path, each_below, file_edits, paths_by_place
from vastplan.document.load import Document
from vastplan.document.specs import ENTRY_KEYS, HEAD_KEYS
from vastplan.model.address import Address
from vastplan.model.canonical_json import plain_json
from vastplan.model.finding import Where
from vastplan.model.plan import Action, DocumentEdit, EditSort, Plan, Standing, Verb
from vastplan.model.units import show_amount
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, EntryType
from vastplan.schema.field import Field

_DEFAULTS = "defaults"
_SITES, _PER_SITE, _ = ENTRY_KEYS
_COMING_OR_GOING = (Verb.CREATE, Verb.DELETE, Verb.RELEASE)


def with_places(plan: Plan, entries: Iterable[Entry]) -> Plan:
    """The plan with the place of each action's entry, and of each finding about an object that has no place of its own."""
    places = {str(entry.address): entry.where for entry in entries if entry.where is not None}
    return replace(
        plan,
        actions=tuple(
            replace(action, where=where) if (where := places.get(str(action.address))) else action
            for action in plan.actions
        ),
        findings=tuple(
            replace(finding, where=where)
            if finding.where is None and (where := places.get(finding.address))
            else finding
            for finding in plan.findings
        ),
    )


def with_edits(
    plan: Plan, document: Document, base: Document, planned: Planned, of_base: Planned, registry: Registry
) -> Plan:
    """The plan, which was compared with the document `base`, with the edits, and with the places of what was removed."""
    if plan.base is None:
        return plan
    entries, former = planned.entries, of_base.entries
    same = not plan.base.findings and _values_of(planned.everything) == _values_of(of_base.everything)
    paths = dict(paths_by_place(base.tree)) | dict(paths_by_place(document.tree))
    places = {entry.address: entry.where for entry in (*former, *entries)}
    written = {address: paths[where] for address, where in places.items() if where in paths}
    types = {
        paths[entry.where]: registry.types[entry.address.kind]
        for entry in (*base.entries, *document.entries)
        if entry.where in paths
    }
    own = {*types, *written.values()}
    holding = {path[:length] for path in own for length in range(1, len(path))} - own
    holding |= {(_DEFAULTS,), *((_DEFAULTS, section) for section in registry.sections)}
    edits = [
        each
        for edit in file_edits(base.tree, document.tree)
        if edit.path[0] not in HEAD_KEYS
        for each in each_below(edit, holding)
    ]
    found = _Found(edits, own, {path: type_.section for path, type_ in types.items()})
    in_document = _names_in_document(document, base)
    objects: dict[int, list[str]] = {}
    for action in plan.actions:
        if action.standing is Standing.CHANGE and (path := written.get(action.address)):
            for number in found.of(action, path):
                objects.setdefault(number, []).append(str(action.address))
    rows = []
    for number, edit in enumerate(edits):
        before, after, secret = _values(edit, found.around[number], types, registry)
        where = in_document(edit.where) if edit.sort is EditSort.REMOVED else edit.where
        changed = tuple(objects.get(number, ()))
        rows.append(DocumentEdit(".".join(edit.path), edit.sort, where, before, after, secret, changed, same))
    actions = tuple(
        replace(action, where=in_document(removed))
        if action.where is None and (removed := places.get(action.address))
        else action
        for action in plan.actions
    )
    return replace(plan, actions=actions, base=replace(plan.base, edits=tuple(rows)))


def _values_of(entries: Iterable[Entry]) -> dict[Address, Mapping[str, Any]]:
    return {entry.address: entry.values for entry in entries}


class _Found:
    """The edits by the innermost entry around each; `around` has the path of that entry, or of the defaults of a section."""

    def __init__(self, edits: Sequence[FileEdit], entries: set[Path], sections: Mapping[Path, str]) -> None:
        self._edits, self._sections = edits, sections
        self._of: dict[Path, list[int]] = {}
        self._whole: dict[Path, int] = {}
        self.around: list[Path] = []
        for number, edit in enumerate(edits):
            around = edit.path[:2] if edit.path[0] == _DEFAULTS else next(_prefixes(edit.path, entries), ())
            self.around.append(around)
            self._of.setdefault(around, []).append(number)
            if edit.sort is not EditSort.CHANGED:
                self._whole[edit.path] = number

    def of(self, action: Action, path: Path) -> Iterator[int]:
        """The numbers of the edits that change the object of an action, whose entry is at `path`."""
        whole = [self._whole[place] for place in _prefixes(path, self._whole)]
        yield from whole
        if any(self._edits[number].sort is not EditSort.RENAMED for number in whole):
            return
        for place in _prefixes(path, self._of):
            near = [number for number in self._of[place] if number not in whole and self._here(number, action)]
            named = [number for number in near if self._names(number, action)]
            if named or (near and place == path):
                yield from named or near
                return
        near = self._of.get((_DEFAULTS, self._sections.get(path, "")), [])
        yield from (number for number in near if self._names(number, action))

    def _here(self, number: int, action: Action) -> bool:
        """Whether an edit under `per_site` is one of the action's site."""
        path = self._edits[number].path
        return _PER_SITE not in path[:-1] or path[path.index(_PER_SITE) + 1] == action.address.site

    def _names(self, number: int, action: Action) -> bool:
        """Whether the edit is of a field of the object that changes, by its name or its value, or makes the object or the sites of it."""
        edit = self._edits[number]
        inner = edit.path[len(self.around[number]) :]
        if action.verb in _COMING_OR_GOING:
            return _SITES in inner or _PER_SITE in inner or self._makes(edit, inner, action)
        return any(
            not set(change.path.split(".")).isdisjoint(inner)
            or (change.after is not None and show_amount(change.after, change.unit) == edit.after)
            for change in action.changes
        )

    def _makes(self, edit: FileEdit, inner: Path, action: Action) -> bool:
        """Whether the edit is of a field that is called like the kind (`access`: an access rule), or has an item that the name shows."""
        kind = action.address.kind.split("_")
        items = [item for value in (edit.before, edit.after) if isinstance(value, list) for item in value]
        return any(word.removesuffix("s") in kind for word in inner) or any(
            isinstance(item, str) and item in action.address.name for item in items
        )


def _prefixes(path: Path, among: Iterable[Path]) -> Iterator[Path]:
    """The path and what contains it, as far as they are `among` those, the longest first."""
    for length in range(len(path), 0, -1):
        if path[:length] in among:
            yield path[:length]


def _values(edit: FileEdit, around: Path, types: Mapping[Path, EntryType], registry: Registry) -> tuple[Any, Any, bool]:
    """Both values, and whether they may be secret. An entry that is added or removed has none."""
    if edit.sort is EditSort.RENAMED:
        return edit.before, edit.after, False
    of_defaults = registry.sections.get(around[1]) if len(around) > 1 and around[0] == _DEFAULTS else None
    type_ = types.get(around, of_defaults)
    inner = [key for key in edit.path[len(around) :] if key != _PER_SITE]
    if type_ is None or not inner:
        return None, None, False
    field = _innermost(type_.fields, inner)
    if field is None and _SITES not in inner:
        return None, None, False
    secret = field is not None and field.secret
    return (None, None, True) if secret else (plain_json(edit.before), plain_json(edit.after), False)


def _innermost(fields: Sequence[Field], inner: Sequence[str]) -> Field | None:
    """The last field on the way inside an entry; keys of a mapping are no fields."""
    found = None
    for key in inner:
        field = next((field for field in fields if field.name == key), None)
        found, fields = (found, fields) if field is None else (field, field.fields)
    return found


def _names_in_document(document: Document, base: Document) -> Callable[[Where], Where]:
    """Returns a function that names the file of a place of the base as in the document, where both are one folder or one file."""
    if len(document.paths) != 1 or len(base.paths) != 1:
        return lambda where: where
    own, former = document.paths[0], base.paths[0]
    if own.is_dir() != former.is_dir():
        return lambda where: where
    if own.is_dir():
        return lambda where: replace(where, file=str(own / relpath(where.file, former)))
    return lambda where: replace(where, file=str(own))
