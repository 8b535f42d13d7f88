"""What other documents own in the systems of this document's sites: finds their ledgers' parts by the systems' addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.app.endpoints import EMBEDDED
from vastplan.ledger.backend import OtherParts
from vastplan.model.address import Address
from vastplan.model.claims import Claim, SiteClaims
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.urls import normalised
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts

_SystemPlace = tuple[str, str]  # system, and its address


def site_claims(
    others: OtherParts, endpoints: Mapping[str, Mapping[str, str]], kinds: Mapping[str, Kind]
) -> dict[str, SiteClaims]:
    """The claims of other documents by site; `endpoints` has the addresses of each site's systems and ledger. Pure."""
    by_place: dict[_SystemPlace, list[tuple[str, tuple[Claim, ...]]]] = {}
    systems = sorted({each.system for each in facts(kinds).values()})
    for part in others.parts:
        claims = _by_system(part, kinds)
        for system in systems:
            for place in _places(part.site, system, part.systems):
                by_place.setdefault(place, []).append((part.document, claims.get(system, ())))
    return {
        site: _of_site(site, where, [hit for system in systems for hit in _hits(site, system, where, by_place)], others)
        for site, where in endpoints.items()
    }


def _of_site(
    site: str, where: Mapping[str, str], hits: list[tuple[str, str, tuple[Claim, ...]]], others: OtherParts
) -> SiteClaims:
    return SiteClaims(
        ledger=where.get("ledger", ""),
        claims=tuple(claim for _, _, claims in hits for claim in claims),
        known=tuple(dict.fromkeys((document, system) for document, system, _ in hits)),
        unread=dict(others.unread),
    )


def _hits(
    site: str,
    system: str,
    where: Mapping[str, str],
    by_place: Mapping[_SystemPlace, list[tuple[str, tuple[Claim, ...]]]],
) -> Iterator[tuple[str, str, tuple[Claim, ...]]]:
    for place in dict.fromkeys((*_places(site, system, where), _unnoted(site, system))):
        for document, claims in by_place.get(place, ()):
            yield document, system, claims


def _places(site: str, system: str, where: Mapping[str, str]) -> Iterable[_SystemPlace]:
    """What identifies a system of a site: its normalised address; the site's name if none was recorded or the system is embedded."""
    noted = where.get(system, "")
    if noted == EMBEDDED:
        return [(system, f"{EMBEDDED} {site}")]
    return [(system, normalised(noted))] if noted else [_unnoted(site, system)]


def _unnoted(site: str, system: str) -> _SystemPlace:
    """The identity of a system without a recorded address: sites of the same name count as one."""
    return system, f"a site named {site}"


def _by_system(part: SiteLedger, kinds: Mapping[str, Kind]) -> dict[str, tuple[Claim, ...]]:
    by_system: dict[str, list[Claim]] = {}
    for text, owned in part.entries.items():
        kind = kinds.get(Address.parse(text).kind)
        if kind is not None:
            by_system.setdefault(kind.system, []).append(Claim(kind.name, owned.id, part.document, text))
    return {system: tuple(claims) for system, claims in by_system.items()}
