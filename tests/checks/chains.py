"""Objects as they are live, for tests of the proof: an address, values, references; no document around them."""

from __future__ import annotations

from typing import Any

from vastplan.checks.index import Index
from vastplan.checks.proof.chain import ChainElement, ChainWalker
from vastplan.checks.proof.proof import namespaces_of, prove
from vastplan.model.address import Address
from vastplan.model.isolation import Isolation
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

IAD = "iad"


def entry(kind: str, name: str, /, **values: Any) -> Entry:
    """An object of the site."""
    return Entry(Address(IAD, kind, name), values)


def ref(kind: str, name: str) -> Ref:
    """A reference to an object of the site."""
    return Ref(Address(IAD, kind, name))


def walk(start: Entry, *others: Entry, namespaces: dict[str, str] | None = None) -> list[str]:
    """Where a class or a volume leads to: the entry that it is told of, the way there, and where it ends otherwise."""
    walker = ChainWalker(IAD, Index([start, *others]), namespaces or {})
    chain = walker.from_class(start) if start.address.kind == "storage_class" else walker.from_volume(start)
    return [_text(element) for element in chain]


def _text(element: ChainElement) -> str:
    way = " > ".join(f"{layer} {element}" for layer, element in element.steps)
    end = f" ? {element.unknown}" if element.unknown else ""
    assert bool(element.element) != bool(element.unknown) or element.layer == "storage class"
    assert element.layer in ("storage class", "secret", "tenant", "VIP pool", "view policy", "path", "bucket")
    assert (element.tenant, element.path) == (tuple(element.element.split(":", 1)) if element.layer == "path" and not element.unknown else ("", ""))  # fmt: skip
    return f"{element.layer} {element.element} of {element.entry.address.kind} {element.entry.address.name}: {way}{end}"


def proof(*entries: Entry) -> Isolation:
    """What is proven of them."""
    index = Index(entries)
    return prove(IAD, index, namespaces_of(IAD, index))
