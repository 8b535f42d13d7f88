"""One document with all that is moved: a project of two volumes that replicate, one that is shared, room for forks; and its work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.moving.seen import SITES, Seen
from tests.moving.theatre import BASE, GB, SHARED, TWIN, theatre
from tests.moving.together import DATA, DATA_TWIN, Both
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.engine.live.consent import Consent
from vastplan.model.address import Address
from vastplan.model.outcome import State
from vastplan.sim.runai import workloads
from vastplan.sim.vast import content
from vastplan.sim.vast.control import NoAnswer, ReadOnly

REPLICATED, OF_ALL = ("home", "data"), ("home", "data", "shared")
TWINS = {"home": "home-copy", "data": "data-copy"}
"""What the volumes are in the document at pdx."""
CLAIMS = {"iad": {one: one for one in OF_ALL}, "pdx": {"home": "home", "data-there": "data", "shared": "shared"}}
"""Which volume a claim of a site mounts."""
WORK = {"train": "home", "log": "data", "serve": "shared"}


def _document() -> dict[str, Any]:
    base = deepcopy(BASE)
    team = base["tenants"]["team"]
    of_tenant = {"tenant": "team", "department": "research", "gpus": {"default": 8}}
    base["projects"] = {"serving": of_tenant, "trials": of_tenant}
    team["volumes"]["home"]["project"] = "team"
    team["volumes"]["data"] = {**DATA, "project": "team"}
    team["volumes"]["shared"] = {**SHARED, "path": "/team/shared", "mount": "/shared", "project": "serving"}
    return base


@dataclass
class Branch:
    """A volume that a fork has made, and what was written to it there."""

    name: str
    site: str
    written: set[str] = field(default_factory=set)

    @property
    def directory(self) -> str:
        return f"/team/{self.name}"


@dataclass
class Mixed:
    """What is there of each volume, behind the systems' backs, and workloads that write to it while they run."""

    scene: Both
    of: dict[str, Seen]
    written: dict[str, dict[str, float]]
    """Of each volume what was acknowledged, and when."""
    given_up: dict[str, set[str]]
    """Of each volume what a restore in place took away, as was told."""
    parted: set[str] = field(default_factory=set)
    """The volumes whose last change of roles may have left two sides that lead."""
    branches: dict[str, Branch] = field(default_factory=dict)
    pace: int = 17
    """Seconds between two writes of one workload."""
    seconds: int = 0
    count: int = 0

    def address(self, volume: str, site: str) -> Address:
        """What a volume is in the document, as seen from a site."""
        name = TWINS.get(volume, volume) if site == "pdx" else volume
        return Address(site, "volume", name)

    def roles(self) -> dict[str, dict[str, str]]:
        return {volume: seen.roles() for volume, seen in self.of.items()}

    def leads(self, volume: str) -> str:
        """The one site that leads; "" where it is not one."""
        found = [site for site, role in self.of[volume].roles().items() if role == "SOURCE"]
        return found[0] if len(found) == 1 else ""

    def work(self, site: str, volume: str) -> dict[str, str]:
        """The workloads that mount a volume at a site, by name."""
        return {str(row["name"]): str(row["phase"]) for row in self._rows(site) if volume in self._mounted(site, row)}

    def work_of_branch(self, branch: str) -> dict[str, str]:
        rows = self._rows(self.branches[branch].site)
        return {str(row["name"]): str(row["phase"]) for row in rows if branch in row["claims"]}

    def _rows(self, site: str) -> list[dict[str, Any]]:
        with self.scene.lab.world.lock:
            return list(workloads.live_workloads(self.scene.runai(site)._ctx))

    def _mounted(self, site: str, row: dict[str, Any]) -> set[str]:
        return {CLAIMS[site][claim] for claim in row["claims"] if claim in CLAIMS[site]}

    def write(self, site: str, volume: str, size: int = GB) -> str:
        """A write that is acknowledged, by its label; "" where it is not."""
        self.count += 1
        label = f"{volume}-{site}-{self.count}"
        try:
            replace(self.scene, volume=volume).write(site, label, size)
        except (NoAnswer, ReadOnly):
            return ""
        self.written[volume][label] = self.scene.clock.now().timestamp()
        return label

    def second(self) -> None:
        """What runs writes now and then, to what it mounts."""
        self.seconds += 1
        if self.seconds % self.pace:
            return
        for site in SITES:
            for row in self._rows(site):
                if row["phase"] != "Running":
                    continue
                for volume in sorted(self._mounted(site, row)):
                    self.write(site, volume)
                for name in sorted(set(row["claims"]) & self.branches.keys()):
                    self._write_to_branch(self.branches[name])

    def _write_to_branch(self, branch: Branch) -> None:
        self.count += 1
        label = f"{branch.name}-{self.count}"
        with contextlib.suppress(NoAnswer), self.scene.lab.world.lock:
            tenant = self.scene.tenant[branch.site]
            self.scene.vast(branch.site).write(branch.directory, GB, label, tenant_id=tenant)
            branch.written.add(label)

    def snapshots(self, site: str, volume: str) -> list[str]:
        """Those of a volume at a site that can be gone back to."""
        with self.scene.lab.world.lock:
            rows = self.scene.vast(site)._cluster.rows("snapshots", path=f"/team/{volume}/")
            return sorted(str(row["name"]) for row in rows)

    def of_branch(self, branch: Branch) -> set[str]:
        """What a branch holds; a site without power keeps what it has."""
        with self.scene.lab.world.lock:
            cluster = self.scene.vast(branch.site)._cluster
            found = content.pointer(cluster, self.scene.tenant[branch.site], branch.directory)
            return set(content.complete_labels(cluster, found))

    # forks

    def declare(self, site: str) -> Branch:
        """The document has a branch at a site, of a name of its own. Nothing is applied."""
        made = Branch(self.called("try"), site)
        sections = deepcopy(self.scene.lab.sections)
        sections["tenants"]["team"]["volumes"][made.name] = {
            "sites": [site], "path": made.directory, "size": "10 TiB", "mount": f"/{made.name}", "project": "trials",
            "source": {"volume": self.address("home", site).name},
        }  # fmt: skip
        self.scene.lab.write(sections)
        return made

    def withdraw(self, branch: Branch) -> None:
        """The document has it no more."""
        sections = deepcopy(self.scene.lab.sections)
        del sections["tenants"]["team"]["volumes"][branch.name]
        self.scene.lab.write(sections)

    def apply(self, branch: Branch) -> list[str]:
        """As somebody does who types the command that the stop of a fork tells: what did not go well."""
        options = PlanOptions(SITES, targets=(f"{branch.site}/volume/{branch.name}",), consent=Consent(adopt=True))
        receipt = self.scene.lab.apply(make_plan(self.scene.lab.workspace(), options).plan)
        return [f"{one.address} {one.message}" for one in receipt.outcomes if one.state is not State.DONE]

    def called(self, what: str) -> str:
        """A name that nothing had yet."""
        self.count += 1
        return f"{what}-{self.count}"


@contextlib.contextmanager
def mixed(folder: Path) -> Iterator[Mixed]:
    """Both sites, with all of it at iad, and a workload on each volume there."""
    twins = {"home-copy": {**TWIN, "project": "team"}, "data-copy": {**DATA_TWIN, "project": "team"}}
    with theatre(folder, _document(), twins) as one:
        scene = Both(one.lab, one.clock, tenant=one.tenant)
        guids = {name: str(row["guid"]) for name, row in scene.rows("iad").items()}
        made = Mixed(scene, {}, {}, {volume: set() for volume in OF_ALL})
        for volume in OF_ALL:
            made.of[volume] = Seen(replace(scene, volume=volume), guids[volume])
            made.written[volume] = {}
            if volume != "home":  # the theatre wrote to that
                made.write("iad", volume)
        made.written["home"]["step-0"] = scene.clock.now().timestamp() - 10  # the theatre has waited since
        with scene.lab.world.lock:
            for name, volume in WORK.items():
                project = "serving" if volume == "shared" else "team"
                scene.runai("iad").submit(project, name, gpus=1, claim_names=[volume])
        scene.clock.sleep(10)
        yield made
