"""The model of an import: what is selected, what is taken, and what is left out, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from types import MappingProxyType

from vastplan.engine.live.observe import Live
from vastplan.model.address import fits
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.schema.kind import Kind
from vastplan.schema.markers import KeysOfOthers

_UNTYPED = re.compile(r"[^A-Za-z0-9 ./_:@-]")
_LONGEST = 200  # characters of a pattern that a message asks somebody to type
LiveKey = tuple[str, str, str]  # site, kind, id


def object_key(live: Live) -> LiveKey:
    """What identifies an object, whatever its name."""
    return live.site, live.kind.name, live.id


class LeftReason(Enum):
    """Why an object is not in the document, the first reason that fits."""

    SYSTEM = "SYSTEM"  # ships with the product
    MADE = "MADE"  # created by a driver or a controller for itself
    MIRROR = "MIRROR"  # a copy of an object on another site
    MANAGED = "MANAGED"  # the document has it
    OTHER = "OTHER"  # another document owns it
    PENDING = "PENDING"  # the ledger has it, and the document no longer does
    UNASKED = "UNASKED"  # taken only on request
    UNSELECTED = "UNSELECTED"  # excluded by an option
    FORM = "FORM"  # no entry can express it
    VALUE = "VALUE"  # a value that this version does not know
    TWINS = "TWINS"  # several objects have the same identity
    REFERENCE = "REFERENCE"  # something that it refers to has no name
    MEANING = "MEANING"  # it would change the meaning of an old line
    UNREAD = "UNREAD"  # what it depends on could not be read

    @property
    def counts(self) -> bool:
        """Whether an object left out for this reason could be managed, so that coverage lacks it."""
        return self not in (LeftReason.SYSTEM, LeftReason.MADE, LeftReason.MIRROR, LeftReason.OTHER, LeftReason.MANAGED)


@dataclass(frozen=True, slots=True)
class Left:
    """An object that is not taken: why, in words, and what would change that. With `path`, only that field of it is left out."""

    site: str
    kind: str
    id: str
    name: str
    reason: LeftReason
    why: str
    fix: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects to import: patterns (`*`, `?`) of `site/kind/NAME`, of tenants and of kinds. None selects all but what is taken only
    on request."""

    tenants: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    take: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def asked_for(self, live: Live) -> bool:
        """Whether `take` names the object."""
        return _fits(self.take, live)

    def excludes(self, live: Live) -> str:
        """The option that leaves an object out, "" if none does. Ignores `--tenant`, which needs to know where each object is placed."""
        if _fits(self.without, live):
            return "--except"
        return "--kind" if self.kinds and not _like(live.kind.name, self.kinds) else ""

    def wants(self, tenant: str | None) -> bool:
        """Whether objects in a tenant of that name (`None`: in no tenant) are selected."""
        return not self.tenants or (tenant is not None and _like(tenant, self.tenants))

    def unmatched(self, objects: Sequence[Live]) -> Iterator[tuple[str, str]]:
        """The patterns that match none of the objects that were read, each with its option."""
        tenants = [live.name for live in objects if live.kind.contains]
        names = [name for live in objects for name in _names(live)] if self.take or self.without else []
        for option, patterns, existing in (
            ("--tenant", self.tenants, tenants),
            ("--take", self.take, names),
            ("--except", self.without, names),
        ):
            for pattern in patterns:
                if not any(fits(name, pattern) for name in existing):
                    yield option, pattern


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a taken object is written: patterns of kinds with every value (`full`), and of labels and annotations (`labels`)."""

    full: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def whole(self, kind: Kind) -> bool:
        """Whether every readable value of a kind is written."""
        return _like(kind.name, self.full)

    def keeps(self, kind: Kind, keys: KeysOfOthers, key: str) -> bool:
        """Whether a label is written. No label of a kind that holds secrets is: tools keep a copy of the whole object in one."""
        return not kind.secretive and keys.asked_for(key, self.labels)


def _fits(patterns: tuple[str, ...], live: Live) -> bool:
    return bool(patterns) and any(_like(name, patterns) for name in _names(live))


def _names(live: Live) -> set[str]:
    return {f"{live.site}/{live.kind.name}/{name}" for name in (live.name, live.locator)}


def _like(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fits(text, pattern) for pattern in patterns)


def pattern_of(name: str) -> str:
    """A pattern that matches a name and can be shown and typed; any other character becomes a wildcard."""
    text = name if inert(name, None) == name else _UNTYPED.sub("?", name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}*"


def take_pattern(live: Live) -> str:
    """The pattern of `--take` for an object that import skips unless it is asked for."""
    return f"*/{live.kind.name}/{pattern_of(live.locator)}"


class EntryForm(Enum):
    """How an object is written, the best form first; an object that cannot be written in a form falls one step."""

    COMPOSED = 0  # as a part of a larger entry
    NESTED = 1  # as an entry of its own, inside its tenant
    FLAT = 2  # as an entry of its own
    LEFT = 3

    @property
    def below(self) -> EntryForm:
        """The next step down."""
        return EntryForm(min(self.value + 1, EntryForm.LEFT.value))


@dataclass(frozen=True, slots=True)
class Degraded:
    """What earlier rounds found cannot be written: how far objects fell, and the fields that are left out, with the reasons."""

    steps: Mapping[LiveKey, EntryForm] = field(default_factory=lambda: MappingProxyType({}))
    why: Mapping[LiveKey, tuple[LeftReason, str]] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[LiveKey, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """Names of top-level fields, each with the reason why it is left out."""
    fixes: Mapping[LiveKey, str] = field(default_factory=lambda: MappingProxyType({}))
    """What would let a left-out object be taken."""

    def step(self, key: LiveKey) -> EntryForm:
        """The best form in which an object may be written."""
        return self.steps.get(key, EntryForm.COMPOSED)
