"""Findings for people: each cause once, with everything that it concerns. Files for machines list every finding. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from vastplan.model.address import kind_of
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import UnknownCollection
from vastplan.model.wording import some
from vastplan.report.values import counted, kind_words, of_any

_SHOWN = 6
_MANY = 5
"""From this many objects on, a finding that is the same for each of them is shown once."""


def folded(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each cause, at the place of the first; waived findings are counted, by code, after all others.

    One cause are findings that say the same of one object on several sites, findings of one `group`, and findings that say the same of
    many objects of one kind. Errors without a `group` stay separate unless they are at the same place of a file, because each is
    corrected in its own place.
    """
    causes: dict[tuple[object, ...], list[Finding]] = {}
    waived: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.waived:
            waived.setdefault(finding.code, []).append(finding)
        else:
            causes.setdefault(_cause(finding), []).append(finding)
    return (*_of_many([_as_one(alike) for alike in causes.values()]), *map(_counted, waived.values()))


def _of_many(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings; those that say the same of many objects become one, at the place of the first."""
    keys = [_sentence(finding) for finding in findings]
    alike: dict[Hashable, list[Finding]] = {}
    for key, finding in zip(keys, findings, strict=True):
        alike.setdefault(key, []).append(finding)
    for key, finding in zip(keys, findings, strict=True):
        many = alike[key]
        if key is None or len(many) < _MANY:
            yield finding
        elif finding is many[0]:
            yield _of_each(many)


def _sentence(finding: Finding) -> Hashable:
    """What is said of an object, whichever it is; `None` if it is about no object, or if each has to be shown."""
    if finding.severity is Severity.ERROR or finding.group or finding.address.count("/") < 2:
        return None
    bare = (of_any(text, finding.address) for text in (finding.message, finding.fix))
    return finding.code, finding.severity, kind_of(finding.address), *bare


def _of_each(many: Sequence[Finding]) -> Finding:
    first = many[0]
    objects = counted(len(many), kind_words(kind_of(first.address)))
    named = some([finding.address for finding in many], _SHOWN)
    lists = "; --format json lists them" if len(many) > _SHOWN else ""
    message, fix = (of_any(text, first.address) for text in (first.message, first.fix))
    return replace(first, address="", where=None, message=f"of {objects}: {message}: {named}{lists}", fix=fix)


def counted_known(findings: Iterable[Finding]) -> str:
    """One line for findings that the change did not cause: `12 findings that the base has too (...)`, "" for none."""
    listed = [*findings]
    if not listed:
        return ""
    severities = ", ".join(
        counted(count, severity.value)
        for severity in Severity
        if (count := sum(1 for finding in listed if finding.severity is severity))
    )
    codes = some(sorted({finding.code for finding in listed}), 12)
    return f"{counted(len(listed), 'finding')} that the base has too ({severities}: {codes}); --format json lists them"


def _cause(finding: Finding) -> tuple[object, ...]:
    about = finding.group or (finding.message, _on_any_site(finding.address))
    # an error is corrected in its place
    place = finding.where if finding.severity is Severity.ERROR and not finding.group else None
    return finding.code, finding.severity, finding.fix, about, place


def _as_one(alike: list[Finding]) -> Finding:
    first = alike[0]
    if len(alike) == 1 or not first.address:
        return first
    sites = ", ".join(dict.fromkeys(_sites(alike)))
    if not first.group:
        return replace(first, address=f"{sites}: {_on_any_site(first.address)}")
    items = some(list(dict.fromkeys(finding.item for finding in alike)), _SHOWN)
    return replace(first, address=sites, message=f"{first.group} {items}")


def _counted(waived: list[Finding]) -> Finding:
    if len(waived) == 1:
        return waived[0]
    text = f"{counted(len(waived), 'finding')} waived by the document (checks.waive); --format json lists them"
    return replace(waived[0], address="", where=None, message=text, fix="")


def _sites(alike: list[Finding]) -> Iterator[str]:
    return (finding.address.partition("/")[0] for finding in alike)


def _on_any_site(address: str) -> str:
    return address.partition("/")[2]


def folded_unknown(unknown: Iterable[UnknownCollection]) -> tuple[UnknownCollection, ...]:
    """The collections that could not be read; many of one system for one reason are one, with their number and some names as kind."""
    by_reason: dict[tuple[str, str, str], list[UnknownCollection]] = {}
    for collection in unknown:
        by_reason.setdefault((collection.site, collection.system, collection.reason), []).append(collection)
    return tuple(
        shown for alike in by_reason.values() for shown in (alike if len(alike) < _MANY else [_of_system(alike)])
    )


def _of_system(alike: Sequence[UnknownCollection]) -> UnknownCollection:
    names = some([collection.kind for collection in alike], 2)
    return replace(alike[0], kind=f"{len(alike)} kinds ({names})")
