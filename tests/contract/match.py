"""What is expected of a JSON value, and what of it is not so.

A mapping expects its keys and no others are looked at; a list expects exactly its elements; anything else is compared.
A mapping with one key that begins with `$` is an operator.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

ABSENT = object()
TYPES: dict[str, Any] = {"string": str, "number": (int, float), "list": list, "mapping": dict}


def _has(wanted: Any, value: Any) -> bool:
    return isinstance(value, list) and any(not differences(wanted, one) for one in value)


def _all(wanted: Any, value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not any(differences(wanted, one) for one in value)


def _rows(wanted: Any, value: Any) -> bool:
    """As many elements, in any order, each wanted one by one of them."""
    return isinstance(value, list) and len(value) == len(wanted) and all(_has(one, value) for one in wanted)


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$absent": lambda wanted, value: (value is ABSENT) == wanted,
    "$text": lambda wanted, value: isinstance(value, str) and wanted.lower() in value.lower(),
    "$regex": lambda wanted, value: isinstance(value, str) and re.search(wanted, value) is not None,
    "$type": lambda wanted, value: isinstance(value, TYPES[wanted]),
    "$one_of": lambda wanted, value: value in wanted,
    "$not": lambda wanted, value: bool(differences(wanted, value)),
    "$keys": lambda wanted, value: isinstance(value, dict) and sorted(value) == sorted(wanted),
    "$has": _has,
    "$all": _all,
    "$rows": _rows,
}


def differences(wanted: Any, value: Any, place: str = "") -> list[str]:
    """Where `value` is not what is wanted, in words; empty when it is."""
    if isinstance(wanted, dict) and len(wanted) == 1 and (name := next(iter(wanted))) in OPERATORS:
        if OPERATORS[name](wanted[name], value):
            return []
        means = "which is what it should not be" if name == "$not" else f"not {name[1:]} {shown(wanted[name])}"
        return [f"{place or 'the body'} is {shown(value)}, {means}"]
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            return [f"{place or 'the body'} is {shown(value)}, not {shown(wanted)}"]
        return [
            one
            for key, inner in wanted.items()
            for one in differences(inner, value.get(key, ABSENT), f"{place}.{key}" if place else str(key))
        ]
    if isinstance(wanted, list) and isinstance(value, list) and len(wanted) == len(value):
        pairs = enumerate(zip(wanted, value, strict=True))
        return [one for index, (inner, found) in pairs for one in differences(inner, found, f"{place}[{index}]")]
    if (type(wanted) is not type(value) and not {type(wanted), type(value)} <= {int, float}) or wanted != value:
        return [f"{place or 'the body'} is {shown(value)}, not {shown(wanted)}"]
    return []


def shown(value: Any) -> str:
    """A value in a report, cut off where it is long."""
    text = "absent" if value is ABSENT else repr(value)
    return text if len(text) <= 500 else text[:497] + "..."


def filled(value: Any, known: dict[str, Any]) -> Any:
    """`value` with every `${name.field.0}` replaced; one that is the whole text keeps its type.

    `${name|int}` is a number in place of a text. Raises `LookupError`.
    """
    if isinstance(value, dict):
        return {str(filled(key, known)): filled(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, known) for inner in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\$\{([^}]+)\}", value)
    if whole:
        return _found(whole[1], known)
    return re.sub(r"\$\{([^}]+)\}", lambda match: str(_found(match[1], known)), value)


def _found(name: str, known: Any) -> Any:
    name, number, _ = name.partition("|int")
    for part in name.split("."):
        try:
            known = known[int(part)] if isinstance(known, list) else known[part]
        except (KeyError, IndexError, TypeError) as problem:
            raise LookupError(f"there is no {name}") from problem
    return int(known) if number else known
