"""Which kinds a foreign client is to be taken through."""

from __future__ import annotations

from collections.abc import Iterable

from tests.lab import full_registry


def of(system: str) -> set[str]:
    """The names of the registry's kinds of a system."""
    return {kind.name for kind in full_registry().kinds.values() if kind.system == system}


def missing(system: str, covered: Iterable[str], left_out: dict[str, str]) -> set[str]:
    """The kinds that are neither covered nor left out with a reason, and those that are both or that there are not."""
    return (of(system) ^ {*covered, *left_out}) | ({*covered} & {*left_out})
