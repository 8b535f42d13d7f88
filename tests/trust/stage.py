"""A site with work of ours and of strangers, and plans of ours that wait: what an attack on their files makes of them.

Everything happens in this process (`tests/histories/plant.py`). Each attack begins with the same world, ledger and files; what
it has the systems written is held against what the plan does by itself, and what it opens against what it may open.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.histories.hands import APPS, LEGACY, THEIRS, Hands
from tests.histories.history import Ran, ran
from tests.histories.plant import READS, Plant
from vastplan.sim.wire import Response

SITE = "iad"
DOCUMENTED = range(7)
_LIMIT = {"max_writes_bw_mbps": 100}
FIRST: dict[str, Any] = {
    "tenants": {"a": {"max_views": 3}, "kept": {}, "spare": {}},
    "view_policies": {
        "p": {"tenant": "a", "flavor": "NFS", "nfs_read_write": ["10.12.0.0/24"]},
        "old": {"tenant": "a", "flavor": "NFS"},
    },
    "qos_policies": {
        name: {"tenant": "a", "mode": "STATIC", "static_limits": _LIMIT} for name in ("slow", "moving", "fine")
    },
    "namespaces": {"n": {"labels": {"team": "a"}, "annotations": {"owner": "a"}}, "m": {}},
    "departments": {"d": {"gpus": {"default": 4}}},
}
"""What is applied and owned when the plans are made."""
SECOND: dict[str, Any] = {
    "tenants": {"a": {"max_views": 5}, "b": {}},
    "view_policies": {"p": {"tenant": "a", "flavor": "MIXED_LAST_WINS", "nfs_read_write": ["10.12.0.0/24"]}},
    "qos_policies": {
        "moving": {"tenant": "b", "mode": "STATIC", "static_limits": _LIMIT},
        "fine": {"tenant": "a", "mode": "STATIC"},
    },
    "namespaces": {"n": {"labels": {"team": "b"}}, LEGACY: {}},
    "secrets": {"mgmt": {"namespace": "n", "data": {"token": {"file": "token.txt"}}}},
    "departments": {"d": {"gpus": {"default": 8}}},
}
"""What is planned: every verb, some of it consented to."""
APPROVALS = {
    "version": 1,
    "approvals": [{"address": "iad/tenant/spare", "reason": "nobody has used it", "until": "2999-01-01"}],
}
BOLD = (
    "--adopt", "--allow-delete", "iad/view_policy/old", "--allow-delete", "iad/qos_policy/moving", "--allow-delete",
    "iad/tenant/spare",
)  # fmt: skip

_MADE_UP = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Write = tuple[str, str, str, str]  # host, method, target, body


class Watched(Plant):
    """A plant that keeps what was written, and can be put back as it was."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, (SITE,))
        self.writes: list[Write] = []

    def answer(self, host: str, method: str, target: str, content: bytes, headers: Mapping[str, str]) -> Response:
        """As any plant; what writes is noted."""
        before = self.written
        response = super().answer(host, method, target, content, headers)
        if method not in READS and self.written != before:
            self.writes.append((host, method, target, content.decode()))
        return response

    def state(self) -> Any:
        """All that the systems hold."""
        return copy.deepcopy({key: (store._rows, store._counters) for key, store in self.stores.items()})

    def put_back(self, state: Any) -> None:
        """Have the systems hold that again."""
        for key, (rows, counters) in copy.deepcopy(state).items():
            store = self.stores[key]
            store._rows, store._counters, store._lists, store._indexes = rows, counters, {}, {}
        self.writes.clear()


@dataclass(frozen=True, slots=True)
class Scene:
    """A saved plan, the words that apply it, and what that does: its writes, and what is owned afterwards."""

    name: str
    words: tuple[str, ...]
    writes: Counter[Write]
    owned: Mapping[str, str]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Attacked:
    """How an attack ended: the command, what was written, what is owned now, and what was opened that should not be."""

    ran: Ran
    writes: Counter[Write]
    owned: Mapping[str, str]
    limits: Mapping[str, int]
    opened: tuple[str, ...]
    before: Mapping[str, str]
    """What was owned when it began."""
    limits_before: Mapping[str, int]

    def broken(self, scene: Scene) -> list[str]:
        """What the attack achieved that it must not, each in a line."""
        found = [f"opened {path}" for path in self.opened]
        beyond = self.writes - scene.writes
        found += [f"wrote what the plan does not: {' '.join(write)[:400]}" for write in beyond]
        if self.ran.code not in DOCUMENTED:
            found.append(f"exit code {self.ran.code}")
        if "Traceback" in self.ran.err + self.ran.out or "a bug in vastplan" in self.ran.err:
            found.append(f"a fault of ours: {self.ran.err[-400:]}")
        if "a fault in vastplan" in self.ran.err + self.ran.out:
            found.append(f"a fault of ours: {(self.ran.err + self.ran.out)[-400:]}")
        if CANARY in self.ran.err + self.ran.out:
            found.append("printed a canary")
        for address, held in self.owned.items():
            if held not in (self.before.get(address), scene.owned.get(address)):
                found.append(f"owns {held} as {address}")
        lost = [address for address in self.before if address not in self.owned and address in scene.owned]
        found += [f"does not own {address} any more" for address in lost]
        if self.limits not in (self.limits_before, scene.limits):
            found.append(f"noted the limits {self.limits}")
        return found


CANARY = "canary-5f1e"


class Stage:
    """The folder, the site, and the plans that wait."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "here"
        self.document = self.folder / "lab"
        self.document.mkdir(parents=True)
        self._working = False
        (self.document / "token.txt").write_text("a-token\n")
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "secret.yaml").write_text(f"{CANARY}: {CANARY}\n")
        (self.outside / "secret.txt").write_text(f"{CANARY}\n")
        self.plant = Watched(folder)
        Hands(self.plant, [0]).settle_in(SITE, Random(0))
        self._write(FIRST)
        with self.at_work():
            self._well(ran("apply", self.document, "--auto-approve"))
            self._write(SECOND)
            self.plant.writes.clear()
            self.snapshot = self.folder / "snapshot.json"
            self._well(ran("record", self.document, "--out", self.snapshot))
            self.recorded = self.snapshot.read_bytes()
            self.approvals = self.folder / "approvals.json"
            self.approvals.write_text(json.dumps(APPROVALS))
            self.plan = self.folder / "plan.json"
            self._world = self.plant.state()
            self._ids = frozenset(str(row.get("uid")) for row in self._metadata())
            self._ledger = self._read_ledger()
            self.plans: dict[str, bytes] = {}
            self.scenes = {
                "bold": self._scene("bold", *BOLD, "--approvals", str(self.approvals)),
                "cautious": self._scene("cautious"),
            }
            everything = ("--adopt", "--allow-delete", "*", "--allow-narrow", "*", "--max-changes", "1000")
            self.most = self._scene("most", *everything, "--approvals", str(self.approvals))
            """All that somebody could type, with the same approvals."""

    @property
    def part(self) -> Path:
        """The ledger's file."""
        return self.document / ".vastplan" / "ledger" / f"{SITE}.json"

    def content(self, file: str, scene: str) -> bytes:
        """A plan, the ledger, the approvals or the snapshot as they are."""
        return {
            "plan": self.plans[scene],
            "ledger": self._ledger[self.part.name],
            "approvals": json.dumps(APPROVALS).encode(),
            "snapshot": self.recorded,
        }[file]

    def strangers(self) -> list[str]:
        """Ids of what is not ours."""
        return [value for name, value in self.names().items() if name != "$outside"]

    def names(self) -> dict[str, str]:
        """What the cases of the corpus call them."""
        policies, tenants = self.plant.rows(SITE, "vast", "viewpolicies"), self.plant.rows(SITE, "vast", "tenants")
        spaces = self._metadata()
        return {
            "$stranger": next(str(row["id"]) for row in policies if row["name"] == THEIRS),
            "$tenant": next(str(row["id"]) for row in tenants if row["name"] == THEIRS),
            "$space": next(str(one["uid"]) for one in spaces if one["name"] == APPS),
            "$outside": str(self.outside),
        }

    def _metadata(self) -> list[dict[str, Any]]:
        return [row["metadata"] for row in self.plant.rows(SITE, "kubernetes", "namespaces")]

    def _write(self, sections: Mapping[str, Any]) -> None:
        head = {"version": 1, "name": "lab", "sites": {SITE: {"sim": {}}}}
        (self.document / "lab.yaml").write_text(yaml.safe_dump({**head, **sections}, sort_keys=False))

    def _scene(self, name: str, *flags: str) -> Scene:
        self._well(ran("plan", self.document, "--out", self.plan, *flags))
        self.plans[name] = self.plan.read_bytes()
        again = flags[flags.index("--approvals") :] if "--approvals" in flags else ()
        words = ("apply", str(self.plan), *again)
        self._well(ran(*words), 0, 3)
        scene = Scene(name, words, Counter(self.plant.writes), self._owned(), self._limits())
        self.put_back()
        return scene

    def _well(self, done: Ran, *codes: int) -> None:
        assert done.code in (codes or (0,)), f"{done.code}: {done.err}{done.out}"

    def put_back(self) -> None:
        """The world, the ledger and the files as they were."""
        if self.plant.writes:
            self.plant.put_back(self._world)
        folder = self.part.parent
        if self._read_ledger() != self._ledger:
            shutil.rmtree(folder)
            folder.mkdir()
            for file, content in self._ledger.items():
                (folder / file).write_bytes(content)
        self.approvals.write_text(json.dumps(APPROVALS))
        self.snapshot.write_bytes(self.recorded)

    def _read_ledger(self) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in self.part.parent.iterdir() if file.suffix == ".json"}

    def _owned(self) -> dict[str, str]:
        """Ids and locators by address. A cluster makes up another id each time that something is made."""
        entries = self._part()["entries"].items()
        return {
            address: f"{'new' if _MADE_UP.fullmatch(one['id']) and one['id'] not in self._ids else one['id']} {one['locator']}"
            for address, one in entries
        }

    def _limits(self) -> dict[str, int]:
        return dict(self._part().get("limits", {}))

    def _part(self) -> Any:
        return json.loads(self.part.read_bytes())

    def _ledger_now(self) -> tuple[dict[str, str], dict[str, int]]:
        """What is owned, and the limits; nothing of a ledger that is none."""
        try:
            return self._owned(), self._limits()
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}, {}

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """vastplan in this process is connected to this site. To begin takes longer than a command: begin once for many."""
        if self._working:
            yield
            return
        self._working = True
        try:
            with self.plant.running(), contextlib.chdir(self.folder):
                yield
        finally:
            self._working = False

    def attack(
        self, scene: Scene, plan: bytes, *, ledger: bytes | None = None, approvals: bytes | None = None
    ) -> Attacked:
        """Apply the scene's plan as somebody has changed it, or with another ledger or other approvals under it."""
        self.plan.write_bytes(plan)
        if ledger is not None:
            self.part.write_bytes(ledger)
        if approvals is not None:
            self.approvals.write_bytes(approvals)
        return self.run(*scene.words)

    def run(self, *words: str) -> Attacked:
        """One command in this world; everything is put back."""
        before, limits_before = self._ledger_now()
        with self.at_work(), _listening(self._allowed()) as opened:
            done = ran(*words)
        owned, limits = self._ledger_now()
        attacked = Attacked(done, Counter(self.plant.writes), owned, limits, tuple(opened), before, limits_before)
        self.put_back()
        return attacked

    def _allowed(self) -> tuple[str, ...]:
        sources = Path(__file__).parents[2]
        return (str(self.folder), str(sources), sys.prefix, sys.base_prefix, "/usr/", "/dev/null")


_LISTENERS: list[tuple[tuple[str, ...], list[str]]] = []
_HOOKED: list[bool] = []


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if not _LISTENERS:
        return
    allowed, opened = _LISTENERS[-1]
    if event == "open" and isinstance(arguments[0], str):
        path = str(Path(arguments[0]).absolute())
        if not path.startswith(allowed):
            opened.append(path)
    elif event in ("socket.connect", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        opened.append(event)


@contextlib.contextmanager
def _listening(allowed: tuple[str, ...]) -> Iterator[list[str]]:
    """What is opened outside of what is allowed, connections and processes included."""
    if not _HOOKED:
        sys.addaudithook(_heard)
        _HOOKED.append(True)
    opened: list[str] = []
    _LISTENERS.append((allowed, opened))
    try:
        yield opened
    finally:
        _LISTENERS.pop()
