"""How the written document refers to live objects. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from vastplan.engine.live.observe import Live, Observed
from vastplan.importing.model import LiveKey, object_key
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Refers
from vastplan.schema.references import OF_A_SITE, raw_references


class Addresses:
    """How to refer to live objects: by the address of their entry, else by name if only one of them has it."""

    def __init__(
        self,
        observed: Observed,
        kinds: Mapping[str, Kind],
        addresses: Mapping[LiveKey, Address],
        unread: Set[LiveKey] = frozenset(),
    ) -> None:
        """`unread` are the objects that depend on something that could not be read."""
        self._observed, self._kinds, self._addresses, self._unread = observed, kinds, addresses, unread

    def unread(self, site: str, refers: Refers, raw: Any) -> str:
        """What could not be read of what a raw value refers to: its kind, or an object that depends on something unread; "" if all was
        read."""
        missing = ""
        for kind, attribute in refers.targets:
            for where in self._where(site, kind, attribute):
                live = self._observed.find(where, kind, attribute, raw)
                if live is not None:
                    return f"{kind} {live.name}" if object_key(live) in self._unread else ""
                if not missing and self._observed.error(where, kind) and not self._observed.absent(where, kind):
                    missing = kind if where == site else f"{kind} of {where}"
        return missing

    def _where(self, site: str, kind: str, attribute: str) -> Iterable[str]:
        """The sites to look on: this one for an attribute that is valid only within a site, else all sites that have the kind."""
        return (site,) if attribute in OF_A_SITE else dict.fromkeys((site, *self._observed.sites(kind)))

    def named(self, live: Live, refers: Refers, raw: Any) -> Ref | None:
        """The reference that a raw value of an object stands for; `None` if no object has that name, or several have it."""
        site = live.site
        for kind, attribute in refers.targets:
            for where in self._where(site, kind, attribute):
                matches = self._observed.having(where, kind, attribute, raw)
                if attribute == "name" and self._kinds[kind].endpoint.namespaced:
                    matches = [other for other in matches if self._beside(live, other)]
                if matches:
                    return self._ref(matches[0]) if len(matches) == 1 else None
        for kind, attribute in refers.targets:
            if attribute in ("name", "path") and self._observed.absent(site, kind):
                return Ref(Address(site, kind, str(raw)), managed=False)
        return None

    def _beside(self, live: Live, other: Live) -> bool:
        """Whether two objects refer to a common object, such as the namespace of a project."""
        return not self._stands_in(live).isdisjoint(self._stands_in(other))

    def _stands_in(self, live: Live) -> Set[LiveKey]:
        return {
            object_key(target)
            for _, refers, raw in raw_references(live.kind.fields, live.values)
            for kind, attribute in refers.targets
            for target in self._observed.having(live.site, kind, attribute, raw)
        }

    def _ref(self, live: Live) -> Ref | None:
        address = self._addresses.get(object_key(live))
        return Ref(address) if address is not None else self.existing(live)

    def existing(self, live: Live) -> Ref | None:
        """A reference by name; `None` unless exactly one object has it."""
        name = live.locator if live.kind.endpoint.namespaced else live.name
        if len(self._observed.named(live.site, live.kind, name)) != 1:
            return None
        return Ref(Address(live.site, live.kind.name, name), managed=False)
