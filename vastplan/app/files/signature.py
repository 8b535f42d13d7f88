"""Signatures of plan files: Ed25519 over the plan file's bytes, in a file beside the plan (`plan.json.sig`).

The plan contains its document, ledger, systems, consents and expiry, so the signature covers them. Create keys with `openssl genpkey
-algorithm ed25519` or `ssh-keygen -t ed25519`; a file of public keys may hold several, and a signature by any of them counts. The
library is imported when something is signed or verified, and installed with `vastplan[sign]`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vastplan.app.files import read_write
from vastplan.document.yaml import load_mapping as load_yaml
from vastplan.model import canonical_json
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

FORMAT_VERSION = "1.0"
ENDING = ".sig"
_MEANING = b"vastplan plan 1\n"
"""Prefix of the signed bytes: nothing else signed with the same key can pass as a signature of a plan, nor the other way round."""
_LARGEST_KEY = 64 * 1024  # bytes of a file
_MAKE = "make one with: openssl genpkey -algorithm ed25519 -out FILE"
_PUBLIC = re.compile(
    rb"^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]*\n-----END PUBLIC KEY-----[ \t\r]*$|^ssh-ed25519 [^\n]+",
    re.MULTILINE,
)
"""A key takes up whole lines: any character in front of one of them, such as a comment sign, disables the key."""

Verify = Callable[[bytes], None]
"""Raises `VastplanError` for bytes of a file without a valid signature."""


def signature_path(plan: Path) -> Path:
    """The path of a plan's signature."""
    return plan.with_name(plan.name + ENDING)


def private_key(file: Path) -> Ed25519PrivateKey:
    """The key in a file. Raises `VastplanError`, whose text contains nothing of the file."""
    _require_library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    content = _content(file, "the key")
    try:
        is_openssh = b"BEGIN OPENSSH PRIVATE KEY" in content
        read = serialization.load_ssh_private_key if is_openssh else serialization.load_pem_private_key
        key = read(content, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise VastplanError(f"the key {file} is not a private Ed25519 key without a passphrase; {_MAKE}")
    return key


def public_keys(file: Path) -> tuple[Ed25519PublicKey, ...]:
    """The keys in a file, at least one. Raises `VastplanError`."""
    _require_library()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    keys = []
    for text in _PUBLIC.findall(_content(file, "the public key")):
        try:
            is_openssh = text.startswith(b"ssh-")
            key = serialization.load_ssh_public_key(text) if is_openssh else serialization.load_pem_public_key(text)
        except (ValueError, UnsupportedAlgorithm):
            continue
        keys += [key] if isinstance(key, Ed25519PublicKey) else []
    if not keys:
        raise VastplanError(
            f"the file {file} has no public Ed25519 key; write it with: openssl pkey -in KEY -pubout -out {word(file)}"
        )
    return tuple(keys)


def sign_plan(plan: Path, content: bytes, key: Ed25519PrivateKey) -> Path:
    """Sign the content of a plan file and return the path of the signature. Raises `VastplanError`."""
    file = signature_path(plan)
    data = {
        "format_version": FORMAT_VERSION,
        "key": key_fingerprint(key.public_key()),
        "signature": base64.b64encode(key.sign(_MEANING + content)).decode(),
    }
    read_write.write_file(file, canonical_json.json_file_text(data).encode(), f"the signature {file}", mode=0o644)
    return file


def signature_check(plan: Path, keys: Path) -> Verify:
    """Returns a check of a plan file's bytes: the signature beside the plan must match them and be by one of the keys in the file."""
    trusted = {key_fingerprint(key): key for key in public_keys(keys)}

    def verify(content: bytes) -> None:
        from cryptography.exceptions import InvalidSignature

        name, signature = _signature(plan, keys)
        key = trusted.get(name)
        if key is None:
            raise VastplanError(
                f"the plan {plan} was signed with the key {inert(name, 80)}, which is not in {keys}: plan again, with "
                "--sign and one of those"
            )
        try:
            key.verify(signature, _MEANING + content)
        except InvalidSignature:
            raise VastplanError(
                f"the plan {plan} differs from what was signed: it or {signature_path(plan).name} was changed; plan and sign again"
            ) from None

    return verify


def signature_keys(connections: Path | None, given: Path | None) -> tuple[Path, ...]:
    """The files of keys that each require a signature: the one named in the connections file, and the typed one."""
    asked = None if connections is None else load_yaml(connections, str(connections)).get("require_signature")
    of_connections = () if connections is None or not isinstance(asked, str) else (connections.parent / asked,)
    return (*of_connections, *(() if given is None else (given,)))


def verified(plan: Path, keys: Iterable[Path]) -> Verify | None:
    """Returns a check of a plan file's bytes against every one of these files of keys; `None` if there are none."""
    each = [signature_check(plan, file) for file in keys]

    def verify(content: bytes) -> None:
        for passes in each:
            passes(content)

    return verify if each else None


def _signature(plan: Path, keys: Path) -> tuple[str, bytes]:
    """The fingerprint of the key that a plan was signed with, and the signature."""
    file = signature_path(plan)
    if not file.is_file():
        raise VastplanError(
            f"the plan {plan} is not signed, and a signature by a key of {keys} is required: {file} does not exist; plan with --sign "
            "KEYFILE, and bring both files here"
        )
    data, version = read_write.read_json(file, f"the signature {file}", ": sign the plan again")
    try:
        if not read_write.same_major(version, FORMAT_VERSION):
            raise ValueError("another format")
        name, signature = data["key"], base64.b64decode(data["signature"], validate=True)
        if not isinstance(name, str):
            raise ValueError("no name of a key")
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise VastplanError(
            f"the signature {file} has a form that this vastplan does not read; sign the plan again"
        ) from None
    return name, signature


def key_fingerprint(key: Ed25519PublicKey) -> str:
    """The name of a key, as `ssh-keygen -l` prints it."""
    from cryptography.hazmat.primitives import serialization

    text = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    digest = hashlib.sha256(base64.b64decode(text.split()[1])).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"


def _content(file: Path, label: str) -> bytes:
    try:
        if not file.is_file():
            raise VastplanError(f"{label} {file} cannot be read: it does not exist")
        if file.stat().st_size > _LARGEST_KEY:
            raise VastplanError(f"{label} {file} cannot be read: it is too large for a key")
        return file.read_bytes()
    except OSError as problem:
        raise VastplanError(f"{label} {file} cannot be read: {problem.strerror}") from None


def _require_library() -> None:
    try:
        import cryptography  # noqa: F401 - whether it is there
    except ImportError:
        raise VastplanError("signatures need the library cryptography: pip install 'vastplan[sign]'") from None
