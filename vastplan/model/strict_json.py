"""JSON from outside, read strictly: what another reader would not take, or what would break in our hands, is not JSON."""

from __future__ import annotations

import json
from typing import Any, NoReturn

MAX_DEPTH = 64  # the systems' deepest objects have a dozen levels; what walks over values here recurses


def parse(raw: bytes) -> Any:
    """The value of a JSON text; raises `ValueError`, also for NaN, half surrogates and what is nested too deep."""
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    if b"\\ud" in raw or b"\\uD" in raw:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise ValueError("half of a surrogate pair") from None
    _shallow(value)
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _shallow(value: Any) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for container in level
            for inner in (container.values() if type(container) is dict else container)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return
    raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
