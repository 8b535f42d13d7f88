"""A canary in every place where a secret can enter, and a search of everything that the commands write or print."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.force import by_force
from tests.lab import Lab
from tests.trust.planes import ECHOES, Echo
from tests.values.forms import forms
from vastplan.app.secrets import folder_reader, lazily
from vastplan.model.errors import VastplanError
from vastplan.model.sensitive import INSTEAD, MOST, guarded, keep_secret, keep_token, without_secrets
from vastplan.schema.connection import CommandSecret
from vastplan.sim.vast import VastPlane, apitokens, keys, managers

SYSTEMS = ("vast", "kubernetes", "runai")
MINE = ("word", "link", "vms-here", "config-here")  # files that the person who runs it has put there
KEPT = {keys.NAME: keys.SECRET, managers.NAME: managers.PASSWORD, apitokens.NAME: apitokens.TOKEN}
FROM_ENV, FROM_FILE, BY_HAND = "canary-env-Ünï 'q\"\\9", "canary-file-5cd1+/=", "canary-by-hand-77"


SHOWN = {  # the forms of an answer that become part of a message; Kubernetes says all it says in `message`
    "vast": [one for one in ECHOES if one != "a page"],
    "runai": [one for one in ECHOES if one != "a page"],
    "kubernetes": ["a message"],
}


class Outside:
    """A laboratory whose systems are reached like real ones: addresses and credentials in a folder of their own."""

    def __init__(self, lab: Lab, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lab, self.home = lab, home
        home.mkdir()
        passwords = {}
        for one in lab.world.endpoints():
            passwords[one.system] = one.password
            if one.system == "kubernetes":
                (home / "kubeconfig").write_bytes(Path(one.kubeconfig).read_bytes())
        self.endpoints = {one.system: one for one in lab.world.endpoints()}
        (home / "vms").write_text(passwords["vast"] + "\n")
        monkeypatch.setenv("RUNAI_CANARY", passwords["runai"])
        monkeypatch.setenv("SECRET_CANARY", FROM_ENV)
        self.canaries = [*passwords.values(), FROM_ENV, FROM_FILE, BY_HAND]
        self.connections = home / "connections.yaml"
        self.connect()
        self.folder = lab.folder / "work"
        self.folder.mkdir()
        (self.folder / "word").write_text(FROM_FILE)
        self.document = self.folder / "doc.yaml"
        self.write()

    def connect(self, **vast: Any) -> None:
        """Write the connections file; `vast` replaces the credentials of that system."""
        ca = str(self.lab.world.folder / "ca.pem")
        command = [sys.executable, "-c", f"print(open({str(self.home / 'vms')!r}).read())"]
        has = {
            "vast": {
                "url": self.endpoints["vast"].url,
                "ca_file": ca,
                **(vast or {"username": self.endpoints["vast"].username, "password": {"command": command}}),
            },
            "kubernetes": {"kubeconfig": "kubeconfig"},
            "runai": {
                "url": self.endpoints["runai"].url, "ca_file": ca, "cluster": "iad",
                "client_id": self.endpoints["runai"].username, "client_secret": {"env": "RUNAI_CANARY"},
            },
        }  # fmt: skip
        allowed = {"env": ["SECRET_CANARY"]}
        self.connections.write_text(yaml.safe_dump({"version": 1, "sites": {"iad": has}, "secrets": allowed}))

    def write(self, **more: Any) -> None:
        """Write the document: something of every system, a Secret of two sources, and what is handed to Run:AI."""
        data = {"endpoint": "vms.example.com", "password": {"env": "SECRET_CANARY"}, "token": {"file": "word"}, **more}
        sections = {
            "tenants": {"a": {"max_views": 3, "local_provider": "a"}},
            "departments": {"d": {"gpus": {"default": 1}}},
            "local_providers": {"a": {}},
            "users": {"ann": {"local_provider": "a", "uid": 30109}},
            "s3_keys": {"ann": {"tenant": "a", "user": "ann", "deliver": {"secret": "vast-csi/ann"}}},
            "roles": {"work": {"tenant": "a", "permissions_list": ["edit_logical"]}},
            "managers": {"m": {"tenant": "a", "roles": ["work"], "deliver": {"secret": "vast-csi/m"}}},
            "api_tokens": {"m": {"owner": "m", "deliver": {"secret": "vast-csi/token"}}},
            "namespaces": {"vast-csi": {}},
            "secrets": {"vast-mgmt": {"namespace": "vast-csi", "data": data}},
            "access_key_credentials": {
                "s3": {
                    "scope": "cluster",
                    "access_key_id": {"file": "word"},
                    "secret_access_key": {"env": "SECRET_CANARY"},
                },
            },
            "generic_secret_credentials": {"keys": {"department": "d", "data": {"ssh": {"env": "SECRET_CANARY"}}}},
        }
        self.document.write_text(yaml.safe_dump({"version": 1, "name": "doc", "sites": {"iad": {}}, **sections}))

    def words(self, *words: str | Path) -> tuple[str | Path, ...]:
        """A command line on this document."""
        return (words[0], self.document, *words[1:], "--connections", self.connections)

    def told(self) -> set[str]:
        """What the simulated VMS made or was given, and shows to nobody again: pairs, passwords, tokens."""
        plane = self.lab.world.sites["iad"].planes["vast"]
        assert isinstance(plane, VastPlane)
        with self.lab.world.lock:
            return {
                row[place] for name, place in KEPT.items() for row in plane._cluster.store.rows(name) if row.get(place)
            }

    def all_in_order(self, ran: Ran) -> Ran:
        """Fails when a canary, or an encoding of one, is in what was printed or in any file that vastplan wrote."""
        files = [one for one in self.folder.rglob("*") if one.is_file() and one.name not in MINE]
        texts = [ran.out, ran.err, *(one.read_text(encoding="utf-8") for one in files)]
        for canary in [*self.canaries, *self.told()]:
            for form in (*forms(canary), repr(canary)[1:-1]):
                assert not any(form in text for text in texts), f"{form} in {ran}"
        return ran


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    with Lab(tmp_path, {"iad": list(SYSTEMS)}) as lab:
        yield Outside(lab, tmp_path / "outside", monkeypatch)


def test_a_whole_life_says_none(outside: Outside, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(outside.folder)
    saved = outside.folder / "plan.json"
    lines: list[tuple[str | Path, ...]] = [
        outside.words("validate"),
        outside.words("plan", "--format", "json"),
        outside.words("plan", "--out", saved),
        ("apply", saved, "--connections", outside.connections),
    ]
    for line in lines:
        assert outside.all_in_order(vastplan(*line)).code == 0, line
    stored = outside.lab.by_hand("iad", "kubernetes", "GET", "/api/v1/namespaces/vast-csi/secrets/vast-mgmt")["data"]
    assert base64.b64decode(stored["password"]).decode() == FROM_ENV, "the canary did not even enter"
    assert len(outside.told() - {*outside.canaries}) == 3, "no value was told"
    moved = {"data": {"token": base64.b64encode(BY_HAND.encode()).decode()}}
    for form in ("text", "json"):
        outside.lab.by_hand(
            "iad", "kubernetes", "PATCH", "/api/v1/namespaces/vast-csi/secrets/vast-mgmt", moved,
            **{"Content-Type": "application/merge-patch+json"},
        )  # fmt: skip
        assert "vast-mgmt" in outside.all_in_order(vastplan(*outside.words("drift", "--format", form))).out
        shown = outside.all_in_order(vastplan(*outside.words("show", "iad/secret/vast-mgmt", "--format", form)))
        assert "(sensitive)" in shown.out
        assert outside.all_in_order(vastplan(*outside.words("plan", "--format", form))).code in (0, 2)
        listed = ("ledger", "list", outside.document, "--connections", outside.connections, "--format", form)
        assert "vast-mgmt" in outside.all_in_order(vastplan(*listed)).out
        applied = outside.all_in_order(vastplan(*outside.words("apply", "--auto-approve", "--format", form)))
        assert applied.code == 0, applied


@pytest.mark.slow
@pytest.mark.parametrize("form", by_force(ECHOES, "a message"))
@pytest.mark.parametrize("system", by_force(SYSTEMS, "runai"))
def test_a_server_that_quotes_its_caller(system: str, form: str, outside: Outside, vastplan: Run) -> None:
    server = outside.lab.world.sites["iad"].servers[system]
    plane = server.plane
    told, quoted = [], []
    for status, reads, log_in, shown in (
        (401, True, False, "text"), (400, True, True, "json"), (422, False, False, "text"), (409, False, False, "json"),
    ):  # fmt: skip
        server.plane = echo = Echo(plane, status, form, reads=reads, log_in=log_in)
        ran = outside.all_in_order(vastplan(*outside.words("apply", "--auto-approve", "--format", shown)))
        assert ran.code in (1, 4, 6), ran
        told.append(ran)
        quoted += echo.quoted
    assert any(canary in text for canary in outside.canaries for text in quoted), "no server was told a secret"
    tokens = {word for text in quoted for word in re.findall(r"authorization: \S+ (\S+)", text)}
    assert tokens
    outside.canaries += tokens  # those that a server gave out are credentials like the others
    for ran in told:
        outside.all_in_order(ran)
    # Without this the search might have looked at answers that were never shown.
    lines = [line for ran in told for line in (ran.out + ran.err).splitlines() if not re.search(r"\bdata\.\w", line)]
    assert any(INSTEAD in line for line in lines) == (form in SHOWN[system]), lines


TOKENS = {
    "a line break": ("canary\nX-Evil: 1", "line break"),
    "no ASCII": ("canary-snow☃man", "plain ASCII"),
    "a blank at the end": ("canary-blank ", "line break"),
}


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_that_no_header_can_hold(
    name: str, outside: Outside, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, says = TOKENS[name]
    monkeypatch.setenv("BAD_TOKEN", token)
    outside.connect(token={"env": "BAD_TOKEN"})
    outside.canaries.append("canary-snow" if "snow" in token else token)
    ran = outside.all_in_order(vastplan(*outside.words("plan")))
    assert ran.code == 6, ran
    assert says in ran.out, ran


COMMANDS = {
    "fails and says it": ("import sys; sys.exit('canary-command')", "CalledProcessError"),
    "prints what is not text": (r"import sys; sys.stdout.buffer.write(b'canary-command\xff')", "UnicodeDecodeError"),
    "prints nothing": ("import sys; sys.stderr.write('canary-command')", "printed nothing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_does_not_print_a_secret(name: str, outside: Outside, vastplan: Run) -> None:
    code, says = COMMANDS[name]
    outside.connect(token={"command": [sys.executable, "-c", code]})
    outside.canaries.append("canary-command")
    ran = outside.all_in_order(vastplan(*outside.words("plan")))
    assert ran.code == 6, ran
    assert says in ran.out, ran


def test_no_command_at_all() -> None:
    with pytest.raises(VastplanError, match="FileNotFoundError"):
        lazily(CommandSecret(command=["/nowhere/at-all", "canary"]), folder_reader(Path()))()


@pytest.mark.slow
def test_an_empty_file_is_no_secret(outside: Outside, vastplan: Run) -> None:
    (outside.folder / "word").write_text("\n")
    ran = vastplan(*outside.words("apply", "--auto-approve"))
    assert "the file word of a secret is empty" in ran.out, ran
    assert (ran.code, outside.lab.calls()) == (1, []), ran


@pytest.mark.slow
def test_no_process_is_given_one_as_an_argument(outside: Outside, tmp_path: Path) -> None:
    """The command of a secret notes its own arguments and those of whoever started it; and both their environments."""
    notes = tmp_path / "notes"
    code = (
        "import os, sys\n"
        f"print(open({str(outside.home / 'vms')!r}).read())\n"
        f"out = open({str(notes)!r}, 'ab')\n"
        "for one in (os.getpid(), os.getppid()): out.write(open(f'/proc/{one}/cmdline', 'rb').read())\n"
    )
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("no /proc here")
    outside.connect(username="admin", password={"command": [sys.executable, "-c", code]})
    words = [sys.executable, "-X", "dev", "-X", "faulthandler", "-W", "ignore", "-m", "vastplan", "plan"]
    done = subprocess.run(
        [*words, str(outside.document), "--connections", str(outside.connections)],
        capture_output=True, text=True, timeout=120, env=dict(os.environ), check=False,
    )  # fmt: skip
    ran = outside.all_in_order(Ran(done.returncode, done.stdout, done.stderr))
    assert ran.code == 0, ran
    arguments = notes.read_bytes()
    assert b"vastplan\0plan" in arguments
    assert not any(canary.encode() in arguments for canary in outside.canaries)


def test_a_bug_of_ours_does_not_say_it(outside: Outside, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from vastplan.cli import main

    def broken(self: object, kind: object) -> object:
        raise RuntimeError(f"cannot send {os.environ['RUNAI_CANARY']}")

    monkeypatch.setattr("vastplan.systems.runai.client.RunaiProvider.pages", broken)
    keep_secret(os.environ["RUNAI_CANARY"])
    code = main([str(word) for word in outside.words("plan", "--format", "json")])
    captured = capsys.readouterr()
    ran = outside.all_in_order(Ran(code, captured.out, captured.err))
    assert code == 1
    assert "this is a bug in vastplan, please report it: RuntimeError at " in ran.err, ran
    assert json.loads(ran.out)["error"].endswith("cannot send (sensitive)")


def test_the_document_cannot_take_a_credential_elsewhere(outside: Outside, vastplan: Run) -> None:
    """Neither to another host nor into a Secret that its author can read."""
    (outside.folder / "link").symlink_to(outside.home / "vms")
    outside.connect(username="admin", password={"file": str(outside.folder / "vms-here")})
    (outside.folder / "vms-here").write_text("one of the connections' files, beside the document")
    (outside.folder / "config-here").symlink_to(outside.home / "kubeconfig")
    for source in (
        {"env": "RUNAI_CANARY"},
        {"file": "../outside/vms"},
        {"file": "/proc/self/environ"},
        {"file": "link"},
        {"file": "vms-here"},
        {"file": "config-here"},
    ):
        outside.write(stolen=source)
        ran = outside.all_in_order(vastplan(*outside.words("validate")))
        assert ran.code == 1, ran
        assert "VP223: iad/secret/vast-mgmt: reads" in ran.err, ran
    outside.write()
    text = outside.document.read_text()
    for mine in (
        "{iad: {vast: {url: 'https://evil.example.com', token: {env: RUNAI_CANARY}}}}",
        "{iad: {kubernetes: {context: evil}}}",
        "{iad: {runai: {url: 'https://evil.example.com', cluster: c, client_id: i, client_secret: {env: X}}}}",
    ):
        outside.document.write_text(text.replace("iad: {}", f"{mine[1:-1]}"))
        ran = vastplan(*outside.words("plan"))
        assert ran.code == 1, ran
        assert "VP221: site iad: with --connections the document holds no addresses" in ran.err, ran


def test_a_document_runs_nothing(tmp_path: Path, vastplan: Run) -> None:
    touched = tmp_path / "touched"
    vast = {"url": "https://127.0.0.1:9", "token": {"command": ["touch", str(touched)]}}
    runai = {"url": vast["url"], "cluster": "c", "client_id": "i", "client_secret": vast["token"]}
    for system, has, place in (("vast", vast, "vast.token"), ("runai", runai, "runai.client_secret")):
        whole = {"version": 1, "name": "a", "sites": {"iad": {system: has}}}
        file = tmp_path / "doc.yaml"
        file.write_text(yaml.safe_dump({**whole, "tenants": {"a": {}}} if system == "vast" else whole))
        for command in ("validate", "plan"):
            ran = vastplan(command, file)
            assert ran.code == 1, ran
            assert f"VP222: site iad: {place} comes from a command" in ran.err, ran
    assert not touched.exists()


@pytest.mark.parametrize("before", ["", "a", "ab", "admin:"])
def test_what_a_secret_becomes_is_known(before: str) -> None:
    secret = "kö9 <\"'&+/%-long-enough"
    keep_secret(secret)
    encoded = base64.b64encode(f"{before}{secret} and more".encode()).decode()
    shown = without_secrets(encoded)
    assert INSTEAD in shown
    assert len(shown) <= len(encoded) - len(secret) + len(INSTEAD)


def test_the_tokens_that_are_remembered_are_bounded_and_secrets_are_not_forgotten() -> None:
    """Tokens are renewed for ever; the newest and the most used are what an answer can quote. A document names so many secrets."""
    used, gone, lasting = "used-again-and-again", "used-only-once", "a-secret-of-the-document"
    keep_token(used)
    keep_token(gone)
    keep_secret(lasting)
    keep_token(lasting)
    for number in range(2 * MOST - 1):
        keep_token(f"token number {number}")
        keep_token(used)
    for number in range(3 * MOST):
        keep_secret(f"secret number {number}")
    said = f"{used} {gone} token number 900, {lasting} secret number 1"
    assert without_secrets(said) == f"{INSTEAD} {gone} {INSTEAD}, {INSTEAD} {INSTEAD}"
    assert guarded("USED_ONLY_ONCE A_SECRET_OF_THE_DOCUMENT") == f"USED_ONLY_ONCE {INSTEAD}"


def test_no_recording_holds_one() -> None:
    """Recordings of a real server are published; a credential in one would be too."""
    files = [one for one in Path("tests").rglob("*.json") if "recordings" in one.parts]
    assert len(files) > 50
    for one in files:
        text = one.read_text(encoding="utf-8").lower()
        assert not any(word in text for word in ('"authorization"', "bearer ", "basic ", "-----begin")), one
