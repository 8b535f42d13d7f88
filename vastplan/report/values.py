"""How values look in every report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Author, Cause, FieldChange, Verb, only_noted
from vastplan.model.units import show
from vastplan.model.wording import counted

__all__ = [
    "CAUSES", "SENSITIVE", "VERB_WORDS", "author_text", "before_after", "counted", "inner_differences", "kind_words", "plain", "target",
    "verb_word",
]  # fmt: skip

CAUSES = {
    Cause.DOCUMENT: "document changed",
    Cause.SYSTEM: "changed by hand",
    Cause.BOTH: "document and system changed",
    Cause.NEW: "not applied before",
    Cause.DEPENDENCY: "what it refers to is replaced",
}
CALLED_OTHERWISE = "what it refers to is another object now, or has another name"
SENSITIVE = "(sensitive)"
_LONGEST = 200
_NO_UNITS: Mapping[str, str] = MappingProxyType({})


def plain(value: Any, unit: str = "", units: Mapping[str, str] = _NO_UNITS) -> str:
    """One value, symbolic or not, on one line; `units` are those of the values inside a mapping."""
    if isinstance(value, str):
        return inert(value, _LONGEST)
    if value is None:
        return "(none)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if address := target(value):
        return inert(address.split("/", 2)[-1])
    if isinstance(value, dict) and value.keys() == {"$secret"}:
        return SENSITIVE
    if isinstance(value, list):
        return inert("[" + ", ".join(plain(item, unit, units) for item in value) + "]", _LONGEST)
    if isinstance(value, dict):
        inner = ", ".join(f"{key}: {plain(item, units.get(key, ''))}" for key, item in value.items())
        return inert("{" + inner + "}", _LONGEST)
    return inert(show(value, unit), _LONGEST)


def target(value: Any) -> str:
    """The address that a reference names; "" for what is no reference to one."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in ("$ref", "$existing") and str(inner).count("/") >= 2:
            return str(inner)
    return ""


def before_after(change: FieldChange) -> tuple[str, str]:
    """Both sides of a change."""
    if change.sensitive:
        return SENSITIVE, SENSITIVE
    before, after = (plain(side, change.unit, change.units) for side in (change.before, change.after))
    if change.known_after_apply:
        return before, "(known after apply)"
    if before == after:  # a live name, and a reference to what is called otherwise here
        return plain(_in_full(change.before), change.unit, change.units), plain(
            _in_full(change.after), change.unit, change.units
        )
    return before, after


def _in_full(value: Any) -> Any:
    """The value with the whole address of what it refers to."""
    if isinstance(value, list):
        return [_in_full(item) for item in value]
    if isinstance(value, dict):
        reference = value.get("$ref", value.get("$existing")) if len(value) == 1 else None
        return reference if reference is not None else {key: _in_full(item) for key, item in value.items()}
    return value


def inner_differences(change: FieldChange) -> Iterator[tuple[str, str, str]]:
    """Where two lists or mappings differ: path, before, after; nothing for values that are shown whole.

    A reference is one value, and is shown by its name.
    """
    before, after = change.before, change.after
    if change.sensitive or not (isinstance(before, list | dict) and isinstance(after, list | dict)):
        return
    if all(not isinstance(item, list | dict) for side in (before, after) for item in side):
        return
    from deepdiff import DeepDiff
    from deepdiff.helper import notpresent

    old_side, new_side = _with_references_whole(before), _with_references_whole(after)
    for differences in DeepDiff(old_side, new_side, view="tree", verbose_level=2).values():
        for difference in differences:
            steps = difference.path(output_format="list")
            path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
            unit = change.units.get(str(steps[-1]), change.unit)
            # An absent side is deepdiff's own marker, known by identity: any text may be a value.
            old, new = (
                "(none)" if side is notpresent else plain(_written(side), unit, change.units)
                for side in (difference.t1, difference.t2)
            )
            if old == new and isinstance(difference.t1, _Reference) and isinstance(difference.t2, _Reference):
                old, new = inert(difference.t1), inert(difference.t2)  # called alike, and not the same
            yield inert(path.lstrip(".")), old, new


class _Reference(str):
    """The address that a reference names, as one value."""

    __slots__ = ()


def _with_references_whole(value: Any) -> Any:
    if address := target(value):
        return _Reference(address)
    if isinstance(value, dict):
        return {key: _with_references_whole(item) for key, item in value.items()}
    return [_with_references_whole(item) for item in value] if isinstance(value, list) else value


def _written(value: Any) -> Any:
    """A value with its references as files have them."""
    if isinstance(value, _Reference):
        return {"$ref": str(value)}
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    return [_written(item) for item in value] if isinstance(value, list) else value


def author_text(author: Author | None) -> str:
    """Who made a change by hand and when: `by admin at 2026-01-02T03:04:05Z (View /a modified)`; "" where nobody asked."""
    if author is None:
        return ""
    if not author.who:
        return f"by whom is not told: {inert(author.untold, 200)}" if author.untold else ""
    how = f" ({inert(author.how, 200)})" if author.how else ""
    return f"by {inert(author.who, 120)} at {inert(author.when, 40)}{how}"


def kind_words(kind: str) -> str:
    """A kind's name as words."""
    return kind.replace("_", " ")


VERB_WORDS = (*(verb.value for verb in Verb), "note")


def verb_word(action: Action) -> str:
    """What an action does, in a word; `note` where only the ledger learns something."""
    return "note" if only_noted(action) else action.verb.value
