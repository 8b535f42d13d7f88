"""Signed plans: what a key vouched for is applied, or taken for reviewed, and nothing else is where a signature is required."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.conftest import Run
from vastplan.app.files import signature
from vastplan.app.files.plan import PLAN_FILE

HEAD = "version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}}}\n"
DOCUMENT = HEAD + "tenants: {a: {}, b: {}}\n"


def keys(folder: Path, name: str = "plan", *, openssh: bool = False) -> tuple[Path, Path]:
    """A new key, and the public half of it."""
    key = Ed25519PrivateKey.generate()
    form = serialization.PrivateFormat.OpenSSH if openssh else serialization.PrivateFormat.PKCS8
    private = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    encoding = serialization.Encoding.OpenSSH if openssh else serialization.Encoding.PEM
    kind = serialization.PublicFormat.OpenSSH if openssh else serialization.PublicFormat.SubjectPublicKeyInfo
    (folder / f"{name}.key").write_bytes(private)
    (folder / f"{name}.pub").write_bytes(key.public_key().public_bytes(encoding, kind) + b"\n")
    return folder / f"{name}.key", folder / f"{name}.pub"


@pytest.fixture
def document(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a folder of its own: beside it lies what is the runner's."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "doc.yaml").write_text(DOCUMENT)
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo" / "doc.yaml"


def planned(document: Path, vastplan: Run, key: Path, *words: str | Path) -> Path:
    """A signed plan."""
    plan = document.parent / "plan.json"
    ran = vastplan("plan", document, "--out", plan, "--sign", key, *words)
    assert ran.code == 0, ran
    return plan


def nothing_owned(vastplan: Run, document: Path) -> None:
    assert vastplan("ledger", "list", document).out == "the ledger is empty\n"


@pytest.mark.parametrize("openssh", [False, True], ids=["PEM", "OpenSSH"])
def test_what_was_signed_is_applied(openssh: bool, document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent, openssh=openssh)
    plan = planned(document, vastplan, key)
    ran = vastplan("apply", plan, "--require-signature", public)
    assert ran.code == 0 and "2 done" in ran.out, ran


def test_any_key_of_a_file_will_do(document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent, "new", openssh=True)
    _, old = keys(document.parent.parent, "old")
    both = document.parent / "both.pub"
    both.write_bytes(b"# who may sign\n" + old.read_bytes() + public.read_bytes())
    assert vastplan("apply", planned(document, vastplan, key), "--require-signature", both).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("line", ["BEGIN", "MCow", "END", "ssh-ed25519"])
def test_a_key_with_a_mark_before_a_line_of_it_is_taken_back(line: str, document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent, "retired", openssh=line.startswith("ssh"))
    other, current = keys(document.parent.parent, "current")
    marked = [f"# retired {text}" if line in text else text for text in public.read_text().splitlines()]
    assert "# retired" in "".join(marked)
    file = document.parent.parent / "both.pub"
    for texts in (marked, current.read_text().splitlines()), (current.read_text().splitlines(), marked):
        file.write_text("\n".join(text for lines in texts for text in lines) + "\n")
        ran = vastplan("apply", planned(document, vastplan, key), "--require-signature", file)
        assert ran.code == 1 and f"which is not in {file}: " in ran.err, ran
        nothing_owned(vastplan, document)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert vastplan("apply", planned(document, vastplan, other), "--require-signature", file).code == 0


def test_a_plan_that_nobody_signed(document: Path, vastplan: Run) -> None:
    _, public = keys(document.parent.parent)
    plan = document.parent / "plan.json"
    assert vastplan("plan", document, "--out", plan).code == 0
    ran = vastplan("apply", plan, "--require-signature", public)
    assert (
        ran.code == 1 and f"the plan {plan} is not signed, and a signature by a key of {public} is required" in ran.err
    )
    assert "plan with --sign KEYFILE, and bring both files here" in ran.err
    nothing_owned(vastplan, document)


def test_a_plan_that_somebody_else_signed(document: Path, vastplan: Run) -> None:
    key, _ = keys(document.parent.parent, "theirs")
    _, public = keys(document.parent.parent, "ours")
    ran = vastplan("apply", planned(document, vastplan, key), "--require-signature", public)
    assert ran.code == 1 and f"which is not in {public}: plan again, with --sign and one of those" in ran.err, ran
    nothing_owned(vastplan, document)


def test_a_plan_that_was_changed_after_it_was_signed(document: Path, vastplan: Run) -> None:
    """Its digest made anew, or no more than a blank in it."""
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    data = json.loads(plan.read_text())
    data["consent"]["adopt"] = True
    for content in (json.dumps({**data, "id": PLAN_FILE.identity(data)}), plan.read_text() + " ", "{}", ""):
        plan.write_text(content or "{")
        ran = vastplan("apply", plan, "--require-signature", public)
        assert ran.code == 1 and "differs from what was signed: it or plan.json.sig was changed" in ran.err, ran
    nothing_owned(vastplan, document)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format_version": "2.0"}', '{"format_version": "1.0", "key": 1, "signature": ""}',
     '{"format_version": "1.0", "key": "x", "signature": "not base64!"}', "\x00"],
)  # fmt: skip
def test_a_signature_that_is_none(content: str, document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    signature.signature_path(plan).write_text(content)
    ran = vastplan("apply", plan, "--require-signature", public)
    assert ran.code == 1 and "sign the plan again" in ran.err, ran
    assert len(ran.err.splitlines()) == 1, ran
    nothing_owned(vastplan, document)


def test_the_signature_of_another_plan(document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    before = signature.signature_path(plan).read_bytes()
    document.write_text(DOCUMENT.replace("b: {}", "c: {}"))
    planned(document, vastplan, key)
    signature.signature_path(plan).write_bytes(before)
    assert "differs from what was signed" in vastplan("apply", plan, "--require-signature", public).err


def test_a_signature_is_of_a_plan_and_of_nothing_else(document: Path, vastplan: Run) -> None:
    """The same bytes signed for another purpose are no signed plan."""
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    data = json.loads(signature.signature_path(plan).read_text())
    data["signature"] = base64.b64encode(signature.private_key(key).sign(plan.read_bytes())).decode()
    signature.signature_path(plan).write_text(json.dumps(data))
    assert "differs from what was signed" in vastplan("apply", plan, "--require-signature", public).err


@pytest.mark.slow
def test_approvals_in_a_signed_plan_are_believed(document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent)
    assert vastplan("apply", document, "--auto-approve").code == 0
    document.write_text(HEAD + "tenants: {a: {}}\n")
    (document.parent / "signed").mkdir()
    approvals = document.parent / "signed" / "approvals.yaml"
    approval = {"address": "iad/tenant/b", "reason": "nobody uses it", "until": "2999-01-01"}
    approvals.write_text(yaml.safe_dump({"version": 1, "approvals": [approval]}))
    words = ("--allow-delete", "iad/tenant/b", "--approvals", approvals)
    plan = planned(document, vastplan, key, *words)
    assert vastplan("apply", plan).code == 1
    ran = vastplan("apply", plan, "--require-signature", public)
    assert ran.code == 0 and "1 done" in ran.out, ran


def connections(document: Path, **more: str) -> Path:
    """The same sites from a connections file, in a folder of its own."""
    document.write_text("version: 1\nname: doc\nsites: {iad: {}}\ntenants: {a: {}, b: {}}\n")
    ours = document.parent.parent / "ci"
    ours.mkdir(exist_ok=True)
    file = ours / "connections.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "sites": {"iad": {"sim": {"systems": ["vast"]}}}, **more}))
    return file


@pytest.mark.slow
def test_a_connections_file_may_require_it(document: Path, vastplan: Run) -> None:
    file = connections(document, require_signature="plan.pub")
    key, _ = keys(file.parent)
    ran = vastplan("apply", document, "--connections", file, "--auto-approve")
    assert (
        ran.code == 1 and "a signed plan is required: give it as vastplan apply PLAN or --reviewed PLAN" in ran.err
    ), ran
    plan = planned(document, vastplan, key, "--connections", file)
    signed = signature.signature_path(plan).read_bytes()
    signature.signature_path(plan).unlink()
    assert "is not signed" in vastplan("apply", plan, "--connections", file).err
    signature.signature_path(plan).write_bytes(signed)
    _, other = keys(document.parent.parent, "other")
    assert "which is not in" in vastplan("apply", plan, "--connections", file, "--require-signature", other).err
    nothing_owned(lambda *words: vastplan(*words, "--connections", file), document)
    assert vastplan("apply", plan, "--connections", file).code == 0


@pytest.mark.slow
def test_the_reviewed_plan_is_signed(document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    words = ("apply", document, "--auto-approve", "--reviewed", plan, "--require-signature", public)
    whole = plan.read_text()
    data = json.loads(whole)
    data["document"] = "other"
    plan.write_text(json.dumps({**data, "id": PLAN_FILE.identity(data)}))
    assert "differs from what was signed" in vastplan(*words).err
    nothing_owned(vastplan, document)
    plan.write_text(whole)
    assert vastplan(*words).code == 0


@pytest.mark.slow
def test_what_differs_from_a_signed_plan_is_not_allowed(document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    document.write_text(DOCUMENT.replace("b: {}", "b: {max_views: 7}"))
    words = ("apply", document, "--reviewed", plan, "--allow-difference", "--auto-approve")
    ran = vastplan(*words, "--require-signature", public)
    assert ran.code == 5 and "have the live plan reviewed and signed" in ran.err, ran
    nothing_owned(vastplan, document)
    assert vastplan(*words).code == 0


@pytest.mark.slow
def test_a_reviewed_plan_is_vouched_for_as_long_as_it_holds(document: Path, vastplan: Run) -> None:
    key, public = keys(document.parent.parent)
    plan = planned(document, vastplan, key)
    data = {**json.loads(plan.read_text()), "expires": "2020-01-01T00:00:00+00:00"}
    plan.write_text(json.dumps({**data, "id": PLAN_FILE.identity(data)}))
    signature.sign_plan(plan, plan.read_bytes(), signature.private_key(key))
    ran = vastplan("apply", document, "--auto-approve", "--reviewed", plan, "--require-signature", public)
    assert ran.code == 5 and "the reviewed plan expired on 2020-01-01T00:00:00+00:00" in ran.err, ran
    nothing_owned(vastplan, document)


def test_keys_that_are_none(document: Path, vastplan: Run) -> None:
    key, _ = keys(document.parent.parent)
    folder, out = document.parent.parent, document.parent / "plan.json"
    (folder / "none.key").write_text("not a key\n")
    encrypted = signature.private_key(key).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )
    (folder / "encrypted.key").write_bytes(encrypted)
    (folder / "large.key").write_bytes(key.read_bytes() + b"\n" * 70_000)
    for name, says in {
        "none.key": "is not a private Ed25519 key without a passphrase; make one with: openssl genpkey",
        "encrypted.key": "is not a private Ed25519 key without a passphrase",
        "plan.pub": "is not a private Ed25519 key",
        "large.key": "is too large for a key",
        "missing.key": "does not exist",
        ".": "does not exist",
    }.items():
        ran = vastplan("plan", document, "--out", out, "--sign", folder / name)
        assert ran.code == 1 and says in ran.err and "BEGIN" not in ran.err and not out.exists(), ran
    plan = planned(document, vastplan, key)
    for name, says in {"none.key": "has no public Ed25519 key", "plan.key": "has no public Ed25519 key"}.items():
        assert says in vastplan("apply", plan, "--require-signature", folder / name).err
    assert "--sign KEYFILE needs --out FILE: it signs a saved plan" in vastplan("plan", document, "--sign", key).err


@pytest.mark.parametrize(
    ("place", "which"),
    [("repo", "the document's folder"), ("repo/deep", "the document's folder"), ("given", "a folder that its secrets may come from")],
)  # fmt: skip
def test_a_key_that_a_document_could_take_is_refused(place: str, which: str, document: Path, vastplan: Run) -> None:
    """It would become the value of a Secret, on a host that the document names."""
    home = document.parent.parent
    (home / place).mkdir(exist_ok=True)
    key, _ = keys(home / place)
    file = connections(document)
    file.write_text(file.read_text() + "secrets: {folders: [../given]}\n")
    (home / "link.key").symlink_to(key)
    out = document.parent / "plan.json"
    for named in (key, home / "link.key"):
        ran = vastplan("plan", document, "--connections", file, "--out", out, "--sign", named)
        assert ran.code == 1 and f"the key {named} is in {which}: keep it where only the runner writes" in ran.err, ran
        assert not out.exists()


def test_where_the_library_is_not_installed(document: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    key, _ = keys(document.parent.parent)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    ran = vastplan("plan", document, "--out", document.parent / "plan.json", "--sign", key)
    assert ran.code == 1 and ran.err == (
        "error: signatures need the library cryptography: pip install 'vastplan[sign]'\n"
    )
