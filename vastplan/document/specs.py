"""The head of a document: who it is for, where its sites are, where the ledger is kept, and its limits.

Each system declares its own spec. The classes here know no system: `models` adds a field for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import MISSING, BeforeValidator, Field, StringConstraints, create_model, model_validator

from vastplan.document.waivers import ChecksSpec, day
from vastplan.document.yaml import Rounded
from vastplan.model.dataclass import dataclass
from vastplan.schema.capability import Capability
from vastplan.schema.connection import SharedLedgerSpec, SiteName, SystemSpec
from vastplan.schema.system import System, Systems
from vastplan.schema.types import Count, DnsLabel, Says, Spec, Text

_Model = TypeVar("_Model", bound=Spec)


def _version_text(value: object) -> object:
    """A version as text, although YAML reads `2.6` as a number. One with a zero at its end is refused: a number loses that zero."""
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
    """A user of a simulated directory."""

    uid: Count
    """Numeric id of the user (uid) in the simulated directory."""
    groups: list[Text] | MISSING = MISSING
    """Groups of the simulated directory, by name, that the user is a member of."""


class SimGroup(Spec):
    """A group of a simulated directory."""

    gid: Count
    """Numeric id of the group (gid) in the simulated directory."""


class SimDirectory(Spec):
    """The users and groups of the directory, such as LDAP, that a simulated VAST cluster uses."""

    users: dict[Text, SimUser] | MISSING = MISSING
    """Users of the simulated directory, by name."""
    groups: dict[Text, SimGroup] | MISSING = MISSING
    """Groups of the simulated directory, by name."""


class SimEndpoint(Spec):
    """The embedded simulators, instead of a site's systems; their objects are kept beside the ledger."""

    systems: list[str] | MISSING = MISSING
    """Simulated systems; left out, all. A system that is not listed does not exist on the site."""
    directory: SimDirectory | MISSING = MISSING
    """Users and groups that the simulated VAST cluster finds in its directory, such as LDAP."""


class Connections(Spec):
    """A site's systems. A system that is left out does not exist there."""

    sim: SimEndpoint | MISSING = MISSING
    """Simulators instead of the site's systems; excludes addresses of real ones. Their objects are kept beside the ledger."""

    @model_validator(mode="after")
    def _real_or_simulated(self) -> Connections:
        if self.sim is not MISSING and self.given():
            raise ValueError(
                f"it has sim and {_listed([*self.given()], 'and')}; remove sim, or the others: a site is simulated or real"
            )
        return self

    def given(self) -> dict[str, SystemSpec]:
        """The specs of the systems that are given with an address."""
        values = {name: getattr(self, name) for name in _system_fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, SystemSpec)}

    @property
    def simulated(self) -> bool:
        """Whether embedded simulators replace its systems."""
        return self.sim is not MISSING

    def systems(self) -> frozenset[str]:
        """The names of the systems that are given, including `sim`."""
        return frozenset(self.given()) | ({"sim"} if self.simulated else set())


Isolation = Literal["admission_policy", "audit", "resource_quota"]


class VersionsSpec(Spec):
    """The versions of a site's products, each in quotes."""

    vms: Version | MISSING = MISSING
    """Version of VMS on the site's VAST cluster."""
    kubernetes: Version | MISSING = MISSING
    """Version of Kubernetes on the site, as its API server returns it."""
    runai: Version | MISSING = MISSING
    """Version of Run:AI of the site's cluster in the control plane."""


class InlineVolumesSpec(Spec):
    """Whether pods may mount VAST, other servers or directories of their node in their own spec, without a claim; and why."""

    allow: bool
    """true lets every pod of the site mount VAST without claims and classes; false is the same as leaving it out."""
    reason: Annotated[str, StringConstraints(min_length=3)]
    """Why pods may do so; the warning about it in each plan shows this text."""


class SiteSpec(Connections):
    """A site of the document: its systems, what they can do, and how its storage classes are closed."""

    isolation: Isolation | MISSING = MISSING
    """How storage classes are closed to namespaces that may not use them: by an admission policy; by one that only warns and
    logs (`audit`) and refuses nobody; or by zero quotas, which namespaces created later do not have."""
    inline_volumes: InlineVolumesSpec | MISSING = MISSING
    """Exception to the admission policy that forbids pods to mount VAST, other servers or their node without a claim; every plan then warns."""
    csi: Version | MISSING = MISSING
    """Version of the VAST CSI drivers on the site, which no API returns. vastplan refuses what this version lacks."""
    versions: VersionsSpec | MISSING = MISSING
    """Versions of the site's products, for work without a network. vastplan refuses what a version lacks, and a plan warns if
    a system returns another version."""
    parallel: Annotated[int, Field(ge=1, le=64)] | MISSING = MISSING
    """Most requests at the same time to each system of the site; left out, 8."""
    retire: bool | MISSING = MISSING
    """true empties the site: the document asks for nothing there any more, and plans delete everything that the ledger has there."""
    capability: Capability | MISSING = MISSING
    """What the site can do: capacity, bandwidth, IOPS, links and GPUs; checks compare it with what the document promises and
    with checkpoints."""

    @property
    def retired(self) -> bool:
        """Whether the document asks for nothing on the site any more."""
        return self.retire is True

    def declared_versions(self) -> dict[str, str]:
        """The versions that are declared, by product."""
        versions = {"csi": self.csi}
        if isinstance(self.versions, VersionsSpec):
            versions |= {"vms": self.versions.vms, "kubernetes": self.versions.kubernetes, "runai": self.versions.runai}
        return {product: version for product, version in versions.items() if isinstance(version, str)}


def _system_fields(connections: Connections) -> list[str]:
    """The fields that a model has because there are such systems."""
    return [name for name in type(connections).model_fields if name not in SiteSpec.model_fields]


class LedgerSpec(Spec):
    """The place of the ledger, which records what the document owns: files in a folder, or a system that several runners share."""

    local: str | MISSING = MISSING
    """Folder that keeps the ledger as files, relative to the document and inside its folder; in a connections file,
    relative to that."""

    @model_validator(mode="after")
    def _one_place(self) -> LedgerSpec:
        fields = list(type(self).model_fields)
        if sum(getattr(self, name) is not MISSING for name in fields) != 1:
            raise ValueError(f"give either {_listed(fields, 'or')}")
        return self

    def shared(self) -> tuple[str, SharedLedgerSpec] | None:
        """The system that keeps the ledger for several runners, and its spec; `None` for local files."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return next(((name, value) for name, value in values.items() if isinstance(value, SharedLedgerSpec)), None)


class LimitsSpec(Spec):
    """How many objects of a kind on a site one apply may change. The larger of the two limits counts, and a plan with more is blocked."""

    max_changes_percent: Annotated[int, Field(ge=0, le=100)] | MISSING = MISSING
    """Percent of a kind's objects on a site that one apply may change, 30 when left out; it counts if it is more than
    `max_changes`."""
    max_changes: Annotated[int, Field(ge=0)] | MISSING = MISSING
    """Number of objects of a kind on a site that one apply may change, 10 when left out. Creates, adoptions and
    releases do not count."""


class IgnoreDriftSpec(Spec):
    """A rule for accepted changes made outside vastplan: they are not drift and no plan undoes them, until the document changes the field."""

    address: Annotated[str, StringConstraints(min_length=1)]
    """Address of the object, SITE/KIND/NAME; `*` matches any text, `?` one character."""
    fields: Annotated[list[Annotated[str, StringConstraints(min_length=1)]], Field(min_length=1)] | MISSING = MISSING
    """Paths of the fields to ignore, with everything inside them; left out, the whole object, also when it is gone."""
    reason: Annotated[str, StringConstraints(min_length=3)]
    """Why the change is ignored; reports of drift show it."""
    until: (
        Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), Says("a day, such as 2026-12-31, in quotes")]
        | MISSING
    ) = MISSING
    """Last day of the rule, such as 2026-12-31; from the next day the change is drift again, and a warning says so."""

    @model_validator(mode="after")
    def _a_day(self) -> IgnoreDriftSpec:
        if isinstance(self.until, str):
            day(self.until)
        return self


class DriftSpec(Spec):
    """How vastplan treats changes made outside it."""

    ignore: list[IgnoreDriftSpec] | MISSING = MISSING
    """Rules for changes made outside vastplan that no plan undoes until the document changes the field."""


class Head(Spec):
    """Everything in a document except its sections of entries."""

    version: Literal[1]
    """Version of the document's format."""
    name: DnsLabel
    """Name of the document, under which the ledger records what it owns. With another name it is another document, which owns
    nothing."""
    sites: Annotated[dict[SiteName, SiteSpec], Field(min_length=1)]
    """Sites of the document, by name: the systems of each, and how to reach them."""
    ledger: LedgerSpec | MISSING = MISSING
    """Place of the ledger, which records what the document owns; left out, the folder `.vastplan/ledger` beside the
    document."""
    limits: LimitsSpec | MISSING = MISSING
    """How many objects of a kind on a site one apply may change; a plan with more is blocked."""
    checks: ChecksSpec | MISSING = MISSING
    """Findings of checks that are accepted until a day, and checks with a higher severity in this document."""
    drift: DriftSpec | MISSING = MISSING
    """Changes made outside vastplan that are ignored."""

    def retired(self) -> frozenset[str]:
        """The sites that are to be emptied."""
        return frozenset(name for name, site in self.sites.items() if site.retired)

    def shared_ledger(self) -> tuple[str, SharedLedgerSpec] | None:
        """The system that keeps the ledger for several runners, and its spec; `None` for a local ledger."""
        return self.ledger.shared() if isinstance(self.ledger, LedgerSpec) else None


class SecretsSpec(Spec):
    """Where a document's secrets may come from, besides the files in its own folder."""

    env: (
        list[
            Annotated[
                str,
                StringConstraints(pattern=r"^[A-Za-z0-9_*]+$"),
                Says("the name of an environment variable, where * matches anything", shown=False),
            ]
        ]
        | MISSING
    ) = MISSING
    """Environment variables, by name, that a document may take secrets from; `*` in a name matches any text."""
    folders: list[Annotated[str, StringConstraints(min_length=1)]] | MISSING = MISSING
    """Folders, relative to the connections file, whose files a document may take as secrets, besides those of its own folder."""


class ConnectionsFile(Spec):
    """The file of `--connections FILE`: addresses, credentials and the ledger's place, which the document then must not have."""

    version: Literal[1]
    """Version of the file's format."""
    sites: dict[SiteName, Connections]
    """Systems of the document's sites, by the name of the site: addresses, credentials, or simulators."""
    ledger: LedgerSpec | MISSING = MISSING
    """Place of the ledger, as in a document; a folder is relative to this file. The document then names no other place."""
    secrets: SecretsSpec | MISSING = MISSING
    """Where secrets of a document may come from, besides files in its own folder; left out, from nowhere else."""
    require_signature: Annotated[str, StringConstraints(min_length=1)] | MISSING = MISSING
    """File of public keys, relative to this file: `apply` carries out only plans that one of these keys has signed."""

    def opened(self) -> Iterator[SystemSpec]:
        """The specs of all systems, and of the one that keeps the ledger."""
        for of_site in self.sites.values():
            yield from of_site.given().values()
        shared = self.ledger.shared() if isinstance(self.ledger, LedgerSpec) else None
        if shared is not None:
            yield shared[1]


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a document's head and of a connections file, with a field for each system."""

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
    """A copy of the model with additional or narrower fields."""
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
