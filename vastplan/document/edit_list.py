"""Candidate edits of a list with one item per line: items that stay keep their line, spelling and comments.

Comment lines before an item, and a comment after it on its line, belong to the item and move or disappear with it; those before
the first item belong to the list and stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ruamel.yaml.nodes import Node, ScalarNode, SequenceNode


def edited_list(
    text: str, node: SequenceNode, ends: Sequence[int], before: Any, items: Sequence[Any], typed: Sequence[str]
) -> Iterator[str]:
    """Yields texts in which a list has `items`: first with new items at the end, for lists without an order, then in order.

    `ends` is where the text of each present item ends, `before` the list's present value, `typed` the text of each of `items`.
    Yields nothing for a list in brackets, or one whose items do not begin on lines of their own.
    """
    lines = text.splitlines(keepends=True)
    spans = _spans(text, lines, node, ends)
    if spans is None:
        return
    first_line, last_line, indent = spans[0][0], spans[-1][1], " " * node.start_mark.column
    old_by_new = _kept(node.value, before, items, typed)
    fresh = {number: f"{indent}- {typed[number]}\n" for number in range(len(items)) if number not in old_by_new}
    chunks = {number: "".join(lines[slice(*spans[old])]) for number, old in old_by_new.items()}
    chunks = {number: chunk if chunk.endswith("\n") else f"{chunk}\n" for number, chunk in chunks.items()} | fresh
    as_written = sorted(old_by_new, key=lambda number: old_by_new[number])
    orders = dict.fromkeys(((*as_written, *fresh), tuple(range(len(items)))))
    head, tail = "".join(lines[:first_line]), "".join(lines[last_line:])
    for order in orders:
        body = "".join(chunks[number] for number in order) or f"{indent}[]\n"
        yield head + (body if tail or text.endswith("\n") else body.removesuffix("\n")) + tail


def _spans(text: str, lines: list[str], node: SequenceNode, ends: Sequence[int]) -> list[tuple[int, int]] | None:
    """The lines of each item with the comments before it, from 0, the end excluded; `None` where items share lines."""
    if node.flow_style or not node.value:
        return None
    column, spans, begin = node.start_mark.column, [], node.start_mark.line
    for item, end in zip(node.value, ends, strict=True):
        dash = item.start_mark.line
        if lines[dash][:column].strip() or lines[dash][column : column + 1] != "-":
            return None
        stop = text.count("\n", 0, end) + 1
        spans.append((begin, stop))
        begin = stop
    return spans


def _kept(nodes: Sequence[Node], before: Any, items: Sequence[Any], typed: Sequence[str]) -> dict[int, int]:
    """Maps the index of each item that stays to its index in the present list."""
    present = before if isinstance(before, list) and len(before) == len(nodes) else [...] * len(nodes)
    free, old_by_new = list(range(len(nodes))), {}
    for number, item in enumerate(items):
        for old in free:
            node = nodes[old]
            spelled = isinstance(node, ScalarNode) and node.value == typed[number]
            if spelled or present[old] == item:
                old_by_new[number] = old
                free.remove(old)
                break
    return old_by_new
