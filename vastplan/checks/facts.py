"""What checks can read: the document as written and as composed, indexed once; the sites; and what was read live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from functools import cached_property
from typing import Any

from vastplan.checks.index import Index
from vastplan.checks.proof.proof import namespaces_of, prove
from vastplan.checks.tasks import SkyTask
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.isolation import Isolation
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry, Site


@dataclass(frozen=True, slots=True)
class LiveObject:
    """A live object: symbolic values, its figures by name, and the address it has or would have.

    `attributes` has its identifiers and the other attributes that its kind reads (`Kind.attributes`). `delivered_at` is when its value was
    delivered, according to the ledger; "" if it was not.
    """

    address: Address
    values: Mapping[str, Any]
    figures: Mapping[str, Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    delivered_at: str = ""


@dataclass(frozen=True, eq=False)
class Facts:
    """Everything that checks read. `written` is the document before composition, `objects` the document after it.

    `seen` holds the live objects by site and kind, of collections that could be read; it is empty offline.
    """

    sites: Mapping[str, Site]
    objects: Index
    written: Index
    capabilities: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the document says that each site can do, by field (`schema/capability.py`)."""
    seen: Mapping[tuple[str, str], tuple[LiveObject, ...]] = field(default_factory=dict)
    before: Index | None = None
    """The live quotas, views, QoS policies and projects, and in `after` what they become; `None` offline."""
    after: Index | None = None
    known: frozenset[tuple[str, str]] = frozenset()
    """The collections, by site and kind, that `before` contains."""
    made: Mapping[Address, int] = field(default_factory=dict)
    """The claims that exist already, with their sizes in bytes."""
    today: date | None = None
    """The day from which ages are computed; `None` offline."""
    ledger_site: str = ""
    """The site of the document that keeps the ledger, "" if none does."""
    tasks: tuple[SkyTask, ...] = ()
    """The SkyPilot tasks that an export writes, or that were given to it."""

    def capability(self, site: str) -> Mapping[str, Any]:
        """What the document says that a site can do, and nothing else."""
        return self.capabilities.get(site, {})

    def figure(self, site: str, kind: str, name: str) -> Any:
        """A figure of the only live object of a kind, such as the cluster; `None` if unknown."""
        live = self.seen.get((site, kind), ())
        return live[0].figures.get(name) if len(live) == 1 else None

    def tenant_of(self, project: Entry) -> Any:
        """The tenant that the document puts a project into, `None` if it names none."""
        written_project = self.written.on(project.address.site, "project").get(project.address.name)
        return written_project.values.get("tenant") if written_project else None

    @cached_property
    def scope(self) -> Scope:
        """The document as written, for look-ups."""
        return Scope(self.sites, self.written)

    @cached_property
    def claims(self) -> Mapping[Address, tuple[Entry, ...]]:
        """The claims that a class provisions, by the address of the class."""
        by_class: dict[Address, list[Entry]] = {}
        for claim in self.objects.all("persistent_volume_claim"):
            class_ref = claim.values.get("storage_class")
            if isinstance(class_ref, Ref):
                by_class.setdefault(class_ref.target, []).append(claim)
        return {address: tuple(claims) for address, claims in by_class.items()}

    @cached_property
    def isolation(self) -> Mapping[str, Isolation]:
        """Where the chains of projects meet, by site, as the document has them."""
        return {site: prove(site, self.objects, namespaces_of(site, self.objects)) for site in self.sites}

    @cached_property
    def _views_by_path(self) -> Mapping[tuple[str, str], tuple[Entry, ...]]:
        by_path: dict[tuple[str, str], list[Entry]] = {}
        for view in self.objects.all("view"):
            by_path.setdefault((view.address.site, view.values["path"]), []).append(view)
        return {key: tuple(views) for key, views in by_path.items()}

    def views_at(self, site: str, path: str) -> tuple[Entry, ...]:
        """The views of a directory: one for each tenant that has it."""
        return self._views_by_path.get((site, path), ())

    def tenant_of_class(self, storage_class: Entry) -> Any:
        """The tenant in whose directories a class creates volumes: its view policy's, or the block driver's own.

        The file driver takes the tenant of the view policy that it names (vast-csi `volume_builder.py`).
        """
        if storage_class.values.get("driver") == "block":
            return storage_class.values.get("tenant_name")
        policy = self.objects.get(storage_class.values.get("view_policy"))
        return policy.values.get("tenant") if policy else None
