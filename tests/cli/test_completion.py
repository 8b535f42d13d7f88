"""What a shell completes: candidates from the files that are here, and scripts that run none of them."""

from __future__ import annotations

import argparse
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Run
from vastplan.app import checks, completion
from vastplan.app.explain import explain_path
from vastplan.cli.completion import ADDRESSES, FILES, MOST, OPERATIONS, limited, narrowed, unquoted
from vastplan.cli.completion_scripts import SCRIPTS
from vastplan.cli.parser import parser
from vastplan.ledger.codec import dump
from vastplan.ledger.events import new_part
from vastplan.model.regular_files import LEDGER_FOLDER
from vastplan.model.site_ledger import Owned

ROOT = Path(__file__).parents[2]
FREE = {
    "NAME", "URL", "RANGES", "NETWORKS", "PATTERN", "VERSION", "NAMESPACE/NAME", "N", "DIR", "REASON", "RESTOREPOINT", "SNAPSHOT", "DURATION",
    "COMMAND",
}  # fmt: skip
"""The placeholders in the help for values that only the user can know."""
Complete = Callable[..., list[str]]
DOCUMENT = """\
version: 1
name: doc
sites: {iad: {sim: {}}, pdx: {sim: {}}}
tenants:
  team-a:
    client_ip_ranges: [10.0.0.1 - 10.0.0.9]
    view_policy: {flavor: NFS, nfs_no_squash: [10.0.0.0/24]}
    vip_pool: {ip_ranges: [10.0.1.1 - 10.0.1.4], subnet_cidr: 24}
    project: {department: {existing: default}}
    volumes:
      team-a-data: {path: /team-a/data, size: 1 TiB, secret: {existing: mgmt}}
"""
HOSTILE = ("a b", "$(touch pwned)", "`touch pwned`", "it's; touch pwned", "a:b=c", '"&|<>*?~!{}[]', "-x", "plain")
EDITED = "version: 1\nname: doc\nsites: {iad: {sim: {}}, pdx: {sim: {}}}\nnamespaces: {%s: {}, tools: {}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A document with a ledger that has what is no longer in it."""
    (tmp_path / "site.yaml").write_text(EDITED % "tools-old")
    entries = {
        "iad/namespace/tools": Owned("1", "tools"),
        "iad/view/gone": Owned("2", "gone", origin="iad/volume/gone"),
    }
    for site, owned in (("iad", entries), ("lax", {"lax/namespace/left": Owned("3", "left")})):
        file = tmp_path / LEDGER_FOLDER / f"{site}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(dump(replace(new_part("doc", site), entries=owned)))
    return tmp_path


@pytest.fixture
def complete(vastplan: Run) -> Complete:
    """The candidates for the last word; it never fails, and says nothing else."""

    def run(*words: str | Path) -> list[str]:
        ran = vastplan("__complete", *words)
        assert (ran.code, ran.err) == (0, "")
        return ran.out.splitlines()

    return run


def test_commands_options_and_choices(complete: Complete) -> None:
    assert complete("pl") == ["words", "plan"]
    assert complete("ledger", "") == ["words", "export", "forget", "import", "list", "log", "move", "unlock"]
    assert complete("plan", "doc", "--allow-d") == ["words", "--allow-delete"]
    assert complete("--no-colour", "plan", "--format", "m") == ["words", "markdown"]
    assert complete("plan", "--format=m") == ["words", "markdown"]
    assert complete("completion", "") == ["words", "bash", "tcsh", "zsh"]
    assert complete("plan", "--out", "") == complete("plan", "") == ["words files"]
    assert complete("move", "plan", "doc", "iad/volume/a", "--rea") == []
    assert complete("export", "skypilot", "doc", "--out", "d", "--tenant", "") == []


def test_every_word_that_can_be_typed_is_known(complete: Complete) -> None:
    known = {*ADDRESSES, *OPERATIONS, *FREE, *FILES, "SITE", "SITE[,SITE]", "CODE", "PLACE", "KIND"}

    def actions(of: argparse.ArgumentParser) -> Iterator[argparse.Action]:
        for action in of._actions:
            yield action
            if isinstance(action, argparse._SubParsersAction):
                for below in action.choices.values():
                    yield from actions(below)

    strange = {
        str(action.metavar)
        for action in actions(parser())
        if action.choices is None and action.nargs != 0 and action.type is not Path and action.metavar not in known
    }
    assert strange <= {"None"}  # of `sim` and `init`, with a name of their own


def test_addresses_come_a_segment_at_a_time(tmp_path: Path, complete: Complete) -> None:
    (tmp_path / "site.yaml").write_text(DOCUMENT)
    assert complete("plan", "--target", "") == ["words", "iad/", "pdx/"]
    assert complete("plan", "--target", "p") == ["words", "pdx/"]
    assert "iad/volume/" in complete("plan", "--target", "iad/") and "iad/quota/" in complete(
        "plan", "--target", "iad/"
    )
    assert complete("plan", "--target", "iad/vol") == ["words", "iad/volume/"]
    for words in (
        ["plan", "site.yaml", "--target"], ["plan", "--allow-delete"], ["plan", "--allow-narrow"], ["plan", "--believe-gone"],
        ["apply", "--keep-drift"], ["apply", ".", "--expand"], ["apply", "--allow-secret-values"], ["drift", "--accept"],
        ["show", "site.yaml"], ["move", "plan", "site.yaml"], ["restore", "plan", "site.yaml"], ["ledger", "forget", "site.yaml"],
        ["ledger", "export", "site.yaml"], ["ledger", "move", "site.yaml"], ["ledger", "move", "site.yaml", "iad/volume/old"],
        ["ledger", "forget", "--", "site.yaml"], ["plan", "--no-such", "--tar"],
    ):  # fmt: skip
        assert complete(*words, "iad/volume/t") == ["words", "iad/volume/team-a-data"], words
    assert complete("plan", "--target=iad/volume/") == ["words", "iad/volume/team-a-data"]
    for words in (["move", "arm"], ["move", "arm", "site.yaml"]):
        assert complete(*words, "s")[1:] == ["site/"] and complete(*words, "site/")[1:] == ["site/iad", "site/pdx"], (
            words
        )
    assert "site/" not in complete("move", "plan", "site.yaml", "")
    assert complete("show", "iad/volume/") == ["words files", "iad/volume/team-a-data"]
    for words in (
        ["move", "plan"],
        ["move", "plan", "--to", "pdx"],
        ["restore", "plan"],
        ["ledger", "forget"],
        ["ledger", "move"],
    ):
        assert complete(*words, "iad/volume/") == ["words files", "iad/volume/team-a-data"], words
    for words in (["ledger", "move", "iad/volume/old"], ["ledger", "forget", "iad/volume/old"]):
        assert complete(*words, "iad/volume/") == ["words", "iad/volume/team-a-data"], words
    assert complete("ledger", "unlock", "p") == ["words files", "pdx"]
    assert complete("show", "sub/") == ["words files"]


def test_what_only_the_ledger_has(folder: Path, complete: Complete) -> None:
    assert complete("plan", "--allow-delete", "") == ["words", "iad/", "lax/", "pdx/"]
    assert complete("plan", "--allow-delete", "iad/") == ["words", "iad/namespace/", "iad/view/", "iad/volume/"]
    assert complete("plan", "--allow-delete", "lax/namespace/") == ["words", "lax/namespace/left"]
    assert complete("plan", "--target", "iad/namespace/") == ["words", "iad/namespace/tools", "iad/namespace/tools-old"]
    # what the ledger does not have it cannot forget
    assert complete("ledger", "forget", ".", "iad/namespace/") == ["words", "iad/namespace/tools"]
    assert complete("ledger", "move", ".", "iad/namespace/tools", "iad/namespace/tools-") == [
        "words",
        "iad/namespace/tools-old",
    ]
    (folder / LEDGER_FOLDER / "lax.json").write_text('{"applied": "", "document": "doc", broken')
    assert complete("plan", "--target", "lax/namespace/") == []
    assert complete("plan", "--target", "iad/view/") == ["words", "iad/view/gone"]


def test_sites(folder: Path, complete: Complete) -> None:
    assert complete("plan", "--site", "") == ["words", "iad", "lax", "pdx"]
    assert complete("plan", "--site", "iad,p") == ["words", "iad,pdx"]
    assert complete("plan", "--site", "iad,i") == []
    assert complete("move", "plan", "site.yaml", "iad/volume/v", "--to", "p") == ["words", "pdx"]
    assert complete("ledger", "unlock", "site.yaml", "l") == ["words", "lax"]
    assert complete("ledger", "list", "l") == ["words files", "lax"]
    assert complete("init", "--site", "") == []


def test_codes_places_and_kinds(complete: Complete) -> None:
    assert complete("validate", "--explain", "REP-1")[1:] == [
        code for code in checks.catalogue() if code.startswith("REP-1")
    ]
    assert completion.codes() == [*checks.catalogue()]
    assert complete("explain", "quo") == ["words", "quotas"]
    assert complete("explain", "quotas.hard_limit") == ["words", "quotas.hard_limit", "quotas.hard_limit_inodes"]
    nested = complete("explain", "tenants.capacity_rules.")[1:]
    assert nested and all(place.startswith("tenants.capacity_rules.") for place in nested)
    for place in ("quotas", "quotas.hard_limit", nested[0]):
        assert explain_path(place, 80)
    assert complete("explain", "no.such.") == []
    assert complete("record", "doc", "--without", "snap")[:2] == ["words", "snapshot"]


def test_a_saved_plan_has_addresses_too(folder: Path, vastplan: Run, complete: Complete) -> None:
    shutil.rmtree(folder / LEDGER_FOLDER)
    assert vastplan("plan", "--site", "iad", "--out", "plan.json").code == 0
    assert complete("show", "plan.json", "iad/namespace/tools-") == ["words", "iad/namespace/tools-old"]
    assert complete("show", "plan.json", "--expand", "p") == []
    (folder / "plan.json").write_text('{"actions": 3}')
    assert complete("show", "plan.json", "iad/") == []


@pytest.mark.parametrize(
    "text",
    [
        EDITED % "Bad_Name", "version: 1\nname: [", "a: &a [*a]\n", "{}", "[]", "\0", "sites: 3\n", "version: 1\nsites: {iad: 3}\n",
        'version: 1\nname: doc\nsites: {"$(touch pwned)": {sim: {}}, "a\\nb": {}, "../x": {}}\n', "name: a\n---\nname: b\n",
    ],
)  # fmt: skip
def test_a_document_with_mistakes_completes_to_nothing(text: str, tmp_path: Path, complete: Complete) -> None:
    (tmp_path / "site.yaml").write_text(text)
    assert complete("plan", "--target", "iad/namespace/") == []
    assert all(line.strip("/").isalnum() for line in complete("plan", "--site", "") + complete("plan", "--target", ""))
    assert complete("show", "s") == ["words files"]


def test_what_is_no_document_completes_to_nothing(tmp_path: Path, complete: Complete) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "link.yaml").symlink_to("/etc/passwd")
    for path in ("pipe.yaml", "link.yaml", "missing.yaml", ".", "/dev/zero", "\0", "x" * 5000):
        for words in (["--target", ""], ["--target", "iad/"], ["--site", ""]):
            if "\0" not in path or sys.flags.utf8_mode:
                assert complete("plan", path, *words) == [], path


def test_neither_a_system_nor_a_secret_is_needed(
    tmp_path: Path, complete: Complete, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VASTPLAN_ALLOW_ENV")
    text = "version: 1\nname: doc\nsites:\n  iad:\n    vast: {url: https://vms.example.com, token: {env: TOKEN_OF_NOBODY}}\n"
    (tmp_path / "site.yaml").write_text(text + "tenants: {team-a: {}}\n")
    assert complete("plan", "--target", "iad/tenant/") == ["words", "iad/tenant/team-a"]
    # its systems are in a connections file, which nobody has named yet
    (tmp_path / "site.yaml").write_text("version: 1\nname: doc\nsites: {iad: {}}\ntenants: {team-a: {}}\n")
    assert complete("plan", "--target", "iad/tenant/") == ["words", "iad/tenant/team-a"]


def test_a_ledger_in_a_cluster_is_not_asked(tmp_path: Path, complete: Complete) -> None:
    text = "version: 1\nname: doc\nledger: {kubernetes: {namespace: vastplan, site: iad}}\n"
    (tmp_path / "site.yaml").write_text(text + "sites: {iad: {sim: {}}}\nnamespaces: {tools: {}}\n")
    assert complete("plan", "--target", "iad/namespace/") == ["words", "iad/namespace/tools"]
    assert complete("ledger", "forget", ".", "iad/namespace/") == ["words", "iad/namespace/tools"]
    assert not (tmp_path / ".vastplan").exists()


def test_a_name_that_cannot_be_seen_is_no_candidate(tmp_path: Path, complete: Complete) -> None:
    (tmp_path / "plan.json").write_text(
        '{"actions": [{"address": "iad/view/a\\nb"}, {"address": "iad/view/\\u202ex"}, {"address": "iad/view/\\u001b[2J"},'
        f' {{"address": "iad/view/{"long" * 200}"}}, {{"address": "iad/view/ok"}}]}}'
    )
    assert complete("show", "plan.json", "iad/view/") == ["words", "iad/view/ok"]


@pytest.mark.parametrize(
    "words", [[], [""], ["-"], ["--"], ["--", ""], ["plan", "--", "-"], ["nonsense", "x", ""], ["--x=", "="], ["-h"]]
)
def test_whatever_is_typed(words: list[str], complete: Complete) -> None:
    complete(*words)


def test_nobody_sees_the_command(vastplan: Run) -> None:
    assert "__complete" not in vastplan("-h").out
    assert "did you mean completion?" in vastplan("complete").err


def test_of_many_the_beginnings_are_shown() -> None:
    texts = sorted(f"iad/view/team-{team}-v{index}" for team in range(10) for index in range(1000))
    few = limited(texts, "iad/view/")
    assert 10 <= len(few) <= MOST and all(one.startswith("iad/view/team-") for one in few)
    assert all(any(text.startswith(one) for one in few) for text in texts)
    assert limited(texts[:MOST], "iad/view/") == texts[:MOST]
    assert narrowed(["a/b/c", "a/b", "a/d", "b/c"], "a/", "/") == ["a/b", "a/b/", "a/d"]
    assert narrowed(["quotas.x"], "quotas", "") == ["quotas.x"]


def test_ten_thousand_entries(tmp_path: Path, complete: Complete) -> None:
    names = ", ".join(f"team-{index}: {{}}" for index in range(10_000))
    (tmp_path / "site.yaml").write_text(
        f"version: 1\nname: doc\nsites: {{iad: {{sim: {{}}}}}}\nnamespaces: {{{names}}}\n"
    )
    mode, *few = complete("plan", "--target", "iad/namespace/")
    assert mode == "open" and "iad/namespace/team-99" in few and len(few) <= MOST
    assert len(complete("plan", "--target", "iad/namespace/team-123")) == 12


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("iad/view/a\\ b", "iad/view/a b"), ("'iad/view/a b", "iad/view/a b"), ("'it'\\''s'", "it's"), ('"a\\$b\\c', "a$b\\c"),
        ("'a\\b'", "a\\b"), ("a\\", "a"), ("", ""), ("$(x)`y`", "$(x)`y`"),
    ],
)  # fmt: skip
def test_a_word_as_the_shell_has_it(word: str, text: str) -> None:
    assert unquoted(word) == text


def test_the_ledger_is_where_documents_have_it() -> None:
    assert LEDGER_FOLDER == ".vastplan/ledger"


def test_tcsh_is_as_ever(vastplan: Run) -> None:
    import shtab

    assert vastplan("completion", "tcsh").out.strip() == shtab.complete(parser(), shell="tcsh").strip()
    assert {*SCRIPTS, "tcsh"} == {"bash", "zsh", "tcsh"}


def program(folder: Path, text: str) -> None:
    """A `vastplan` for a shell."""
    file = folder / "bin" / "vastplan"
    file.parent.mkdir()
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def real(folder: Path) -> None:
    """The real one."""
    program(folder, f'PYTHONPATH={ROOT} exec {sys.executable} -m vastplan "$@"')


def pretended(folder: Path, *lines: str) -> None:
    """One that answers these lines, and notes what it was asked."""
    (folder / "answer").write_text("".join(f"{line}\n" for line in lines))
    program(folder, f"printf '<%s>' \"$@\" >> {folder}/asked; cat {folder}/answer")


def environment(folder: Path) -> dict[str, str]:
    """Of a shell that finds it."""
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PS1": "> ",
        "TERM": "dumb",
        "COLUMNS": "400",
    }


def bash(folder: Path, *words: str) -> list[str]:
    """What bash would offer for the last of these words, as it splits them; run as a script, without a terminal."""
    (folder / "script").write_text(SCRIPTS["bash"])
    driver = (
        'set -u; source ./script; COMP_WORDS=(vastplan "$@"); COMP_CWORD=$#; '
        '_vastplan vastplan "${@: -1}" ""; printf "%s\\n" "${COMPREPLY[@]-}"'
    )
    ran = subprocess.run(
        ["bash", "--norc", "-c", driver, "bash", *words], cwd=folder, env=environment(folder), capture_output=True, text=True,
        check=True, timeout=120,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def test_bash_asks_vastplan(folder: Path) -> None:
    real(folder)
    assert bash(folder, "plan", "--target", "iad/namespace/") == ["iad/namespace/tools", "iad/namespace/tools-old"]
    assert bash(folder, "plan", "--site", "=", "p") == ["pdx"]
    assert bash(folder, "plan", "--site=p") == ["--site=pdx"]  # where = ends no word


def test_bash_puts_the_words_together_again(tmp_path: Path) -> None:
    pretended(tmp_path, "words", "iad/view/a:b=c", "iad/view/a:d")
    assert bash(tmp_path, "plan", "--target", "=", "iad/view/a", ":", "b") == ["b=c", "d"]
    assert bash(tmp_path, "--target", "iad/view/a", ":", "b", "=", "") == ["c"]
    asked = (tmp_path / "asked").read_text()
    assert asked == "<__complete><plan><--target=iad/view/a:b><__complete><--target><iad/view/a:b=>"


def test_bash_runs_nothing_that_is_answered(tmp_path: Path) -> None:
    pretended(tmp_path, "words", *HOSTILE)
    offered = bash(tmp_path, "show", "")
    assert len(offered) == len(HOSTILE) and not (tmp_path / "pwned").exists()
    typed = "\n".join(f"printf '%s\\n' {word}" for word in offered)
    ran = subprocess.run(["bash", "-c", typed], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [*HOSTILE] and not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("answer", [[], ["words"], ["words files"], ["nonsense", "a"]])
def test_bash_has_nothing_to_offer(answer: list[str], tmp_path: Path) -> None:
    pretended(tmp_path, *answer)
    (tmp_path / "a file").touch()
    assert bash(tmp_path, "show", "zz") == ([""] if len(answer) < 2 else ["a"])
    assert bash(tmp_path, "show", "'x y'") == ([""] if len(answer) < 2 else ["a"])


class Terminal:
    """A bash at a terminal: what is typed, TAB included, and the line that it becomes."""

    def __init__(self, folder: Path) -> None:
        (folder / "script").write_text(SCRIPTS["bash"])
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment(folder))
        self._seen = b""
        show = "show() { printf '\\n<%s>\\n' \"$READLINE_LINE\"; READLINE_LINE=; }"
        quiet = "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'"
        self._type(f"{quiet}; {show}; bind -x '\"\\C-xs\":show'; source ./script; echo rea''dy\n")
        self._until(b"ready")

    def line(self, typed: str) -> str:
        """What is typed, as it stands there afterwards."""
        self._type(typed + "\x18s")
        return self._until(b">\r\n").rpartition(b"<")[2].decode()

    def close(self) -> None:
        """Hang up."""
        os.close(self._terminal)
        os.waitpid(self._child, 0)

    def _type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _until(self, mark: bytes) -> bytes:
        patience = time.monotonic() + 120
        while mark not in self._seen:
            assert time.monotonic() < patience, self._seen
            if select.select([self._terminal], [], [], 1)[0]:
                self._seen += os.read(self._terminal, 65536)
        before, _, self._seen = self._seen.partition(mark)
        return before


@pytest.fixture
def at_terminal(tmp_path: Path) -> Iterator[Callable[[], Terminal]]:
    """Opens a terminal in the test's folder."""
    opened: list[Terminal] = []

    def opens() -> Terminal:
        opened.append(Terminal(tmp_path))
        return opened[-1]

    yield opens
    for one in opened:
        one.close()


@pytest.mark.slow
def test_at_a_terminal(folder: Path, at_terminal: Callable[[], Terminal]) -> None:
    real(folder)
    bash = at_terminal()
    assert bash.line("vastplan pl\t") == "vastplan plan "
    assert bash.line("vastplan plan --tar\t") == "vastplan plan --target "
    assert bash.line("vastplan plan --target ia\t") == "vastplan plan --target iad/"
    assert bash.line("vastplan plan --target iad/na\t\t") == "vastplan plan --target iad/namespace/tools"
    assert (
        bash.line("vastplan plan --target=iad/namespace/tools-\t") == "vastplan plan --target=iad/namespace/tools-old "
    )
    assert bash.line("vastplan plan --site iad,p\t --out si\t") == "vastplan plan --site iad,pdx  --out site.yaml "
    assert bash.line("vastplan show si\t iad/v\t") == "vastplan show site.yaml  iad/v"
    assert bash.line("vastplan show lax/namespace/\t") == "vastplan show lax/namespace/left "
    assert (
        bash.line("vastplan plan 'site.yaml' --target 'lax/namespace/l\t")
        == "vastplan plan 'site.yaml' --target 'lax/namespace/left' "
    )
    assert bash.line("vastplan plan other.yaml --target si\t") == "vastplan plan other.yaml --target si"


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("$\t", "\\$\\(touch\\ pwned\\) "), ("\\$\t", "\\$\\(touch\\ pwned\\) "), ("'$\t", "'$(touch pwned)' "), ('"$\t', '"$'),
        ("`\t", "`"), ("it\t", "it\\'s\\;\\ touch\\ pwned "), ("'it\t", "'it"), ('"it\t', '"it\'s; touch pwned" '), ("x'$\t", "x'$"),
    ],
)  # fmt: skip
def test_at_a_terminal_names_are_quoted(
    typed: str, line: str, tmp_path: Path, at_terminal: Callable[[], Terminal]
) -> None:
    name = HOSTILE[1] if "$" in typed else HOSTILE[2] if "`" in typed else HOSTILE[3]
    pretended(tmp_path, "words", name)
    assert at_terminal().line(f"vastplan show {typed}") == f"vastplan show {line}"
    assert not (tmp_path / "pwned").exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh here")
def test_zsh_reads_its_script(tmp_path: Path) -> None:
    (tmp_path / "_vastplan").write_text(SCRIPTS["zsh"])
    subprocess.run(["zsh", "-n", tmp_path / "_vastplan"], check=True, timeout=60)
