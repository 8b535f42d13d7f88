"""A snapshot: what one run saw of the systems and the ledger, without what is secret, to plan against without credentials.

It holds decoded values, not answers: what the field tables do not know of an object is in no snapshot. What is secret, and
text that somebody else keeps under a free key (an annotation), is `withheld`: its place is named, not its value and no
digest of it. The ledger's parts come with their key, so that digests of what was applied can be compared; with it a digest
can be guessed, so those of secret fields are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vastplan.model.claims import SiteClaims
from vastplan.model.site_ledger import SiteLedger

SNAPSHOT_VERSION = "1.2"
Figure = int | float | str
"""A number, or a text where the system did not tell it."""


@dataclass(frozen=True, slots=True)
class SeenObject:
    """One live object. `withheld` are the paths of values that were there and are not in `values`."""

    id: str
    locator: str
    values: Mapping[str, Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Figure | Mapping[str, Figure]] = field(default_factory=dict)
    system_owned: bool = False
    controller: str = ""  # what made it for itself (since 1.1)
    writers: tuple[str, ...] = ()
    withheld: tuple[tuple[str, ...], ...] = ()
    document: str = ""
    """The document that wrote it last, where the system tells (since 1.1)."""
    marked: str = ""
    """When that was (since 1.1)."""
    owners: tuple[str, ...] = ()
    """What it belongs to or was made by, where the system tells: kind and name (since 1.2)."""


@dataclass(frozen=True, slots=True)
class SeenCollection:
    """All objects of a kind on a site, or why they could not be read; then those that were `asked` for by name (since 1.1), and of
    those whom nobody knows there (since 1.2)."""

    site: str
    kind: str
    objects: tuple[SeenObject, ...] = ()
    error: str = ""
    asked: tuple[str, ...] = ()
    nobody: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenSite:
    """One site: where each of its systems is (no credentials), what they said of themselves, and its part of the ledger.

    `systems` are places as the document or the connections file writes them, `endpoints` as a plan shows them. `trust` (since
    1.1) says by system who vouches for its server, `contents` (since 1.1) what the files said that the document names for it: where
    it is, the digest of who vouches for it.
    """

    site: str
    systems: Mapping[str, str]
    endpoints: Mapping[str, str]
    facts: Mapping[str, str]
    ledger: SiteLedger
    claims: SiteClaims = field(default_factory=SiteClaims)
    """What other documents own there (since 1.1)."""
    trust: Mapping[str, str] = field(default_factory=dict)
    contents: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole snapshot. `id` is a digest of all the rest; `taken` is when reading began.

    `tables` is a digest of the field tables that it was decoded with: others would read other fields.
    """

    format_version: str
    document: str
    taken: str
    vastplan: str
    tables: str
    sites: tuple[SeenSite, ...]
    collections: tuple[SeenCollection, ...]
    id: str = ""
