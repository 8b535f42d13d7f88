"""Adding a system touches one folder and its kinds: a throw-away one in a copy of the project goes through the commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.systems.wire import Seen, Server, say, serving

ROOT = Path(__file__).parents[2]
TOKEN = "canary-library-5d1"


class Shelves:
    """What the library has: its answers, over HTTPS."""

    def __init__(self) -> None:
        self.books: dict[str, dict[str, Any]] = {}

    def answer(self, seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        _, top, *rest = seen.path.split("/")
        if seen.headers.get("authorization") != f"Bearer {TOKEN}":
            return say(handler, 401, {"detail": "who are you?"})
        if top == "version":
            return say(handler, 200, {"version": "7.2"})
        if seen.method == "GET" and not rest:
            return say(handler, 200, list(self.books.values()))
        if seen.method == "POST":
            number = f"b{len(self.books)}"
            self.books[number] = {"id": number, **json.loads(seen.body)}
            return say(handler, 201, self.books[number])
        if rest[0] not in self.books:
            return say(handler, 404)
        if seen.method == "PATCH":
            self.books[rest[0]] |= json.loads(seen.body)
        if seen.method == "DELETE":
            del self.books[rest[0]]
            return say(handler, 204)
        return say(handler, 200, self.books[rest[0]])


@pytest.fixture
def shelves() -> Shelves:
    return Shelves()


@pytest.fixture
def library(tmp_path: Path, shelves: Shelves) -> Iterator[Server]:
    with serving(tmp_path, shelves.answer) as server:
        yield server


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project with one more folder and one more kind, and nothing else changed."""
    shutil.copytree(ROOT / "vastplan", tmp_path / "vastplan", ignore=shutil.ignore_patterns("__pycache__", ".vastplan"))
    throwaway, kinds = ROOT / "tests" / "throwaway", tmp_path / "vastplan" / "kinds" / "library"
    shutil.copytree(throwaway / "library", tmp_path / "vastplan" / "systems" / "library")
    kinds.mkdir()
    (kinds / "__init__.py").write_text('"""The library\'s kinds."""\n')
    shutil.copy(throwaway / "book.py", kinds)
    return tmp_path


def vastplan(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "LIBRARY_TOKEN": TOKEN}
    command = [sys.executable, "-m", "vastplan", *words]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr, ran.stderr
    assert TOKEN not in ran.stdout + ran.stderr
    return ran


def written(folder: Path, url: str, more: str = "", token: str = "{env: LIBRARY_TOKEN}", copies: int = 3) -> str:
    """A document with a library and a simulated site beside it."""
    file = folder / "doc.yaml"
    file.write_text(
        "version: 1\nname: added\nsites:\n"
        f"  here: {{library: {{url: '{url}', token: {token}{more}}}}}\n"
        "  there: {sim: {systems: [vast]}}\n"
        f"books: {{dune: {{copies: {copies}}}}}\ntenants: {{a: {{}}}}\n"
    )
    return str(file)


@pytest.mark.slow
def test_it_is_planned_and_applied(copy: Path, library: Server, shelves: Shelves) -> None:
    file = written(copy, library.url, ", ca_file: ca.pem")
    assert vastplan(copy, "validate", file).returncode == 0
    assert "+ book dune" in vastplan(copy, "plan", file, "--out", "plan.json").stdout
    assert {seen.method for seen in library.seen} == {"GET"}
    applied = vastplan(copy, "apply", "plan.json")
    assert applied.returncode == 0, applied.stderr
    assert shelves.books == {"b0": {"id": "b0", "name": "dune", "copies": 3}}
    assert vastplan(copy, "plan", file, "--detailed-exitcode").returncode == 0
    shelves.books["b0"]["copies"] = 9
    drift = vastplan(copy, "drift", file)
    assert drift.returncode == 2 and "copies" in drift.stdout, drift
    written(copy, library.url, ", ca_file: ca.pem", copies=4)
    assert vastplan(copy, "apply", file, "--auto-approve").returncode == 0
    assert shelves.books["b0"]["copies"] == 4


@pytest.mark.slow
def test_a_snapshot_holds_its_version_and_where_it_is(copy: Path, library: Server) -> None:
    file = written(copy, library.url, ", ca_file: ca.pem")
    recorded = vastplan(copy, "record", file, "--out", "snapshot.json")
    assert recorded.returncode == 0, recorded.stderr
    here = json.loads((copy / "snapshot.json").read_text())["sites"][0]
    assert here["facts"]["library_version"] == "7.2"
    assert here["systems"]["library"] == library.url


@pytest.mark.slow
def test_its_credentials_are_known_as_such(copy: Path, library: Server) -> None:
    file = written(copy, library.url, token="{command: [cat, token]}")
    assert "VP222: site here: library.token" in vastplan(copy, "validate", file).stderr
    (copy / "token").write_text(TOKEN)
    file = written(copy, library.url, ", insecure_skip_verify: true", token="{file: token}")
    ran = vastplan(copy, "plan", file)
    assert f"VP320: site here: the certificate of {library.url} is not verified" in ran.stdout, ran


@pytest.mark.slow
def test_the_schema_has_it(copy: Path, library: Server) -> None:
    schema = json.loads(vastplan(copy, "schema").stdout)
    assert schema["$defs"]["SiteSpec"]["properties"]["library"]["$ref"] == "#/$defs/LibraryEndpoint"
    # It has no simulator, so that no site can say that it has.
    assert schema["$defs"]["SimEndpoint"]["properties"]["systems"]["items"]["enum"] == ["vast", "kubernetes", "runai"]
