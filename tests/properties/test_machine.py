"""A storage team's year in random order: edits, changes by hand, faults, kills, plans applied late, ledgers lost.

After every step: nothing that we did not own was deleted, no identity is there twice, and what the ledger says we own is
there, or somebody took it away. After an apply that went well the next plan is empty.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.conftest import EXPLORING
from tests.lab import Lab
from vastplan.ledger.events import Event
from vastplan.ledger.file import FileSession
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.outcome import State
from vastplan.model.plan import Plan
from vastplan.sim.faults import Effect, Fault

SITE = "iad"
SYSTEM = {
    "tenant": "vast", "view_policy": "vast", "qos_policy": "vast", "view": "vast", "quota": "vast", "namespace": "kubernetes",
}  # fmt: skip
KINDS = tuple(SYSTEM)
NAMES = ("a", "b")
LIMITS = (1000, 2000, 3000)


def _name(kind: str, row: dict[str, Any]) -> str:
    """What no two live objects of a kind may share."""
    if kind == "namespace":
        return str(row["metadata"]["name"])
    return f"{row['tenant_id']}:{row['path']}" if kind in ("view", "quota") else str(row["name"])


def _id(kind: str, row: dict[str, Any]) -> str:
    return str(row["metadata"]["uid"] if kind == "namespace" else row["id"])


class Killed(BaseException):
    """The process is gone: nothing after this runs, as far as files and systems can tell."""


@contextmanager
def killed_at(event: int) -> Iterator[None]:
    """From the `event`-th journal record on nothing is written any more, as after SIGKILL; the system frees the lock."""
    seen = [0]
    record: Callable[..., None] = FileSession.record
    close: Callable[..., None] = FileSession.close

    def dying(self: FileSession, *events: Event) -> None:
        seen[0] += 1
        if seen[0] > event:
            raise Killed
        record(self, *events)

    def dead(self: FileSession) -> None:
        if seen[0] <= event:
            close(self)
            return
        self._journal_file.close()
        self._lock.release()

    FileSession.record, FileSession.close = dying, dead  # type: ignore[method-assign]
    try:
        yield
    except Killed:
        pass
    finally:
        FileSession.record, FileSession.close = record, close  # type: ignore[method-assign]


class Year(RuleBasedStateMachine):
    """One site with VAST and Kubernetes, and everything that happens to it."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.lab = Lab(Path(self._folder.name), {SITE: ["vast", "kubernetes"]})
        self.tenants: dict[str, dict[str, Any]] = {}
        self.views: dict[str, dict[str, Any]] = {}
        self.namespaces: dict[str, dict[str, Any]] = {}
        self.late: Plan | None = None
        self.taken: set[tuple[str, str]] = set()  # (kind, id) that somebody else deleted

    def teardown(self) -> None:
        """Stop the world."""
        self.lab.world.stop()
        self._folder.cleanup()

    @initialize()
    def begins(self) -> None:
        """An empty document."""
        self._write()

    def _write(self) -> None:
        tenants = {
            name: {
                **one,
                "view_policy": {"flavor": "NFS"},
                "views": {key: view for key, view in self.views.items() if view["of"] == name},
            }
            for name, one in self.tenants.items()
        }
        for one in tenants.values():
            one["views"] = {
                f"{key}": {name: value for name, value in view.items() if name != "of"}
                for key, view in one["views"].items()
            }
        self.lab.write({"tenants": tenants, "namespaces": self.namespaces})

    def _rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        """What is there, but for the policy that VMS makes with each tenant and takes away with it."""
        return {
            (kind, _id(kind, row)): row
            for kind in KINDS
            for row in self.lab.rows(SITE, kind)
            if not str(row.get("name", "")).endswith("__default_policy")
        }

    def _owned(self) -> dict[tuple[str, str], str]:
        part = self.lab.workspace().ledger().read(SITE)
        return {(address.split("/")[1], one.id): address for address, one in part.entries.items()}

    # --- what people write

    @rule(name=st.sampled_from(NAMES), limit=st.sampled_from(LIMITS))
    def edit_a_tenant(self, name: str, limit: int) -> None:
        """It is there with this limit from now on."""
        self.tenants[name] = {"capacity_rules": {"hard_limit": f"{limit} TiB"}}
        self._write()

    @rule(name=st.sampled_from(NAMES), of=st.sampled_from(NAMES), limit=st.sampled_from(LIMITS), qos=st.booleans())
    def edit_a_view(self, name: str, of: str, limit: int, qos: bool) -> None:
        """A view of a tenant that is there, with a quota, and perhaps a QoS policy."""
        if of in self.tenants:
            more = {"qos": {"static_limits": {"max_writes_bw_mbps": limit}}} if qos else {}
            path = f"/{of}-{name}"
            self.views[name] = {
                "of": of,
                "path": path,
                "quota": {"hard_limit": f"{limit} GiB"},
                "create_dir": True,
                **more,
            }
            self._write()

    @rule(name=st.sampled_from(NAMES), team=st.sampled_from(("x", "y")))
    def edit_a_namespace(self, name: str, team: str) -> None:
        """It has this label from now on."""
        self.namespaces[name] = {"labels": {"team": team}}
        self._write()

    @rule(what=st.sampled_from(("tenants", "views", "namespaces")), name=st.sampled_from(NAMES))
    def remove_an_entry(self, what: str, name: str) -> None:
        """Somebody deletes lines."""
        getattr(self, what).pop(name, None)
        if what == "tenants":
            self.views = {key: one for key, one in self.views.items() if one["of"] != name}
        self._write()

    # --- what others do

    @rule(kind=st.sampled_from(("tenant", "namespace")), name=st.sampled_from((*NAMES, "theirs")))
    def make_by_hand(self, kind: str, name: str) -> None:
        """Somebody else makes an object, perhaps of a name that the document has too."""
        if name in {_name(kind, row) for row in self.lab.rows(SITE, kind)}:
            return
        if kind == "tenant":
            self.lab.by_hand(SITE, "vast", "POST", "/api/v5/tenants/", {"name": name})
        else:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            self.lab.by_hand(SITE, "kubernetes", "POST", "/api/v1/namespaces", body)

    @rule(limit=st.sampled_from((7, 8)))
    def change_by_hand(self, limit: int) -> None:
        """Somebody moves the limit of every quota."""
        for row in self.lab.rows(SITE, "quota"):
            self.lab.by_hand(SITE, "vast", "PATCH", f"/api/v5/quotas/{row['id']}/", {"hard_limit": limit * 2**30})

    @rule(kind=st.sampled_from(("quota", "namespace")))
    def delete_by_hand(self, kind: str) -> None:
        """Somebody deletes what we made."""
        owned = self._owned()
        for row in self.lab.rows(SITE, kind):
            key = (kind, _id(kind, row))
            if key not in owned:
                continue
            path = f"/api/v5/quotas/{row['id']}/" if kind == "quota" else f"/api/v1/namespaces/{_name(kind, row)}"
            self.lab.by_hand(SITE, SYSTEM[kind], "DELETE", path)
            self.taken.add(key)

    @rule()
    def lose_the_ledger(self) -> None:
        """The folder is gone: nothing is ours any more, and nothing is deleted for it."""
        shutil.rmtree(self.lab.folder / ".vastplan" / "ledger", ignore_errors=True)
        self.late = None

    # --- what we do

    def _carry(self, plan: Plan, *, kill: int | None = None, fault: tuple[str, Fault] | None = None) -> bool:
        """Apply; whether it went well. Whatever happens, only what we owned goes."""
        before, owned = self._rows(), self._owned()
        well = False
        servers = self.lab.world.sites[SITE].servers
        if fault is not None:
            servers[fault[0]].faults.arm(fault[1])
        try:
            if kill is None:
                outcomes = self.lab.apply(plan).outcomes
                well = all(one.state is State.DONE for one in outcomes)
            else:
                with killed_at(kill):
                    self.lab.apply(plan)
        except (Stale, VastplanError):
            pass
        finally:
            for server in servers.values():
                server.faults.clear()
        gone = before.keys() - self._rows().keys()
        assert gone <= owned.keys(), {key: before[key] for key in gone - owned.keys()}
        return well

    def _plan(self) -> Plan:
        addresses = [str(action.address) for action in self.lab.plan().actions]
        return self.lab.plan(self.lab.consent_to_loss(*addresses))

    @rule()
    def apply(self) -> None:
        """The ordinary run; it converges, whatever happened before."""
        plan = self._plan()
        blocked = {str(action.address) for action in plan.actions if action.blocked}
        assert self._carry(plan) or blocked, "an ordinary run did not go well"
        if not blocked:
            assert self.lab.plan().actions == ()

    @rule(
        effect=st.sampled_from(tuple(Effect)),
        system=st.sampled_from(("vast", "kubernetes")),
        after=st.integers(0, 40),
        status=st.sampled_from((429, 500, 503)),
    )
    def apply_under_a_fault(self, effect: Effect, system: str, after: int, status: int) -> None:
        """One request of an apply goes wrong."""
        fault = Fault(effect, after=after, status=status, seconds=0.001, retry_after=0)
        self._carry(self._plan(), fault=(system, fault))

    @rule(event=st.integers(0, 12))
    def apply_and_die(self, event: int) -> None:
        """The process is killed between two journal records."""
        self._carry(self._plan(), kill=event)

    @rule()
    def plan_for_later(self) -> None:
        """A plan that waits for its review."""
        self.late = self._plan()

    @precondition(lambda self: self.late is not None)
    @rule()
    def apply_late(self) -> None:
        """It is applied after the world has moved on, and perhaps twice."""
        assert self.late is not None
        self._carry(self.late)

    # --- what always holds

    @invariant()
    def no_identity_is_there_twice(self) -> None:
        """Neither by a retry nor by a resumed run."""
        for kind in KINDS:
            names = [_name(kind, row) for row in self.lab.rows(SITE, kind)]
            assert len(names) == len(set(names)), (kind, names)

    @invariant()
    def what_we_own_is_there_or_was_taken(self) -> None:
        """The ledger holds nothing that only we could have lost."""
        part = self.lab.workspace().ledger().read(SITE)
        live = self._rows().keys()
        for key, address in self._owned().items():
            assert key in live or key in self.taken or address in part.intents, address


# A year takes seconds: a failing one is shown as it is, unless somebody is exploring and has the time to shrink it.
def _years(count: int) -> settings:
    phases = [phase for phase in Phase if EXPLORING or phase is not Phase.shrink]
    return settings(max_examples=count, stateful_step_count=25, phases=phases)


Year.TestCase.settings = _years(int(os.environ.get("VASTPLAN_EXAMPLES", "80")) // 10)
TestYear = pytest.mark.slow(Year.TestCase)
