"""Whether the document would send a credential elsewhere than before: compares endpoints with the snapshot and the base. Pure.

A changed address changes no object, so no action shows it; and the system at a new address is unknown until it is contacted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from vastplan.app.endpoints import LEDGER, SIMULATED, site_file_contents, system_addresses, trusts
from vastplan.document.load import Document
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import ENDPOINT_CHANGED, Finding, Severity
from vastplan.model.plan import Plan
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.schema.types import MISSING, Spec

_FIX = "change an endpoint in a change of its own, reviewed by whoever answers for the credential; then record again"
_LONGEST = 200
_Places = Mapping[str, Mapping[str, str]]
_Contents = Mapping[str, Mapping[str, Mapping[str, str]]]
_PLACE, _CERTIFICATE = "its place", "its certificate"


@dataclass(frozen=True, slots=True)
class _Difference:
    """A part of an endpoint (its place, its certificate's trust, a field) before and now; "" if it did not exist before."""

    site: str
    system: str
    part: str
    was: str
    now: str


def changed_endpoints(
    document: Document, snapshot: RecordedSnapshot | None, base: Document | None
) -> tuple[Finding, ...]:
    """VP331 for every part of an endpoint that differs from the base or the snapshot; once if both had the same."""
    of_base_places, of_base_files = (system_addresses(base), site_file_contents(base)) if base else ({}, {})
    of_base = (
        [
            _finding(difference, "the base")
            for difference in _against_base(document, base, of_base_places, of_base_files)
        ]
        if base
        else []
    )
    of_snapshot = [
        _finding(difference, "the snapshot")
        for difference in (_against_snapshot(document, snapshot) if snapshot else ())
        if base is None or difference.was != _part(base, of_base_places, of_base_files, difference)
    ]
    return tuple(dict.fromkeys((*of_base, *of_snapshot)))


def with_changed_endpoints(plan: Plan, changed: tuple[Finding, ...]) -> Plan:
    """The plan with these findings first, counted as findings of the change."""
    base = replace(plan.base, findings=plan.base.findings + len(changed)) if plan.base else None
    return replace(plan, base=base, findings=(*changed, *plan.findings))


def _finding(difference: _Difference, origin: str) -> Finding:
    subject = f"{difference.system} of {difference.site}" if difference.site else f"the {difference.system}"
    was, now = (inert(text, _LONGEST) for text in (difference.was, difference.now))
    before = f"was {was} in {origin}" if was else f"{origin} has none"
    message = f"{subject}: {difference.part} is {now}, and {before}"
    return Finding(ENDPOINT_CHANGED, Severity.ERROR, message, _FIX)


def _against_snapshot(document: Document, snapshot: RecordedSnapshot) -> Iterator[_Difference]:
    """Differences of places, trust and file contents. Skips a site for which the document gives no address."""
    seen_sites, of_files = {seen.site: seen for seen in snapshot.sites}, site_file_contents(document)
    for site, systems in system_addresses(document).items():
        if document.offline(site):
            continue
        seen = seen_sites.get(site)
        yield from _moved(site, systems, seen.systems if seen else {})
        recorded = seen.trust if seen else {}  # snapshots before format 1.1 have none
        for system, now in trusts(document, site).items():
            if recorded.get(system, now) != now:
                yield _Difference(site, system, _CERTIFICATE, recorded[system], now)
        yield from _other_files(site, of_files[site], seen.contents if seen else {})


def _against_base(
    document: Document, base: Document, before: _Places, files_before: _Contents
) -> Iterator[_Difference]:
    """Differences of every field of a connection, also the user name and the credential's source; for a new system, its place."""
    of_files = site_file_contents(document)
    for site, systems in system_addresses(document).items():
        given = document.connections[site].given()
        specs = base.connections[site].given() if site in base.connections else {}
        both = given.keys() & specs.keys()
        moved = {system: place for system, place in systems.items() if system not in both}
        yield from _moved(site, moved, before.get(site, {}))
        for system in sorted(both):
            for name in type(given[system]).model_fields:
                was, now = getattr(specs[system], name, MISSING), getattr(given[system], name)
                if was != now:
                    yield _Difference(site, system, name, _text(was), _text(now))
        yield from _other_files(site, of_files[site], files_before.get(site, {}))


def _other_files(
    site: str, now: Mapping[str, Mapping[str, str]], was: Mapping[str, Mapping[str, str]]
) -> Iterator[_Difference]:
    """Differences of the contents of named files, for systems with contents on both sides; the document's settings show the others."""
    for system in sorted(now.keys() & was.keys()):
        for part in sorted(now[system].keys() | was[system].keys()):
            before, after = was[system].get(part, ""), now[system].get(part, "")
            if before != after:
                yield _Difference("" if system == LEDGER else site, system, part, before, after or "not given")


def _part(base: Document, before: _Places, files: _Contents, difference: _Difference) -> str:
    """The value of the same part in the base."""
    if difference.part == _CERTIFICATE:
        return trusts(base, difference.site).get(difference.system, "") if difference.site in base.connections else ""
    site = difference.site or next(iter(base.connections))  # every site has the ledger's place
    if difference.part != _PLACE:
        return files.get(site, {}).get(difference.system, {}).get(difference.part, "")
    return before.get(site, {}).get(difference.system, "")


def _moved(site: str, now: Mapping[str, str], was: Mapping[str, str]) -> Iterator[_Difference]:
    """Systems with another place, or new ones; not a new simulator, which gets no credential, nor a new site's ledger, which is shared."""
    for system, place in now.items():
        before = was.get(system, "")
        if place == before or (not before and (place == SIMULATED or system == LEDGER)):
            continue
        yield _Difference("" if system == LEDGER else site, system, _PLACE, before, place)


def _text(value: object) -> str:
    if value is MISSING:
        return "not given"
    plain = value.model_dump(exclude_unset=True) if isinstance(value, Spec) else value
    return plain if isinstance(plain, str) else json.dumps(plain)
