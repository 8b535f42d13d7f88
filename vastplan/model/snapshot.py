"""A snapshot: what one run read from the systems and the ledger, without secrets, for plans without credentials.

It holds decoded values, not answers: fields that the field tables do not know are not in it. Secrets, and text that somebody
else keeps under a free key (an annotation), are `withheld`: the snapshot has their paths, but neither values nor digests. The
ledger's parts include their key, so that digests of applied values can be compared; with the key a value can be guessed from
its digest, so the digests of secret fields are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from vastplan.model.claims import SiteClaims
from vastplan.model.dataclass import dataclass
from vastplan.model.live_state import LiveState
from vastplan.model.site_ledger import SiteLedger

SNAPSHOT_VERSION = "1.2"
Figure = int | float | str
"""A number, or a text where the system did not return one."""


@dataclass(frozen=True, slots=True)
class SeenObject:
    """One live object. `withheld` are the paths of values that the object has and that are not in `values`."""

    id: str
    locator: str
    values: Mapping[str, Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Figure | Mapping[str, Figure]] = field(default_factory=dict)
    system_owned: bool = False
    controller: str = ""  # who created it for itself (since 1.1)
    writers: tuple[str, ...] = ()
    withheld: tuple[tuple[str, ...], ...] = ()
    document: str = ""
    """The document that wrote it last, if the system shows that (since 1.1)."""
    marked: str = ""
    """When that was (since 1.1)."""
    owners: tuple[str, ...] = ()
    """What it belongs to or was created by, if the system shows that: kind and name (since 1.2)."""
    state: LiveState | None = None
    """Whether it is well, by what its system reports; `None` where it is (since 1.2)."""


@dataclass(frozen=True, slots=True)
class SeenCollection:
    """All objects of a kind on a site, or why they could not be read; then only those that were `asked` for by name (since 1.1).
    `nobody` are those of them whose user or group does not exist there (since 1.2)."""

    site: str
    kind: str
    objects: tuple[SeenObject, ...] = ()
    error: str = ""
    asked: tuple[str, ...] = ()
    nobody: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenSite:
    """One site: the addresses of its systems (no credentials), the facts that were probed, and its part of the ledger.

    `systems` has the addresses as the document or the connections file writes them, `endpoints` as a plan shows them. `trust`
    (since 1.1) says for each system how its server's certificate is verified; `contents` (since 1.1) has what the files that the
    document names for it said: its address, and the digest of the certificate authority.
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
class RecordedSnapshot:
    """The whole snapshot. `id` is a digest of everything else; `taken` is when reading began.

    `tables` is a digest of the field tables with which it was decoded: other tables would read other fields.
    """

    format_version: str
    document: str
    taken: str
    vastplan: str
    tables: str
    sites: tuple[SeenSite, ...]
    collections: tuple[SeenCollection, ...]
    id: str = ""
