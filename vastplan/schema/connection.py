"""The vocabulary of what a document says of a system: where it is, who vouches for it, and what opens it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import MISSING, Field, StringConstraints

from vastplan.model import regular_files
from vastplan.model.errors import VastplanError
from vastplan.schema.types import EnvironmentSecret, FileSecret, Spec

_ADDRESS = r"^https://[^\s/?#@]+(/[^\s?#]*)?$"
Url = Annotated[str, StringConstraints(pattern=_ADDRESS)]
"""A host and a path: nobody's name before it, and nothing behind it."""
SiteName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]

UNVERIFIED = "not verified"


def is_address(text: str) -> bool:
    """Whether a text is what a document may give as an address; see `Url`."""
    return re.fullmatch(_ADDRESS, text) is not None


class CommandSecret(Spec):
    """A secret that a command prints; allowed in a connections file only, because it runs something."""

    command: Annotated[list[str], Field(min_length=1)]


AnySecret = EnvironmentSecret | FileSecret | CommandSecret


class SystemSpec(Spec):
    """What is said of one system of a site. Every field whose value is a secret is a credential."""

    CREDENTIAL_FILES: ClassVar[tuple[str, ...]] = ()
    """Fields that name a file with credentials in it."""

    def address(self) -> str:
        """Where it is, as text without credentials."""
        raise NotImplementedError

    def trust(self) -> str:
        """Who vouches for the server, as text; "" where its client settles that by itself."""
        return ""

    def label(self) -> str:
        """What people call it."""
        return self.address()

    def credentials(self) -> list[tuple[str, AnySecret]]:
        """The secrets that open it, each with its field."""
        values = ((name, getattr(self, name)) for name in type(self).model_fields)
        return [(name, value) for name, value in values if isinstance(value, AnySecret)]

    def credential_files(self) -> list[str]:
        """The files that its credentials are in."""
        named = [getattr(self, name) for name in self.CREDENTIAL_FILES]
        sources = [source.file for _, source in self.credentials() if isinstance(source, FileSecret)]
        return sources + [name for name in named if isinstance(name, str)]

    def files(self) -> list[str]:
        """All files that it names."""
        return self.credential_files()

    def unsafe(self, folder: Path) -> list[str]:
        """What must not be used of the files that it names, where a document in that folder says it: they are data, too."""
        return []


class Verified(SystemSpec):
    """The server's certificate is checked, unless `insecure_skip_verify` says otherwise, loudly."""

    TRUST: ClassVar[str] = "ca_file"
    """What to give instead of `insecure_skip_verify`."""

    insecure_skip_verify: bool | MISSING = MISSING

    def trust(self) -> str:
        """Its certificate is checked by what the client is configured with, or by nobody."""
        return UNVERIFIED if self.insecure_skip_verify is True else "verified"

    def server(self) -> str:
        """What a warning about its certificate calls it."""
        return self.label()


class Tls(Verified):
    """An authority that vouches for it; without `ca_file` those of this machine."""

    ca_file: str | MISSING = MISSING

    def trust(self) -> str:
        """The file of its authority, else the authorities of this machine."""
        if self.insecure_skip_verify is True:
            return UNVERIFIED
        return (
            f"verified by {self.ca_file}" if isinstance(self.ca_file, str) else "verified by this machine's authorities"
        )

    def files(self) -> list[str]:
        """The file of its authority as well."""
        return [*super().files(), *([self.ca_file] if isinstance(self.ca_file, str) else [])]

    def verify(self, folder: Path) -> str | bool:
        """Which authority vouches for the server, as `requests` takes it; raises `VastplanError` where there is no such file."""
        if self.insecure_skip_verify is True:
            return False
        if isinstance(self.ca_file, str):
            path = folder / self.ca_file
            try:
                regular_files.read(path, regular_files.TRUST_BYTES)
            except FileNotFoundError:
                raise VastplanError(f"ca_file {self.ca_file} is not there") from None
            except OSError as problem:
                raise VastplanError(f"ca_file {self.ca_file} cannot be read: {problem.strerror}") from None
            return str(path)
        return True


class SharedLedgerSpec(SystemSpec):
    """A namespace of a system that keeps the ledger of several runners. The system is that of a `site`, or is given here."""

    namespace: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")]
    site: SiteName | MISSING = MISSING

    @property
    def addressed(self) -> bool:
        """Whether it says where its system is."""
        own = type(self).model_fields.keys() - SharedLedgerSpec.model_fields.keys()
        return any(getattr(self, name) is not MISSING for name in own)
