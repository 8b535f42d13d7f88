"""The part of a section's example that shows one field. Pure."""

from __future__ import annotations

from typing import Any

import yaml


def snippet(example: str, section: str, path: tuple[str, ...]) -> str:
    """The first place in an example (YAML) with the field `path` of an entry of the section, with its enclosing keys; "" if none has it."""
    for whole in yaml.safe_load_all(example):
        entries = whole.get(section) if isinstance(whole, dict) else None
        part = _only(entries, path) if path else entries
        if part is not None:
            return yaml.safe_dump({section: part}, sort_keys=False, width=100, allow_unicode=True)
    return ""


def _only(value: Any, path: tuple[str, ...]) -> Any:
    """The value at `path`, with its enclosing keys and one item of each list; keys that the writer chooses are not part of `path`."""
    if not path:
        return value
    if isinstance(value, list):
        return next(([inner] for inner in (_only(item, path) for item in value) if inner is not None), None)
    if not isinstance(value, dict):
        return None
    if path[0] in value:
        inner = _only(value[path[0]], path[1:])
        if inner is not None:
            return {path[0]: inner}
    return next(
        (
            {key: inner}
            for key, inner in ((key, _only(child, path)) for key, child in value.items() if isinstance(child, dict))
            if inner is not None
        ),
        None,
    )
