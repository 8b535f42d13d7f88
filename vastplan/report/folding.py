"""Findings as people are told them: each cause once, with all that it is about. Files for machines list every one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from vastplan.model.finding import Finding
from vastplan.model.wording import some
from vastplan.report.values import counted

_SHOWN = 6


def folded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each cause, where the first of them stands; what is waived is counted, by its code, after all others.

    One cause are those that say the same of one thing on several sites, and those of one `group`.
    """
    causes: dict[tuple[object, ...], list[Finding]] = {}
    waived: dict[str, list[Finding]] = {}
    for one in findings:
        if one.waived:
            waived.setdefault(one.code, []).append(one)
        else:
            causes.setdefault(_cause(one), []).append(one)
    return (*map(_as_one, causes.values()), *map(_counted, waived.values()))


def _cause(one: Finding) -> tuple[object, ...]:
    about = one.group or (one.message, _on_any_site(one.address))
    return one.code, one.severity, one.fix, about


def _as_one(alike: list[Finding]) -> Finding:
    first = alike[0]
    if len(alike) == 1 or not first.address:
        return first
    sites = ", ".join(dict.fromkeys(_sites(alike)))
    if not first.group:
        return replace(first, address=f"{sites}: {_on_any_site(first.address)}")
    items = some(list(dict.fromkeys(one.item for one in alike)), _SHOWN)
    return replace(first, address=sites, message=f"{first.group} {items}")


def _counted(waived: list[Finding]) -> Finding:
    if len(waived) == 1:
        return waived[0]
    text = f"{counted(len(waived), 'finding')} waived by the document (checks.waive); --format json lists them"
    return replace(waived[0], address="", where=None, message=text, fix="")


def _sites(alike: list[Finding]) -> Iterator[str]:
    return (one.address.partition("/")[0] for one in alike)


def _on_any_site(address: str) -> str:
    return address.partition("/")[2]
