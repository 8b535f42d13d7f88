"""A stage: simulated sites in memory, a document, strangers among its objects; set back to any moment in an instant."""

from __future__ import annotations

import base64
import json
import pickle
import shutil
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import requests

import vastplan.app.importing.uncovered_kinds  # has its pool before another takes the place of all
import vastplan.kinds
from tests.lab import SYSTEMS
from tests.values.forms import held
from vastplan.app.apply import apply_plan
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.workspace import Workspace
from vastplan.document.load import load_document
from vastplan.engine.applying.apply import Progress, apply_actions
from vastplan.engine.applying.apply_context import ApplyContext
from vastplan.engine.live.consent import Approval, Consent
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Plan, Verb
from vastplan.model.polling import poll
from vastplan.model.site_ledger import SiteLedger
from vastplan.schema.discover import discover
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.serve import Server
from vastplan.sim.store import Row, Rows, Store
from vastplan.sim.vast import apitokens, keys, managers
from vastplan.sim.world import World

REGISTRY = discover(vastplan.kinds)
LEDGERS = "vastplan"
"""The namespace of a ledger in Kubernetes: what is in it is no object of a document."""
# What the simulators keep for themselves, and what comes and goes without being anybody's object.
# What is there anyway, and the records of what was done: nobody's objects.
_INNER = (
    "clusters",
    "versions",
    "vms",
    "localproviders",
    "_",
    "vtasks",
    "meta",
    "pending",
    "cluster",
    "audit",
    "events",
)


_PLACES = {keys.NAME: keys.SECRET, managers.NAME: managers.PASSWORD, apitokens.NAME: apitokens.TOKEN}
"""Where a row of a collection keeps what no answer shows again."""


def _secrets_of(collection: str, row: Row) -> set[str]:
    """The secret of a key, of whoever logs in, or of a token."""
    place = _PLACES.get(collection)
    return {row[place]} if place and row.get(place) else set()


class Telling(Store):
    """A store that knows what secrets its keys and managers have had."""

    def __init__(self) -> None:
        super().__init__()
        self.told: set[str] = set()

    def put(self, collection: str, key: str, row: Row) -> Row:
        """Keep a row."""
        self.told |= _secrets_of(collection, row)
        return super().put(collection, key, row)

    def restore(self, collections: Rows, counters: Mapping[str, int]) -> None:
        """As it was once; what was told since then, nobody knows any more."""
        super().restore(collections, counters)
        self.told = set().union(
            *(_secrets_of(name, row) for name in _PLACES for row in collections.get(name, {}).values())
        )


class MemoryWorld(World):
    """A world that keeps nothing on disk but what its clients need."""

    def __init__(self, folder: Path, systems: Mapping[str, Iterable[str]]) -> None:
        self._telling: list[Telling] = []
        super().__init__(folder, systems)

    def _store(self, site: str, system: str) -> Store:
        store = Telling()
        self._stores.append(store)
        self._telling.append(store)
        return store

    def rows(self) -> bytes:
        """Everything that every plane knows."""
        with self.lock:
            return pickle.dumps([(store.collections(), store.counters()) for store in self._stores])

    def set_back(self, rows: bytes) -> None:
        """Make it so again."""
        with self.lock:
            for store, (collections, counters) in zip(self._stores, pickle.loads(rows), strict=True):
                store.restore(collections, counters)
        self.renew()

    def renew(self) -> None:
        """Give the clusters' user a credential anew, as somebody must where none can be renewed."""
        for name, site in self.sites.items():
            plane = site.planes.get("kubernetes")
            if isinstance(plane, KubernetesPlane):
                plane.renew(self._secret(name, "kubernetes"))

    def pairs(self) -> dict[str, tuple[str, str]]:
        """By the ids of keys, managers and tokens that work what each goes by, and its secret."""
        with self.lock:
            tables = [store.collections() for store in self._stores]
            of_keys = [row for one in tables for row in one.get(keys.NAME, {}).values()]
            managing = [
                row for one in tables for row in one.get(managers.NAME, {}).values() if row.get(managers.PASSWORD)
            ]
            pairs = {row["access_key"]: (row["access_key"], row[keys.SECRET]) for row in of_keys}
            tokens = [row for one in tables for row in one.get(apitokens.NAME, {}).values() if not row["revoked"]]
            pairs |= {row["id"]: (row["id"], row[apitokens.TOKEN]) for row in tokens}
            return pairs | {str(row["id"]): (row["username"], row[managers.PASSWORD]) for row in managing}

    def told(self) -> set[str]:
        """Every secret that a create told, or that was drawn, also of what is gone."""
        with self.lock:
            return {secret for store in self._telling for secret in store.told}

    def holding(self, secret: str) -> list[dict[str, str]]:
        """What is in the Secrets that hold it."""
        return [data for data in self._delivered() if secret in data.values()]

    def leaking(self, secrets: set[str]) -> list[str]:
        """The collections that hold a secret in any form elsewhere than in the row of its key or as a whole value of a Secret."""
        with self.lock:
            return [
                collection
                for store in self._stores
                for collection, rows in store.collections().items()
                for row in rows.values()
                if held(secrets, _elsewhere(collection, row, secrets))
            ]

    def _delivered(self) -> list[dict[str, str]]:
        """The values of each Secret."""
        with self.lock:
            tables = [table for store in self._stores for table in store.collections().items()]
            return [
                {
                    key: base64.b64decode(value).decode("utf-8", "replace")
                    for key, value in _data(collection, row).items()
                }
                for collection, rows in tables
                for row in rows.values()
                if _data(collection, row)
            ]

    def objects(self) -> Counter[tuple[str, ...]]:
        """Every object that anybody could see, by what it is called; two of one name count twice."""
        found: Counter[tuple[str, ...]] = Counter()
        with self.lock:
            for index, store in enumerate(self._stores):
                for collection, rows in store.collections().items():
                    plain = collection.rpartition("/")[2]
                    if not plain.startswith(_INNER) and "/pending/" not in collection:
                        called = (
                            (str(index), collection, *_called(row)) for row in rows.values() if not row.get("revoked")
                        )
                        found.update(one for one in called if one[-1] != LEDGERS)
        return found


def _data(collection: str, row: Row) -> Mapping[str, str]:
    """What a Secret holds, in base64; nothing for any other row."""
    return (row.get("data") or {}) if collection.rpartition("/")[2] == "secrets" else {}


def _elsewhere(collection: str, row: Row, secrets: set[str]) -> str:
    """The text of a row without what may hold a secret: a key's own, and a value of a Secret. A ledger's pieces are unpacked."""
    parts = [{name: value for name, value in row.items() if name not in (*_PLACES.values(), "data")}]
    for value in map(base64.b64decode, _data(collection, row).values()):
        with suppress(zlib.error):
            value = zlib.decompress(value)
        text = value.decode("utf-8", "replace")
        if text not in secrets:
            parts.append({"value": text})
    return json.dumps(parts, default=str) + " ".join(str(part.get("value")) for part in parts)


def _called(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What an object is called, without what a system makes up."""
    metadata = row.get("metadata") or row.get("meta") or {}
    where = ("tenant_name", "path", "name", "username", "bucket", "subjectId", "roleName", "scopeType")
    named = {**row, "name": row.get("name") or metadata.get("name"), "place": metadata.get("namespace")}
    # What is provisioned for a claim is named by the claim's uid.
    return tuple(str(named.get(part) or "").partition("pvc-")[0] for part in (*where, "place"))


@dataclass(frozen=True, slots=True)
class Moment:
    """How things were: the systems, and the ledger's files."""

    rows: bytes
    ledger: Mapping[str, bytes]
    document: Path


class _One(ThreadPoolExecutor):
    """A pool of one worker, whatever is asked for."""

    def __init__(self, max_workers: int) -> None:
        super().__init__(1)


def _one_by_one(plan: Plan, run: ApplyContext, *, parallel: int, progress: Progress, stop: threading.Event) -> Receipt:
    """Apply without parallel operations."""
    return apply_actions(plan, run, parallel=1, progress=progress, stop=stop)


class Stage:
    """One world; `show` says which document is the one to be applied.

    While `orderly`, requests go out one after the other: then the N-th is the same in every run.
    """

    def __init__(self, folder: Path, first: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder
        self.orderly = False
        self.document = first
        self.workspace = self._open()
        systems = {name: site.systems for name, site in self.workspace.document.sites().items()}
        self.world = MemoryWorld(folder / ".vastplan" / "sim", systems)
        self.world.start()
        self.world.publish()

    def close(self) -> None:
        """Stop the servers."""
        self.world.stop()

    def _open(self) -> Workspace:
        """The document's files, here: its ledger and its world are the stage's."""
        for file in self.document.iterdir():
            if file.is_file():
                shutil.copy(file, self.home / file.name)
        return Workspace(load_document([self.home], REGISTRY, SYSTEMS), REGISTRY)

    def show(self, document: Path) -> None:
        """This is the document now."""
        for file in self.home.iterdir():
            if file.is_file():
                file.unlink()
        self.document = document
        self.workspace = self._open()

    def servers(self) -> list[tuple[str, Server]]:
        """All servers and their systems, in a fixed order."""
        sites = [site for _, site in sorted(self.world.sites.items())]
        return [(system, site.servers[system]) for site in sites for system in sorted(site.servers)]

    def now(self) -> Moment:
        """This moment."""
        folder = self.home / ".vastplan" / "ledger"
        files = {file.name: file.read_bytes() for file in folder.iterdir()} if folder.exists() else {}
        kept = {name: raw for name, raw in files.items() if name.endswith((".json", ".journal"))}
        return Moment(self.world.rows(), kept, self.document)

    def set_back(self, moment: Moment) -> None:
        """As it was then."""
        self.world.set_back(moment.rows)
        folder = self.home / ".vastplan" / "ledger"
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if file.name.endswith((".json", ".journal")):
                file.unlink()
        for name, raw in moment.ledger.items():
            (folder / name).write_bytes(raw)
        if moment.document != self.document:
            self.show(moment.document)

    def consent(self) -> Consent:
        """To every delete, loss of data included, but never to taking over what is not ours."""
        owned = [address for part in self.ledger().values() for address in (*part.entries, *part.intents)]
        approvals = tuple(Approval(one, "in a test", "2999-01-01", 2**62) for one in sorted(set(owned)))
        return Consent(("*",), False, approvals, 10_000, allow_narrow=("*",))

    def ledger(self) -> dict[str, SiteLedger]:
        """The ledger, as anybody may read it."""
        backend = self.workspace.ledger()
        return {site: backend.read(site) for site in self.workspace.document.head.sites}

    def plan(self) -> Plan:
        """An ordinary plan."""
        sites = tuple(self.workspace.document.head.sites)
        with self._order():
            return make_plan(self.workspace, PlanOptions(sites, consent=self.consent())).plan

    def apply(self, plan: Plan) -> Receipt:
        """Carry it out."""
        for _, server in self.servers():
            server.calls.clear()  # nobody reads them, and a matrix makes very many
        with self._order():
            return apply_plan(self.workspace, plan, lambda *_: None, threading.Event())

    @contextmanager
    def _order(self) -> Iterator[None]:
        """One request at a time, where that is asked for; and what settles by reads is not waited for."""
        with (
            patch("vastplan.engine.live.read.ThreadPoolExecutor", _One if self.orderly else ThreadPoolExecutor),
            patch("concurrent.futures.ThreadPoolExecutor", _One if self.orderly else ThreadPoolExecutor),
            patch("vastplan.app.applying.carry_out.apply_actions", _one_by_one if self.orderly else apply_actions),
            patch.dict(poll.__kwdefaults__, first=0.0005, longest=0.01),
            patch("vastplan.engine.live.wait.SHOWN", 0.02),  # these systems show at once what was created
        ):
            yield

    def by_hand(self, site: str, system: str, method: str, path: str, body: Any = None) -> Any:
        """Somebody else uses a system's own API."""
        one = next(e for e in self.world.endpoints() if (e.site, e.system) == (site, system))
        ca = str(self.world.folder / "ca.pem")
        token = one.password
        if system == "vast":
            asked = {"username": one.username, "password": one.password}
            token = requests.post(one.url + "/api/token/", json=asked, verify=ca, timeout=30).json()["access"]
        elif system == "runai":
            asked = {"grantType": "client_credentials", "clientID": one.username, "clientSecret": one.password}
            token = requests.post(one.url + "/api/v1/token", json=asked, verify=ca, timeout=30).json()["accessToken"]
        response = requests.request(
            method, one.url + path, json=body, verify=ca, timeout=30, headers={"Authorization": f"Bearer {token}"}
        )
        assert response.status_code < 400, f"{method} {path}: {response.status_code} {response.text}"
        return response.json() if response.content else None

    def strangers(self) -> None:
        """Objects beside ours that are not ours: none of them may ever be touched."""
        for site in sorted(self.world.sites):
            tenant = self.by_hand(site, "vast", "POST", "/api/v5/tenants/", {"name": "stranger"})
            policy = {"name": "stranger", "flavor": "NFS", "tenant_id": tenant["id"]}
            made = self.by_hand(site, "vast", "POST", "/api/v5/viewpolicies/", policy)
            view = {"path": "/stranger", "policy_id": made["id"], "tenant_id": tenant["id"], "create_dir": True}
            self.by_hand(site, "vast", "POST", "/api/v5/views/", {**view, "protocols": ["NFS"]})
            if "kubernetes" in self.world.sites[site].servers:
                space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "stranger"}}
                self.by_hand(site, "kubernetes", "POST", "/api/v1/namespaces", space)


def settled(stage: Stage) -> Plan:
    """The next ordinary run converges: it does all it plans, and then there is nothing left to do. Answers what it planned."""
    plan = _ordinary(stage)
    if plan.actions:
        receipt = stage.apply(plan)
        bad = [one for one in receipt.outcomes if one.state is not State.DONE]
        assert not bad, f"the next run does not converge: {bad}"
        left = _ordinary(stage)
        assert left.actions == (), [(str(one.address), one.verb.value, one.reason) for one in left.actions]
    return plan


def _ordinary(stage: Stage) -> Plan:
    plan = stage.plan()
    assert not plan.unknown, plan.unknown
    stopped = [(str(one.address), one.verb.value, one.blocked) for one in plan.actions if one.blocked]
    assert not stopped, f"the next run is held up: {stopped}"
    assert not [one for one in plan.actions if one.verb is Verb.ADOPT], "something of ours is not ours any more"
    return plan
