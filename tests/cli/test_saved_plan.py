"""A saved plan is carried out as it is, from whichever folder: what says how to plan is refused beside it."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from vastplan.cli.parser import parse, parser
from vastplan.cli.requests.apply import ApplyRequest
from vastplan.sim.world import World

DOCUMENT = (
    "version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast, kubernetes]}}}\ntenants: {a: {}}\nnamespaces: {n: {}}\n"
)
HERE = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
GIVEN_TO_APPLY = {
    "--connections", "--auto-approve", "--document", "--format", "--report", "--require-signature", "-h", "--help", "--all-or-nothing",
    "--no-colour", "--no-color", "--lock-timeout",
}  # fmt: skip
"""What says where the document and its systems are now, whether to ask, and what to print."""
READ_AGAIN = {"--approvals"}
"""What is somebody else's, in a file of its own: it plans nothing, and lets nothing through that the plan did not."""


_VALUES = {"DURATION": "7m"}


def options_of_apply() -> list[tuple[str, list[str]]]:
    """Every option of apply with words that give it."""
    commands = next(each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    options = [action for action in commands.choices["apply"]._actions if action.option_strings]
    return [
        (name, [name] if action.nargs == 0 else [name, "json" if action.choices else _VALUES.get(action.metavar, "7")])
        for action in options
        for name in action.option_strings
    ]


@pytest.fixture
def saved(tmp_path: Path, vastplan: Run) -> Path:
    """A plan beside its document."""
    (tmp_path / "doc.yaml").write_text(DOCUMENT)
    assert vastplan("plan", tmp_path / "doc.yaml", "--out", tmp_path / "plan.json").code == 0
    return tmp_path / "plan.json"


@pytest.mark.parametrize(
    ("name", "words"),
    [pair for pair in options_of_apply() if pair[0] not in GIVEN_TO_APPLY | READ_AGAIN],
    ids=lambda x: str(x),
)
def test_every_option_that_plans_is_refused_beside_a_saved_plan(
    name: str, words: list[str], saved: Path, vastplan: Run
) -> None:
    ran = vastplan("apply", saved, *words)
    assert ran.code == 1 and ran.err.startswith(f"error: {name} cannot be used with a saved plan"), ran
    assert vastplan("ledger", "list", saved.parent / "doc.yaml").out == "the ledger is empty\n"


@pytest.mark.parametrize("name", sorted(GIVEN_TO_APPLY - {"-h", "--help"}))
def test_and_what_says_how_to_apply_is_not(name: str) -> None:
    (words,) = (words for option, words in options_of_apply() if option == name)
    request = parse(["apply", "plan.json", *words])
    assert isinstance(request, ApplyRequest) and request.planning_options() == {}


def test_all_that_were_typed_are_named(saved: Path, vastplan: Run) -> None:
    ran = vastplan("apply", saved, "--adopt", "--site", "iad", "--format", "json")
    assert ran.code == 1 and json.loads(ran.out)["error"].startswith("--site, --adopt cannot be used")


def test_a_saved_plan_is_applied_alone(saved: Path, vastplan: Run) -> None:
    ran = vastplan("apply", saved, saved.parent / "doc.yaml")
    assert ran.code == 1 and "give it alone" in ran.err and "--document" in ran.err
    ran = vastplan("apply", saved.parent / "doc.yaml", "--document", saved.parent / "doc.yaml")
    assert ran.code == 1 and "--document needs a saved plan" in ran.err


def made(folder: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`repo/doc.yaml` with a plan of it in `repo/plans`, made from `folder`, everything named from there."""
    (folder / "repo" / "plans").mkdir(parents=True)
    (folder / "repo" / "doc.yaml").write_text(DOCUMENT)
    monkeypatch.chdir(folder)
    assert vastplan("plan", "repo/doc.yaml", "--out", "repo/plans/plan.json").code == 0


def test_a_plan_is_applied_from_another_folder(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, vastplan, monkeypatch)
    monkeypatch.chdir(tmp_path / "repo")
    ran = vastplan("apply", "plans/plan.json")
    assert ran.code == 0 and "2 done" in ran.out, ran
    monkeypatch.chdir("/")
    assert vastplan("plan", tmp_path / "repo" / "doc.yaml", "--detailed-exitcode").code == 0


def test_but_not_of_a_document_that_is_somewhere_else(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file does not choose what is read: a document elsewhere is typed."""
    made(tmp_path, vastplan, monkeypatch)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "repo" / "plans" / "plan.json").rename(tmp_path / "elsewhere" / "plan.json")
    monkeypatch.chdir(tmp_path / "elsewhere")
    ran, document = vastplan("apply", "plan.json"), tmp_path / "repo" / "doc.yaml"
    assert ran.code == 1 and f"{document}, which is not in this folder (" in ran.err, ran
    ran = vastplan("apply", "plan.json", "--document", document)
    assert ran.code == 0 and "2 done" in ran.out, ran


def test_nor_of_one_that_came_with_the_plan(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who can change what a job left can put a document there, too: it would be planned as the plan says, and be applied."""
    left = tmp_path / "repo" / "left"
    left.mkdir(parents=True)
    (left / "doc.yaml").write_text(DOCUMENT)
    monkeypatch.chdir(tmp_path / "repo")
    assert vastplan("plan", "left/doc.yaml", "--out", "left/plan.json").code == 0
    ran = vastplan("apply", "left/plan.json")
    assert ran.code == 1 and "VP321: the plan is for the document at " in ran.err, ran
    assert "in a folder that holds the plan: who wrote the one may have written the other" in ran.err, ran
    assert vastplan("apply", "left/plan.json", "--document", "left/doc.yaml").code == 0


@pytest.mark.parametrize(
    ("typed", "document", "links"),
    [
        ("left/run/plan.json", "left/storage/doc.yaml", {}),
        ("left/run/plan.json", "left/doc.yaml", {}),
        ("left/plan.json", "left/storage/doc.yaml", {"left/plan.json": "run/plan.json"}),
        ("left/plan.json", "left/storage/doc.yaml", {"left/plan.json": "../../outside.json"}),
        ("plan.json", "left/storage/doc.yaml", {"plan.json": "left/run/plan.json"}),
        ("link/plan.json", "left/storage/doc.yaml", {"link": "left/run"}),
        ("link/plan.json", "left/storage/doc.yaml", {"link": "left", "left/plan.json": "../../outside.json"}),
    ],
    ids=["beside its folder", "above it", "a link", "a link out", "a link in", "a linked folder", "both"],
)
def test_nor_in_any_folder_on_the_way_to_the_plan(
    typed: str,
    document: str,
    links: dict[str, str],
    tmp_path: Path,
    vastplan: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A job leaves folders in folders, and links: where a link leads to does not make what is beside it somebody else's."""
    repo = tmp_path / "repo"
    (repo / "left" / "run").mkdir(parents=True)
    (repo / "left" / "storage").mkdir()
    (repo / document).write_text(DOCUMENT)
    monkeypatch.chdir(repo)
    assert vastplan("plan", document, "--out", "left/run/plan.json").code == 0
    shutil.copy(repo / "left" / "run" / "plan.json", tmp_path / "outside.json")
    for link, target in links.items():
        (repo / link).symlink_to(target)
    ran = vastplan("apply", typed)
    assert ran.code == 1 and "VP321: the plan is for the document at " in ran.err, ran
    assert "in a folder that holds the plan: who wrote the one may have written the other" in ran.err, ran
    assert vastplan("ledger", "list", document).out == "the ledger is empty\n"


def test_the_plan_says_whose_it_is_before_anything_is_done(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, vastplan, monkeypatch)
    monkeypatch.chdir(tmp_path / "repo")
    ran = vastplan("apply", "plans/plan.json")
    assert ran.code == 0 and f", document doc at {tmp_path / 'repo' / 'doc.yaml'}." in ran.err.splitlines()[0], ran


def test_and_on_another_machine_from_the_folder_that_is_the_same_there(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "one", vastplan, monkeypatch)
    monkeypatch.chdir(tmp_path)
    shutil.move(tmp_path / "one", tmp_path / "other")
    ran = vastplan("apply", "other/repo/plans/plan.json")
    was = tmp_path / "one" / "repo" / "doc.yaml"
    assert ran.code == 1 and f"the plan is for document doc at {was}, which does not exist" in ran.err, ran
    assert ran.err.endswith("if it moved: vastplan apply other/repo/plans/plan.json --document PATH\n"), ran
    monkeypatch.chdir(tmp_path / "other")
    shutil.move("repo/plans", "plans")
    assert vastplan("apply", "plans/plan.json").code == 0


@pytest.mark.parametrize(
    ("there", "says"),
    [
        ("quotas: {}\n", ". is not that document: "),
        (DOCUMENT.replace("name: doc", "name: another"), "; . is document another"),
    ],
    ids=["no document", "another document"],
)
def test_another_document_where_the_plan_is_now_is_not_taken_for_its_own(
    there: str, says: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in, here = tmp_path / "one", tmp_path / "here"
    made_in.mkdir()
    (made_in / "doc.yaml").write_text(DOCUMENT)
    monkeypatch.chdir(made_in)
    assert vastplan("plan", ".", "--out", "plan.json").code == 0
    here.mkdir()
    (here / "other.yaml").write_text(there)
    shutil.move(made_in, tmp_path / "two")
    monkeypatch.chdir(here)
    ran = vastplan("apply", "../two/plan.json")
    assert ran.code == 1 and f"the plan is for document doc at {made_in}" in ran.err and says in ran.err, ran
    assert "vastplan apply ../two/plan.json --document PATH" in ran.err
    assert vastplan("apply", "../two/plan.json", "--document", "../two/doc.yaml").code == 0


@pytest.mark.slow
def test_a_served_world_is_found_from_another_folder(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "doc.yaml").write_text(DOCUMENT)
    words = [sys.executable, "-m", "vastplan", "sim", "doc.yaml"]
    serving = subprocess.Popen(words, cwd=tmp_path / "repo", stdout=subprocess.PIPE, text=True, env=HERE)
    try:
        assert serving.stdout is not None
        assert any("ready" in line for line in iter(serving.stdout.readline, ""))
        monkeypatch.chdir(tmp_path)
        ran = vastplan("plan", "repo/doc.yaml", "--detailed-exitcode")
        assert ran.code == 2 and "2 to create" in ran.out, ran
    finally:
        serving.terminate()
        serving.wait(30)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Systems that answer, whose certificates and credentials are in files beside the document or the connections."""
    with_systems = World(tmp_path / "world", {"iad": ["vast", "kubernetes"]}).start()
    yield with_systems
    with_systems.stop()


def addresses(world: World, folder: Path) -> str:
    """A site with the addresses of the world; every file that it names is in `folder`, and named from there."""
    (folder / "secret").mkdir(parents=True)
    found = {endpoint.system: endpoint for endpoint in world.endpoints()}
    vast = found["vast"]
    shutil.copy(vast.ca_file, folder / "secret" / "ca.pem")
    (folder / "secret" / "password").write_text(vast.password)
    shutil.copy(found["kubernetes"].kubeconfig, folder / "secret" / "kubeconfig")
    return (
        f"sites: {{iad: {{vast: {{url: '{vast.url}', username: {vast.username}, password: {{file: secret/password}}, "
        "ca_file: secret/ca.pem}, kubernetes: {kubeconfig: secret/kubeconfig}}}\n"
    )


WITHOUT_SITES = "version: 1\nname: doc\ntenants: {a: {}}\nnamespaces: {n: {}}\n"


@pytest.mark.parametrize("ledger", ["", "ledger: {local: ours}\n"], ids=["usual ledger", "ledger of its own"])
def test_files_that_a_document_names_are_beside_it(
    ledger: str, world: World, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = tmp_path / "repo"
    sites = addresses(world, repo)
    (repo / "doc.yaml").write_text(WITHOUT_SITES + sites + ledger)
    monkeypatch.chdir(tmp_path)
    ran = vastplan("plan", "repo/doc.yaml", "--out", "plan.json")
    assert ran.code == 0 and "2 to create" in ran.out, ran
    monkeypatch.chdir("/")
    ran = vastplan("apply", tmp_path / "plan.json", "--document", repo / "doc.yaml")
    assert ran.code == 0 and "2 done" in ran.out, ran
    monkeypatch.chdir(repo)
    assert vastplan("drift", "doc.yaml").code == 0
    assert (repo / (".vastplan/ledger" if not ledger else "ours") / "iad.json").exists()


def test_files_that_connections_name_are_beside_those(
    world: World, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = addresses(world, tmp_path / "ops")
    (tmp_path / "ops" / "connections.yaml").write_text("version: 1\n" + sites)
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "doc.yaml").write_text(WITHOUT_SITES + "sites: {iad: {}}\n")
    monkeypatch.chdir(tmp_path)
    words = ("--connections", "ops/connections.yaml")
    assert vastplan("plan", "repo/doc.yaml", "--out", "plan.json", *words).code == 0
    monkeypatch.chdir(tmp_path / "ops")
    ran = vastplan("apply", "../plan.json", "--connections", "connections.yaml", "--document", "../repo/doc.yaml")
    assert ran.code == 0 and "2 done" in ran.out, ran


def test_what_is_to_be_typed_carries_it_out(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the folder where it was said, with the document elsewhere and connections."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "repo" / "doc.yaml").write_text(WITHOUT_SITES + "sites: {iad: {}}\n")
    (tmp_path / "ops.yaml").write_text("version: 1\nsites: {iad: {sim: {systems: [vast, kubernetes]}}}\n")
    monkeypatch.chdir(tmp_path / "here")
    ran = vastplan("plan", "../repo/doc.yaml", "--connections", "../ops.yaml", "--out", "p.json")
    said = ran.out.split("carry it out with: ")[1].splitlines()[0]
    assert said == "vastplan apply p.json --document ../repo/doc.yaml --connections ../ops.yaml", ran
    ran = vastplan(*shlex.split(said)[1:])
    assert ran.code == 0, ran


def test_a_mistake_in_the_connections_is_all_that_is_said(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "doc.yaml").write_text(WITHOUT_SITES + "sites: {iad: {}}\n")
    (tmp_path / "ops.yaml").write_text("version: 1\nsites: {iad: {sim: {}}}\nrequire_signature: null\n")
    ran = vastplan("plan", tmp_path / "doc.yaml", "--connections", tmp_path / "ops.yaml")
    assert ran.code == 1 and ran.err.count("error") == 1 and "require_signature" in ran.err, ran


def test_nothing_is_said_to_carry_out_where_every_change_is_blocked(saved: Path, vastplan: Run) -> None:
    assert vastplan("apply", saved).code == 0
    saved.with_name("doc.yaml").write_text(DOCUMENT.replace("tenants: {a: {}}\n", ""))
    ran = vastplan("plan", saved.with_name("doc.yaml"), "--out", saved.with_name("next.json"))
    assert "next.json; every change in it is blocked" in ran.out and "carry it out" not in ran.out, ran


def test_nothing_is_said_to_carry_out_where_apply_refuses_the_plan(saved: Path, vastplan: Run) -> None:
    missing = "secrets: {s: {namespace: n, data: {k: {file: nowhere}}}}\n"
    ranges = "tenants: {a: {client_ip_ranges: [10.0.0.1]}, b: {client_ip_ranges: [10.0.0.1]}}\n"
    for text, code in ((DOCUMENT + missing, "VP302"), (DOCUMENT.replace("tenants: {a: {}}\n", ranges), "TEN-01")):
        saved.with_name("doc.yaml").write_text(text)
        ran = vastplan("plan", saved.with_name("doc.yaml"), "--out", saved)
        assert f"error {code}" in ran.out and "carry it out" not in ran.out, ran
        assert "plan.json; it has errors, and apply refuses it: correct them and plan again" in ran.out, ran
        assert (ran := vastplan("apply", saved)).code in (1, 3) and code in ran.err, ran
