"""With a document no code runs, no file outside its folder is read, and no variable that was not allowed."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import vastplan as vastplan_package
from tests.conftest import Ran, Run
from tests.force import by_force
from tests.lab import Lab
from vastplan.app.files import plan as plan_file
from vastplan.app.secrets import revealer
from vastplan.app.workspace import open_workspace
from vastplan.document.secret_sources import SecretSources
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.value import SecretSource
from vastplan.sim.store import Store
from vastplan.sim.world import World
from vastplan.systems.kubernetes.plain_kubeconfig import plain_kubeconfig

CANARY = "canary-6fe0"
HEAD = "version: 1\nname: doc\nnamespaces: {a: {}}\n"
COMMANDS = ("validate", "plan", "drift", "record")


@pytest.fixture(autouse=True)
def _nothing_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VASTPLAN_ALLOW_ENV")
    monkeypatch.setenv("CANARY", CANARY)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A stranger's checkout, beside which lies what is the runner's."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key").write_text(f"{CANARY}: secret\n")
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f"{CANARY}: secret\n")
    (folder / ".env").write_text(CANARY)
    return folder


def each(vastplan: Run, folder: Path, *words: str | Path, commands: tuple[str, ...] = COMMANDS) -> Iterator[Ran]:
    """What each command that only looks says of the document in a folder."""
    for command in commands:
        more = ("--out", folder.parent / "snapshot.json") if command == "record" else ()
        ran = vastplan(command, folder / "doc.yaml", *more, *words)
        assert CANARY not in ran.out + ran.err, ran
        yield ran


def kubeconfig(**more: Any) -> dict[str, Any]:
    """One that would do, with more in its cluster or its user."""
    cluster = {"server": "https://127.0.0.1:9", **more.pop("cluster", {})}
    user = more.pop("user", {"token": "t"})
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "lab",
        "clusters": [{"name": "lab", "cluster": cluster}],
        "users": [{"name": "lab", "user": user}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
        **more,
    }  # fmt: skip


def running(touched: Path) -> dict[str, Any]:
    """A credential plug-in that leaves a trace."""
    command = {"command": "touch", "args": [str(touched)], "interactiveMode": "Never"}
    return {"apiVersion": "client.authentication.k8s.io/v1", **command}


KUBECONFIGS: dict[str, tuple[dict[str, Any], str]] = {
    "runs a command": ({"user": {"exec": "RUNS"}}, "its user lab has exec"),
    "runs a command, and says it twice": ({"user": {"exec": "RUNS", "token": "t"}}, "its user lab has exec"),
    "has a provider of credentials": (
        {"user": {"auth-provider": {"name": "gcp", "config": {"cmd-path": "touch", "cmd-args": "TOUCHED"}}}}, "has auth-provider",
    ),
    "reads a token from a file": ({"user": {"tokenFile": "/etc/hostname"}}, "has tokenFile"),
    "acts as somebody": ({"user": {"as": "system:admin"}}, "its user lab has as"),
    "has its certificate elsewhere": ({"user": {"client-certificate": "../outside/key"}}, "names a file in client-certificate"),
    "has its key elsewhere": ({"user": {"client-key": "/etc/hostname"}}, "names a file in client-key"),
    "has its authority elsewhere": ({"cluster": {"certificate-authority": "../outside/key"}}, "names a file in certificate-authority"),
    "has its authority where it is hidden": ({"cluster": {"certificate-authority": ".git/config"}}, "names a file in certificate-authority"),
    "goes through a proxy": ({"cluster": {"proxy-url": "http://127.0.0.1:9"}}, "its cluster lab has proxy-url"),
    "believes any server": ({"cluster": {"insecure-skip-tls-verify": True}}, "its cluster lab has insecure-skip-tls-verify"),
    "is not encrypted": ({"cluster": {"server": "http://127.0.0.1:9"}}, "its cluster lab has a server without https://"),
    "has a login in its server": ({"cluster": {"server": f"https://admin:{CANARY}@127.0.0.1:9"}}, "its cluster lab has a server that is not used: there is a user"),
    "asks its host for something": ({"cluster": {"server": "https://127.0.0.1:9/?a=b"}}, "its cluster lab has a server that is more than a host and"),
    "has members that are none": ({"users": ["lab"]}, "not a kubeconfig"),
    "has a list in a user": ({"users": [{"name": "lab", "user": ["exec"]}]}, "not a kubeconfig"),
}  # fmt: skip


@pytest.mark.parametrize("where", ["a site", "the ledger"])
@pytest.mark.parametrize("name", KUBECONFIGS)
def test_a_kubeconfig_of_a_document_is_an_address_and_a_credential(
    name: str, where: str, repo: Path, tmp_path: Path, vastplan: Run
) -> None:
    content, says = KUBECONFIGS[name]
    touched = tmp_path / "touched"
    text = yaml.safe_dump(kubeconfig(**json.loads(json.dumps(content))))
    text = text.replace("TOUCHED", str(touched)).replace("RUNS", json.dumps(running(touched)))
    (repo / "kc.txt").write_text(text)
    sites = {"lab": {"kubernetes": {"kubeconfig": "kc.txt"}}}
    head: dict[str, Any] = {"sites": sites}
    if where == "the ledger":
        head = {"sites": {"lab": {"sim": {}}}, "ledger": {"kubernetes": {"namespace": "n", "kubeconfig": "kc.txt"}}}
    (repo / "doc.yaml").write_text(HEAD + yaml.safe_dump(head))
    for ran in each(vastplan, repo, commands=COMMANDS[:2] if where == "the ledger" else COMMANDS):
        assert ran.code == 1 and "error VP225: " in ran.err and says in ran.err, ran
    assert not touched.exists()


@pytest.mark.parametrize("where", ["the document", "the connections file"])
@pytest.mark.parametrize("system", ["vast", "runai"])
def test_a_login_in_an_address_is_refused_and_not_said(system: str, where: str, repo: Path, vastplan: Run) -> None:
    said: dict[str, Any] = {"url": f"https://admin:{CANARY}@127.0.0.1:9"}
    said |= (
        {"token": {"env": "T"}}
        if system == "vast"
        else {"cluster": "c", "client_id": "i", "client_secret": {"env": "T"}}
    )
    sites = {"lab": {system: said}}
    file = repo / "doc.yaml"
    more: tuple[str | Path, ...] = ()
    if where == "the connections file":
        file, more = repo.parent / "connections.yaml", ("--connections", repo.parent / "connections.yaml")
        (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n")
    file.write_text(("version: 1\n" if more else HEAD) + yaml.safe_dump({"sites": sites}))
    for ran in each(vastplan, repo, *more, "--format", "json", commands=("validate",)):
        assert ran.code == 1 and f"sites.lab.{system}.url: there is a user or a password in it" in ran.out + ran.err, (
            ran
        )


TEXTS = {
    "aliases of aliases": "a: &a [x, x]\nb: &b [*a, *a]\nusers: *b\n",
    "aliases without bound": "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}' if i else 'x'] * 9)}]\n" for i in range(10)
    ),
    "lists in lists": f"users: {'[' * 40_000}{']' * 40_000}\n",
    "dashes": f"{'- ' * 49_000}a\n",
    "mappings in mappings": f"users: {'{a: ' * 40_000}1{'}' * 40_000}\n",
    "a comment that goes on": "users: []  # kept\u2028clusters: []\n",
    "one key twice": "users: []\nusers: []\n",
    "a number that takes an hour": f"users: {'1:' * 400_000}1\n",
    "no mapping": "- exec\n",
    "no YAML": "users: [\n",
    "a tag": "users: !!python/object/apply:os.system [touch pwned]\n",
    "nothing": "",
    "not text": "\udcff",
}


PLACES = {
    "lists in lists": "(VP108 at line 2, column ", "dashes": "(VP108 at line 2, column 131)",
    "a comment that goes on": "(VP104 at line 2, column 18)", "one key twice": "(VP111 at line 3, column 1)",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_kubeconfig_is_not_quoted(name: str, repo: Path, vastplan: Run) -> None:
    (repo / "kc.txt").write_bytes(f"# {CANARY}\n{TEXTS[name]}".encode("utf-8", "surrogateescape"))
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {kubernetes: {kubeconfig: kc.txt}}}\n")
    (ran,) = each(vastplan, repo, commands=("validate",))
    assert ran.code == 1 and "the kubeconfig kc.txt is not used: not a kubeconfig" in ran.err, ran
    assert PLACES.get(name, "") in ran.err, ran


def test_what_may_be_in_one_is_kept_and_nothing_else(repo: Path) -> None:
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (repo / name).write_text("pem")
    full = kubeconfig(
        cluster={"certificate-authority": "ca.pem", "tls-server-name": "lab", "insecure-skip-tls-verify": False, "extensions": []},
        user={"client-certificate": "cert.pem", "client-key": "key.pem", "username": "u", "password": "p", "exec": None},
        preferences={"colors": True},
    )  # fmt: skip
    (repo / "kc.txt").write_text(yaml.safe_dump(full))
    assert plain_kubeconfig(repo, "kc.txt") == kubeconfig(
        cluster={"certificate-authority": str(repo / "ca.pem"), "tls-server-name": "lab"},
        user={
            "client-certificate": str(repo / "cert.pem"), "client-key": str(repo / "key.pem"), "username": "u", "password": "p",
        },
    )  # fmt: skip
    (repo / "key.pem").unlink()
    os.mkfifo(repo / "key.pem")
    with pytest.raises(VastplanError, match=r"the kubeconfig kc\.txt is not used: it is not a regular file"):
        plain_kubeconfig(repo, "kc.txt")


DAMAGED: dict[str, dict[str, Any]] = {
    "an authority that is none": {"cluster": {"certificate-authority-data": "%%%"}},
    "an authority that is no certificate": {"cluster": {"certificate-authority-data": "YWJj"}},
    "a certificate that is none": {"user": {"client-certificate-data": "YWJj", "client-key-data": "YWJj"}},
    "no such context": {"current-context": "other"},
    "no users": {"users": []},
    "no contexts": {"contexts": []},
    "a token with a line break": {"user": {"token": "a\nX-Evil: 1"}},
    "a server that is none": {"cluster": {"server": "https://[::1"}},
    "a list for a token": {"user": {"token": ["t"]}},
    "a context of lists": {"contexts": [{"name": "lab", "context": {"cluster": ["lab"], "user": ["lab"]}}]},
}


@pytest.mark.parametrize("whose", ["document's", "runner's"])
@pytest.mark.parametrize("name", DAMAGED)
def test_one_that_is_damaged_ends_nothing(name: str, whose: str, repo: Path, tmp_path: Path, vastplan: Run) -> None:
    content = kubeconfig(**json.loads(json.dumps(DAMAGED[name])))
    site = "{lab: {kubernetes: {kubeconfig: kc.txt}}}"
    words: tuple[str | Path, ...] = ()
    if whose == "runner's":
        (tmp_path / "c.yaml").write_text(f"version: 1\nsites: {site}\n")
        words, site = ("--connections", tmp_path / "c.yaml"), "{lab: {}}"
    ((tmp_path if words else repo) / "kc.txt").write_text(yaml.safe_dump(content))
    (repo / "doc.yaml").write_text(HEAD + f"sites: {site}\n")
    (ran,) = each(vastplan, repo, *words, commands=("plan",))
    if (name, whose) == (
        "a server that is none",
        "document's",
    ):  # nothing is asked by an address that may not be a document's
        assert ran.code == 1 and "a server that is more than a host and a path" in ran.err, ran
    else:
        assert ran.code == 6 and "? lab kubernetes" in ran.out, ran


def test_one_of_the_runner_that_is_no_yaml_is_not_quoted(repo: Path, tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "kc.txt").write_text(f"{CANARY}: 1, b: [\n")
    (tmp_path / "c.yaml").write_text("version: 1\nsites: {lab: {kubernetes: {kubeconfig: kc.txt}}}\n")
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n")
    (ran,) = each(vastplan, repo, "--connections", tmp_path / "c.yaml", commands=("plan",))
    assert ran.code == 6 and "the kubeconfig is damaged or in another format" in ran.out, ran


def test_it_is_looked_at_again_when_it_is_used(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vastplan: Run
) -> None:
    touched = tmp_path / "touched"
    (repo / "kc.txt").write_text(yaml.safe_dump(kubeconfig(user={"exec": running(touched)})))
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {kubernetes: {kubeconfig: kc.txt}}}\n")
    monkeypatch.setattr("vastplan.systems.kubernetes.spec.KubernetesEndpoint.unsafe", lambda *_: [])
    ran = vastplan("plan", repo / "doc.yaml")
    assert ran.code == 6 and "its user lab has exec" in ran.out and not touched.exists(), ran


def test_one_of_the_connections_file_is_the_runners_and_may_run_what_it_says(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"lab": ["kubernetes"]}) as lab:
        (one,) = lab.world.endpoints()
        own = tmp_path / "own"
        own.mkdir()
        status = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": one.password},
        }
        config = yaml.safe_load(Path(one.kubeconfig).read_text())
        code = f"print({json.dumps(status)!r})"
        plugin = {
            "apiVersion": status["apiVersion"],
            "command": sys.executable,
            "args": ["-c", code],
            "interactiveMode": "Never",
        }
        config["users"][0]["user"] = {"exec": plugin}
        (own / "kubeconfig").write_text(yaml.safe_dump(config))
        (own / "connections.yaml").write_text("version: 1\nsites: {lab: {kubernetes: {kubeconfig: kubeconfig}}}\n")
        (tmp_path / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n")
        ran = vastplan("plan", tmp_path / "doc.yaml", "--connections", own / "connections.yaml")
        assert ran.code == 0 and "1 to create" in ran.out, ran


# Files that a document names


def _pipe(path: Path) -> None:
    os.mkfifo(path)


NOT_IN = "not in the document's folder"
FILES: dict[str, tuple[str, str, str]] = {  # what is named, where a link of the name `link` leads, and what is said
    "outside": ("../outside/key", "", NOT_IN),
    "by its whole path": ("{outside}/key", "", NOT_IN),
    "behind a link": ("link", "../outside/key", NOT_IN),
    "in a linked folder": ("link/key", "../outside", NOT_IN),
    "of git": (".git/config", "", "hidden"),
    "of git, behind a link": ("link", ".git/config", "hidden"),
    "of the environment": (".env", "", "hidden"),
    "of the ledger": (".vastplan/ledger/lab.json", "", "hidden"),
    "behind links in a ring": ("link", "link", ""),
    "of this process": ("/proc/self/environ", "", NOT_IN),
    "a device": ("/dev/zero", "", NOT_IN),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_a_document_names_is_in_its_folder(name: str, repo: Path, vastplan: Run) -> None:
    file, target, says = FILES[name]
    file = file.format(outside=repo.parent / "outside")
    if target:
        (repo / "link").symlink_to(target)
    vast = {"url": "https://127.0.0.1:9", "token": {"file": "t"}}
    heads: dict[str, dict[str, Any]] = {
        "the token of a site": {"sites": {"lab": {"vast": {**vast, "token": {"file": file}}}}},
        "its authority": {"sites": {"lab": {"vast": {**vast, "ca_file": file}}}},
        "its kubeconfig": {"sites": {"lab": {"kubernetes": {"kubeconfig": file}}}},
        "that of the ledger": {
            "sites": {"lab": {"sim": {}}}, "ledger": {"kubernetes": {"namespace": "n", "kubeconfig": file}},
        },
        "a Secret": {"sites": {"lab": {"sim": {}}}, "secrets": {"s": {"namespace": "a", "data": {"token": {"file": file}}}}},
    }  # fmt: skip
    for place, head in heads.items():
        entries = "" if "secrets" in head or "vast" not in str(head) else "tenants: {a: {}}\n"
        head_text = HEAD if "vast" not in str(head["sites"]) else "version: 1\nname: doc\n"
        (repo / "doc.yaml").write_text(head_text + entries + yaml.safe_dump(head))
        for ran in each(vastplan, repo, commands=("validate", "plan")):
            assert ran.code == 1 and "VP224: " in ran.err and says in ran.err, (place, ran)


SPECIAL: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (_pipe, "it is not a regular file"),
    "a folder": (Path.mkdir, "Is a directory"),
    "a large file": (lambda path: path.write_bytes(b"x" * (64 * 1024 + 1)), "it is larger than 64 KiB"),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_a_secret_is_a_regular_file_of_a_bounded_size(name: str, repo: Path) -> None:
    make, says = SPECIAL[name]
    make(repo / "it")
    with pytest.raises(VastplanError, match=f"the file it of a secret cannot be read: {says}"):
        revealer(SecretSources(repo))(SecretSource(("file", "it")))


def test_what_is_allowed_is_asked_again_when_it_is_used(repo: Path) -> None:
    """A plan file says sources, too, and a file may have become a link since the document was read."""
    (repo / "link").symlink_to("../outside/key")
    os.mkfifo(repo / "pipe")
    reveal = revealer(SecretSources(repo))
    for source in (
        ("file", "link"),
        ("file", "../outside/key"),
        ("file", ".env"),
        ("env", "CANARY"),
        ("command", "true"),
    ):
        with pytest.raises(VastplanError) as caught:
            reveal(SecretSource(source))
        assert "the document reads" in str(caught.value) and CANARY not in str(caught.value)


# Variables


SECRET = "namespaces: {a: {}}\nsecrets: {s: {namespace: a, data: {token: {env: CANARY}}}}\n"


@pytest.mark.slow
def test_a_variable_is_read_where_whoever_runs_it_has_named_it(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = tmp_path / "doc.yaml"
    document.write_text("version: 1\nname: doc\nsites: {lab: {sim: {systems: [kubernetes]}}}\n" + SECRET)
    ran = vastplan("apply", document, "--auto-approve")
    says = "error VP302: lab/secret/s: the document reads the environment variable CANARY, which is not in VASTPLAN_ALLOW_ENV"
    assert ran.code == 1 and says in ran.out and "1 done" not in ran.out, ran
    assert "add the variable to VASTPLAN_ALLOW_ENV" in ran.out and CANARY not in ran.out + ran.err
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "OTHER, CANARIES")
    assert vastplan("apply", document, "--auto-approve").code == 1
    assert "2 to create" in vastplan("plan", document).out  # nothing was written of what comes before it, either
    for allowed in ("OTHER,CANARY", "CAN*"):
        monkeypatch.setenv("VASTPLAN_ALLOW_ENV", allowed)
        assert vastplan("apply", document, "--auto-approve").code == 0


def test_no_variable_goes_to_a_host_that_a_document_names(tmp_path: Path, vastplan: Run) -> None:
    document = tmp_path / "doc.yaml"
    vast = "{vast: {url: 'https://127.0.0.1:9', token: {env: CANARY}}}"
    document.write_text(f"version: 1\nname: doc\nsites: {{lab: {vast}}}\ntenants: {{a: {{}}}}\n")
    ran = vastplan("plan", document)
    assert ran.code == 6 and "which is not in VASTPLAN_ALLOW_ENV" in ran.out, ran


@pytest.mark.slow
def test_no_variable_goes_to_a_server_that_nobody_vouches_for(
    repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who allowed the variable has not allowed that anybody in between reads it. What is the document's own it may show."""
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "*")
    (repo / "own").write_text("own")
    vast = {"url": "https://127.0.0.1:9", "insecure_skip_verify": True}
    whole = {"version": 1, "name": "doc", "tenants": {"a": {}}}

    def written(given: dict[str, Any]) -> None:
        (repo / "doc.yaml").write_text(yaml.safe_dump({**whole, "sites": {"lab": {"vast": given} if given else {}}}))

    for given in ({"token": {"env": "CANARY"}}, {"username": "a", "password": {"env": "CANARY"}}):
        written({**vast, **given})
        for ran in each(vastplan, repo):
            says = "VP242: site lab: vast: insecure_skip_verify would send the variable CANARY to whoever answers there"
            assert ran.code == 1 and says in ran.err, ran
    written({**vast, "token": {"file": "own"}})
    assert [ran.code for ran in each(vastplan, repo, commands=("validate", "plan"))] == [0, 6]
    written({})
    of_runner = {"version": 1, "sites": {"lab": {"vast": {**vast, "token": {"env": "CANARY"}}}}}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(of_runner))
    words = ("--connections", tmp_path / "c.yaml")
    assert [ran.code for ran in each(vastplan, repo, *words, commands=("validate", "plan"))] == [0, 6]


def test_no_variable_is_written_to_a_server_that_nobody_vouches_for(
    repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the value of a secret, that is: what opens the system is the document's own."""
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "*")
    (repo / "own").write_text("own")
    (repo / "kc").write_text(yaml.safe_dump(kubeconfig()))

    def written(value: dict[str, str], systems: dict[str, Any]) -> None:
        head = {"sites": {"lab": systems}, "secrets": {"s": {"namespace": "a", "data": {"k": value}}}}
        (repo / "doc.yaml").write_text(HEAD + yaml.safe_dump(head))

    cluster = {"kubeconfig": "kc", "insecure_skip_verify": True}
    for given in (cluster, {"context": "far", "insecure_skip_verify": True}):
        written({"env": "CANARY"}, {"kubernetes": given})
        for ran in each(vastplan, repo):
            says = "VP242: lab/secret/s: insecure_skip_verify of kubernetes would send the variable CANARY to whoever answers"
            assert ran.code == 1 and says in ran.err, ran
    written({"file": "own"}, {"kubernetes": cluster})
    (ran,) = each(vastplan, repo, commands=("validate",))
    assert ran.code == 0, ran
    other = {"url": "https://127.0.0.1:9", "token": {"file": "own"}, "insecure_skip_verify": True}
    written({"env": "CANARY"}, {"kubernetes": {"kubeconfig": "kc"}, "vast": other})
    (ran,) = each(vastplan, repo, commands=("validate",))
    assert ran.code == 0, ran
    of_runner = {"version": 1, "sites": {"lab": {"kubernetes": cluster}}, "secrets": {"env": ["CANARY"]}}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(of_runner))
    written({"env": "CANARY"}, {})
    (ran,) = each(vastplan, repo, "--connections", tmp_path / "c.yaml", commands=("validate",))
    assert ran.code == 0, ran


@pytest.mark.slow
@pytest.mark.parametrize("where", ["a site", "the ledger"])
def test_no_context_of_the_runner_is_opened_to_a_server_that_nobody_vouches_for(
    where: str, repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Lab(tmp_path, {"far": ["kubernetes"]}) as lab:
        (one,) = lab.world.endpoints()
        config = yaml.safe_load(Path(one.kubeconfig).read_text())
        cluster = config["clusters"][0]["cluster"]
        other = base64.b64encode(STRANGE.encode()).decode()
        default = "kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION"  # read when the client is imported
        monkeypatch.setattr(default, str(tmp_path / "config"))
        given = {"context": "far", "insecure_skip_verify": True}
        head: dict[str, Any] = {"sites": {"lab": {"kubernetes": given}}}
        if where == "the ledger":
            head = {"sites": {"lab": {"sim": {}}}, "ledger": {"kubernetes": {"namespace": "n", **given}}}
        (repo / "doc.yaml").write_text(HEAD + yaml.safe_dump(head))
        for agrees in (False, True):
            of_kubeconfig = {"insecure-skip-tls-verify": True} if agrees else {"certificate-authority-data": other}
            config["clusters"][0]["cluster"] = {"server": cluster["server"], **of_kubeconfig}
            (tmp_path / "config").write_text(yaml.safe_dump(config))
            for ran in each(vastplan, repo, commands=("plan", "drift", "record")):
                assert ran.code == (0 if agrees else 1), ran
                says = "VP242: kubernetes: context far: insecure_skip_verify would send the runner's credential"
                assert (says in ran.err) != agrees, ran
                assert bool(lab.all_calls()) == agrees, ran
        assert "warning VP320: " in vastplan("plan", repo / "doc.yaml").out


def test_a_connections_file_says_which_variables_and_folders(
    repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "*")  # is for documents without one
    monkeypatch.setenv("OTHER", "another-canary")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "token").write_text(CANARY)
    (tmp_path / "given" / ".hidden").write_text(CANARY)
    connections = tmp_path / "connections.yaml"
    data = {"v": {"env": "CANARY"}, "f": {"file": "../given/token"}, "mine": {"file": "mine"}}
    (repo / "mine").write_text("mine")

    def said(secrets: str, **more: Any) -> Ran:
        connections.write_text(f"version: 1\nsites: {{lab: {{sim: {{systems: [kubernetes]}}}}}}\n{secrets}")
        entry = {"secrets": {"s": {"namespace": "a", "data": {**data, **more}}}}
        (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n" + yaml.safe_dump(entry))
        (ran,) = each(vastplan, repo, "--connections", connections, commands=("plan",))
        return ran

    ran = said("")
    assert ran.code == 1 and ran.err.count("VP223") == 2, ran
    assert "reads the environment variable CANARY, which connections.yaml does not allow" in ran.err
    assert "reads the file ../given/token, which is not in the document's folder" in ran.err
    allowed = "secrets: {env: [CANARY], folders: [given]}\n"
    assert said(allowed).code == 0
    for more in (
        {"x": {"env": "OTHER"}},
        {"x": {"file": "../given/.hidden"}},
        {"x": {"file": "../given/../outside/key"}},
        {"x": {"file": ".git/config"}},
    ):
        ran = said(allowed, **more)
        assert ran.code == 1 and ran.err.count("VP223") == 1, ran


def test_what_lies_beside_a_connections_file_is_not_the_documents(repo: Path, vastplan: Run) -> None:
    """A kubeconfig there may name the files of its key."""
    (repo / "ci" / "given").mkdir(parents=True)
    (repo / "ci" / "iad.key").write_text(CANARY)
    (repo / "ci" / "given" / "token").write_text(CANARY)
    (repo / "ci" / "c.yaml").write_text("version: 1\nsites: {lab: {sim: {}}}\nsecrets: {folders: [given]}\n")
    for file, code in (("ci/iad.key", 1), ("ci/given/token", 0)):
        secret = f"secrets: {{s: {{namespace: a, data: {{token: {{file: {file}}}}}}}}}\n"
        (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n" + secret)
        (ran,) = each(vastplan, repo, "--connections", repo / "ci" / "c.yaml", commands=("plan",))
        assert ran.code == code and ("VP223" in ran.err) == bool(code), ran


TAKEN: dict[
    str, dict[str, Any]
] = {  # a kubeconfig that names the file `theirs`, and a credential of the connections that does
    "a key": {"user": {"client-certificate-data": "x", "client-key": "theirs"}},
    "a certificate": {"user": {"client-certificate": "./theirs", "client-key-data": "x"}},
    "a token": {"user": {"tokenFile": "theirs"}},
    "an authority": {"cluster": {"certificate-authority": "WHOLE"}},
    "a plug-in's": {"user": {"exec": {"command": "cat", "args": ["--token=theirs"]}}},
    "a provider's": {"user": {"auth-provider": {"config": {"idp-certificate-authority": "theirs"}}}},
    "a command's": {"command": ["cat", "theirs"]},
    "a shell's": {"command": ["sh", "-c", "tr -d x < theirs"]},
    "in quotes": {"command": ["sh", "-c", "cat 'theirs'"]},
    "in quotes in the middle": {"command": ["sh", "-c", 'cat the"ir"s']},
    "in quotes with a blank": {"file": "their own", "command": ["sh", "-c", "cat 'their own'"]},
    "before a semicolon": {"user": {"exec": {"command": "sh", "args": ["-c", 'cat "theirs"; true']}}},
    "without a blank": {"user": {"exec": {"command": "sh", "args": ["-c", "true;cat<theirs|tee"]}}},
    "in a shell in a shell": {"command": ["sh", "-c", "echo $(cat theirs)`cat other`"]},
    "behind a scheme": {"user": {"exec": {"command": "cat", "args": ["--key", "file:theirs"]}}},
    "in a list": {"command": ["cat", "--files=other,theirs"]},
    "a body": {"command": ["curl", "-d", "@theirs"]},
    "of a variable": {"command": ["sh", "-c", "cat ${HERE}/theirs"]},
    "of a home": {"command": ["sh", "-c", "cat ~/theirs"]},
    "in a folder": {"file": "sub/theirs", "command": ["cat", "--dir=sub"]},
    "deep in a folder of a kubeconfig": {"file": "sub/a/theirs", "user": {"exec": {"command": "ls", "args": ["sub/"]}}},
    "in a folder that is gone to": {"file": "sub/theirs", "command": ["sh", "-c", "cd sub&&cat theirs"]},
    "the authority of VMS": {"ca_file": "theirs"},
}


@pytest.mark.parametrize("usual", [False, True], ids=["named", "KUBECONFIG"])
@pytest.mark.parametrize("name", TAKEN)
def test_what_the_connections_open_a_system_with_is_not_the_documents(
    name: str, usual: bool, repo: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the connections file lies beside the document, which is warned of: what else its commands read, nobody knows."""
    said = dict(TAKEN[name])
    taken = said.pop("file", "theirs")
    monkeypatch.setenv("HERE", str(repo))
    monkeypatch.setenv("HOME", str(repo))
    vast = {"url": "https://127.0.0.1:9", "token": {"command": said.pop("command", ["true"])}}
    vast |= {"ca_file": said.pop("ca_file")} if "ca_file" in said else {}
    content = yaml.safe_dump(kubeconfig(**json.loads(json.dumps(said)))).replace("WHOLE", str(repo / "theirs"))
    (repo / "kube").write_text(content)
    monkeypatch.setenv("KUBECONFIG", f"{repo / 'none'}{os.pathsep}{repo / 'kube'}")
    given = {"context": "lab"} if usual else {"kubeconfig": "kube"}
    (repo / "c.cfg").write_text(yaml.safe_dump({"version": 1, "sites": {"lab": {"vast": vast, "kubernetes": given}}}))
    for file in (taken, "mine"):
        (repo / file).parent.mkdir(parents=True, exist_ok=True)
        (repo / file).write_text(CANARY)
    for file, code in ((taken, 1), ("kube", 1), ("mine", 0)):
        secret = f"secrets: {{s: {{namespace: a, data: {{token: {{file: {file}}}}}}}}}\n"
        (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n" + secret)
        (ran,) = each(vastplan, repo, "--connections", repo / "c.cfg", commands=("validate",))
        refusal = f"VP223: lab/secret/s: reads the file {file}, which c.cfg connects with"
        assert ran.code == code and (refusal in ran.err) == bool(code), ran
        assert code or "warning VP241: " in ran.err, ran


@pytest.mark.parametrize("word", ["--home=PARENT", "HOME=HOLDS", "jq -r . | tr / _", "\0", "~\0/", "x" * 5000])
def test_what_all_lies_in_is_not_what_a_command_is_told_of(
    word: str, repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home, a filter and what no file is called: documents may still have files of their own, and those that are allowed."""
    (tmp_path / "holds" / "given").mkdir(parents=True)
    (tmp_path / "holds" / "given" / "token").write_text(CANARY)
    (repo / "mine").write_text(CANARY)
    word = word.replace("PARENT", str(tmp_path)).replace("HOLDS", str(tmp_path / "holds"))
    vast = {"url": "https://127.0.0.1:9", "token": {"command": ["sh", "-c", word]}}
    systems = {"vast": vast, "kubernetes": {"kubeconfig": "none"}}
    connections = {"version": 1, "sites": {"lab": systems}, "secrets": {"folders": ["holds/given"]}}
    monkeypatch.chdir(repo)
    (tmp_path / "c.cfg").write_text(yaml.safe_dump(connections))
    data = {"a": {"file": "mine"}, "b": {"file": "../holds/given/token"}}
    entry = {"secrets": {"s": {"namespace": "a", "data": data}}}
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n" + yaml.safe_dump(entry))
    (ran,) = each(vastplan, repo, "--connections", tmp_path / "c.cfg", commands=("validate",))
    assert ran.code == 0, ran


@pytest.mark.parametrize(("place", "warned"), [(".", True), ("ci", True), ("../ci", False)])
def test_a_connections_file_in_the_documents_folder_is_warned_of(
    place: str, warned: bool, repo: Path, vastplan: Run
) -> None:
    (repo / place).mkdir(exist_ok=True)
    (repo / place / "c.cfg").write_text("version: 1\nsites: {lab: {sim: {}}}\n")
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {}}\n")
    for ran in each(vastplan, repo, "--connections", repo / place / "c.cfg", commands=("validate", "plan")):
        assert ran.code == 0 and ("VP241" in ran.out + ran.err) == warned, ran


def test_a_copy_of_a_document_names_the_same_files(repo: Path, tmp_path: Path) -> None:
    """`drift --accept` tries an edit on one."""
    (tmp_path / "given").mkdir()
    (tmp_path / "c.yaml").write_text("version: 1\nsites: {lab: {sim: {}}}\nsecrets: {folders: [given]}\n")
    secret = "secrets: {s: {namespace: a, data: {token: {file: ../given/token}}}}\n"
    copy = tmp_path / "some" / "where" / "doc.yaml"
    copy.parent.mkdir(parents=True)
    copy.write_text(HEAD + "sites: {lab: {}}\n" + secret)
    with pytest.raises(Invalid, match=r"reads the file \.\./given/token"):
        open_workspace([copy], tmp_path / "c.yaml")
    assert open_workspace([copy], tmp_path / "c.yaml", folder=repo).document.folder == repo


@pytest.mark.slow
@pytest.mark.parametrize("module", ["yaml", "argparse", "pydantic", "pkgutil"])
def test_no_module_of_a_checkout_is_imported(module: str, repo: Path) -> None:
    """Python itself looks for modules in the working folder first."""
    (repo / f"{module}.py").write_text("raise SystemExit('it ran')\n")
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}}\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(vastplan_package.__file__).parents[1])}
    words = [sys.executable, "-m", "vastplan", "validate", "doc.yaml"]
    ran = subprocess.run(words, cwd=repo, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "it ran" not in ran.stdout + ran.stderr, ran


# YAML files


def test_a_yaml_file_is_no_link_that_leads_out(repo: Path, vastplan: Run) -> None:
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}}\n")
    (repo / "linked").symlink_to("../outside")
    ran = vastplan("validate", repo / "linked")
    assert ran.code == 1 and f"VP229: {repo / 'linked'} is a link, which vastplan does not follow" in ran.err, ran
    for name, target in (
        ("key", "../outside/key"),
        ("zero", "/dev/zero"),
        ("git", ".git/config"),
        ("ring", "ring.yaml"),
    ):
        link = repo / f"{name}.yaml"
        link.symlink_to(target)
        for place in (repo, link):
            ran = vastplan("validate", place, "--report", repo.parent / "r.sarif")
            assert ran.code == 1 and f"VP229: {link} is a link, which vastplan does not follow" in ran.err, ran
            assert CANARY not in ran.err + (repo.parent / "r.sarif").read_text()
        link.unlink()


@pytest.mark.parametrize("relative", [True, False], ids=["relative", "absolute"])
@pytest.mark.parametrize("target", [".", "real", "../outside", "real/.."])
def test_no_link_chooses_which_folder_is_the_documents(
    target: str, relative: bool, repo: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what lies beside it in a checkout, and is not the document's, would be: a whole checkout by `storage -> .`."""
    monkeypatch.chdir(repo.parent if relative else "/")
    text = HEAD + "sites: {lab: {sim: {systems: [kubernetes]}}}\nsecrets: {s: {namespace: a, data: {v: {file: key}}}}\n"
    (repo / "real" / "sub").mkdir(parents=True)
    (repo / "key").write_text(CANARY)
    for folder in (repo, repo / "real", repo / "real" / "sub", repo.parent / "outside"):
        (folder / "doc.yaml").write_text(text)
    (repo / "link").symlink_to(target)
    home = Path("repo") if relative else repo
    for place in (home / "link", home / "link" / "doc.yaml", home / "link" / "sub", home / "link" / "sub" / "doc.yaml"):
        ran = vastplan("validate", place)
        says = f"VP229: {home / 'link'} is a link, which vastplan does not follow: it would choose the document's folder (give the path"
        assert ran.code == 1 and (says in ran.err or not place.exists()), ran
    for place in (home / "real", home / "real" / "doc.yaml"):
        assert vastplan("validate", place).code == 0


def test_how_a_machine_is_laid_out_is_the_runners(
    repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `/tmp` may be a link: it is outside of what somebody checked out."""
    monkeypatch.chdir(repo)
    (repo / "real").mkdir()
    (repo / "real" / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}}\n")
    (tmp_path / "somewhere").symlink_to(tmp_path)
    assert vastplan("validate", tmp_path / "somewhere" / "repo" / "real").code == 0


def test_one_that_stays_in_the_folder_is_read(repo: Path, vastplan: Run) -> None:
    """As Kubernetes mounts a ConfigMap."""
    (repo / "..2026_01_01").mkdir()
    (repo / "..2026_01_01" / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}}\n")
    (repo / "..data").symlink_to("..2026_01_01")
    (repo / "doc.yaml").symlink_to("..data/doc.yaml")
    for place in (repo, repo / "doc.yaml"):
        assert vastplan("validate", place).code == 0


@pytest.mark.parametrize(
    "name", ["doc.yaml", "connections.yaml", "approvals.yaml", "snapshot.json", "plan.json", "ca.pem"]
)
def test_whatever_is_read_is_a_regular_file(
    name: str, repo: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a pipe, which would be waited for, nor a device without an end."""
    monkeypatch.chdir(repo)
    vast = "{vast: {url: 'https://127.0.0.1:9', token: {file: t}, ca_file: ca.pem}}"
    Path("doc.yaml").write_text(
        f"version: 1\nname: doc\nsites: {{lab: {vast if name == 'ca.pem' else '{sim: {}}'}}}\ntenants: {{a: {{}}}}\n"
    )
    words: dict[str, tuple[str, ...]] = {
        "connections.yaml": ("plan", "doc.yaml", "--connections", name),
        "approvals.yaml": ("plan", "doc.yaml", "--approvals", name),
        "snapshot.json": ("plan", "doc.yaml", "--snapshot", name),
        "plan.json": ("show", name),
    }
    Path(name).unlink(missing_ok=True)
    os.mkfifo(name)
    ran = vastplan(*words.get(name, ("plan", "doc.yaml")))
    assert ran.code in (1, 6) and "it is not a regular file" in ran.out + ran.err, ran


# A saved plan


def test_a_forged_plan_does_not_choose_what_is_loaded(
    repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {systems: [kubernetes]}}}\n")
    monkeypatch.chdir(repo)
    assert vastplan("plan", "doc.yaml", "--out", "plan.json").code == 0
    plan = plan_file.load(Path("plan.json"))
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "doc.yaml").write_text(f"{CANARY}: 1\n")
    (repo / "link").symlink_to(evil)
    for folder, source in (
        (str(evil), "doc.yaml"),
        ("/", f"{evil}/doc.yaml"),
        (str(repo), "../evil/doc.yaml"),
        (str(repo), "link/doc.yaml"),
    ):
        forged = plan_file.sealed(replace(plan, folder=folder, source=source, sources=(source,)))
        plan_file.save(forged, Path("plan.json"))
        ran = vastplan("apply", "plan.json")
        assert ran.code == 1 and "which is not in this folder (" in ran.err and CANARY not in ran.err, ran


@pytest.mark.parametrize(
    "source", [{"file": "../outside/key"}, {"env": "CANARY"}, {"command": ["true"]}, {"file": [1]}], ids=str
)
def test_nor_where_a_secret_comes_from(
    source: dict[str, Any], repo: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "mine").write_text("mine")
    secret = "secrets: {s: {namespace: a, data: {token: {file: mine}}}}\n"
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {systems: [kubernetes]}}}\n" + secret)
    monkeypatch.chdir(repo)
    assert vastplan("plan", "doc.yaml", "--out", "plan.json").code == 0
    plan = plan_file.load(Path("plan.json"))
    forged = [
        replace(action, desired={**action.desired, "data": {"token": {"$secret": source}}})
        if action.address.kind == "secret"
        else action
        for action in plan.actions
    ]
    plan_file.save(plan_file.sealed(replace(plan, actions=tuple(forged))), Path("plan.json"))
    ran = vastplan("apply", "plan.json")
    assert ran.code == 1 and "VP322: lab/secret/s: reads " in ran.err and CANARY not in ran.out + ran.err, ran
    assert "2 to create" in vastplan("plan", "doc.yaml").out


# Simulators


def test_with_connections_a_site_is_simulated_only_where_they_say_so(repo: Path, tmp_path: Path, vastplan: Run) -> None:
    connections = tmp_path / "connections.yaml"
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}, extra: {sim: {systems: [kubernetes]}}}\n")
    connections.write_text("version: 1\nsites: {lab: {sim: {}}}\n")
    for ran in each(vastplan, repo, "--connections", connections):
        assert ran.code == 1, ran
        assert (
            "VP226: site extra: with --connections a site is simulated only where connections.yaml says so" in ran.err
        )
    assert not (repo / ".vastplan").exists()
    connections.write_text("version: 1\nsites: {lab: {sim: {}}, extra: {sim: {}}}\n")
    assert vastplan("plan", repo / "doc.yaml", "--connections", connections).code == 0


def test_running_simulators_are_not_what_a_folder_says(repo: Path, tmp_path: Path, vastplan: Run) -> None:
    """A checkout with all that a running simulator once left beside the document."""
    touched = tmp_path / "touched"
    sim = repo / ".vastplan" / "sim"
    sim.mkdir(parents=True)
    (sim / "lab.kubeconfig").write_text(yaml.safe_dump(kubeconfig(user={"exec": running(touched)})))
    endpoint = {
        "site": "lab", "system": "kubernetes", "url": "https://127.0.0.1:9", "ca_file": str(sim / "ca.pem"), "username": "",
        "password": "p", "kubeconfig": str(sim / "lab.kubeconfig"),
    }  # fmt: skip
    (sim / "endpoints.json").write_text(json.dumps({"pid": 1, "endpoints": [endpoint]}))
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {systems: [kubernetes]}}}\n")
    for ran in each(vastplan, repo, commands=("plan", "drift", "record")):
        assert ran.code in (0, 2), ran
    assert not touched.exists()


def _forged(note: Path, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(note.read_text())
    change(content)
    note.write_text(json.dumps(content))


def _moved_behind_a_link(note: Path) -> None:
    note.rename(note.with_name("other"))
    note.symlink_to(note.with_name("other"))


STRANGE: str = trustme.CA().cert_pem.bytes().decode()
NOTES: dict[str, Callable[[Path], object]] = {
    "that others can write": lambda note: note.parent.chmod(0o777),
    "that is a link": _moved_behind_a_link,
    "of another folder": lambda note: _forged(note, lambda content: content.update(folder="/elsewhere")),
    "that names another host": lambda note: _forged(note, lambda content: content["endpoints"][0].update(url="https://10.0.0.1:443")),
    "with an authority whose key nobody here has": lambda note: _forged(note, lambda content: content.update(authority=STRANGE)),
    "that is no note": lambda note: note.write_text("[1]"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_a_note_of_running_simulators_is_not_believed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vastplan.sim.endpoints import served_endpoints as found

    (tmp_path / "run").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    world = World(tmp_path / "sim", {"lab": ["kubernetes"]}).start()
    try:
        note = world.publish()
        assert note.parent == tmp_path / "run" / "vastplan" and found(world.folder) is not None
        assert [entry.stat().st_mode & 0o077 for entry in (note, note.parent, note.with_suffix(".pem"))] == [0, 0, 0]
        NOTES[name](note)
        assert found(world.folder) is None
    finally:
        world.stop()
    assert not note.exists() or name == "that others can write"


def test_what_simulators_keep_is_for_nobody_else(repo: Path, vastplan: Run) -> None:
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}}\n")
    before = os.umask(0)
    try:
        (repo / ".vastplan" / "sim").mkdir(parents=True)
        (repo / ".vastplan" / "sim" / "lab.vast.sqlite").touch()
        assert vastplan("apply", repo / "doc.yaml", "--auto-approve").code == 0
    finally:
        os.umask(before)
    kept = [
        repo / ".vastplan" / "sim",
        *(repo / ".vastplan" / "sim").iterdir(),
        *(repo / ".vastplan" / "ledger").glob("*.json"),
    ]
    assert len(kept) > 5 and [entry for entry in kept if entry.stat().st_mode & 0o077] == []


LINKS = ("ca.pem", "endpoints.json", "lab.kubeconfig", "lab.kubernetes.sqlite", "lab.kubernetes.sqlite-wal", "lock")


@pytest.mark.parametrize("name", by_force(LINKS, "ca.pem", "lab.kubernetes.sqlite"))
def test_nothing_is_written_through_a_link(name: str, repo: Path, tmp_path: Path, vastplan: Run) -> None:
    sim = repo / ".vastplan" / "sim"
    sim.mkdir(parents=True)
    (sim / name).symlink_to(tmp_path / "outside" / "key")
    (sim / ".ca.pem.new").symlink_to(tmp_path / "outside" / "key")
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {systems: [kubernetes]}}}\n")
    ran = vastplan("plan", repo / "doc.yaml")
    replaced = name in ("ca.pem", "endpoints.json", "lab.kubeconfig")
    assert ran.code == (0 if replaced else 1), ran
    assert replaced or "the simulators cannot keep their objects in" in ran.err, ran
    assert (tmp_path / "outside" / "key").read_text() == f"{CANARY}: secret\n"


def test_nor_is_their_folder_one(repo: Path, tmp_path: Path, vastplan: Run) -> None:
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {}}}\nledger: {local: ledger}\n")
    for link in (repo / ".vastplan", repo / ".vastplan" / "sim"):
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(tmp_path / "outside")
        ran = vastplan("plan", repo / "doc.yaml")
        assert ran.code == 1 and "the simulators do not use" in ran.err, ran
        link.unlink()
    assert [entry.name for entry in (tmp_path / "outside").iterdir()] == ["key"]


WRITTEN: dict[str, tuple[tuple[str, ...], str]] = {  # what is typed, and the name that is a link
    "a plan": (("plan", "doc.yaml", "--out", "out/it.json"), "it.json"),
    "a signature, whose name nobody typed": (("plan", "doc.yaml", "--out", "out/it.json", "--sign", "../sign.key"), "it.json.sig"),
    "a report of a plan": (("plan", "doc.yaml", "--report", "out/it.html"), "it.html"),
    "a report of a document": (("validate", "doc.yaml", "--report", "out/it.sarif"), "it.sarif"),
    "a report of drift": (("drift", "doc.yaml", "--report", "out/it.md"), "it.md"),
    "a report of an apply": (("apply", "doc.yaml", "--auto-approve", "--report", "out/it.xml"), "it.xml"),
    "a snapshot": (("record", "doc.yaml", "--out", "out/it.json"), "it.json"),
    "an export": (("ledger", "export", "doc.yaml", "lab/namespace/a", "--out", "out/it.json"), "it.json"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_what_commands_write_replaces_a_link(
    name: str, repo: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes the folder would else choose what is written over."""
    words, link = WRITTEN[name]
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "sign.key").write_bytes(pem)
    (repo / "doc.yaml").write_text(HEAD + "sites: {lab: {sim: {systems: [kubernetes]}}}\n")
    (repo / "out").mkdir()
    monkeypatch.chdir(repo)
    assert words[0] != "ledger" or vastplan("apply", "doc.yaml", "--auto-approve").code == 0
    (repo / "out" / link).symlink_to("../../outside/key")
    ran = vastplan(*words)
    assert ran.code == 0, ran
    assert (tmp_path / "outside" / "key").read_text() == f"{CANARY}: secret\n"
    assert not (repo / "out" / link).is_symlink() and (repo / "out" / link).stat().st_size > 50
    assert {file.name for file in (repo / "out").iterdir()} <= {link, "it.json"}


MADE_BY_OTHERS = {
    "a view": "CREATE VIEW row AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS collection, i AS id, '{}' AS body FROM n",
    "a trigger": "CREATE TABLE row (collection, id, body); CREATE TRIGGER t AFTER INSERT ON row BEGIN DELETE FROM row; END",
    "a virtual table": "CREATE VIRTUAL TABLE row USING fts5(collection, id, body)",
}  # fmt: skip


@pytest.mark.parametrize("name", MADE_BY_OTHERS)
def test_a_file_of_simulators_that_somebody_else_made_computes_nothing(name: str, tmp_path: Path) -> None:
    file = sqlite3.connect(tmp_path / "lab.vast.sqlite")
    file.executescript(MADE_BY_OTHERS[name])
    file.close()
    with pytest.raises(sqlite3.DatabaseError, match="it was not created by a simulator"):
        Store(tmp_path / "lab.vast.sqlite")
