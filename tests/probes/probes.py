"""One probe for each documented fact about the bodies of an operation: a request, and what must be said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.documented.facts import Facts, Place
from tests.probes.values import WRONG, ControllerOwned


@dataclass(frozen=True)
class Probe:
    """A body. `complaint` is what must be said at `place`: unknown, type, choice, required, null, bound; "" is nothing."""

    place: Place
    complaint: str
    body: Any

    def __str__(self) -> str:
        return f"{'.'.join(self.place) or '(whole)'} {self.complaint or 'fine'}: {str(self.body)[:200]}"


def probes(
    facts: Facts, shape: Any, places: set[Place], system_owned: set[str], *, part: bool, strange: tuple[str, ...]
) -> Iterator[Probe]:
    """All of an operation's body that concerns the `places`.

    `system_owned` names must be refused at the top; `strange` values are tried where the document lists choices; what is
    required is asked of no `part`.
    """
    controller = ControllerOwned(facts)
    top: Place = ()
    whole = facts.shape(shape) if not part else {**facts.shape(shape), "fields": _optional(facts, shape)}
    if not part:
        yield from (Probe((name,), "", controller.least(whole)) for name in whole["fields"])
    for name in sorted({*system_owned, "no_such_field"} - set(whole["fields"])):
        yield Probe((name,), "unknown", {**controller.least(whole), name: "x"})
    holders = {top, *(place[:end] for place in places for end in range(1, len(place)))}
    for place in sorted(places | holders - {top}):
        yield from _about(controller, whole, place, strange)
    for holder in sorted(holders):
        inner = controller.inside(controller.at(whole, holder)) if holder else whole
        for name, one in inner.get("fields", {}).items():
            if not part or holder:
                needed = bool(facts.shape(one).get("required"))
                body = controller.without(whole, holder, name)
                yield Probe((*holder, name), "required" if needed else "", body)


def _optional(facts: Facts, shape: Any) -> dict[str, Any]:
    fields = facts.shape(shape)["fields"]
    return {name: {**facts.shape(one), "required": False} for name, one in fields.items()}


def _about(controller: ControllerOwned, whole: Any, place: Place, strange: tuple[str, ...]) -> Iterator[Probe]:
    given = controller.at(whole, place)
    item = controller.facts.shape(given.get("items", "any")) if given["type"] == "array" else given
    values = (lambda value: [value]) if item is not given else (lambda value: value)
    yield Probe(place, "", controller.planted(whole, place, controller.full(given)))
    for wrong in WRONG[given["type"]]:
        yield Probe(place, "type", controller.planted(whole, place, wrong))
    if item is not given:
        yield from (Probe(place, "type", controller.planted(whole, place, [wrong])) for wrong in WRONG[item["type"]])
    if item is not given and item["type"] == "array":
        part = controller.facts.shape(item.get("items", "any"))["type"]
        yield from (Probe(place, "type", controller.planted(whole, place, [[wrong]])) for wrong in WRONG[part])
    for choice in item.get("enum", ()):
        yield Probe(place, "", controller.planted(whole, place, values(choice)))
    if "enum" in item and item["type"] == "string":
        for other in (*strange, *(str(choice).swapcase() for choice in item["enum"])):
            if other not in item["enum"]:
                yield Probe(place, "choice", controller.planted(whole, place, values(other)))
    yield from (Probe(place, "bound", controller.planted(whole, place, values(out))) for out in controller.beyond(item))
    yield from (Probe(place, "", controller.planted(whole, place, values(fine))) for fine in controller.within(item))
    inner = controller.inside(given)
    if "fields" in inner:
        bad = {**controller.least(inner), "no_such_field": "x"}
        yield Probe((*place, "no_such_field"), "unknown", controller.planted(whole, place, values(bad)))
    yield Probe(place, "" if given.get("nullable") else "null", controller.planted(whole, place, None))
