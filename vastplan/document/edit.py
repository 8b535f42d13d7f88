"""Candidate edits that write one value into the text of a document. Everything else stays as it was typed.

The text is read with `ruamel.yaml`'s round-trip loader, whose nodes know their positions, and only the new value is written: no
library keeps the spaces and line breaks of a whole file. This module does not decide which candidate is right: the caller takes
one that gives the intended value when the document is read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vastplan.document.document_form import amount, in_unit
from vastplan.document.edit_list import edited_list
from vastplan.document.scalars import flow
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Where
from vastplan.model.units import BYTES, LEAST_BARE

Path = tuple[str, ...]
_MOST = 40  # places tried


@dataclass(frozen=True, slots=True)
class Edit:
    """The change to write for an entry on a site: `value` in place of `before` at `path`.

    `shared` says that the entry is on other sites too: only then a value in `per_site` makes sense.
    """

    site: str
    path: Path
    before: Any
    value: Any
    unit: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    shared: bool = False


def edits(text: str, entry: Where, edit: Edit) -> Iterator[tuple[str, int]]:
    """Yields texts in which the entry at `entry` has the new value, each with the changed line (from 1).

    The likeliest edits come first: the value in its present place, first under `per_site` for that site; then a new line, for all
    sites and then for that one; then the same in a part of the entry (the quota of a view); last, an equal amount under
    another key, because an entry may use another key than the object that it becomes. Yields nothing where the entry is not found.
    """
    try:
        root = YAML(typ="rt").compose(text)
    except YAMLError:
        return
    node_of_entry = (
        next((node for key, node in _pairs(root) if _stands(key, entry)), None) if root is not None else None
    )
    if node_of_entry is None:
        return
    own = _at(node_of_entry, ("per_site", edit.site))
    parts = [*_mappings(node_of_entry)]
    places = [node for _, node in ([*_mappings(own), *parts] if own is not None else parts)]
    for node in list(dict.fromkeys(places))[:_MOST]:
        value_node = _at(node, edit.path)
        if value_node is not None:
            yield from _replaced(text, value_node, edit)
    typed_text = value_text(edit.value, edit.unit, edit.units)
    for path, part in parts[:_MOST]:
        if "per_site" not in path:
            yield from _inserted(text, part, edit.path, typed_text)
            if edit.shared:
                yield from _inserted(text, node_of_entry, ("per_site", edit.site, *path, *edit.path), typed_text)
    if edit.unit and isinstance(edit.before, int) and isinstance(edit.value, int):
        scalars = [value for _, value in _pairs(node_of_entry) if isinstance(value, ScalarNode)]
        for scalar in [scalar for scalar in scalars if amount(scalar.value, edit.unit) == edit.before][:_MOST]:
            yield from _replaced(text, scalar, edit)


def value_text(value: Any, unit: str = "", units: Mapping[str, str] | None = None) -> str:
    """A value on one line: with a unit where that is exact, lists and mappings in brackets."""
    return flow(_typed(value, unit, units or {}))


def _typed(value: Any, unit: str, units: Mapping[str, str]) -> Any:
    """What a person would type for a canonical value."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, inner),) = value.items()
            if key in ("$ref", "$existing"):
                name = str(inner).split("/", 2)[-1]
                return name if key == "$ref" else {"existing": name}
        return {key: _typed(item, units.get(key, ""), {}) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item, unit, units) for item in value]
    return in_unit(value, unit)


def _replaced(text: str, node: Node, edit: Edit) -> Iterator[tuple[str, int]]:
    start, end, value, unit, units = node.start_mark.index, _end(node), edit.value, edit.unit, edit.units
    old = text[start:end]
    if isinstance(node, SequenceNode) and isinstance(value, list):
        ends = [_end(item) for item in node.value]
        typed_items = [flow(_typed(item, unit, units)) for item in value]
        for edited in edited_list(text, node, ends, edit.before, value, typed_items):
            yield edited, node.start_mark.line + 1
    if "#" in old and not isinstance(node, ScalarNode):
        return  # a comment inside would be lost
    if isinstance(node, ScalarNode) and old.lstrip("+-").isdigit() and not _is_few_bytes(value, unit):
        unit = ""  # a plain number stays one
    typed = _typed(value, unit, units)
    if isinstance(node, SequenceNode) and not node.flow_style and isinstance(typed, list) and typed:
        gap = "\n" + " " * node.start_mark.column
        typed_text = gap.join(f"- {flow(item)}" for item in typed)
    else:
        typed_text = _quoted(flow(typed), old)
    before = "" if start == 0 or text[start - 1] in " \n[{" else " "
    yield f"{text[:start]}{before}{typed_text}{text[end:]}", node.start_mark.line + 1


def _is_few_bytes(value: Any, unit: str) -> bool:
    """Whether the value is a size so small that a document must write its unit."""
    return unit == BYTES and isinstance(value, int) and value < LEAST_BARE


def _quoted(typed_text: str, old: str) -> str:
    """The new text in the quotes of the old one, where it is plain."""
    mark = old[:1]
    plain = (
        typed_text[:1].isalnum()
        and "\n" not in typed_text
        and "'" not in typed_text
        and '"' not in typed_text
        and "\\" not in typed_text
    )
    return f"{mark}{typed_text}{mark}" if mark in ("'", '"') and plain else typed_text


def _inserted(text: str, node: Node, steps: Path, typed_text: str) -> Iterator[tuple[str, int]]:
    """Inserts a new key into the deepest existing mapping along `steps`."""
    depth = 0
    while depth < len(steps) - 1:
        inner = _at(node, steps[depth : depth + 1])
        if not isinstance(inner, MappingNode):
            break
        node, depth = inner, depth + 1
    for step in reversed(steps[depth + 1 :]):
        typed_text = f"{{{flow(step)}: {typed_text}}}"
    typed_text = f"{flow(steps[depth])}: {typed_text}"
    start, line = node.start_mark.index, node.start_mark.line + 1
    if isinstance(node, ScalarNode) and not node.value and node.style is None:
        yield f"{text[:start]} {{{typed_text}}}{text[_end(node) :]}", line
    elif isinstance(node, MappingNode) and not node.value:
        yield f"{text[:start]}{{{typed_text}}}{text[_end(node) :]}", line
    elif isinstance(node, MappingNode) and node.flow_style:
        end = _end(node.value[-1][1])
        yield f"{text[:end]}, {typed_text}{text[end:]}", node.value[-1][1].end_mark.line + 1
    elif isinstance(node, MappingNode):
        yield f"{text[:start]}{typed_text}\n{' ' * node.start_mark.column}{text[start:]}", line


def _end(node: Node) -> int:
    """The end of a node; a block ends where its last part ends, not where the next node begins."""
    inner = node.value if isinstance(node, MappingNode | SequenceNode) and not node.flow_style else []
    if inner:
        last_part = inner[-1]
        return _end(last_part[1] if isinstance(last_part, tuple) else last_part)
    index: int = node.end_mark.index
    return index


def _pairs(node: Node, depth: int = 0) -> Iterator[tuple[Node, Node]]:
    if isinstance(node, MappingNode) and depth < 64:
        for key, value in node.value:
            yield key, value
            yield from _pairs(value, depth + 1)


def _mappings(node: Node) -> Iterator[tuple[Path, Node]]:
    """A node and the mappings inside it, each with its path from the node, outer ones first."""
    queue: list[tuple[Path, Node]] = [((), node)]
    while queue:
        path, mapping = queue.pop(0)
        yield path, mapping
        queue += (
            [((*path, key.value), value) for key, value in mapping.value if isinstance(value, MappingNode)]
            if isinstance(mapping, MappingNode)
            else []
        )


def _at(node: Node | None, path: Path) -> Node | None:
    for step in path:
        if not isinstance(node, MappingNode):
            return None
        node = next((value for key, value in node.value if key.value == step), None)
    return node


def _stands(key: Node, where: Where) -> bool:
    return bool((key.start_mark.line + 1, key.start_mark.column + 1) == (where.line, where.column))
