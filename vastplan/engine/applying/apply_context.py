"""What the operations of one apply share, complete before the first of them starts: nothing here is written afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.names import Named
from vastplan.engine.live.observe import Live
from vastplan.engine.live.read import observe
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused
from vastplan.model.outcome import StaleField
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.value import Ref, Reveal, Unknown, revealed
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Journal, Provider

Made = Mapping[Address, Mapping[str, Any]]
"""What this apply has written so far, by address: the attributes by which other objects refer to it."""


@dataclass(frozen=True, slots=True)
class ApplyContext:
    """What the operations of one apply share. `overtaken` are the actions that are not begun, with the reason: what
    they were planned from has changed since, or was never so."""

    kinds: Mapping[str, Kind]
    providers: Mapping[tuple[str, str], Provider]
    journals: Mapping[str, Journal]
    ledger: Mapping[str, SiteLedger]
    matches: Matches
    reveal: Reveal
    now: Callable[[], datetime]
    overtaken: Mapping[Address, str] = field(default_factory=dict)
    moved: Mapping[Address, tuple[StaleField, ...]] = field(default_factory=dict)
    """The fields of their objects that have changed, where these can be named."""
    witnesses: Mapping[Address, tuple[Live, ...]] = field(default_factory=dict)
    """By address of each object that is to be deleted as empty, the objects whose figures show that it is."""

    def resolve(self, ref: Ref, attribute: str, made: Made) -> Any:
        """The wire value of a reference, including what this run created; raises `Refused` for what does not exist."""
        value = made.get(ref.target, {}).get(attribute) if ref.managed else None
        if value is not None:
            return value
        value = self.matches.resolve(ref, attribute)
        if not isinstance(value, Unknown):
            return value
        problem = value.why
        value = self._made_by_a_system(ref, attribute)
        if value is None:
            raise Refused(f"it refers to {ref.target}, which does not exist ({problem})")
        return value

    def _made_by_a_system(self, ref: Ref, attribute: str) -> Any:
        """The attribute of an object that a system created because of something this apply wrote (a peer's mirror, say)."""
        kind = self.kinds[ref.target.kind]
        if ref.managed or (ref.target.site, kind.system) not in self.providers:
            return None
        names = {(ref.target.site, kind.name): Named(frozenset((ref.target.name,)))}
        observed = observe([(ref.target.site, kind)], self.providers, names=names)
        named = observed.named(ref.target.site, kind, ref.target.name)
        return named[0].attributes.get(attribute) if len(named) == 1 else None

    def revealed(self, value: Any) -> Any:
        """The value with its secrets."""
        return revealed(value, self.reveal)
