"""What the ledger owns of an operation's objects. The document may name an object otherwise than its system does, so an owned one is
looked for by its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vastplan.model.address import Address
from vastplan.model.site_ledger import Owned, SiteLedger


def owned_at(ledger: Mapping[str, SiteLedger], address: Address) -> Owned | None:
    """What the ledger owns at an address."""
    return ledger[address.site].entries.get(str(address)) if address.site in ledger else None


def guid_of(ledger: Mapping[str, SiteLedger], path: Address, sites: Iterable[str]) -> str:
    """The guid of a protected path, from its record at the first of the sites that has one; "" if the ledger owns it at none."""
    records = (owned_at(ledger, path._replace(site=site)) for site in (path.site, *sites))
    return next((record.group for record in records if record is not None and record.group), "")
