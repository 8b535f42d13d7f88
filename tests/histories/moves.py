"""Steps of histories: a volume that two sites share is moved to the other one, or the move is rehearsed, to the end or cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.histories import edits
from tests.histories.documents import Body
from tests.histories.history import History, Paper, Ran
from tests.histories.look import Key, look
from tests.histories.oracle import Said, Violation
from vastplan.sim.vast import VastPlane
from vastplan.sim.vast.clients import ReadOnly

TRIES = 3
"""How often the same command is typed until the operation has ended."""
HOURS = 4000
"""Seconds: more than the pause between two restore points."""
MADE = ("view", "quota", "persistent_volume", "persistent_volume_claim", "workload")
"""What a rehearsal creates, and deletes again."""


@dataclass(frozen=True, slots=True)
class _Volume:
    """A volume that is written at one site and copied to the other."""

    name: str
    body: Body
    source: str
    target: str
    tenants: dict[str, int]

    @property
    def address(self) -> str:
        return f"{self.source}/volume/{self.name}"

    def labels(self, history: History, site: str) -> set[str]:
        """What a client finds in its directory there."""
        return set(_cluster(history, site).labels(self.body["path"], tenant_id=self.tenants[site]))


def move_data(history: History, chance: Random) -> None:
    """Planned: all that was written is at the target afterwards. Then somebody writes the new site into the document, or forgets to."""
    paper = history.papers[0]  # two documents would share the peer
    volume = _volume(history, paper, chance)
    if volume is None:
        return
    label = _written(history, volume)
    file = history.folder / "move.json"
    planned = history.command(
        Said(), "move", "plan", paper.folder, volume.address, "--to", volume.target, "--out", file
    )
    if planned.code != 0:
        history.refusals.append(f"move plan: {planned.err[:200]}")
        return
    done = _carried(history, paper, file, chance)
    if done is None:
        return
    if label and label not in volume.labels(history, volume.target):
        text = f"{volume.address} was moved to {volume.target}, which does not have what was written before: {label}"
        history.fail([Violation("lost-by-move", text)])
    if chance.random() < 0.7:
        before = paper.document.copy()
        volume.body["active"] = volume.target
        history.write(paper)
        paper.commits.append(before)
        history.apply(paper, chance, chance.choice(("plain", "adopt", "all")))


def rehearse(history: History, chance: Random) -> None:
    """A move is tried on a clone: at its end all is as it was."""
    paper = history.papers[0]  # two documents would share the peer
    volume = _volume(history, paper, chance)
    if volume is None:
        return
    _written(history, volume)
    _cluster(history, volume.source).pass_time(HOURS)  # a restore point falls due, and arrives
    history.moment = None
    before = _things(history)
    file = history.folder / "rehearsal.json"
    words = ("move", "plan", paper.folder, volume.address, "--to", volume.target, "--rehearse", "--out", file)
    planned = history.command(Said(), *words)
    if planned.code != 0:
        history.refusals.append(f"move plan --rehearse: {planned.err[:200]}")
        return
    if _carried(history, paper, file, chance, backwards=True) is None:
        return
    left = _things(history)
    if left != before:
        text = ", ".join(sorted("/".join(key) for key in before ^ left))
        history.fail([Violation("rehearsal-left", f"{volume.address}: not as before its rehearsal: {text}")])


def _volume(history: History, paper: Paper, chance: Random) -> _Volume | None:
    """One of the document's volumes on two sites, or a new one, with its parts as they are live; `None` where there is none."""
    document = paper.document
    names = [name for name in document.names("volumes") if "replicate" in document.entries["volumes", name].body]
    if not names or chance.random() < 0.2:
        if len(document.sites) < 2 and not (chance.random() < 0.5 and history.edit(paper, chance, edits.add_site)):
            return None
        if not history.edit(paper, chance, edits.add_replicated):
            return None
        history.apply(paper, chance, "all")
        names = [name for name in document.names("volumes") if "replicate" in document.entries["volumes", name].body]
    name = chance.choice(names)
    body = document.entries["volumes", name].body
    leading = [site for site in document.sites if _leads(history, site, body["path"])]  # `active` may be forgotten
    source = leading[0] if len(leading) == 1 else body["active"]
    (target, *_) = [site for site in document.sites if site != source]
    tenants = {
        site: row["id"]
        for site in document.sites
        for row in history.plant.rows(site, "vast", "tenants")
        if row["name"] == body["tenant"]
    }
    if len(tenants) < len(document.sites):
        return None
    return _Volume(name, body, source, target, tenants)


def _leads(history: History, site: str, path: str) -> bool:
    rows = history.plant.rows(site, "vast", "protectedpaths")
    return any(row["role"] == "SOURCE" for row in rows if row["source_dir"].rstrip("/") == path)


def _written(history: History, volume: _Volume) -> str:
    """What somebody writes at the source now; "" where nobody may."""
    label = f"step-{history.numbers[0]}"
    history.numbers[0] += 1
    try:
        _cluster(history, volume.source).write(
            volume.body["path"], 10**9, label, tenant_id=volume.tenants[volume.source]
        )
    except ReadOnly:
        return ""
    history.moment = None
    history.note(f"  {label} is written to {volume.body['path']} on {volume.source}")
    return label


def _carried(history: History, paper: Paper, file: Path, chance: Random, *, backwards: bool = False) -> Ran | None:
    """Run what was planned until it has ended, with a kill in some; `None` for one that was given up.

    One that is taken back has ended, too, if that is what counts (`backwards`).
    """
    words = ("move", "run", file, "--auto-approve", "--document", paper.folder)
    die = chance.randint(0, 8) if chance.random() < 0.4 else None
    done = history.command(Said(), *words, die=die)
    for _ in range(TRIES):
        history.moment = None
        if done.code == 0:
            return done
        status = history.command(Said(), "move", "status", paper.folder)
        begun = re.search(r"\b[0-9a-f]{8}\b", status.out)
        if begun is not None and chance.random() < 0.3:
            back = history.command(Said(), "move", "abort", paper.folder, begun[0], "--auto-approve")
            history.moment = None
            if back.code == 0:
                return back if backwards else None
        history.read(chance)
        done = history.command(Said(), *words)
    history.moment = None
    history.refusals.append(f"move run: {done.err[-200:]}")
    return done if done.code == 0 else None


def _things(history: History) -> set[Key]:
    """All that a rehearsal could leave behind."""
    return {key for key in look(history.plant, facts=False).rows if key[1] in MADE}


def _cluster(history: History, site: str) -> VastPlane:
    plane = history.plant.planes[site, "vast"]
    assert isinstance(plane, VastPlane)
    return plane
