"""Steps of histories beside plan and apply: data is restored from a snapshot, in a new volume or in place, to its end or cut."""

from __future__ import annotations

import re
from random import Random

import yaml

from tests.histories.documents import Entry, Key
from tests.histories.history import History, Paper
from tests.histories.oracle import Said


def restore_data(history: History, chance: Random) -> None:
    """Somebody takes a snapshot, loses data, and goes back to the snapshot."""
    paper = chance.choice(history.papers)
    site = chance.choice(paper.document.sites)
    keys: list[Key] = [
        key
        for key, entry in paper.document.entries.items()
        if key[0] in ("views", "volumes") and "path" in entry.body and isinstance(entry.body["tenant"], str)
    ]
    if not keys:
        return
    section, name = chance.choice(keys)
    name_of_copy = history.writer(paper, chance).fresh(f"{name}-b")
    snapshot = _snapshot(history, chance, site, paper, (section, name))
    if not snapshot:
        return
    file = history.folder / "restore.json"
    where = ("--in-place",) if chance.random() < 0.4 else ("--as", name_of_copy)
    address = f"{site}/{section.removesuffix('s')}/{name}"
    planned = history.command(
        Said(), "restore", "plan", paper.folder, address, "--snapshot", snapshot, "--out", file, *where
    )
    if planned.code != 0:
        return
    loss = re.search(r"--lose (\S+)", planned.out)
    words = (
        "restore",
        "run",
        file,
        "--auto-approve",
        "--document",
        paper.folder,
        *(("--lose", loss[1]) if loss else ()),
    )
    die = chance.randint(0, 3) if chance.random() < 0.3 else None
    done = history.command(Said(), *words, die=die)
    history.moment = None
    if done.code != 0:
        status = history.command(Said(), "restore", "status", paper.folder)
        begun = re.search(r"\b[0-9a-f]{8}\b", status.out)
        if begun is not None and chance.random() < 0.5:
            history.command(Said(), "restore", "abort", paper.folder, begun[0], "--auto-approve")
        else:
            history.command(Said(), *words)
        return
    lines = planned.out.partition("for the document, after the restore:\n")[2].partition("\nsaved to")[0]
    written = yaml.safe_load(lines) if lines.strip() else None
    if written and chance.random() < 0.7:
        before = paper.document.copy()
        paper.document.entries[section, name_of_copy] = Entry(written[section][name_of_copy])
        history.write(paper)
        paper.commits.append(before)
        history.apply(paper, chance, chance.choice(("plain", "adopt", "all")))


def _snapshot(history: History, chance: Random, site: str, paper: Paper, key: Key) -> str:
    """A new snapshot of an entry's directory, by its name; "" where the directory does not exist yet."""
    body = paper.document.entries[key].body
    tenants = [row["id"] for row in history.plant.rows(site, "vast", "tenants") if row["name"] == body["tenant"]]
    if not tenants:
        return ""
    called = history.writer(paper, chance).fresh("by-hand-")
    request = {"name": called, "path": f"{body['path']}/", "tenant_id": tenants[0]}
    answer = history.plant.by_hand(site, "vast", "POST", "/api/v5/snapshots/", request)
    for _ in range(2):  # it is ready when it is looked at
        history.plant.by_hand(site, "vast", "GET", "/api/v5/snapshots/")
    history.moment = None
    history.note(f"  a snapshot {called} of {body['path']} on {site}: {answer.status}")
    return called if answer.status == 201 else ""
