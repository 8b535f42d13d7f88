"""The vocabulary of a system in a document: its address, its authority, and its credentials."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import MISSING, AfterValidator, BeforeValidator, Field, StringConstraints

from vastplan.model import regular_files
from vastplan.model.errors import VastplanError
from vastplan.model.urls import LOGIN_IN_URL, can_be_taken_apart, holds_login, normalised
from vastplan.schema.types import DnsLabel, EnvironmentSecret, FileSecret, Says, Spec


def _without_login(value: object) -> object:
    if isinstance(value, str) and holds_login(value):
        raise ValueError(f"{LOGIN_IN_URL}: remove USER:PASSWORD@, and write username and password next to url")
    if isinstance(value, str) and value.lower().startswith("http://"):
        raise ValueError("is not encrypted; write https:// instead of http://")
    return value


def _taken_apart(value: str) -> str:
    if not can_be_taken_apart(value):
        raise ValueError("is not an address: the host or the port cannot be read")
    return value


_ADDRESS = r"^https://[^\s/?#@]+(/[^\s?#@]*)?$"
Url = Annotated[
    str,
    StringConstraints(pattern=_ADDRESS),
    Says("https://HOST[:PORT][/PATH]", shown=False),
    BeforeValidator(_without_login),
    AfterValidator(_taken_apart),
]
"""A host and a path, without a login, a query or a fragment."""
SiteName = DnsLabel

UNVERIFIED = "not verified"
_QUOTES = re.compile(r"[\"'\\]")
_APART = (re.compile(r"[\s=]+"), re.compile(r"[\"'`]"), re.compile(r"[\s\"'`;<>|&(){}=,:@]+"))
"""Separators of the words inside a word: in a list of options, around quotes that hold blanks, and in a shell command."""


def word_paths(word: str, folder: Path) -> list[Path]:
    """The files and folders that a word of a command or of a kubeconfig may name, relative to that folder or to the working
    folder; also in `--option=FILE` and in a shell command, with quotes and variables. A word of only dots and slashes names none:
    filters are written so (`jq .`)."""
    if "\0" in word:
        return []  # no file can have that name
    names = {word}
    for text in {word, os.path.expandvars(word)}:
        for separator in _APART:
            names.update(separator.split(text))
        names.update(_APART[-1].split(_QUOTES.sub("", text)))
    expanded = (os.path.expanduser(name) for name in sorted(names) if name.strip("./"))
    return [base / name for name in expanded for base in (folder, Path())]


def is_address(text: str) -> bool:
    """Whether a document may give a text as an address; see `Url`."""
    return re.fullmatch(_ADDRESS, text) is not None and can_be_taken_apart(text)


class CommandSecret(Spec):
    """A secret that a command prints; only a connections file may name one, because it runs something."""

    SAYS = "{command: [WORD, ...]}"
    command: Annotated[list[str], Field(min_length=1)]
    """Program and its arguments, one word each and run without a shell, that prints the secret."""


AnySecret = EnvironmentSecret | FileSecret | CommandSecret


class SystemSpec(Spec):
    """One system of a site. Every field whose value is a secret is a credential."""

    CREDENTIAL_FILES: ClassVar[tuple[str, ...]] = ()
    """Fields that name a file with credentials in it."""

    def address(self) -> str:
        """The system's address, as text without credentials."""
        raise NotImplementedError

    def place(self, folder: Path) -> str:
        """The system's address in one form for all its spellings; files that it names are relative to `folder`."""
        return normalised(self.address())

    def trust(self) -> str:
        """How the server's certificate is verified, as text; "" where the client decides that by itself."""
        return ""

    def label(self) -> str:
        """The system's name in messages."""
        return self.address()

    def credentials(self) -> list[tuple[str, AnySecret]]:
        """The secrets that log in to it, each with its field."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields)
        return [(name, value) for name, value in values if isinstance(value, AnySecret)]

    def credential_files(self) -> list[str]:
        """The files that hold its credentials."""
        values = [getattr(self, name) for name in self.CREDENTIAL_FILES]
        sources = [source.file for _, source in self.credentials() if isinstance(source, FileSecret)]
        return sources + [name for name in values if isinstance(name, str)]

    def files(self) -> list[str]:
        """All files that the spec names."""
        return self.credential_files()

    def named(self, folder: Path) -> list[Path]:
        """All files that a connections file in that folder names for the system, and those named in these; they need not exist."""
        commands = [source.command for _, source in self.credentials() if isinstance(source, CommandSecret)]
        words = [path for command in commands for word in command for path in word_paths(word, folder)]
        return [*(folder / name for name in self.files()), *words]

    def variables(self) -> list[str]:
        """The environment variables that hold its credentials: variables of the user who runs vastplan."""
        return [source.env for _, source in self.credentials() if isinstance(source, EnvironmentSecret)]

    def withheld(self) -> str:
        """The setting that a document must not have, because it would use a credential that nobody named for it; "" for none."""
        return ""

    def contents(self, folder: Path) -> dict[str, str]:
        """What the files that the spec names, relative to that folder, say about the address and the certificate authority, by
        field; never a credential, only its source. Nothing for a file that cannot be read."""
        return {}

    def unsafe(self, folder: Path) -> list[str]:
        """What in the files that it names must not be used, where a document in that folder names them: these files are data too."""
        return []


class Verified(SystemSpec):
    """The server's certificate is checked, unless `insecure_skip_verify` is true, which every plan reports."""

    TRUST: ClassVar[str] = "ca_file"
    """What to give instead of `insecure_skip_verify`."""

    insecure_skip_verify: bool | MISSING = MISSING
    """true leaves the server's certificate unchecked, so that anybody on the network can read and answer; every plan
    warns of it (VP320)."""

    def trust(self) -> str:
        """`verified` where the client's own configuration verifies the certificate, else `UNVERIFIED`."""
        return UNVERIFIED if self.insecure_skip_verify is True else "verified"

    def server(self) -> str:
        """The server's name in warnings about its certificate."""
        return self.label()


class Tls(Verified):
    """The authority of the server's certificate; those of this machine without `ca_file`."""

    ca_file: str | MISSING = MISSING
    """File of the authority whose certificates are trusted, relative to the document or the connections file; left out,
    this machine's authorities."""

    def trust(self) -> str:
        """The file of the certificate authority, else this machine's authorities, or `UNVERIFIED`."""
        if self.insecure_skip_verify is True:
            return UNVERIFIED
        return (
            f"verified by {self.ca_file}" if isinstance(self.ca_file, str) else "verified by this machine's authorities"
        )

    def files(self) -> list[str]:
        """All files that the spec names, including the certificate authority's."""
        return [*super().files(), *([self.ca_file] if isinstance(self.ca_file, str) else [])]

    def contents(self, folder: Path) -> dict[str, str]:
        """The digest of the certificate authority's file."""
        digest = (
            regular_files.file_digest(folder / self.ca_file, regular_files.TRUST_BYTES)
            if isinstance(self.ca_file, str)
            else ""
        )
        return {"ca_file content": digest} if digest else {}

    def verify(self, folder: Path) -> str | bool:
        """The certificate authority as `requests` takes it; raises `VastplanError` where its file does not exist or cannot be read."""
        if self.insecure_skip_verify is True:
            return False
        if isinstance(self.ca_file, str):
            path = folder / self.ca_file
            try:
                regular_files.read_regular(path, regular_files.TRUST_BYTES)
            except FileNotFoundError:
                raise VastplanError(
                    f"ca_file {self.ca_file} does not exist (its path is relative to the file that names it)"
                ) from None
            except OSError as problem:
                raise VastplanError(f"ca_file {self.ca_file} cannot be read: {problem.strerror}") from None
            return str(path)
        return True


class SharedLedgerSpec(SystemSpec):
    """A namespace of a system that keeps the ledger of several runners. The system is that of a `site`, or is given here."""

    namespace: DnsLabel
    """Namespace that keeps the ledger, for all runners that share it."""
    site: SiteName | MISSING = MISSING
    """Site whose system keeps the ledger, a simulated one included; excludes an address given here."""

    @property
    def addressed(self) -> bool:
        """Whether the spec gives the address of its system."""
        own = type(self).model_fields.keys() - SharedLedgerSpec.model_fields.keys()
        return any(getattr(self, name) is not MISSING for name in own)
