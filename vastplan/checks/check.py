"""A check as data: a stable code, why it matters, what to do, where the fact comes from, and a pure function that finds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType

from vastplan.checks.facts import Facts
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class Violation:
    """What a check found about an entry; `fix` and `severity` replace the check's own if they are more exact.

    Reports for people combine violations with the same `group`, a text: the group once, and the `item` of each.
    """

    entry: Entry
    message: str
    fix: str = ""
    severity: Severity | None = None
    group: str = ""
    item: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `reads` names kinds that it reads live, at plan time only, on the sites that `wanted` returns; `glances` those that
    it sees only where a plan reads them anyway.

    If a kind could not be read, the check finds nothing about it: unknown is not wrong. `figures` names the live
    figures that it reads; reports show the check as not run only if one of these is unknown. `milder` is the lower
    severity that some of its findings have.
    """

    code: str
    title: str
    severity: Severity
    why: str
    fix: str
    source: str
    run: Callable[[Facts], Iterable[Violation]]
    reads: tuple[str, ...] = ()
    glances: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    milder: Severity | None = None
    wanted: Callable[[Facts], Iterable[str]] = lambda _: ()


def discover_checks(package: ModuleType) -> Mapping[str, Check]:
    """All checks of a package by code, in the order of the codes. Raises `TypeError` if two have the same code.

    A module has one check, or a tuple of the checks that one computation finds; one whose name begins with `_` has none.
    """
    checks: dict[str, Check] = {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if info.name.rpartition(".")[2].startswith("_"):
            continue
        for value in vars(importlib.import_module(info.name)).values():
            for check in value if isinstance(value, tuple) else (value,):
                if isinstance(check, Check) and checks.setdefault(check.code, check) is not check:
                    raise TypeError(f"check {check.code} is declared twice")
    return dict(sorted(checks.items()))
