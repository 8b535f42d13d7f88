"""The head of a document: who it is for, where its sites are, where the ledger is kept, and its limits."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import MISSING, BeforeValidator, Field, StringConstraints, model_validator

from vastplan.document.waivers import ChecksSpec
from vastplan.document.yaml import Rounded
from vastplan.schema.capability import Capability
from vastplan.schema.types import EnvironmentSecret, FileSecret, Spec

_Url = Annotated[str, StringConstraints(pattern=r"^https://[^\s/?#@]+(/[^\s?#]*)?$")]
SiteName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]


def _version_text(value: object) -> object:
    """YAML makes a number of `2.6`; one that lost its last zero by that may be another version, and is refused."""
    if isinstance(value, Rounded):
        raise ValueError(f"YAML reads {value.text} as the number {value!r}; put the version in quotes: '{value.text}'")
    return repr(value) if isinstance(value, float) else value


Version = Annotated[
    str,
    BeforeValidator(_version_text, json_schema_input_type=str | float),
    StringConstraints(pattern=r"^v?\d+(\.\d+){1,4}([-+][0-9A-Za-z.+-]+)?$", max_length=64),
]


class CommandSecret(Spec):
    """A secret that a command prints; allowed in a connections file only, because it runs something."""

    command: Annotated[list[str], Field(min_length=1)]


AnySecret = EnvironmentSecret | FileSecret | CommandSecret


class Verified(Spec):
    """The server's certificate is checked, unless `insecure_skip_verify` says otherwise, loudly."""

    insecure_skip_verify: bool | MISSING = MISSING


class Tls(Verified):
    """An authority that vouches for it; without `ca_file` those of this machine."""

    ca_file: str | MISSING = MISSING


class VastEndpoint(Tls):
    """A VAST cluster's management service; an API token, or a user and password."""

    url: _Url
    token: AnySecret | MISSING = MISSING
    username: str | MISSING = MISSING
    password: AnySecret | MISSING = MISSING
    tenant: str | MISSING = MISSING
    api_version: Annotated[str, StringConstraints(pattern=r"^(v\d+|latest)$")] | MISSING = MISSING

    @model_validator(mode="after")
    def _one_credential(self) -> VastEndpoint:
        if (self.token is MISSING) == (self.password is MISSING) or (self.username is MISSING) != (
            self.password is MISSING
        ):
            raise ValueError("give either token, or username and password")
        return self


class KubernetesEndpoint(Verified):
    """A cluster by kubeconfig context; without `kubeconfig` the usual files are read. Who vouches for it is in them."""

    context: str | MISSING = MISSING
    kubeconfig: str | MISSING = MISSING
    in_cluster: bool | MISSING = MISSING


class RunaiEndpoint(Tls):
    """A Run:AI control plane, and which of its clusters this site is."""

    url: _Url
    cluster: str
    client_id: str
    client_secret: AnySecret


class SimEndpoint(Spec):
    """The embedded simulators stand in for the site's systems; what they hold is kept beside the ledger."""

    systems: list[Literal["vast", "kubernetes", "runai"]] | MISSING = MISSING


class Connections(Spec):
    """A site's systems. A system that is left out does not exist there."""

    vast: VastEndpoint | MISSING = MISSING
    kubernetes: KubernetesEndpoint | MISSING = MISSING
    runai: RunaiEndpoint | MISSING = MISSING
    sim: SimEndpoint | MISSING = MISSING

    @model_validator(mode="after")
    def _real_or_simulated(self) -> Connections:
        if self.sim is not MISSING and self.systems() - {"sim"}:
            raise ValueError("a site is either simulated or real: give sim, or vast, kubernetes and runai")
        return self

    def systems(self) -> frozenset[str]:
        """The systems that are given, `sim` as itself."""
        return frozenset(name for name in ("vast", "kubernetes", "runai", "sim") if getattr(self, name) is not MISSING)


def credentials(given: Connections) -> list[tuple[str, AnySecret]]:
    """The secrets of a site's systems, each with its place."""
    found = []
    for system in ("vast", "runai"):
        for name in ("token", "password", "client_secret"):
            source = getattr(getattr(given, system), name, MISSING)
            if isinstance(source, EnvironmentSecret | FileSecret | CommandSecret):
                found.append((f"{system}.{name}", source))
    return found


Isolation = Literal["admission_policy", "resource_quota"]


class VersionsSpec(Spec):
    """The versions of a site's products, for work without a network; what a version lacks is refused. Quote them."""

    vms: Version | MISSING = MISSING
    kubernetes: Version | MISSING = MISSING
    runai: Version | MISSING = MISSING


class SiteSpec(Connections):
    """A site of the document."""

    isolation: Isolation | MISSING = MISSING
    csi: Version | MISSING = MISSING
    """The version of the VAST CSI drivers that are installed there: what they cannot do is refused."""
    versions: VersionsSpec | MISSING = MISSING
    """The versions of the other products, as far as they are known without asking."""
    parallel: Annotated[int, Field(ge=1, le=64)] | MISSING = MISSING
    capability: Capability | MISSING = MISSING
    """What the site can do: what its promises, QoS minimums, GPUs and checkpoints are held against."""

    def declared_versions(self) -> dict[str, str]:
        """The versions that are said, by product."""
        written = {"csi": self.csi}
        if isinstance(self.versions, VersionsSpec):
            written |= {"vms": self.versions.vms, "kubernetes": self.versions.kubernetes, "runai": self.versions.runai}
        return {product: version for product, version in written.items() if isinstance(version, str)}


class KubernetesLedgerSpec(KubernetesEndpoint):
    """A namespace whose Secrets keep the ledger, for runners that share one. The cluster is that of a `site`, simulated ones
    included, or is given as for a site."""

    namespace: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]
    site: SiteName | MISSING = MISSING

    @property
    def addressed(self) -> bool:
        """Whether it says where its cluster is."""
        given = (self.context, self.kubeconfig, self.in_cluster, self.insecure_skip_verify)
        return any(one is not MISSING for one in given)

    @model_validator(mode="after")
    def _one_cluster(self) -> KubernetesLedgerSpec:
        if self.site is not MISSING and self.addressed:
            raise ValueError("give either site, or context, kubeconfig, in_cluster and insecure_skip_verify")
        return self


class LedgerSpec(Spec):
    """Where what we own is written down; the default is `.vastplan/ledger` beside the document."""

    local: str | MISSING = MISSING
    kubernetes: KubernetesLedgerSpec | MISSING = MISSING

    @model_validator(mode="after")
    def _one_place(self) -> LedgerSpec:
        if (self.local is MISSING) == (self.kubernetes is MISSING):
            raise ValueError("give either local or kubernetes")
        return self


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
    until: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")] | MISSING = MISSING
    """The last day it holds; from then on it is drift again, and a warning says so."""

    @model_validator(mode="after")
    def _a_day(self) -> IgnoreDriftSpec:
        if isinstance(self.until, str):
            date.fromisoformat(self.until)
        return self


class DriftSpec(Spec):
    """How changes behind our back are looked at."""

    ignore: list[IgnoreDriftSpec] | MISSING = MISSING


class Head(Spec):
    """All of a document but its sections of entries."""

    version: Literal[1]
    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]
    sites: Annotated[dict[SiteName, SiteSpec], Field(min_length=1)]
    ledger: LedgerSpec | MISSING = MISSING
    limits: LimitsSpec | MISSING = MISSING
    checks: ChecksSpec | MISSING = MISSING
    drift: DriftSpec | MISSING = MISSING


class ConnectionsFile(Spec):
    """`--connections FILE`: addresses and credentials from outside the document, which then may hold neither."""

    version: Literal[1]
    sites: dict[SiteName, Connections]
    ledger: KubernetesEndpoint | MISSING = MISSING
    """The cluster of a shared ledger whose document names no site for it."""


HEAD_KEYS = frozenset(Head.model_fields)
ENTRY_KEYS = ("sites", "per_site", "renamed_from")
EntrySites = Annotated[list[SiteName], Field(min_length=1)]
EntryRenamed = Annotated[str, StringConstraints(min_length=1)]

__all__ = [
    "ENTRY_KEYS", "HEAD_KEYS", "AnySecret", "Capability", "CommandSecret", "Connections", "ConnectionsFile", "DriftSpec", "EntryRenamed",
    "EntrySites", "EnvironmentSecret", "FileSecret", "Head", "KubernetesEndpoint", "KubernetesLedgerSpec", "LedgerSpec", "LimitsSpec", "RunaiEndpoint",
    "SimEndpoint", "SiteSpec", "Tls", "VastEndpoint", "credentials",
]  # fmt: skip
