"""A check as data: a stable code, why it matters, what to do, where the fact comes from, and a pure function that finds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Violation:
    """What a check found about an entry; `fix` and `severity` stand in for the check's own where they can be more exact."""

    entry: Entry
    message: str
    fix: str = ""
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `reads` names kinds that it looks at live, at plan time only, on the sites that `wanted` answers.

    A check that reads finds nothing of that on a site where it was not told: unknown is not wrong. `figures` are those of
    their figures that it looks at; that another one is not told is no concern of its. A check that also finds what is
    less bad than its `severity` says so with `milder`.
    """

    code: str
    title: str
    severity: Severity
    why: str
    fix: str
    source: str
    run: Callable[[Facts], Iterable[Violation]]
    reads: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    milder: Severity | None = None
    wanted: Callable[[Facts], Iterable[str]] = lambda _: ()


def discover(package: ModuleType) -> Mapping[str, Check]:
    """All checks of a package by code, in the order of the codes; raises `TypeError` when two share one.

    A module holds one check, or a tuple of those that come out of one computation.
    """
    found: dict[str, Check] = {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for value in vars(importlib.import_module(info.name)).values():
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Check) and found.setdefault(one.code, one) is not one:
                    raise TypeError(f"check {one.code} is declared twice")
    return dict(sorted(found.items()))
