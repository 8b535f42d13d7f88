"""What an import is about: what is asked for, what is taken, and what is left, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from types import MappingProxyType

from vastplan.engine.observe import Live
from vastplan.model.escaping import inert
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Theirs

_UNTYPED = re.compile(r"[^A-Za-z0-9 ./_:@-]")
_LONGEST = 200  # characters of a pattern that somebody is told to type
LiveKey = tuple[str, str, str]  # site, kind, id


def key_of(live: Live) -> LiveKey:
    """What an object is told by, whatever it is called."""
    return live.site, live.kind.name, live.id


class Reason(Enum):
    """Why an object is not in the document, the first that fits."""

    SYSTEM = "SYSTEM"  # ships with the product
    MADE = "MADE"  # a driver or a controller made it for itself
    MIRROR = "MIRROR"  # the other site's copy
    MANAGED = "MANAGED"  # the document has it
    OTHER = "OTHER"  # another document owns it
    PENDING = "PENDING"  # the ledger owns it, and the document has dropped it
    UNASKED = "UNASKED"  # taken only when it is asked for
    UNSELECTED = "UNSELECTED"  # somebody said that it is not to be taken
    FORM = "FORM"  # no entry can say it
    VALUE = "VALUE"  # a value that this version does not know
    TWINS = "TWINS"  # several objects have the same identity
    REFERENCE = "REFERENCE"  # what it stands on could not be named
    MEANING = "MEANING"  # it would change what an old line means
    UNREAD = "UNREAD"  # what it depends on could not be read

    @property
    def counts(self) -> bool:
        """Whether what is left for this reason could be managed, so that coverage lacks it."""
        return self not in (Reason.SYSTEM, Reason.MADE, Reason.MIRROR, Reason.OTHER, Reason.MANAGED)


@dataclass(frozen=True, slots=True)
class Left:
    """An object that is not taken: why, in words, and what would change that. `path` is of a field that alone was left."""

    site: str
    kind: str
    id: str
    name: str
    reason: Reason
    why: str
    fix: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects somebody wants: patterns (`*`, `?`) of `site/kind/NAME`, of tenants, and names of kinds; empty is all."""

    tenants: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    take: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def asked_for(self, live: Live) -> bool:
        """Whether it is named by `take`."""
        return _fits(self.take, live)

    def excludes(self, live: Live) -> str:
        """The option that leaves an object out, "" where none does: but `--tenant`, for which it must be known what is placed where."""
        if _fits(self.without, live):
            return "--except"
        return "--kind" if self.kinds and not _like(live.kind.name, self.kinds) else ""

    def wants(self, tenant: str | None) -> bool:
        """Whether what is in a tenant of that name (`None`: in none) is asked for."""
        return not self.tenants or (tenant is not None and _like(tenant, self.tenants))

    def unmatched(self, objects: Sequence[Live]) -> Iterator[tuple[str, str]]:
        """The patterns that fit none of the objects that were read, each with its option."""
        tenants = [live.name for live in objects if live.kind.contains]
        names = [name for live in objects for name in _names(live)] if self.take or self.without else []
        for option, patterns, known in (
            ("--tenant", self.tenants, tenants),
            ("--take", self.take, names),
            ("--except", self.without, names),
        ):
            for pattern in patterns:
                if not any(fits(name, pattern) for name in known):
                    yield option, pattern


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is said of what is taken: patterns of kinds of which every value is, and of labels and annotations that are."""

    full: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def whole(self, kind: Kind) -> bool:
        """Whether every readable value of a kind is written."""
        return _like(kind.name, self.full)

    def keeps(self, kind: Kind, theirs: Theirs, key: str) -> bool:
        """Whether a label is taken: none of what holds secrets, for tools keep a copy of all of it in one."""
        return not kind.secretive and theirs.asked_for(key, self.labels)


def _fits(patterns: tuple[str, ...], live: Live) -> bool:
    return bool(patterns) and any(_like(name, patterns) for name in _names(live))


def _names(live: Live) -> set[str]:
    return {f"{live.site}/{live.kind.name}/{name}" for name in (live.name, live.locator)}


def _like(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fits(text, pattern) for pattern in patterns)


def fits(text: str, pattern: str) -> bool:
    """Whether a text is like a pattern of `*` and `?`. A bracket is one: names of tenants and directories have some."""
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def pattern_of(name: str) -> str:
    """A pattern that a name fits and that can be shown and typed: what cannot is any character."""
    shown = name if inert(name, None) == name else _UNTYPED.sub("?", name)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}*"


class Step(Enum):
    """How an object is written, the best first; what cannot be so falls one step."""

    COMPOSED = 0  # as a part of a larger entry
    NESTED = 1  # as an entry of its own, inside its tenant
    FLAT = 2  # as an entry of its own
    LEFT = 3

    @property
    def below(self) -> Step:
        """The next."""
        return Step(min(self.value + 1, Step.LEFT.value))


@dataclass(frozen=True, slots=True)
class Degraded:
    """What a round has learned that cannot be written: how far objects fell, and fields that are left out, with the reason."""

    steps: Mapping[LiveKey, Step] = field(default_factory=lambda: MappingProxyType({}))
    why: Mapping[LiveKey, tuple[Reason, str]] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[LiveKey, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """Names of top-level fields, each with why it is left out."""
    fixes: Mapping[LiveKey, str] = field(default_factory=lambda: MappingProxyType({}))
    """What would change that an object is left."""

    def step(self, key: LiveKey) -> Step:
        """How far an object may stand up."""
        return self.steps.get(key, Step.COMPOSED)
