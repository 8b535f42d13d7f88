"""Kinds that no vendor has, and objects of them: each test of a stage makes those whose fields it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from vastplan.engine.live.observe import Live, Observed, ObservedCollection
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Kind


def made_up(model: type[BaseModel], name: str = "", *, namespaced: bool = False, **facts: Any) -> Kind:
    """A kind of a model, called as it is in lower case."""
    endpoint = Endpoint("made-up", namespaced=namespaced)
    return Kind(model, name=name or model.__name__.lower(), system="made-up", endpoint=endpoint, **facts)


def one(kind: Kind, id: str, site: str = "iad", **values: Any) -> Live:
    """An object; its attributes are what its values have of them, and `guid`."""
    namespace = values.get("namespace")
    locator = f"{namespace}/{values['name']}" if namespace else id
    told = {attribute.name for attribute in kind.attributes} & values.keys()
    attributes = {"name": values.get("name"), **{name: values[name] for name in sorted(told)}, "path": locator}
    return Live(site, kind, id, locator, values, attributes, {})


def seen(
    kinds: Iterable[Kind],
    *objects: Live,
    unread: Mapping[tuple[str, str], str] | None = None,
    absent: Iterable[tuple[str, str]] = (),
) -> Observed:
    """What was read of two sites: these objects, not what is `unread`, and nothing where there is no such system."""
    collections = {(site, kind.name): ObservedCollection() for site in ("iad", "pdx") for kind in kinds}
    for each in objects:
        collections[each.site, each.kind.name].objects.append(each)
    collections |= {key: ObservedCollection(error=error) for key, error in (unread or {}).items()}
    collections |= {key: ObservedCollection(error="none there", absent=True) for key in absent}
    return Observed(collections)
