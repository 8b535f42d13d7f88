"""Ledgers of older versions: one step from each version to the next, taken when a part is read.

A part is written back in the present version by the next session that ends; reading alone changes nothing on disk. Whoever
raises `LEDGER_VERSION` adds the step here and a part of the old version to the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from vastplan.model.site_ledger import LEDGER_VERSION

Step = Callable[[dict[str, Any]], dict[str, Any]]


def _from_0(part: dict[str, Any]) -> dict[str, Any]:
    """Version 0, before any release, recorded neither the applied plans nor the limits."""
    return {"plans": [], "limits": {}, "applied": "", **part}


def _from_1(part: dict[str, Any]) -> dict[str, Any]:
    """Version 1 had no `move`, and recorded references as addresses only; they are compared as they were before."""
    return part


def _from_2(part: dict[str, Any]) -> dict[str, Any]:
    """Version 2 had no delivered values, so none of its entries has any."""
    return part


def _from_3(part: dict[str, Any]) -> dict[str, Any]:
    """Version 3 had no operations, so none was under way."""
    return part


UPGRADES: Mapping[int, Step] = MappingProxyType({0: _from_0, 1: _from_1, 2: _from_2, 3: _from_3})


def upgraded(part: dict[str, Any]) -> dict[str, Any]:
    """A part's JSON in the present version. Raises `KeyError` for a version that never existed."""
    while part["version"] != LEDGER_VERSION:
        part = {**UPGRADES[part["version"]](part), "version": part["version"] + 1}
    return part
