"""The Kubernetes ledger's store: content in Secrets below the size limit, their names and labels, and the API that it needs."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import re
import zlib
from collections.abc import Mapping
from typing import Any, Protocol

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Conflict, ObjectNotFound, VastplanError
from vastplan.model.long_lists import Length

Row = dict[str, Any]
COMPONENT = "app.kubernetes.io/managed-by=vastplan,app.kubernetes.io/component=ledger"
"""The label selector of all objects of ledgers."""
SECRET_TYPE = "vastplan/ledger"  # noqa: S105 - it is no secret
# An API server takes up to 1 MiB: https://kubernetes.io/docs/concepts/configuration/secret/#restriction-data-size
CHUNK = 512 * 1024  # bytes a Secret
LARGEST = 512 * 1024 * 1024  # bytes that packed content may unpack to
LEVEL = 6  # of compression
_WORD = re.compile(r"[^a-z0-9]+")


class Api(Protocol):
    """An API server."""

    def call(self, method: str, path: str, *, query: list[tuple[str, str]] | None = None, body: Any = None) -> Any:
        """One request; the answer is parsed JSON.

        Raises `ObjectNotFound`, `Conflict` or another `Refused`; `Unreachable` if a GET was not answered, and `Unclear` if a write
        was not.
        """


@dataclass(frozen=True, slots=True)
class PartPlace:
    """Where the part of one site is. Names from the document are shortened for object names; a digest keeps them apart."""

    namespace: str
    document: str
    site: str

    @property
    def base(self) -> str:
        """The name of the manifest and the lease, and the prefix of the names of chunks; it fits into a label."""
        unlike = hashlib.sha256(f"{self.document}\0{self.site}".encode()).hexdigest()[:10]
        return f"vastplan-{_slug(self.document)}-{_slug(self.site)}-{unlike}"

    @property
    def secrets(self) -> str:
        """The path of the namespace's Secrets."""
        return f"/api/v1/namespaces/{self.namespace}/secrets"

    @property
    def leases(self) -> str:
        """The path of the namespace's Leases."""
        return f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases"

    def metadata(self, name: str) -> Row:
        """The metadata of an object: labels for vastplan, annotations for people who list Secrets."""
        labels = {
            "app.kubernetes.io/managed-by": "vastplan",
            "app.kubernetes.io/component": "ledger",
            "app.kubernetes.io/instance": self.base,
        }
        annotations = {"vastplan/document": self.document, "vastplan/site": self.site}
        return {"name": name, "namespace": self.namespace, "labels": labels, "annotations": annotations}

    def secret(self, name: str, key: str, content: bytes) -> Row:
        """A Secret of the ledger."""
        data = {key: base64.b64encode(content).decode()}
        version = {"apiVersion": "v1", "kind": "Secret"}
        return {**version, "metadata": self.metadata(name), "type": SECRET_TYPE, "data": data}


def _slug(name: str) -> str:
    return _WORD.sub("-", name.lower())[:16].strip("-") or "x"


def read_object(api: Api, path: str) -> Row | None:
    """An object, `None` if it does not exist."""
    try:
        row = api.call("GET", path)
    except ObjectNotFound:
        return None
    if not isinstance(row, dict) or not isinstance(row.get("metadata"), dict):
        raise VastplanError(f"the answer to GET {path} is not an object")
    return row


def content(row: Row, key: str) -> bytes | None:
    """The content of a Secret, `None` if it is not what vastplan writes."""
    data = row.get("data")
    value = data.get(key) if isinstance(data, Mapping) else None
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except (ValueError, binascii.Error):
        return None


def version(row: Row) -> str:
    """The resourceVersion."""
    return str(row["metadata"].get("resourceVersion", ""))


class Chunks:
    """Content in Secrets of a bounded size. The name of a chunk is a digest of its content, so writing it twice creates one Secret."""

    def __init__(self, api: Api, place: PartPlace) -> None:
        self._api = api
        self._place = place

    def put(self, whole: bytes, fence: int) -> tuple[str, ...]:
        """Write content and return the names of its chunks. Raises what the API raises."""
        packed = zlib.compress(whole, LEVEL)
        names = []
        for start in range(0, len(packed), CHUNK):
            part = packed[start : start + CHUNK]
            name = f"{self._place.base}-{fence}-{_digest(part)}"
            with contextlib.suppress(Conflict):  # it exists: an earlier request took effect without an answer
                self._api.call("POST", self._place.secrets, body=self._place.secret(name, "piece", part))
            names.append(name)
        return tuple(names)

    def get(self, names: tuple[str, ...]) -> bytes | None:
        """The content, `None` if a chunk is gone. Raises `VastplanError` if a chunk is not what was written."""
        parts = []
        for name in names:
            row = read_object(self._api, f"{self._place.secrets}/{name}")
            if row is None:
                return None
            part = content(row, "piece")
            if part is None or not name.endswith(f"-{_digest(part)}"):
                raise VastplanError(damaged(self._place, f"Secret {name} is not what was written"))
            parts.append(part)
        unpacker = zlib.decompressobj()
        try:
            whole = unpacker.decompress(b"".join(parts), LARGEST)
        except zlib.error:
            raise VastplanError(damaged(self._place, f"Secret {names[0]} cannot be decompressed")) from None
        if not unpacker.eof:
            raise VastplanError(damaged(self._place, f"Secret {names[0]} is cut short or too large"))
        return whole

    def drop(self, names: set[str]) -> None:
        """Delete chunks; one that is already gone is no error."""
        for name in sorted(names):
            try:
                self._api.call("DELETE", f"{self._place.secrets}/{name}")
            except ObjectNotFound:
                continue

    def left_behind(self, fence: int, used: set[str]) -> set[str]:
        """Unused chunks whose fence is at most this one: nothing refers to them, and nothing ever will."""
        abandoned, following, length = set(), "", Length(f"the list of {self._place.secrets}")
        while True:
            query = [("labelSelector", f"app.kubernetes.io/instance={self._place.base}"), ("limit", "50")]
            body = self._api.call("GET", self._place.secrets, query=query + [("continue", following)] * bool(following))
            rows = body.get("items") or []
            for row in rows:
                name = str(row["metadata"]["name"])
                number = name.removeprefix(f"{self._place.base}-").partition("-")[0]
                if name not in used and number.isdecimal() and int(number) <= fence:
                    abandoned.add(name)
            following = str((body.get("metadata") or {}).get("continue") or "")
            if not following:
                return abandoned
            length.another(len(rows))


def damaged(place: PartPlace, why: str) -> str:
    """The message about a ledger that cannot be put together."""
    return (
        f"the ledger of {place.site} in namespace {place.namespace} is damaged: {why}; restore its Secrets from a copy, or "
        f"delete those with the label app.kubernetes.io/instance={place.base} to adopt again"
    )


def _digest(part: bytes) -> str:
    return hashlib.sha256(part).hexdigest()[:20]
