"""`vastplan ledger` as an operator types it: look, move, let go, and hand on to another document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_renames import Document
from tests.conftest import Ran, Run

HEAD = "version: 1\nname: {name}\nsites: {{iad: {{sim: {{}}}}}}\nledger: {{local: {name}-ledger}}\n"
TENANT = "tenants: {t: {view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}}}\n"
V = "  v: {tenant: t, path: /v, view_policy: t, create_dir: true, quota: {hard_limit: 1 TiB}}\n"
X = "  x: {tenant: t, path: /x, view_policy: t, create_dir: true}\n"


@pytest.fixture
def whole(tmp_path: Path, vastplan: Run) -> Document:
    """A document with a tenant and two views, applied."""
    made = Document(tmp_path, vastplan, HEAD.format(name="a") + TENANT + "views:\n" + V + X)
    made.apply()
    return made


def part(folder: Path, run: Run, name: str, text: str) -> Document:
    """Another document of the same site."""
    (folder / name).mkdir(exist_ok=True)
    made = Document(folder / name, run, HEAD.format(name=name) + text)
    made.file = made.file.rename(folder / f"{name}.yaml")
    return made


def refused(ran: Ran, says: str) -> None:
    """An error that says this."""
    assert ran.code == 1 and says in ran.err, ran


# Looking


def test_a_list_is_of_one_site_where_one_is_named_and_of_those_that_left(tmp_path: Path, vastplan: Run) -> None:
    text = "version: 1\nname: a\nsites: {iad: {sim: {}}, pdx: {sim: {}}}\ntenants: {t: {}}\n"
    document = Document(tmp_path, vastplan, text)
    document.apply()
    assert vastplan("ledger", "list", document.file, "pdx").out.startswith("pdx/tenant/t  id 2  applied 20")
    assert "pdx" not in vastplan("ledger", "list", document.file, "iad").out
    document.edit((", pdx: {sim: {}}", ""))
    listed = vastplan("ledger", "list", document.file).out.splitlines()
    assert len(listed) == 2 and listed[1].endswith("(its site is not in the document)")
    rows = json.loads(vastplan("ledger", "list", document.file, "--format", "json").out)["owned"]
    assert [row["site_in_document"] for row in rows] == [True, False]
    assert vastplan("ledger", "unlock", document.file, "pdx").out == "pdx: nobody holds it\n"
    for verb in ("list", "unlock"):
        refused(vastplan("ledger", verb, document.file, "mars"), "VP202: no site mars (sites are iad, pdx)")
    refused(vastplan("ledger", "forget", document.file, "--site", "mars"), "VP202: no site mars (sites are iad, pdx)")
    refused(vastplan("ledger", "forget", document.file, "--site", "pdx"), "it was not approved (use --yes")
    ran = vastplan("ledger", "forget", document.file, "--site", "pdx", "--yes")
    assert ran.out == "pdx/tenant/t would no longer be ours\n1 object forgotten; none was touched.\n"
    refused(vastplan("ledger", "forget", document.file, "--site", "pdx", "--yes"), "nothing is owned on pdx")
    assert set(document.owned()) == {"iad/tenant/t"}


# Moving


def test_a_move_before_or_after_the_edit_brings_the_parts_along(whole: Document) -> None:
    before = whole.owned()
    ran = whole.run("ledger", "move", whole.file, "iad/view/v", "iad/view/w", "--dry-run")
    assert ran.out == "iad/quota/v would become iad/quota/w\niad/view/v would become iad/view/w\n"
    assert whole.owned() == before
    assert whole.run("ledger", "move", whole.file, "iad/view/v", "iad/view/w").code == 0  # the document says v still
    assert {"iad/view/w", "iad/quota/w"} <= whole.owned().keys()
    whole.edit(("  v: {", "  y: {"))
    assert whole.run("ledger", "move", whole.file, "iad/view/w", "iad/view/y").code == 0  # the document says y already
    now = {"iad/view/v": "iad/view/y", "iad/quota/v": "iad/quota/y"}
    assert whole.owned() == {now.get(address, address): one for address, one in before.items()}
    plan = whole.plan()
    assert {address: action["verb"] for address, action in plan.items()} == {"iad/quota/y": "update"}  # its name


def test_a_volume_moves_by_its_own_address(tmp_path: Path, vastplan: Run) -> None:
    from tests.cli.test_renames import DOCUMENT

    document = Document(tmp_path, vastplan, DOCUMENT)
    document.apply()
    document.edit(("      home: {", "      homes: {name: home, "))
    shown = vastplan("ledger", "move", document.file, "iad/volume/home", "iad/volume/homes", "--dry-run").out
    assert "iad/persistent_volume/t-home would become iad/persistent_volume/t-homes\n" in shown
    assert len(shown.splitlines()) == 7
    assert vastplan("ledger", "move", document.file, "iad/volume/home", "iad/volume/homes").code == 0
    assert document.plan() == {}
    ran = vastplan("ledger", "forget", document.file, "iad/volume/homes", "--dry-run")
    assert len(ran.out.splitlines()) == 7
    gone = vastplan("ledger", "move", document.file, "iad/volume/a", "iad/volume/b")
    refused(gone, "the document has no iad/volume/a and no iad/volume/b, so it cannot be told what their parts are")


def test_a_move_that_makes_no_sense_is_refused(whole: Document) -> None:
    before = whole.owned()
    for old, new, says in (
        ("iad/view/v", "iad/view/x", "iad/view/x is in the ledger already, so iad/view/v cannot take its place"),
        ("iad/view/v", "iad/quota/z", "iad/quota/z is not another name of a view on iad"),
        ("iad/view/v", "iad/view/v", "iad/view/v is not another name of a view on iad"),
        ("iad/view/n", "iad/view/m", "iad/view/n is not in the ledger"),
        ("iad/view", "iad/view/m", "an address is site/kind/name"),
    ):
        refused(whole.run("ledger", "move", whole.file, old, new), says)
    assert whole.owned() == before


def test_a_plan_of_before_a_move_is_stale(whole: Document, tmp_path: Path) -> None:
    whole.edit(("hard_limit: 1 TiB", "hard_limit: 2 TiB"))
    saved = tmp_path / "plan.json"
    assert whole.run("plan", whole.file, "--out", saved).code == 0
    assert whole.run("ledger", "move", whole.file, "iad/view/v", "iad/view/w").code == 0
    assert whole.run("apply", saved).code == 5


# Forgetting


def test_what_a_pattern_means_is_shown_and_asked_for(whole: Document) -> None:
    refused(whole.run("ledger", "forget", whole.file, "iad/view/*"), "nothing was done: it was not approved (use --yes")
    shown = whole.run("ledger", "forget", whole.file, "iad/view/*", "--dry-run")
    assert shown.out == "iad/view/v would no longer be ours\niad/view/x would no longer be ours\n"
    assert len(whole.owned()) == 5
    assert "2 objects forgotten" in whole.run("ledger", "forget", whole.file, "iad/view/*", "--yes").out
    assert set(whole.owned()) == {"iad/quota/v", "iad/tenant/t", "iad/view_policy/t"}
    ran = whole.run("ledger", "forget", whole.file, "iad/quota/v", "iad/tenant/t")
    assert ran.out == "".join(f"iad/{one} is no longer ours; it was not touched.\n" for one in ("quota/v", "tenant/t"))
    refused(
        whole.run("ledger", "forget", whole.file, "iad/view/*", "--yes"), "iad/view/* matches nothing in the ledger"
    )


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["forget"], "ledger forget is typed: vastplan ledger forget PATH ADDRESS... or --site SITE"),
        (["forget", "a/b/c", "--site", "iad"], "ledger forget is typed:"),
        (["move", "a/b/c"], "ledger move is typed: vastplan ledger move PATH OLD NEW, two addresses"),
        (["import"], "ledger import is typed: vastplan ledger import PATH FILE"),
        (["list", "iad", "pdx"], "ledger list is typed: vastplan ledger list PATH [SITE]"),
        (["export"], "ledger export needs --out FILE"),
        (["list", "--yes"], "--yes says nothing to ledger list"),
        (["move", "a/b/c", "a/b/d", "--out", "f"], "--out says nothing to ledger move"),
        (["unlock", "iad", "--dry-run"], "--dry-run says nothing to ledger unlock"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_a_verb_does_not_understand(typed: list[str], says: str, tmp_path: Path, vastplan: Run) -> None:
    file = Document(tmp_path, vastplan, HEAD.format(name="a")).file
    refused(vastplan("ledger", typed[0], file, *typed[1:]), says)


# From one document to another


def test_a_document_is_split_in_two_and_joined_again(whole: Document, tmp_path: Path, vastplan: Run) -> None:
    before, handed = whole.owned(), tmp_path / "handed.json"
    other = part(tmp_path, vastplan, "b", "views:\n" + V.replace(": t,", ": {existing: t},"))
    whole.edit((V, ""))
    ran = vastplan("ledger", "export", whole.file, "iad/*/v", "--out", handed, "--forget")
    assert ran.out.splitlines()[:2] == ["iad/quota/v", "iad/view/v"] and "no longer ours" in ran.out
    assert whole.plan() == {}
    assert vastplan("ledger", "import", other.file, handed, "--dry-run").code == 0 and not other.owned()
    assert vastplan("ledger", "import", other.file, handed).code == 0
    assert other.owned() == {address: before[address] for address in ("iad/quota/v", "iad/view/v")}
    plan = other.plan()
    assert {action["verb"] for action in plan.values()} == {"release"}
    assert vastplan("drift", other.file).code == 0
    other.apply()
    assert other.plan() == {} and whole.plan() == {}
    refused(vastplan("ledger", "import", other.file, handed), "its object is owned here already, as iad/quota/v")
    # and back
    whole.edit((X, V + X))
    assert vastplan("ledger", "export", other.file, "--out", handed, "--forget").code == 0
    assert other.owned() == {}
    assert vastplan("ledger", "import", whole.file, handed).code == 0
    whole.apply()
    assert whole.owned() == before and whole.plan() == {}


def test_what_differs_after_an_import_was_not_changed_by_hand(whole: Document, tmp_path: Path, vastplan: Run) -> None:
    handed = tmp_path / "handed.json"
    text = "views:\n" + V.replace(": t,", ": {existing: t},").replace("1 TiB", "2 TiB")
    other = part(tmp_path, vastplan, "b", text)
    assert vastplan("ledger", "export", whole.file, "iad/*/v", "--out", handed, "--forget").code == 0
    assert vastplan("ledger", "import", other.file, handed).code == 0
    assert [change["cause"] for change in other.plan()["iad/quota/v"]["changes"]] == ["new"]  # type: ignore[attr-defined]
    assert vastplan("drift", other.file).code == 0


def test_what_cannot_be_taken_over_is_refused_whole(whole: Document, tmp_path: Path, vastplan: Run) -> None:
    handed = tmp_path / "handed.json"
    ran = vastplan("ledger", "export", whole.file, "iad/view/v", "--out", handed)
    assert "are still owned by a: forget them there once imported" in ran.out
    other = part(tmp_path, vastplan, "b", "tenants: {u: {}}\n")
    refused(vastplan("ledger", "import", other.file, handed), "iad/view/v: not in the document b")
    text = "views:\n" + V.replace(": t,", ": {existing: t},")
    beside = part(tmp_path, vastplan, "c", text)  # their ledgers lie in one folder
    beside.edit(("local: c-ledger", "local: shared"))
    whole.edit(("local: a-ledger", "local: shared"))
    (tmp_path / "a-ledger").rename(tmp_path / "shared")
    says = "iad/view/v: the ledger of the document a owns it still; let that forget it first"
    refused(vastplan("ledger", "import", beside.file, handed), says)
    handed.write_text(handed.read_text().replace("iad/view/v", "iad/view/w"))
    refused(vastplan("ledger", "import", other.file, handed), "was edited or damaged after it was made; export again")
    handed.write_text("{}")
    refused(vastplan("ledger", "import", other.file, handed), "is not a ledger export")
    refused(vastplan("ledger", "export", whole.file, "iad/view/n", "--out", handed), "iad/view/n is not in the ledger")
    assert handed.read_text() == "{}"
