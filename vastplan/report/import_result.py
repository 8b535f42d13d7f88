"""The result of an import as text: what blocks an apply first, then counts, then what is left out by reason, then what to type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding
from vastplan.model.import_result import Import, ImportedValues, LeftObject, OtherAction, UncountedCollection
from vastplan.model.wording import counted, some
from vastplan.model.yaml_text import yaml_scalar
from vastplan.report.handover import handover_text

_SHOWN = 20
"""Objects of one code that are listed; a JSON report has all."""
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "SYSTEM": "ships with the product",
        "MADE": "created by a driver or a controller",
        "MIRROR": "the other site's copy",
        "MANAGED": "already in the document",
        "OTHER": "another document owns it",
        "PENDING": "removed from the document; the next apply deletes it",
        "UNASKED": "imported only on request",
        "UNSELECTED": "excluded by an option of this run",
        "FORM": "no entry can express it",
        "VALUE": "this version does not know a value or a name of it",
        "TWINS": "several objects have the same identity",
        "REFERENCE": "what it refers to has no name here",
        "MEANING": "it would change the meaning of a line of the document",
        "UNREAD": "what it depends on could not be read",
    }
)
_ONLY_COUNTED = frozenset({"MANAGED", "UNSELECTED"})


@dataclass(frozen=True, slots=True)
class LeftGroup:
    """What is left out for one reason under one name, on one site or several."""

    kind: str
    name: str
    field: str
    why: str
    fix: str
    sites: tuple[str, ...]


def group_left_objects(left: Iterable[LeftObject]) -> list[LeftGroup]:
    """The left-out objects, the same on several sites as one, in the order of the first."""
    sites: dict[tuple[str, str, str, str, str], list[str]] = {}
    for each in left:
        sites.setdefault((each.kind, each.name, each.field, each.why, each.fix), []).append(each.site)
    return [LeftGroup(*identity, tuple(dict.fromkeys(where))) for identity, where in sites.items()]


def by_code(left: Iterable[LeftObject]) -> dict[str, list[LeftObject]]:
    """What is left out by code, in the order of the codes; fields that alone are left out come under `FIELD`."""
    groups: dict[str, list[LeftObject]] = {code: [] for code in (*MEANINGS, "FIELD")}
    for each in left:
        groups.setdefault("FIELD" if each.field else each.code, []).append(each)
    return {code: group for code, group in groups.items() if group}


def is_listed(code: str, group: list[LeftObject]) -> bool:
    """Whether a report for people lists each of them, and not only their number."""
    return code == "FIELD" or (group[0].counts and code not in _ONLY_COUNTED)


def kind_counts(left: Iterable[LeftObject]) -> str:
    """How many objects of each kind."""
    kinds = Counter(each.kind for each in left)
    return ", ".join(counted(count, inert(kind)) for kind, count in sorted(kinds.items()))


def verb_counts(actions: Iterable[OtherAction]) -> str:
    """How many actions of each verb."""
    verbs = Counter(each.verb for each in actions)
    return ", ".join(f"{count} {verb}" for verb, count in sorted(verbs.items()))


def waiver(finding: Finding) -> str:
    """The line that accepts a finding; a person completes the reason and the last day."""
    return f'{{code: {yaml_scalar(finding.code)}, address: {yaml_scalar(finding.address)}, reason: "", until: ""}}'


def values_text(values: ImportedValues) -> str:
    """Where the values of the taken objects are."""
    parts = [f"{values.written} in the document", f"{values.defaults} left to defaults of the systems"]
    if values.unconfirmed:
        parts.append(f"{values.unconfirmed} left to defaults that no vendor's document confirms (--full writes them)")
    parts += [f"{values.withheld} withheld"] if values.withheld else []
    parts += [f"{values.unsaid} that no entry can express"] if values.unsaid else []
    return ", ".join(parts)


def beyond_text(collections: Sequence[UncountedCollection]) -> Iterator[str]:
    """The collections that have no kind: by system, or, if they were counted, by site and system without the empty ones."""
    if not is_counted(collections):
        names: dict[str, dict[str, None]] = {}
        for each in collections:
            names.setdefault(each.system, {})[each.name] = None
        for system, collected in names.items():
            yield f"{system}: {some(list(collected), 8)}"
        return
    groups: dict[tuple[str, str], list[UncountedCollection]] = {}
    for each in collections:
        groups.setdefault((each.site, each.system), []).append(each)
    for (site, system), group in groups.items():
        counted = [f"{each.name} {each.objects}" for each in group if each.objects]
        uncounted = [each.name for each in group if each.objects is None]
        also = f" (not counted: {some(uncounted)})" if uncounted else ""
        yield f"{site} {system}: {some(counted, 40) or 'nothing'}{also}"


def coverage_text(result: Import) -> str:
    """How much of what could be managed the document has."""
    if result.unread and not result.coverage:
        return "The document's share of what could be managed is unknown: nothing could be read."
    subject = "Of what could be read, the" if result.unread else "The"
    return f"{subject} document has {result.covered} % of what could be managed."


def is_counted(collections: Iterable[UncountedCollection]) -> bool:
    """Whether the objects of the collections were counted."""
    return any(each.objects is not None or each.error for each in collections)


def import_text(result: Import) -> str:
    """The whole result as text for people."""
    return "\n".join(_lines(result))


def _lines(result: Import) -> Iterator[str]:
    yield from _held_up(result.findings)
    would = "would write" if result.tried else "wrote"
    for file in result.files:
        yield f"{would} {inert(file.path)}: {counted(file.entries, 'entry')} in {counted(file.lines, 'line')}"
    if result.files:
        entries = counted(len(result.taken), "entry")
        yield f"Imported {counted(result.adopts, 'object')} as {entries}; the plan adopts them and changes no field of them."
        yield f"Values: {values_text(result.values)}."
    else:
        yield "Nothing new: no file was written."
    if result.creates:
        yield f"An apply creates {counted(len(result.creates), 'object')}, which isolation needs:"
        yield from (f"  + {inert(address)}" for address in result.creates[:_SHOWN])
        if len(result.creates) > _SHOWN:
            yield f"  and {len(result.creates) - _SHOWN} more"
    if result.waiting:
        yield f"Waiting for an apply: {counted(result.waiting, 'object')} that the document had already."
    if result.besides:
        yield f"An apply also does what was pending before: {verb_counts(result.besides)}."
    yield from _left(result)
    reasons: dict[tuple[str, str], list[str]] = {}
    for unread in result.unread:
        reasons.setdefault((unread.site, unread.reason), []).append(unread.kind)
    for (site, reason), unread_kinds in reasons.items():
        yield f"  ? {inert(site)} {inert(some(unread_kinds))}: {inert(reason)}"
    if result.unread:
        yield f"{counted(len(result.unread), 'collection')} could not be read: import again when they can."
    yield from _beyond(result)
    yield coverage_text(result)
    yield from map(inert, result.notes)
    if result.next and not any(state.handover.needed for state in result.terraform):
        yield f"Next: {result.next}"
    yield from handover_text(result.terraform, result.next, tried=result.tried and not result.next)


def _held_up(findings: Iterable[Finding]) -> Iterator[str]:
    findings = list(findings)
    for finding in findings:
        yield f"error {finding.code}: {inert(finding.address)}: {inert(finding.message)}"
    if findings:
        yield "These errors exist in the live systems and block every apply: correct them, or accept them with a reason and a last day:"
        yield "  checks:"
        yield "    waive:"
        yield from (f"      - {inert(waiver(finding), None)}" for finding in findings)


def _left(result: Import) -> Iterator[str]:
    """What is left out, by code; what others own is only counted."""
    groups = by_code(result.left)
    for code, group in groups.items():
        if code == "MANAGED":
            continue
        meaning = MEANINGS.get(code, "")
        title = "Fields left out" if code == "FIELD" else f"Left, {inert(code)}" + (f" ({meaning})" if meaning else "")
        yield f"{title}: {kind_counts(group)}"
        if not is_listed(code, group):
            continue
        collected = group_left_objects(group)
        for each in collected[:_SHOWN]:
            field = f", its {inert(each.field)}" if each.field else ""
            where = f"{inert(each.kind)} {inert(each.name)}{field} ({inert(some(each.sites))})"
            yield f"  {where}: {inert(each.why)}" + (f"; {inert(each.fix)}" if each.fix else "")
        if len(collected) > _SHOWN:
            yield f"  and {len(collected) - _SHOWN} more (--format json lists all)"


def _beyond(result: Import) -> Iterator[str]:
    if not result.beyond:
        return
    yield (
        "No kind here, so never read:"
        if is_counted(result.beyond)
        else "No kind here, so never read (--census counts):"
    )
    yield from (f"  {inert(line, None)}" for line in beyond_text(result.beyond))
