"""Features by product version: the only module that compares versions; it reports by address what a site's version lacks.

Declarations carry the markers `Since` and `Until` (on a field, on some of its values, on a kind) and `RequiredFrom`. A site's
version is the one that the system returns, else the one that the document declares; where neither is known nothing is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Site
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Product, RequiredFrom, Since, Until
from vastplan.schema.walk import field_table

Version = tuple[int, ...]
PRODUCTS: tuple[Product, ...] = get_args(Product)
PROBED: Mapping[Product, str] = {"vms": "vast_version", "kubernetes": "kubernetes_version", "runai": "runai_version"}
"""The probed fact with a product's version; no API returns that of the CSI driver."""
NAMES: Mapping[Product, str] = {"vms": "VAST", "csi": "the CSI driver", "runai": "Run:AI", "kubernetes": "Kubernetes"}
"""The products' names in messages."""
_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)")


def parse_version(text: object) -> Version | None:
    """The numbers that a version begins with (`2.6`, `5.5.0.12`, `v1.34.4+k3s1`), `None` for text that begins with none."""
    numbers = _NUMBERS.match(str(text))
    return tuple(map(int, numbers[1].split("."))) if numbers else None


def at_least(has: Version, needed: Version) -> bool:
    """Whether a version is `needed` or newer; missing parts count as 0, so `2.6` is at least `2.6.0`."""
    width = max(len(has), len(needed))
    return _padded(has, width) >= _padded(needed, width)


def _padded(version: Version, width: int) -> Version:
    return version + (0,) * (width - len(version))


def is_before(text: object, needed: str) -> bool:
    """Whether a version is known to be older than another."""
    version, minimum = parse_version(text), parse_version(needed)
    return version is not None and minimum is not None and not at_least(version, minimum)


def version_of(site: Site, product: Product) -> str:
    """The version of a product on a site: as the system returns it, else as the document declares it, "" where it is unknown."""
    probed = site.probed.get(PROBED.get(product, ""))
    return str(probed if parse_version(probed) else declared(site).get(product, ""))


def declared(site: Site) -> Mapping[str, str]:
    """The site's versions that the document declares, by product."""
    versions: Mapping[str, str] = site.settings.get("versions", {})
    return versions


def has(site: Site, product: Product, needed: str) -> bool:
    """Whether a site is known to have version `needed`, or a newer one."""
    version, minimum = parse_version(version_of(site, product)), parse_version(needed)
    return version is not None and minimum is not None and at_least(version, minimum)


_Marker = Since | Until | RequiredFrom


@dataclass(frozen=True, slots=True)
class Need:
    """A part of an entry that not every version has, or that some versions require; `subject` is the word for it in messages."""

    entry: Entry
    subject: str
    marker: _Marker


def needs(kinds: Mapping[str, Kind], entries: Iterable[Entry]) -> tuple[Need, ...]:
    """All parts of entries that depend on a version, in the order of the entries."""
    entries = tuple(entries)
    versioned = {name for name in {entry.address.kind for entry in entries} if _versioned(kinds[name])}
    if not versioned:
        return ()
    by_address = {entry.address: entry for entry in entries}
    return tuple(
        need
        for entry in entries
        if entry.address.kind in versioned
        for need in _needs_of(kinds[entry.address.kind], entry, by_address)
    )


def _versioned(kind: Kind) -> bool:
    return bool(kind.versions or kind.fields.versioned)


def _needs_of(kind: Kind, entry: Entry, by_address: Mapping[Address, Entry]) -> Iterator[Need]:
    for marker in kind.versions:
        yield Need(entry, marker.subject or kind.name, marker)
    for subject, marker_found in _marked(kind.fields, entry.values, (), by_address):
        yield Need(entry, subject, marker_found)


def _marked(
    fields: Iterable[Field], values: Mapping[str, Any], prefix: tuple[str, ...], by_address: Mapping[Address, Entry]
) -> Iterator[tuple[str, _Marker]]:
    """The markers that apply to the fields that are written, or left out, each with its subject."""
    for field in field_table(fields).versioned:
        if field.required_from is not None and values.get(field.name) is None:
            yield ".".join((*prefix, field.name)), field.required_from
        if field.name not in values:
            continue
        path, value = (*prefix, field.name), values[field.name]
        for marker in field.versions:
            if marker.when is None or values.get(marker.when[0]) == marker.when[1]:
                for subject in _subjects(marker, ".".join(path), value, by_address):
                    yield marker.subject or subject, marker
        for part in field.shape.parts(value):
            yield from _marked(field.fields, part, path, by_address)


def _subjects(marker: Since | Until, path: str, value: Any, by_address: Mapping[Address, Entry]) -> Iterator[str]:
    """The parts of a field's value that a marker applies to, as subjects of messages."""
    if marker.inside:
        target = by_address.get(value.target) if isinstance(value, Ref) else None
        keys = (target.values.get(marker.inside) or {}) if target else {}
        yield from (f"the key {key} of {path} {value}" for key in keys if _is_one_of(key, marker.values))
    elif not marker.values:
        yield path
    elif isinstance(value, dict):
        yield from (f"{path}.{key}" for key in value if _is_one_of(key, marker.values))
    else:
        items = value if isinstance(value, list) else [value]
        yield from (f"{path}: {item}" for item in items if item in marker.values)


def _is_one_of(key: str, keys: tuple[str, ...]) -> bool:
    return key in keys or key.partition(".")[0] in keys


def to_probe(sites: Iterable[Site], needed: Iterable[Need]) -> bool:
    """Whether the systems must be asked for their versions: an entry depends on one, or the document declares one."""
    return any(need.marker.product in PROBED for need in needed) or any(
        product in declared(site) for site in sites for product in PROBED
    )


def lacking(sites: Mapping[str, Site], needed: Iterable[Need]) -> list[Finding]:
    """The errors for what the sites' versions lack: one for each entry, subject and product."""
    worst: dict[tuple[Address, str, str], tuple[Need, str]] = {}
    for need in needed:
        version = version_of(sites[need.entry.address.site], need.marker.product)
        numbers = parse_version(version)
        if numbers is None or not _lacks(need.marker, numbers):
            continue
        key = (need.entry.address, need.subject, need.marker.product)
        if key not in worst or _numbers(need.marker) > _numbers(worst[key][0].marker):
            worst[key] = (need, version)
    return [_refusal(need, version) for need, version in worst.values()]


def _numbers(marker: _Marker) -> Version:
    return _parsed(marker.version)


def _parsed(text: str) -> Version:
    numbers = parse_version(text)
    assert numbers is not None, f"{text} is not a version"
    return numbers


def _lacks(marker: _Marker, version: Version) -> bool:
    """Whether a version does not accept what is written, or requires what is left out."""
    is_reached = at_least(version, _numbers(marker))
    if isinstance(marker, RequiredFrom):
        return is_reached and not at_least(version, _parsed(marker.until))
    return is_reached if isinstance(marker, Until) else not is_reached


def _refusal(need: Need, version: str) -> Finding:
    marker, entry = need.marker, need.entry
    name = NAMES[marker.product]
    if isinstance(marker, RequiredFrom):
        message = (
            f"{need.subject} is left out, and {name} requires it from version {marker.version} on, before {marker.until};"
            f" site {entry.address.site} has {version}"
        )
        fix = marker.fix or f"write {need.subject}"
        return error("VP251", message, fix=fix, address=str(entry.address), where=entry.where)
    need_text = "needs" if isinstance(marker, Since) else "needs a version before"
    since = f"version {marker.version}" if isinstance(marker, Since) else marker.version
    message = f"{need.subject} {need_text} {since} of {name}, and site {entry.address.site} has {version}"
    fix = marker.fix or f"leave it out, or upgrade; {_key(marker.product)} of a site says its version"
    return error("VP251", message, fix=fix, address=str(entry.address), where=entry.where)


def _key(product: Product) -> str:
    return "csi" if product == "csi" else f"versions.{product}"


def contradicted(sites: Iterable[Site]) -> list[Finding]:
    """Warnings for versions that the document declares and a system contradicts; `5.5` agrees with `5.5.0.12`."""
    findings = []
    for site in sites:
        for product, fact in PROBED.items():
            declared_version, probed = parse_version(declared(site).get(product)), parse_version(site.probed.get(fact))
            if (
                declared_version
                and probed
                and _padded(probed, len(declared_version))[: len(declared_version)] != declared_version
            ):
                message = (
                    f"site {site.name}: versions.{product} says {declared(site)[product]}, "
                    f"and {NAMES[product]} reports {site.probed[fact]}"
                )
                findings.append(Finding("VP252", Severity.WARNING, message, "write the version that it reports"))
    return findings
