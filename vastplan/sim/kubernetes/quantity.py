"""Kubernetes quantities: exact numbers with a suffix, and the canonical form in which the server writes them."""

from __future__ import annotations

import re
from fractions import Fraction

SYNTAX = re.compile(r"^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$")
_BINARY = {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", 1)}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_EXPONENT = re.compile(r"[eE]([-+]?[0-9]+)")


def _parts(text: str) -> tuple[Fraction, str]:
    match = SYNTAX.match(text)
    try:
        number = Fraction(match[1]) if match else None
    except ValueError:
        number = None
    if match is None or number is None:
        raise ValueError(f"quantities must match the regular expression '{SYNTAX.pattern}'")
    suffix = match[2]
    if suffix in _BINARY:
        return number * _BINARY[suffix], "binary"
    if suffix in _DECIMAL:
        return number * Fraction(10) ** _DECIMAL[suffix], "decimal"
    exponent = _EXPONENT.fullmatch(suffix)
    if exponent is None:
        raise ValueError("unable to parse quantity's suffix")
    return number * Fraction(10) ** int(exponent[1]), "exponent"


def parse_quantity(text: str) -> Fraction:
    """The value; raises `ValueError` in the server's words."""
    return _parts(text)[0]


def canonical_quantity(text: str) -> str:
    """The form the server stores: `1024Mi` is `1Gi`, `1.5Gi` is `1536Mi`; raises `ValueError`."""
    value, family = _parts(text)
    return quantity_text(value, family)


def quantity_text(value: Fraction, family: str = "decimal") -> str:
    """A value with the largest suffix of its family that leaves no fraction."""
    if value == 0:
        return "0"
    if family == "binary" and value.denominator == 1 and abs(value) >= 1024:
        for suffix, factor in reversed(_BINARY.items()):
            if value % factor == 0:
                return f"{value / factor}{suffix}"
        return str(value)
    for suffix, power in sorted(_DECIMAL.items(), key=lambda item: -item[1]):
        scaled = value / Fraction(10) ** power
        if scaled.denominator == 1:
            if family == "exponent":
                return f"{scaled}e{power}" if power else str(scaled)
            return f"{scaled}{suffix}"
    return quantity_text(Fraction(-(-value * 10**9 // 1), 10**9), family)  # finer than nano: rounded up
