"""The head of a document: who it is for, where its sites are, where the ledger is kept, and its limits.

What is said of a system is declared by that system. The classes here know none: `models` adds a field for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import MISSING, BeforeValidator, Field, StringConstraints, create_model, model_validator

from vastplan.document.waivers import ChecksSpec, day
from vastplan.document.yaml import Rounded
from vastplan.schema.capability import Capability
from vastplan.schema.connection import SharedLedgerSpec, SiteName, SystemSpec
from vastplan.schema.system import System, Systems
from vastplan.schema.types import Count, DnsLabel, Says, Spec, Text

_Model = TypeVar("_Model", bound=Spec)


def _version_text(value: object) -> object:
    """YAML makes a number of `2.6`; one that lost its last zero by that may be another version, and is refused."""
    if isinstance(value, Rounded):
        raise ValueError(f"YAML reads {value.text} as the number {value!r}; put the version in quotes: '{value.text}'")
    return repr(value) if isinstance(value, float) else value


Version = Annotated[
    str,
    StringConstraints(pattern=r"^v?\d+(\.\d+){1,4}([-+][0-9A-Za-z.+-]+)?$", max_length=64),
    Says("a version, such as 5.3.1"),
    BeforeValidator(_version_text, json_schema_input_type=str | float),
]


class SimUser(Spec):
    """Somebody in a simulated directory."""

    uid: Count
    groups: list[Text] | MISSING = MISSING


class SimGroup(Spec):
    """A group in a simulated directory."""

    gid: Count


class SimDirectory(Spec):
    """Who is in the directory (LDAP, say) that simulated systems ask."""

    users: dict[Text, SimUser] | MISSING = MISSING
    groups: dict[Text, SimGroup] | MISSING = MISSING


class SimEndpoint(Spec):
    """The embedded simulators stand in for the site's systems; what they hold is kept beside the ledger."""

    systems: list[str] | MISSING = MISSING
    directory: SimDirectory | MISSING = MISSING


class Connections(Spec):
    """A site's systems. A system that is left out does not exist there."""

    sim: SimEndpoint | MISSING = MISSING

    @model_validator(mode="after")
    def _real_or_simulated(self) -> Connections:
        if self.sim is not MISSING and self.given():
            raise ValueError(f"a site is either simulated or real: give sim, or {_listed(_system_fields(self), 'and')}")
        return self

    def given(self) -> dict[str, SystemSpec]:
        """What is said of each system that is given with an address."""
        values = {name: getattr(self, name) for name in _system_fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, SystemSpec)}

    @property
    def simulated(self) -> bool:
        """Whether the embedded simulators stand in for its systems."""
        return self.sim is not MISSING

    def systems(self) -> frozenset[str]:
        """The systems that are given, `sim` as itself."""
        return frozenset(self.given()) | ({"sim"} if self.simulated else set())


Isolation = Literal["admission_policy", "audit", "resource_quota"]


class VersionsSpec(Spec):
    """The versions of a site's products, for work without a network; what a version lacks is refused. Quote them."""

    vms: Version | MISSING = MISSING
    kubernetes: Version | MISSING = MISSING
    runai: Version | MISSING = MISSING


class InlineVolumesSpec(Spec):
    """Whether pods may bring volumes of the VAST drivers themselves, past every claim and class; and why."""

    allow: bool
    reason: Annotated[str, StringConstraints(min_length=3)]


class SiteSpec(Connections):
    """A site of the document."""

    isolation: Isolation | MISSING = MISSING
    """What keeps its classes closed; `audit` refuses nobody, and has the API server say whom `admission_policy` would refuse."""
    inline_volumes: InlineVolumesSpec | MISSING = MISSING
    """With `allow: true` nothing keeps pods from bringing volumes of VAST themselves; each plan says so."""
    csi: Version | MISSING = MISSING
    """The version of the VAST CSI drivers that are installed there: what they cannot do is refused."""
    versions: VersionsSpec | MISSING = MISSING
    """The versions of the other products, as far as they are known without asking."""
    parallel: Annotated[int, Field(ge=1, le=64)] | MISSING = MISSING
    retire: bool | MISSING = MISSING
    """Whether the site is to be emptied: nothing of the document is wanted there, and all that is owned there goes."""
    capability: Capability | MISSING = MISSING
    """What the site can do: what its promises, QoS minimums, GPUs and checkpoints are held against."""

    @property
    def retired(self) -> bool:
        """Whether nothing of the document is wanted there any more."""
        return self.retire is True

    def declared_versions(self) -> dict[str, str]:
        """The versions that are said, by product."""
        written = {"csi": self.csi}
        if isinstance(self.versions, VersionsSpec):
            written |= {"vms": self.versions.vms, "kubernetes": self.versions.kubernetes, "runai": self.versions.runai}
        return {product: version for product, version in written.items() if isinstance(version, str)}


def _system_fields(connections: Connections) -> list[str]:
    """The fields that a model has because there are such systems."""
    return [name for name in type(connections).model_fields if name not in SiteSpec.model_fields]


class LedgerSpec(Spec):
    """Where what we own is written down; the default is `.vastplan/ledger` beside the document, and no folder is outside its."""

    local: str | MISSING = MISSING

    @model_validator(mode="after")
    def _one_place(self) -> LedgerSpec:
        fields = list(type(self).model_fields)
        if sum(getattr(self, name) is not MISSING for name in fields) != 1:
            raise ValueError(f"give either {_listed(fields, 'or')}")
        return self

    def shared(self) -> tuple[str, SharedLedgerSpec] | None:
        """The system that keeps it for several runners, and what is said of that; `None` for local files."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return next(((name, value) for name, value in values.items() if isinstance(value, SharedLedgerSpec)), None)


class LimitsSpec(Spec):
    """How much of a kind one apply may change before somebody has to look twice."""

    max_changes_percent: Annotated[int, Field(ge=0, le=100)] | MISSING = MISSING
    max_changes: Annotated[int, Field(ge=0)] | MISSING = MISSING


class IgnoreDriftSpec(Spec):
    """Changes by hand that are nobody's mistake: neither drift nor undone by a plan, until the document changes the field."""

    address: Annotated[str, StringConstraints(min_length=1)]
    """An address `site/kind/name`; `*` and `?` as in file names."""
    fields: Annotated[list[Annotated[str, StringConstraints(min_length=1)]], Field(min_length=1)] | MISSING = MISSING
    """Only these fields and what is inside them; without it the whole object, also when it is gone."""
    reason: Annotated[str, StringConstraints(min_length=3)]
    until: (
        Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), Says("a day, such as 2026-12-31, in quotes")]
        | MISSING
    ) = MISSING
    """The last day it holds; from then on it is drift again, and a warning says so."""

    @model_validator(mode="after")
    def _a_day(self) -> IgnoreDriftSpec:
        if isinstance(self.until, str):
            day(self.until)
        return self


class DriftSpec(Spec):
    """How changes behind our back are looked at."""

    ignore: list[IgnoreDriftSpec] | MISSING = MISSING


class Head(Spec):
    """All of a document but its sections of entries."""

    version: Literal[1]
    name: DnsLabel
    sites: Annotated[dict[SiteName, SiteSpec], Field(min_length=1)]
    ledger: LedgerSpec | MISSING = MISSING
    limits: LimitsSpec | MISSING = MISSING
    checks: ChecksSpec | MISSING = MISSING
    drift: DriftSpec | MISSING = MISSING

    def retired(self) -> frozenset[str]:
        """The sites that are to be emptied."""
        return frozenset(name for name, site in self.sites.items() if site.retired)

    def shared_ledger(self) -> tuple[str, SharedLedgerSpec] | None:
        """The system that keeps the ledger for several runners, and what is said of that."""
        return self.ledger.shared() if isinstance(self.ledger, LedgerSpec) else None


class SecretsSpec(Spec):
    """Where a document's secrets may come from, beside the files in its own folder."""

    env: (
        list[
            Annotated[
                str,
                StringConstraints(pattern=r"^[A-Za-z0-9_*]+$"),
                Says("the name of an environment variable, with * for anything", shown=False),
            ]
        ]
        | MISSING
    ) = MISSING
    """Environment variables by name; `*` stands for anything."""
    folders: list[Annotated[str, StringConstraints(min_length=1)]] | MISSING = MISSING
    """Folders, relative to the connections file."""


class ConnectionsFile(Spec):
    """`--connections FILE`: all that trust hangs on, from outside the document, which then may hold none of it."""

    version: Literal[1]
    sites: dict[SiteName, Connections]
    ledger: LedgerSpec | MISSING = MISSING
    """Where what we own is written down, as a document says it without a connections file; a folder is beside this one."""
    secrets: SecretsSpec | MISSING = MISSING
    require_signature: Annotated[str, StringConstraints(min_length=1)] | MISSING = MISSING
    """A file of public keys, from this file's folder: `apply` carries out no plan that none of them signed."""

    def opened(self) -> Iterator[SystemSpec]:
        """What it says of all systems, and of the one that keeps the ledger."""
        for of_site in self.sites.values():
            yield from of_site.given().values()
        shared = self.ledger.shared() if isinstance(self.ledger, LedgerSpec) else None
        if shared is not None:
            yield shared[1]


@dataclass(frozen=True, slots=True)
class Models:
    """The models of what is written, with a field for each system."""

    head: type[Head]
    connections: type[Connections]
    connections_file: type[ConnectionsFile]


def models(systems: Systems) -> Models:
    """The models for these systems."""
    return _models(tuple(systems.items()))


@lru_cache(8)  # building them takes longer than reading a small document, which an import does in every round
def _models(listed: tuple[tuple[str, System[Any]], ...]) -> Models:
    systems = dict(listed)
    simulated = tuple(name for name, system in systems.items() if system.simulate is not None)
    sim = _extended(SimEndpoint, {"systems": _optional(list[Literal[simulated]])} if simulated else {})  # type: ignore[valid-type]
    specs = {name: _optional(system.spec) for name, system in systems.items()}
    connections = _extended(Connections, {**specs, "sim": _optional(sim)})
    bases = (SiteSpec, connections)
    site = create_model("SiteSpec", __base__=bases, __doc__=SiteSpec.__doc__, sim=_optional(sim))
    keepers = {name: system for name, system in systems.items() if system.ledger is not None}
    ledger = _extended(LedgerSpec, {name: _optional(system.ledger) for name, system in keepers.items()})
    head = _extended(
        Head,
        {"sites": (Annotated[dict[SiteName, site], Field(min_length=1)], ...), "ledger": _optional(ledger)},  # type: ignore[valid-type]
    )
    file = _extended(
        ConnectionsFile,
        {"sites": (dict[SiteName, connections], ...), "ledger": _optional(ledger)},  # type: ignore[valid-type]
    )
    return Models(head, connections, file)


def _extended(base: type[_Model], fields: Mapping[str, Any]) -> type[_Model]:
    """The model with more fields, or narrower ones; in all else the same."""
    model: type[_Model] = create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)
    return model


def _optional(type_: Any) -> tuple[Any, Any]:
    return type_ | MISSING, MISSING


def _listed(names: list[str], word: str) -> str:
    return f" {word} ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


HEAD_KEYS = frozenset(Head.model_fields)
ENTRY_KEYS = ("sites", "per_site", "renamed_from")
EntrySites = Annotated[list[SiteName], Field(min_length=1)]
EntryRenamed = Annotated[str, StringConstraints(min_length=1)]
