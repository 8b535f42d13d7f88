"""A laboratory: a document in a folder, a simulated world that serves it over HTTPS, and hands to change things with.

Tests drive vastplan's own flows through it; every request goes over loopback, and the world keeps a log of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

import requests
import yaml

import vastplan.kinds
import vastplan.systems
from tests.direct import DIRECT
from vastplan.app.apply import apply_plan
from vastplan.app.plan import Planned, PlanOptions, make_plan
from vastplan.app.workspace import Composed, Workspace
from vastplan.document.load import load_document
from vastplan.engine.live.consent import Approval, Consent
from vastplan.engine.live.observe import Live
from vastplan.engine.live.wait import until_gone
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Plan
from vastplan.model.value import Ref
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import Entry, entry_type
from vastplan.schema.system import discover_systems
from vastplan.sim.serve import RecordedCall
from vastplan.sim.vast import VastPlane
from vastplan.sim.world import World

AS_SOMEBODY = {**requests.utils.default_headers(), "Content-Type": "application/json"}
"""The headers of a script of somebody's own."""
EVERYTHING = Consent(allow_delete=("*",), adopt=True, max_count=10_000, allow_narrow=("*",), believe_gone=("*",))
REGISTRY_KINDS = discover(vastplan.kinds).kinds
SYSTEMS = discover_systems(vastplan.systems)


@cache
def full_registry() -> Registry:
    """The registry with a section for every kind, also for those that only other entries yield (`KINDs`)."""
    found = discover(vastplan.kinds)
    sections = dict(found.sections)
    for kind in found.kinds.values():
        if not kind.section and kind.model is not None:
            name = f"{kind.name}s"
            sections[name if name not in sections else f"plain_{name}"] = entry_type(kind)
    return Registry(found.kinds, found.compositions, sections)


@dataclass(frozen=True, slots=True)
class _Workspace(Workspace):
    """A workspace with what only a laboratory can say: see `Lab.elsewhere` and `Lab.extra`."""

    lab: Lab = field(kw_only=True)

    def composed(self, probed: Mapping[str, Mapping[str, Any]] | None = None) -> Composed:
        """The document's objects, references moved to their sites, and the extra ones."""
        found = Workspace.composed(self, probed)
        entries = sorted((*map(self._moved, found.entries), *self.lab.extra), key=lambda entry: entry.address)
        return replace(found, entries=tuple(entries))

    def _moved(self, entry: Entry) -> Entry:
        values = dict(entry.values)
        for name, value in values.items():
            site = self.lab.elsewhere.get(f"{entry.address.kind}.{name}")
            if site is not None and isinstance(value, Ref):
                values[name] = replace(value, target=value.target._replace(site=site))
        return replace(entry, values=values)


class Lab:
    """One world and one document at a time. Close it, or use it as a context manager."""

    def __init__(self, folder: Path, sites: Mapping[str, list[str]]) -> None:
        self.folder = folder
        self.sites = dict(sites)
        self.registry = full_registry()
        self.world = World(folder / ".vastplan" / "sim", sites).start()
        self.world.publish()
        self._tokens: dict[tuple[str, str], dict[str, str]] = {}
        self.sections: dict[str, Any] = {}
        self.ledger: dict[str, Any] = {}
        """Where the document says that its ledger is; nowhere when empty."""
        self.told: dict[str, dict[str, Any]] = {}
        """What the document says of a site beside its systems, by its name."""
        self.elsewhere: dict[str, str] = {}
        """Fields (`kind.field`) whose references are to another site, which a document cannot say."""
        self.extra: list[Entry] = []
        """Objects beside those that the document stands for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.world.stop()

    def write(self, sections: Mapping[str, Any]) -> None:
        """Make this the document (all but its head)."""
        self.sections = json.loads(json.dumps(sections))
        # Simulators in one process are no faster for more calls at once, and each takes a connection of its own.
        sites = {
            site: {"sim": {"systems": list(has)}, "parallel": 2, **self.told.get(site, {})}
            for site, has in self.sites.items()
        }
        kept = {"ledger": self.ledger} if self.ledger else {}
        whole = {"version": 1, "name": "lab", "sites": sites, **kept, **self.sections}
        (self.folder / "lab.yaml").write_text(
            yaml.dump(whole, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8"
        )

    def workspace(self) -> Workspace:
        """The document as it is now; raises `Invalid`."""
        document = load_document([self.folder / "lab.yaml"], self.registry, SYSTEMS, allow_env=("*",))
        return _Workspace(document, self.registry, lab=self)

    def planned(self, consent: Consent = EVERYTHING) -> Planned:
        """Plan against the world."""
        return make_plan(self.workspace(), PlanOptions(tuple(self.sites), consent=consent))

    def plan(self, consent: Consent = EVERYTHING) -> Plan:
        """Plan against the world."""
        return self.planned(consent).plan

    def consent_to_loss(self, *addresses: str) -> Consent:
        """Consent to everything, loss of data at these addresses included."""
        approvals = tuple(Approval(one, "in a test", "2999-01-01", 2**62, 1000) for one in addresses)
        return replace(EVERYTHING, approvals=approvals)

    def apply(self, plan: Plan, *, all_or_nothing: bool = False) -> Receipt:
        """Carry out a plan."""
        import threading

        return apply_plan(self.workspace(), plan, lambda *_: None, threading.Event(), all_or_nothing=all_or_nothing)

    def converge(self, consent: Consent = EVERYTHING) -> Plan:
        """Plan and apply, which must go well, and answer the plan."""
        plan = self.plan(consent)
        receipt = self.apply(plan)
        bad = [one for one in receipt.outcomes if one.state is not State.DONE]
        assert not bad, "\n".join(f"{one.address} {one.verb} {one.state.value}: {one.message}" for one in bad)
        assert not plan.unknown, plan.unknown
        return plan

    def live(self, address: str) -> Live | None:
        """The object at an address, as it is now."""
        planned = self.planned()
        return planned.matches.match(Address.parse(address)).live

    def calls(self) -> list[RecordedCall]:
        """The writes of all servers since the log was last cleared."""
        servers = [server for site in self.world.sites.values() for server in site.servers.values()]
        return [call for server in servers for call in server.writes()]

    def all_calls(self) -> list[RecordedCall]:
        """All requests since the log was last cleared."""
        return [call for site in self.world.sites.values() for server in site.servers.values() for call in server.calls]

    def clear_calls(self) -> None:
        """Forget the requests so far."""
        for site in self.world.sites.values():
            for server in site.servers.values():
                server.calls.clear()

    def by_hand(self, site: str, system: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Somebody uses the system's own API; answers the parsed body. Fails the test when the system refuses."""
        server = self.world.sites[site].servers[system]
        named = {**AS_SOMEBODY, **self._authorisation(site, system), **headers}
        answer = DIRECT.ask(server, method, path, None if body is None else json.dumps(body).encode(), named)
        assert answer.status < 400, f"{method} {path}: {answer.status} {answer.data!r}"
        return json.loads(answer.data) if answer.data else None

    def delete_by_hand(self, live: Live) -> None:
        """Somebody deletes an object with the system's own API; returns once it is gone."""
        from vastplan.app.connect import connected

        with connected(self.workspace().document, sites=(live.site,), writable=True) as providers:
            provider = providers[live.site, live.kind.system]
            assert not isinstance(provider, Exception)
            fresh = provider.read(live.kind, live.locator)
            assert fresh is not None, f"{live.locator} is not there"
            provider.delete(live.kind, live.locator, fresh)
            until_gone(live.kind, provider, live.locator, live.id)

    def _authorisation(self, site: str, system: str) -> dict[str, str]:
        one = next(e for e in self.world.endpoints() if (e.site, e.system) == (site, system))
        if system == "kubernetes":
            return {"Authorization": f"Bearer {one.password}"}
        if (site, system) not in self._tokens:
            if system == "vast":
                path, name, body = "/api/token/", "access", {"username": one.username, "password": one.password}
            else:
                path, name = "/api/v1/token", "accessToken"
                body = {"grantType": "client_credentials", "clientID": one.username, "clientSecret": one.password}
            server = self.world.sites[site].servers[system]
            token = json.loads(DIRECT.ask(server, "POST", path, json.dumps(body).encode(), AS_SOMEBODY).data)[name]
            self._tokens[site, system] = {"Authorization": f"Bearer {token}"}
        return self._tokens[site, system]

    def enrol(self, site: str, **people: Mapping[str, Mapping[str, Any]]) -> None:
        """Say who is in the directory that a site's VMS asks: `users` and `groups`, see `VastPlane.enrol`."""
        plane = self.world.sites[site].planes["vast"]
        assert isinstance(plane, VastPlane)
        with self.world.lock:
            plane.enrol(**people)

    def row(self, live: Live) -> dict[str, Any]:
        """The row of a live object, raw, read by itself."""
        from vastplan.app.connect import connected

        with connected(self.workspace().document, sites=(live.site,), writable=False) as providers:
            provider = providers[live.site, live.kind.system]
            assert not isinstance(provider, Exception)
            row = provider.read(live.kind, live.locator)
            assert row is not None, f"{live.locator} is not there"
            return row

    def rows(self, site: str, kind: str) -> list[dict[str, Any]]:
        """All rows of a kind, raw, read like any client would."""
        from vastplan.app.connect import connected

        with connected(self.workspace().document, sites=(site,), writable=False) as providers:
            one = self.registry.kinds[kind]
            provider = providers[site, one.system]
            assert not isinstance(provider, Exception)
            listed = [row for page in provider.pages(one) for row in page]
            if not one.endpoint.listed:
                return listed
            whole = (provider.read(one, provider.locator(one, row)) for row in listed)
            return [row for row in whole if row is not None]
