"""A document with keys on simulated systems, and all the secrets that the simulators have ever told."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from tests.values.forms import held
from vastplan.sim.store import Row
from vastplan.sim.vast import VastPlane, keys

TEAM: dict[str, Any] = {
    "namespaces": {"team-a": {}},
    "local_providers": {"team-a": {}},
    "tenants": {"team-a": {"local_provider": "team-a", "users": {"alice": {"uid": 30109}}}},
}
DELIVER = {"secret": "team-a/s3"}
SECRET = "/api/v1/namespaces/team-a/secrets/s3"
MERGE = {"Content-Type": "application/merge-patch+json"}


class Plant:
    """One site, its document and commands on it."""

    def __init__(self, lab: Lab, vastplan: Run) -> None:
        self.lab, self._vastplan = lab, vastplan
        self.document = lab.folder / "doc.yaml"
        self.told: set[str] = set()

    def enrol(self, **users: int) -> None:
        """Say who is in the directory, by their numbers."""
        self.lab.enrol("iad", users={name: {"uid": uid} for name, uid in users.items()})

    def write(self, **key: Any) -> None:
        """The document with one key; without any where it says nothing."""
        tenant = {**TEAM["tenants"]["team-a"]}
        if key:
            tenant["s3_keys"] = {"trainer": {"user": "alice", "deliver": DELIVER, **key}}
        sites = {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}}
        whole = {"version": 1, "name": "doc", "sites": sites, **TEAM, "tenants": {"team-a": tenant}}
        self.document.write_text(yaml.safe_dump(whole, sort_keys=False))

    def run(self, word: str, *more: str | Path) -> Ran:
        """A command, after which no secret that was ever told is in what it printed or wrote."""
        ran = self._vastplan(word, self.document, *more)
        self.told |= {row[keys.SECRET] for row in self.pairs()}
        files = [file for file in self.lab.folder.rglob("*") if file.is_file() and "sim" not in file.parts]
        texts = [ran.out, ran.err, *(file.read_text(encoding="utf-8") for file in files)]
        assert not any(held(self.told, text) for text in texts), f"a secret is in the open: {ran}"
        return ran

    def pairs(self) -> list[Row]:
        """The keys that the cluster has, each with the secret that it told."""
        plane = self.lab.world.sites["iad"].planes["vast"]
        assert isinstance(plane, VastPlane)
        with self.lab.world.lock:
            store = plane._cluster.store
            return [dict(row) for row in (*store.rows(keys.NAME), *store.rows(keys.OF_DIRECTORY))]

    def delivered(self) -> dict[str, str]:
        """What is in the Secret."""
        data = self.lab.by_hand("iad", "kubernetes", "GET", SECRET).get("data") or {}
        return {key: base64.b64decode(value).decode() for key, value in data.items()}

    def holds_the_pair_of(self, row: Row) -> bool:
        """Whether the Secret has just that pair."""
        return self.delivered() == {"AWS_ACCESS_KEY_ID": row["access_key"], "AWS_SECRET_ACCESS_KEY": row[keys.SECRET]}
