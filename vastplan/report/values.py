"""How values look in every report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Author, Block, Cause, Evidence, Verb, loss, verb_word
from vastplan.model.units import show_amount
from vastplan.model.wording import counted

OWN = "ADDRESS"
"""Stands in a sentence for the object's own address."""

__all__ = [
    "AMONG_FIELDS",
    "CAUSES",
    "SENSITIVE",
    "VERB_WORDS",
    "author_text",
    "counted",
    "fix_of_any",
    "full_value",
    "kind_words",
    "lost_text",
    "of_any",
    "other_evidence",
    "plain_value",
    "quoted_where_several",
    "reference_target",
    "sensitive",
    "verb_word",
]  # fmt: skip

CAUSES = {
    Cause.DOCUMENT: "document changed",
    Cause.SYSTEM: "changed outside vastplan",
    Cause.BOTH: "document and system changed",
    Cause.NEW: "not applied before",
    Cause.DEPENDENCY: "what it refers to is replaced",
}
CALLED_OTHERWISE = "what it refers to is another object now, or has another name"
SENSITIVE = "(sensitive)"
_SEPARATES = re.compile(r"[,\[\]{}\"]|: ")
AMONG_FIELDS = re.compile(r'"|, |: ')
"""What separates fields on one line; brackets do not, because a path may have some."""
_NO_UNITS: Mapping[str, str] = MappingProxyType({})


def plain_value(value: Any, unit: str = "", units: Mapping[str, str] = _NO_UNITS) -> str:
    """One value, symbolic or not, on one line and in full; `units` are those of the values inside a mapping."""
    if isinstance(value, str):
        return inert(value, None)
    if value is None:
        return "(none)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if address := reference_target(value):
        return inert(address.split("/", 2)[-1])
    if isinstance(value, dict) and value.keys() == {"$secret"}:
        source = value["$secret"]
        named = ", ".join(f"{kind}: {place}" for kind, place in source.items()) if isinstance(source, dict) else ""
        return sensitive(f"{{{named}}}" if named else "")
    if isinstance(value, list):
        return f"[{', '.join(_inside(item, unit, units) for item in value)}]"
    if isinstance(value, dict):
        parts = (f"{_inside(key)}: {_inside(item, units.get(key, ''))}" for key, item in value.items())
        return f"{{{', '.join(parts)}}}"
    return inert(show_amount(value, unit), None)


def sensitive(source: str = "") -> str:
    """What is shown in place of a secret: where it comes from, if that is known."""
    return f"(sensitive, from {inert(source)})" if source else SENSITIVE


def _inside(value: Any, unit: str = "", units: Mapping[str, str] = _NO_UNITS) -> str:
    """A value in a list or a mapping; a text that could be read as several is in quotes."""
    return inert(quoted_where_several(value), None) if isinstance(value, str) else plain_value(value, unit, units)


def quoted_where_several(text: str, separates: re.Pattern[str] = _SEPARATES) -> str:
    """A text among others, in quotes if it could be read as several, or as nothing."""
    if text and text == text.strip() and not separates.search(text):
        return text
    return '"{}"'.format(text.replace('"', '\\"'))


def reference_target(value: Any) -> str:
    """The address that a reference names; "" for any other value."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in ("$ref", "$existing") and str(inner).count("/") >= 2:
            return str(inner)
    return ""


def full_value(value: Any) -> Any:
    """The value, with the whole address of each object that it refers to."""
    if isinstance(value, list):
        return [full_value(item) for item in value]
    if isinstance(value, dict):
        reference = value.get("$ref", value.get("$existing")) if len(value) == 1 else None
        return reference if reference is not None else {key: full_value(item) for key, item in value.items()}
    return value


def author_text(author: Author | None) -> str:
    """Who made a change outside vastplan and when: `by admin at 2026-01-02T03:04:05Z (View /a modified)`; "" if the author was not
    looked up."""
    if author is None:
        return ""
    if not author.who:
        return f"author unknown: {inert(author.untold, 200)}" if author.untold else ""
    how = f" ({inert(author.how, 200)})" if author.how else ""
    return f"by {inert(author.who, 120)} at {inert(author.when, 40)}{how}"


def kind_words(kind: str) -> str:
    """A kind's name as words."""
    return kind.replace("_", " ")


VERB_WORDS = (*(verb.value for verb in Verb), "record")


def lost_text(action: Action) -> str:
    """How much data goes with an object that is deleted or replaced: `used 60 TB`; "" where nothing is said of it."""
    lost = loss(action)
    return "" if lost is None else f"{inert(lost.name)} {plain_value(lost.value, lost.unit)}"


def other_evidence(action: Action) -> list[Evidence]:
    """The evidence of an action without that of `lost_text`."""
    lost = loss(action)
    return [seen for seen in action.evidence if seen is not lost]


def fix_of_any(block: Block, action: Action) -> str:
    """What satisfies a block, said of all similar actions: without the object's own id and address."""
    return of_any(block.fix.replace(f" (id {inert(action.id, 80)})", ""), action.address)


def of_any(text: str, address: Address | str) -> str:
    """A sentence that is true of all: `ADDRESS` replaces the object's own address."""
    return text.replace(str(address), OWN)
