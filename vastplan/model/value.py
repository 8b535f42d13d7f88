"""Symbolic values: values in a document or plan before references and secrets are resolved.

A value is JSON, or a `Ref` to another object, or a `SecretSource` that is resolved only when it is used. In files they are
written `{"$ref": ADDRESS}`, `{"$existing": ADDRESS}` and `{"$secret": SOURCE}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass

Json = None | bool | int | float | str | list[Any] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to an object by address; `managed` is false for `{existing: NAME}`.

    Two references are equal when they name the same object, whether it is managed or not.
    """

    target: Address
    managed: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        return self.target.name


@dataclass(frozen=True, slots=True)
class SecretSource:
    """The source of a secret: `("env", NAME)` or `("file", PATH)`; never the secret itself."""

    source: tuple[str, str]

    def __str__(self) -> str:
        return "(sensitive)"


class Redacted:
    """A live value that a snapshot does not hold: it is unknown, so nothing is compared with it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "REDACTED"


REDACTED = Redacted()


class Reason(Enum):
    """Why a value is unknown."""

    NOT_REPORTED = "not reported"  # the system's answer does not have it, or has a value of another type
    UNREAD = "unread"  # its collection could not be read
    NOT_CREATED = "not created"  # the object does not exist yet: known after apply
    AMBIGUOUS = "ambiguous"  # several objects match


@dataclass(frozen=True, slots=True)
class Unknown:
    """An unknown value, and why. It never counts as zero, as empty, or as absent."""

    why: str
    reason: Reason = Reason.NOT_REPORTED

    def __str__(self) -> str:
        return f"unknown: {self.why}"


Reveal = Callable[[SecretSource], str]


def to_json(value: Any) -> Any:
    """`value` as plain JSON, with references, secrets and withheld values as objects with a `$` key."""
    if isinstance(value, Ref):
        return {"$ref" if value.managed else "$existing": str(value.target)}
    if isinstance(value, SecretSource):
        return {"$secret": {value.source[0]: value.source[1]}}
    if isinstance(value, Redacted):
        return {"$withheld": True}
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def from_json(value: Any) -> Any:
    """The inverse of `to_json`."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, inner),) = value.items()
            if key == "$ref":
                return Ref(Address.parse(inner))
            if key == "$existing":
                return Ref(Address.parse(inner), managed=False)
            if key == "$secret":
                ((kind, where),) = inner.items()
                return SecretSource((kind, where))
        return {key: from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    return value


def revealed(value: Any, reveal: Reveal) -> Any:
    """The value with its secrets resolved; raises what `reveal` raises."""
    if isinstance(value, SecretSource):
        return reveal(value)
    if isinstance(value, dict):
        return {key: revealed(item, reveal) for key, item in value.items()}
    if isinstance(value, list):
        return [revealed(item, reveal) for item in value]
    return value


def sources(value: Any) -> list[tuple[str, str]]:
    """The sources of the secrets inside a value."""
    if isinstance(value, SecretSource):
        return [value.source]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    # runs for every entry: what cannot hold a secret costs no call
    return [source for item in inner if not isinstance(item, str | int | None) for source in sources(item)]


def json_text(value: Any) -> str:
    """The text of `to_json(value)` with sorted keys, without building that value first."""
    return _ENCODER.encode(value)


def canonical_text(value: Any) -> str:
    """The same text for equal values, whatever the order of keys; digests are computed from it."""
    return _CANONICAL.encode(value)


def _symbol(value: Any) -> Any:
    """The JSON form of a value that is not of a JSON type, for an encoder."""
    symbol = to_json(value)
    if symbol is value:
        raise TypeError(f"a {type(value).__name__} has no place in JSON")
    return symbol


def _canonical_symbol(value: Any) -> Any:
    # whether the target is managed does not change which object it is
    return {"$ref": str(value.target)} if isinstance(value, Ref) else _symbol(value)


_ENCODER = json.JSONEncoder(sort_keys=True, default=_symbol)
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_canonical_symbol)


def references(value: Any) -> list[Ref]:
    """Every reference inside a value, in order."""
    if isinstance(value, Ref):
        return [value]
    if isinstance(value, dict):
        return [ref for item in value.values() for ref in references(item)]
    if isinstance(value, list | tuple):
        return [ref for item in value for ref in references(item)]
    return []


def with_names(value: Any, names: Mapping[str, str]) -> Any:
    """Plain JSON as people read it: a name in place of a reference whose address `names` has."""
    if not names:
        return value
    if isinstance(value, list):
        return [with_names(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    target = value.get("$ref", value.get("$existing"))
    if isinstance(target, str) and target in names:
        return names[target]
    return {key: with_names(item, names) for key, item in value.items()}
