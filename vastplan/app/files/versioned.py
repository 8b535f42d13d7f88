"""Files with a format version, and a digest of their content as id: plans, snapshots and others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from vastplan.app.files import read_write
from vastplan.document import other_files
from vastplan.model import canonical_json, gc_pause, sensitive
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.yaml_text import ENDINGS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Messages:
    """The ends of the error messages, after `the plan FILE `; `{version}` and `{ours}` are filled in."""

    cut_short: str
    other_version: str
    edited: str
    misshapen: str


@dataclass(frozen=True, slots=True)
class VersionedFile(Generic[Value]):
    """One file format. The value is a dataclass with a `format_version` and an `id`.

    `from_data` raises `ValueError`, or what its parts raise, for data of another shape. `required` is a key that distinguishes
    the format from vastplan's other files. `id_length` is in hexadecimal digits of the SHA-256.
    """

    name: str
    version: str
    to_data: Callable[[Value], dict[str, Any]]
    from_data: Callable[[dict[str, Any]], Value]
    messages: Messages
    required: str = "format_version"
    id_length: int = 64
    compact: bool = True
    public_names: Callable[[dict[str, Any]], Iterable[str]] = lambda _: ()
    """Returns names in the data that come from the document and are not secret, even if a secret has the same text."""

    @gc_pause.paused()
    def dumps(self, value: Value) -> str:
        """Canonical JSON: keys sorted, ASCII, one trailing newline."""
        if self.compact:
            return _canonical(self.to_data(value), compact=True) + "\n"
        return canonical_json.json_file_text(value)

    def identity(self, data: dict[str, Any]) -> str:
        """The digest of everything but the id."""
        return self._digest(self._content(data))

    def _content(self, data: dict[str, Any]) -> str:
        return _canonical({**data, "id": ""}, compact=self.compact)

    def _digest(self, content: str) -> str:
        return hashlib.sha256(content.encode()).hexdigest()[: self.id_length]

    @gc_pause.paused()
    def sealed(self, value: Value) -> Value:
        """The value with its id, so that an edit of the file is detected.

        The id is a digest, not a signature: whoever can write the file can write another id. A known secret that a system
        returned is removed first.
        """
        data = self.to_data(value)
        content = self._content(data)
        if sensitive.holds_secret(content):
            value = self._guarded(data)
            content = self._content(self.to_data(value))
        changed: Any = {"id": self._digest(content)}
        return replace(value, **changed)

    def _guarded(self, data: dict[str, Any]) -> Value:
        """The value without the known secrets that a system returned.

        Raises `VastplanError` if the value cannot be read back without them.
        """
        for name in self.public_names(data):
            sensitive.allow_in_texts(name)
        try:
            return self.from_data(sensitive.guarded_data(json.loads(json.dumps(data))))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise VastplanError(
                f"no {self.name} is created: a system returned one of our secrets as a name or an address"
            ) from None

    def save(self, value: Value, path: Path) -> None:
        """Write the file atomically, readable by the owner only. Raises `VastplanError`, also for a YAML ending, which would make
        the file a part of a document."""
        if path.suffix in ENDINGS:
            raise VastplanError(f"the {self.name} {path} is not written: documents are YAML; give it another ending")
        read_write.write_file(path, self.dumps(value).encode(), f"the {self.name} {path}")

    @gc_pause.paused()
    def load(self, path: Path, verify: Callable[[bytes], None] | None = None) -> Value:
        """The value in a file. Raises `VastplanError` for a file that was cut short, edited, or has another major version.

        `verify` gets the bytes first, and raises for bytes that must not be used.
        """
        from pydantic import ValidationError

        subject = f"the {self.name} {path}"
        data, version = read_write.read_json(path, subject, self.messages.cut_short, verify)
        if not version or self.required not in data:
            written, command = other_files.of_vastplan(data, str(path))
            if written:
                raise VastplanError(f"{path} is {written}, not a {self.name}: {command}")
            raise VastplanError(
                f"{path} is not a {self.name}: vastplan {self.name} PATH --out FILE writes one"
                if self.name == "plan"
                else f"{path} is not a {self.name}"
            )
        if not read_write.same_major(version, self.version):
            refusal = self.messages.other_version.format(version=version[:20], ours=self.version)
            raise VastplanError(f"{subject} {refusal}")
        if self.identity(data) != data.get("id"):
            raise VastplanError(f"{subject} {self.messages.edited}")
        try:
            return self.from_data(data)
        except (ValidationError, ValueError, KeyError, TypeError, AttributeError):
            raise VastplanError(f"{subject} {self.messages.misshapen}") from None


def _canonical(data: dict[str, Any], *, compact: bool) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":") if compact else None, ensure_ascii=True)
