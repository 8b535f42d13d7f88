"""What the operations of one apply share: the ways to the systems, the ledger, and what has been made so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from vastplan.engine.match import Matcher, NotKnown, NotYet
from vastplan.engine.observe import observe
from vastplan.model.address import Address
from vastplan.model.errors import Refused
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.value import Ref, Reveal, revealed
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Journal, Provider


@dataclass(slots=True)
class ApplyContext:
    """What the operations of one apply share.

    `moved` are the actions that something has moved under since they were planned; `made` is what this run has written.
    """

    kinds: Mapping[str, Kind]
    providers: Mapping[tuple[str, str], Provider]
    journals: Mapping[str, Journal]
    ledger: Mapping[str, SiteLedger]
    matcher: Matcher
    reveal: Reveal
    now: Callable[[], datetime]
    moved: Mapping[Address, str] = field(default_factory=dict)
    made: dict[Address, Mapping[str, Any]] = field(default_factory=dict)

    def resolve(self, ref: Ref, attribute: str) -> Any:
        """The wire value of a reference, counting what this run has made."""
        if ref.target in self.made:
            value = self.made[ref.target].get(attribute)
            if value is not None:
                return value
        try:
            return self.matcher.resolve(ref, attribute)
        except (NotYet, NotKnown) as problem:
            value = self._made_meanwhile(ref, attribute)
            if value is None:
                raise Refused(f"it refers to {ref.target}, which is not there ({problem})") from None
            return value

    def _made_meanwhile(self, ref: Ref, attribute: str) -> Any:
        """An object that a system made on its own because of something this run wrote (a peer's mirror, say)."""
        kind = self.kinds[ref.target.kind]
        if ref.managed or (ref.target.site, kind.system) not in self.providers:
            return None
        found = observe([(ref.target.site, kind)], self.providers)
        named = found.named(ref.target.site, kind, ref.target.name)
        return named[0].attributes.get(attribute) if len(named) == 1 else None

    def revealed(self, value: Any) -> Any:
        """The value with its secrets."""
        return revealed(value, self.reveal)
