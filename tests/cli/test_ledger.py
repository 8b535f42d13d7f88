"""`vastplan ledger` as an operator types it: look, move, let go, and hand on to another document."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.test_renames import Document, verbs
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
    assert vastplan("ledger", "unlock", document.file, "pdx").out == "pdx: not locked\n"
    for verb in ("list", "unlock"):
        refused(vastplan("ledger", verb, document.file, "mars"), "VP202: no site mars (known: iad, pdx)")
    refused(vastplan("ledger", "forget", document.file, "--site", "mars"), "VP202: no site mars (known: iad, pdx)")
    refused(vastplan("ledger", "forget", document.file, "--site", "pdx"), "it was not approved (use --auto-approve")
    ran = vastplan("ledger", "forget", document.file, "--site", "pdx", "--auto-approve")
    assert ran.out == "pdx/tenant/t would leave the ledger\n1 object left the ledger; nothing else changed.\n"
    refused(
        vastplan("ledger", "forget", document.file, "--site", "pdx", "--auto-approve"), "pdx: the ledger has no objects"
    )
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


@pytest.mark.slow
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
    refused(gone, "the document has no iad/volume/a and no iad/volume/b, so vastplan cannot determine their parts")


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
    refused(
        whole.run("ledger", "forget", whole.file, "iad/view/*"),
        "nothing was done: it was not approved (use --auto-approve",
    )
    shown = whole.run("ledger", "forget", whole.file, "iad/view/*", "--dry-run")
    assert shown.out == "iad/view/v would leave the ledger\niad/view/x would leave the ledger\n"
    assert len(whole.owned()) == 5
    assert "2 objects left the ledger" in whole.run("ledger", "forget", whole.file, "iad/view/*", "--auto-approve").out
    assert set(whole.owned()) == {"iad/quota/v", "iad/tenant/t", "iad/view_policy/t"}
    ran = whole.run("ledger", "forget", whole.file, "iad/quota/v", "iad/tenant/t")
    assert ran.out == "".join(f"iad/{one} left the ledger; nothing else changed.\n" for one in ("quota/v", "tenant/t"))
    refused(
        whole.run("ledger", "forget", whole.file, "iad/view/*", "--auto-approve"),
        "iad/view/* matches nothing in the ledger",
    )


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["forget"], "write vastplan ledger forget PATH ADDRESS... or vastplan ledger forget PATH --site SITE"),
        (["forget", "a/b/c", "--site", "iad"], "write vastplan ledger forget PATH ADDRESS"),
        (["forget", "--site", "iad", "--with-parts"], "write vastplan ledger forget PATH ADDRESS"),
        (
            ["forget", "iad/tenant/u", "--with-parts"],
            "the document has no iad/tenant/u, so vastplan cannot determine its parts",
        ),
        (["forget", "iad/tenant/t", "--with-parts"], "iad/tenant/t is not in the ledger"),
        (["move", "a/b/c"], "NEW is missing"),
        (["import"], "FILE is missing"),
        (["list", "iad", "pdx"], "pdx is one argument too many"),
        (["export"], "ledger export needs --out FILE"),
        (["list", "--auto-approve"], "no option --auto-approve"),
        (["move", "a/b/c", "a/b/d", "--out", "f"], "no option --out"),
        (["unlock", "iad", "--dry-run"], "no option --dry-run"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_a_verb_does_not_understand(typed: list[str], says: str, tmp_path: Path, vastplan: Run) -> None:
    file = Document(tmp_path, vastplan, HEAD.format(name="a") + "tenants: {t: {}}\n").file
    refused(vastplan("ledger", typed[0], file, *typed[1:]), says)


def test_each_command_has_help_of_its_own(vastplan: Run) -> None:
    options = {
        "list": {"--format"}, "move": {"--dry-run"}, "forget": {"--with-parts", "--site", "--dry-run", "--auto-approve"},
        "export": {"--with-parts", "--out", "--forget"}, "import": {"--dry-run"}, "unlock": set[str](),
    }  # fmt: skip
    everything = set[str]().union(*options.values())
    for verb, own in options.items():
        said = vastplan("ledger", verb, "-h").out
        assert {option for option in everything if f"{option} " in said.partition("example:")[0]} == own, verb
        assert f"  vastplan ledger {verb} " in said


# A whole tenant

FACTORY = Path(__file__).parents[2] / "examples" / "ai-factory"
TEAM_B = (FACTORY / "team-b.yaml").read_text().partition("tenants:\n")[2]
RED = (("  team-b:", "  red:"), ("storage_class: team-b,", "storage_class: red,"))


@pytest.fixture
def teams(tmp_path: Path, vastplan: Run) -> Document:
    """The reference document in one file, applied: team-a and team-b, each a tenant on two sites."""
    (tmp_path / "csi-password").write_text("secret")
    text = "".join((FACTORY / name).read_text() for name in ("factory.yaml", "team-a.yaml"))
    made = Document(tmp_path, vastplan, text + TEAM_B)
    made.apply()
    return made


@pytest.mark.slow
def test_a_tenant_moves_with_what_stands_in_it_as_renamed_from_moves_it(teams: Document) -> None:
    def move(old: str, new: str) -> None:
        for site in ("iad", "pdx"):
            ran = teams.run("ledger", "move", teams.file, f"{site}/tenant/{old}", f"{site}/tenant/{new}")
            assert ran.code == 0, ran

    before = teams.owned()
    move("team-b", "red")  # before the edit
    moved = teams.owned()
    teams.edit(*RED)
    assert verbs(teams.plan()) <= {"update", "replace"}  # nothing is made twice
    move("red", "team-b")
    assert teams.owned() == before
    move("team-b", "red")  # after the edit
    assert teams.owned() == moved
    move("red", "team-b")
    teams.edit(("  red:", "  red:\n    renamed_from: team-b"))
    says = {address: str(one["renamed_from"]) for address, one in teams.plan().items() if one["renamed_from"]}
    assert says == {new: old for new, old in _pairs(before, moved) if new != old}
    assert {"iad/tenant/red", "iad/project/red", "iad/storage_class/red", "pdx/vip_pool/red"} <= says.keys()


def _pairs(before: dict[str, str], moved: dict[str, str]) -> list[tuple[str, str]]:
    """The addresses of each object: now, and before."""
    by_id = {(*address.split("/")[:2], one): address for address, one in before.items()}
    return [(address, by_id[*address.split("/")[:2], one]) for address, one in moved.items()]


@pytest.mark.slow
def test_a_tenant_is_let_go_of_with_all_that_stands_in_it(teams: Document) -> None:
    def shown(*words: str) -> set[str]:
        return {
            line.partition(" would ")[0]
            for line in teams.run("ledger", "forget", teams.file, *words, "--dry-run").out.splitlines()
        }

    owned = teams.owned()
    everything = shown("*/tenant/team-b", "--with-parts")
    assert everything == {address for address in owned if "team-b" in address and "/secret/" not in address}
    assert {"iad/quota/team-b-datasets", "iad/persistent_volume_claim/team-b-data", "pdx/project/team-b"} <= everything
    assert shown("iad/tenant/team-b", "--with-parts") == {one for one in everything if one.startswith("iad/")}
    assert shown("iad/tenant/team-b") == {"iad/tenant/team-b"}
    home = shown("iad/volume/team-b-checkpoints")
    assert len(home) == 7 and shown("iad/volume/team-b-c*", "--with-parts") == home
    view = {f"iad/{kind}/team-b-datasets" for kind in ("view", "quota", "protected_path")}
    assert shown("iad/view/team-b-datasets", "--with-parts") == view
    refused(teams.run("ledger", "forget", teams.file, "iad/volume/team-b*"), "matches nothing in the ledger")


# From one document to another


@pytest.mark.slow
def test_a_document_is_split_in_two_and_joined_again(whole: Document, tmp_path: Path, vastplan: Run) -> None:
    before, handed = whole.owned(), tmp_path / "handed.json"
    other = part(tmp_path, vastplan, "b", "views:\n" + V.replace(": t,", ": {existing: t},"))
    whole.edit((V, ""))
    ran = vastplan("ledger", "export", whole.file, "iad/*/v", "--out", handed, "--forget")
    assert ran.out.splitlines()[:2] == ["iad/quota/v", "iad/view/v"] and "removed from the ledger" in ran.out
    assert whole.plan() == {}
    assert vastplan("ledger", "import", other.file, handed, "--dry-run").code == 0 and not other.owned()
    assert vastplan("ledger", "import", other.file, handed).code == 0
    assert other.owned() == {address: before[address] for address in ("iad/quota/v", "iad/view/v")}
    plan = other.plan()
    assert {action["verb"] for action in plan.values()} == {"release"}
    assert vastplan("drift", other.file).code == 0
    other.apply()
    assert other.plan() == {} and whole.plan() == {}
    refused(vastplan("ledger", "import", other.file, handed), "its object is already in this ledger, as iad/quota/v")
    # and back
    whole.edit((X, V + X))
    assert vastplan("ledger", "export", other.file, "--out", handed, "--forget").code == 0
    assert other.owned() == {}
    assert vastplan("ledger", "import", whole.file, handed).code == 0
    whole.apply()
    assert whole.owned() == before and whole.plan() == {}


MANUAL = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text()
SPLIT = [
    line
    for line in MANUAL.splitlines()
    if line.startswith("$ vastplan ") and ("old.yaml" in line or "new.yaml" in line)
]


@pytest.mark.slow
def test_a_document_is_split_as_the_manual_says(
    teams: Document, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new, text = teams.file.rename("old.yaml"), Path("new.yaml"), TEAM_B
    for name in ("department: ", "snapshots: ", "secret: "):
        text = re.sub(rf"{name}([\w-]+)", rf"{name}{{existing: \1}}", text)
    text = text.replace("existing: vast-team-b", "existing: vast-csi/vast-team-b")
    new.write_text("version: 1\nname: teamb\nsites: {iad: {sim: {}}, pdx: {sim: {}}}\ntenants:\n" + text)
    teams.file = old
    before = teams.owned()
    assert len(SPLIT) == 3
    for line in SPLIT:
        words = shlex.split(line.replace("team-c", "team-b"), comments=True)[2:]
        ran = vastplan(*words, *["--auto-approve"] * (words[0] == "apply"))
        assert ran.code == 0, ran
    assert not re.search(r"^ *(\+|~|-|>|-/\+) ", ran.out, re.M) and "VP311" not in ran.out, ran
    old.write_text(old.read_text().replace(TEAM_B, ""))
    teams.file = new
    parts = teams.owned()
    assert parts == {
        address: before[address] for address in before if "team-b" in address and "/secret/" not in address
    }
    for document in (old, new):
        ran = vastplan("plan", document, "--detailed-exitcode")
        assert ran.code == 0 and "VP311" not in ran.out and "no changes" in ran.out, ran
        assert vastplan("drift", document).code == 0
    assert f"{len(before) - len(parts)} objects in sync" in vastplan("plan", old).out
    new.write_text(new.read_text().replace("name: teamb", "name: third"))  # and nobody else can have them
    ran = vastplan("plan", new, "--adopt")
    assert "owned by document teamb as iad/tenant/team-b; its ledger is at file:.vastplan/ledger" in ran.out, ran


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
    says = "iad/view/v: still owned by document a; release it there first"
    refused(vastplan("ledger", "import", beside.file, handed), says)
    handed.write_text(handed.read_text().replace("iad/view/v", "iad/view/w"))
    refused(vastplan("ledger", "import", other.file, handed), "was edited or damaged after it was made; export again")
    handed.write_text("{}")
    refused(vastplan("ledger", "import", other.file, handed), "is not a ledger export")
    refused(vastplan("ledger", "export", whole.file, "iad/view/n", "--out", handed), "iad/view/n is not in the ledger")
    assert handed.read_text() == "{}"
