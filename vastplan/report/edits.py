"""What was edited in the document of a change request: a line for each edit, with its place and the objects that it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.plan import GOING, Action, Cause, DocumentEdit, EditSort, FieldChange, Plan, Verb, lets_in
from vastplan.model.wording import shortened, some
from vastplan.report.differences import Show
from vastplan.report.review import reducing_changes
from vastplan.report.values import SENSITIVE, counted, kind_words, plain_value
from vastplan.report.view import of_change

TITLE = "What was edited"
_NAMED = 4  # objects of an edit with their names, and sites
_VALUE = 200  # characters of a value; the change below has all of it


def own_edits(plan: Plan) -> Sequence[DocumentEdit]:
    """The edits of the change itself, those first that let somebody in or lose something; none without a base."""
    edits = plan.base.edits if plan.base is not None else ()
    grave = {str(action.address) for action in plan.actions if lets_in(action) or _loses(action)}
    return sorted(edits, key=lambda edit: grave.isdisjoint(edit.objects))


def edit_line(edit: DocumentEdit, show: Show, words: Show) -> str:
    """`tenants.team-a.quotas.scratch.hard_limit: 1 TiB → 2 TiB (storage/team-a.yaml:12): iad/quota/scratch`. `show` shows a name or a value, `words` the text between
    them."""
    few = len(edit.objects) <= _NAMED
    objects = ", ".join(map(show, edit.objects)) if few else object_words(edit, show, words)
    return f"{edit_alone(edit, show)}{f': {objects}' if objects else ''}"


def edit_alone(edit: DocumentEdit, show: Show) -> str:
    """The line without its objects."""
    where = place(edit.where, removed=edit.sort is EditSort.REMOVED, show=show)
    return f"{show(edit.path)}{_what(edit, show)} ({where}){', which means the same' if edit.same else ''}"


def object_words(edit: DocumentEdit, show: Show, words: Show) -> str:
    """`2 quotas, 2 views on iad, pdx`."""
    addresses = [*map(Address.parse, edit.objects)]
    kinds = Counter(address.kind for address in addresses)
    sites = sorted({address.site for address in addresses})
    counts = words(", ".join(counted(count, kind_words(kind)) for kind, count in kinds.items()))
    return f"{counts} on {some(sites, _NAMED, show)}" if counts else ""


def _what(edit: DocumentEdit, show: Show) -> str:
    if edit.sort is EditSort.RENAMED:
        return f" renamed from {show(str(edit.before))}"
    if edit.sensitive:
        return f" {edit.sort.value}: {SENSITIVE}"
    if edit.before is None and edit.after is None:
        return f" {edit.sort.value}"
    if _single(edit.before) and _single(edit.after):
        return f": {' → '.join(show(_cut(plain_value(item))) for (item,) in (edit.before, edit.after))}"
    if edit.sort is EditSort.CHANGED:
        field = of_change(
            FieldChange(edit.path, edit.before, edit.after, Cause.DOCUMENT, unordered=isinstance(edit.before, list))
        )
        return f": {field.planned(lambda value: show(_cut(value)))}"
    value = edit.after if edit.sort is EditSort.ADDED else edit.before
    return f" {edit.sort.value}: {show(_cut(of_change(FieldChange(edit.path, None, value, Cause.DOCUMENT)).after))}"


def _loses(action: Action) -> bool:
    return action.verb in GOING or bool(action.deletes) or bool(reducing_changes(action))


def _single(value: object) -> bool:
    return isinstance(value, list) and len(value) == 1


def _cut(value: str) -> str:
    return shortened(value, _VALUE)


def place(where: Where, *, removed: bool, show: Show) -> str:
    """`storage/team-a.yaml:12`, and that it is a line of the base."""
    return f"{show(f'{where.file}:{where.line}')}{' of the base' if removed else ''}"


def action_place(action: Action, show: Show) -> str:
    """The line where the entry of an action is written, without the folder of its file; "" where that is not known."""
    if action.where is None:
        return ""
    return place(replace(action.where, file=PurePath(action.where.file).name), removed=is_of_base(action), show=show)


def is_of_base(action: Action) -> bool:
    """Whether the place of an action is in the base: the document does not have its object any more."""
    gone = action.verb is Verb.DELETE or (action.verb is Verb.RELEASE and not action.desired)
    return gone and action.where is not None
