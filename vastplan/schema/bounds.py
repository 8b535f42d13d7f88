"""Validators for amounts and ranges, whose messages say what to change."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from vastplan.model import units
from vastplan.schema.types import Bandwidth


def above_zero(parse: Callable[[str], int], sentence: str) -> Any:
    """A validator for amounts above zero; `sentence` says in its message what to change."""

    def check(value: Any) -> Any:
        number = parse(value) if isinstance(value, str) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and number <= 0:
            raise ValueError(f"{value} is too small: {sentence}")
        return value

    return BeforeValidator(check)


def in_bounds(holds: Callable[[float], bool], sentence: str) -> Any:
    """A validator for numbers for which `holds` is true; `sentence` says in its message what to change."""

    def check(value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool) and not holds(value):
            raise ValueError(f"{value} is out of range: {sentence}")
        return value

    return BeforeValidator(check)


def _whole(value: str) -> int:
    return int(value) if re.fullmatch(r"-?\d{1,18}", value) else 1  # text that is not a number is refused by its type


Rate = Annotated[Bandwidth, above_zero(units.parse_bandwidth, "leave out what is not known or not limited")]
Many = Annotated[int, Field(ge=1, le=10**9), above_zero(_whole, "give 1 or more, or leave it out")]
