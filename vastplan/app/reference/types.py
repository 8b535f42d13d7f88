"""Describes in words what to write for a field, because readers of a reference do not read patterns. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vastplan.model import units
from vastplan.schema.field import Field

Schema = dict[str, Any]
_LARGEST = 2**63 - 1  # a count with this maximum has no other limit
_QUANTITIES = {
    units.BYTES: "a size, such as `10 TiB`",
    units.BANDWIDTH: "a bandwidth, such as `2 GB/s`",
    units.SECONDS: "a duration, such as `15m`",
}
BELOW = "the fields below"
SAYS = "says"  # the key in a schema for the text of `schema.types.Says`


def field_type(node: Schema, field: Field | None, section_of: Callable[[str], str]) -> str:
    """What to write; `section_of` returns the section that has entries of a kind."""
    named = "" if field is None or field.refers is None else _reference(node, field, section_of)
    return _type(node, named or _QUANTITIES.get("" if field is None else field.unit, ""))


def _type(node: Schema, described: str) -> str:
    """What to write for a schema; `described` describes the innermost value if the field table says more than the schema."""
    arms = [arm for arm in node.get("anyOf", ()) if arm.get("type") != "null"]
    if len(arms) == 1:
        return _type(arms[0], described)
    if node.get("type") == "array" or any(arm.get("type") == "array" for arm in arms):
        items = node.get("items") or next(arm["items"] for arm in arms if arm.get("type") == "array")
        of = _type(items, described)
        return "a list, each item with the fields below" if of == BELOW else f"a list: {of}"
    if node.get("type") == "object":
        value = _value(node)
        return f"names, each with {_type(value, described)}" if described or value else "names and values"
    if described:
        return described
    if arms:
        return ", or ".join(dict.fromkeys(_type(arm, "") for arm in arms))
    return _plain(node)


def _value(node: Schema) -> Schema:
    """The schema of a mapping's values; empty if it has none."""
    values = node.get("additionalProperties")
    if not isinstance(values, Mapping):
        values = next(iter(node.get("patternProperties", {}).values()), {})
    return dict(values)


def _plain(node: Schema) -> str:
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        return "`{existing: NAME}`" if name == "Existing" else BELOW
    if "const" in node or "enum" in node:
        words = [f"`{value}`" for value in node.get("enum", (node.get("const"),))]
        return words[0] if len(words) == 1 else f"one of {', '.join(words)}"
    if SAYS in node:
        return str(node[SAYS])
    kind = node.get("type")
    if kind == "boolean":
        return "`true` or `false`"
    if kind in ("integer", "number"):
        return f"a {'whole ' if kind == 'integer' else ''}number{_bounds(node)}"
    return "text" if kind == "string" else "any value"


def _bounds(node: Schema) -> str:
    low = next((f" {word} {node[key]}" for key, word in _LEAST.items() if key in node), "")
    most = node.get("maximum", node.get("exclusiveMaximum"))
    high = "" if most is None or most >= _LARGEST else f" {'to' if low else 'up to'} {most}"
    return f"{low}{high}"


_LEAST = {"exclusiveMinimum": "above", "minimum": "from"}


def _reference(node: Schema, field: Field, section_of: Callable[[str], str]) -> str:
    assert field.refers is not None
    sections = list(dict.fromkeys(filter(None, (section_of(kind) for kind, _ in field.refers.targets))))
    if not sections:
        return ""
    name = f"the name of an entry of {' or '.join(f'`{section}`' for section in sections)}"
    return f"{name}, or `{{existing: NAME}}`" if "/Existing'" in str(node) else name
