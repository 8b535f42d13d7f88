"""A library: a throw-away system. A test adds it to a copy of vastplan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vastplan.schema.connection import AnySecret, Tls, Url
from vastplan.schema.system import Connection, System

if TYPE_CHECKING:
    from .client import LibraryProvider


class LibraryEndpoint(Tls):
    """The catalogue of a library, and who may change it."""

    url: Url
    token: AnySecret

    def address(self) -> str:
        """The address of its catalogue."""
        return self.url


def _connect(spec: LibraryEndpoint, connection: Connection) -> LibraryProvider:
    from .client import LibraryProvider

    return LibraryProvider(spec.url, spec.verify(connection.folder), connection.secret(spec.token), connection)


SYSTEM = System("library", LibraryEndpoint, _connect)
