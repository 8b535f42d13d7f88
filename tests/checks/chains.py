"""Objects as they are live, for tests of the proof: an address, values, references; no document around them."""

from __future__ import annotations

from typing import Any

from vastplan.checks.index import Index
from vastplan.checks.isolation.proof import namespaces_of, prove
from vastplan.checks.isolation.reach import Reached, SiteReach
from vastplan.model.address import Address
from vastplan.model.isolation import Isolation
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

IAD = "iad"


def one(kind: str, name: str, /, **values: Any) -> Entry:
    """An object of the site."""
    return Entry(Address(IAD, kind, name), values)


def ref(kind: str, name: str) -> Ref:
    """A reference to one."""
    return Ref(Address(IAD, kind, name))


def walk(entry: Entry, *around: Entry, namespaces: dict[str, str] | None = None) -> list[str]:
    """Where a class or a volume leads to: the entry that it is told of, the way there, and where it ends otherwise."""
    site = SiteReach(IAD, Index([entry, *around]), namespaces or {})
    steps = site.of_class(entry) if entry.address.kind == "storage_class" else site.of_volume(entry)
    return [_text(found) for found in steps]


def _text(found: Reached) -> str:
    way = " > ".join(f"{layer} {element}" for layer, element in found.steps)
    end = f" ? {found.unknown}" if found.unknown else ""
    assert bool(found.element) != bool(found.unknown) or found.layer == "storage class"
    assert found.layer in ("storage class", "secret", "tenant", "VIP pool", "view policy", "path")
    assert (found.tenant, found.path) == (tuple(found.element.split(":", 1)) if found.layer == "path" and not found.unknown else ("", ""))  # fmt: skip
    return f"{found.layer} {found.element} of {found.entry.address.kind} {found.entry.address.name}: {way}{end}"


def proof(*entries: Entry) -> Isolation:
    """What is proven of them."""
    index = Index(entries)
    return prove(IAD, index, namespaces_of(IAD, index))
