"""Addresses of systems and the ledger, as text without credentials: as the document gives them, and as the clients report them."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.app.connect import Providers
from vastplan.document.load import Document
from vastplan.document.specs import LedgerSpec
from vastplan.schema.system import Client

SIMULATED = "simulated"
LEDGER = "ledger"  # a key beside the systems of a site
EMBEDDED = "embedded simulator"  # instead of its address, whose port differs in every command


def system_addresses(document: Document) -> dict[str, dict[str, str]]:
    """By site, the address of each of its systems in the document or connections file; `ledger` is the place of its ledger."""
    ledger = _ledger(document)
    return {
        name: {
            **dict.fromkeys(site.systems, SIMULATED),
            **{system: spec.address() for system, spec in document.connections[name].given().items()},
            LEDGER: ledger,
        }
        for name, site in document.sites().items()
    }


def trusts(document: Document, site: str) -> dict[str, str]:
    """By system of a site with a given address, what verifies its server's certificate."""
    given = document.connections[site].given()
    return {system: spec.trust() for system, spec in given.items() if spec.trust()}


def site_file_contents(document: Document) -> dict[str, dict[str, Mapping[str, str]]]:
    """By site and system, the contents of the files that the document names for it; `ledger` is a key beside the systems of each site."""
    by_site: dict[str, dict[str, Mapping[str, str]]] = {site: {} for site in document.head.sites}
    for path, contents in document.contents.items():
        for site in by_site if path[0] == LEDGER else (path[1],):
            by_site[site][LEDGER if path[0] == LEDGER else path[2]] = contents
    return by_site


def endpoints(providers: Providers, ledger: str) -> dict[str, dict[str, str]]:
    """The addresses of each site's systems and its ledger; "" for a system that has no client."""
    by_site: dict[str, dict[str, str]] = {}
    for (site, system), provider in providers.items():
        by_site.setdefault(site, {LEDGER: ledger})[system] = (
            "" if isinstance(provider, Exception) else endpoint(provider)
        )
    return by_site


def endpoint(client: Client) -> str:
    """A system's address as a plan shows it."""
    return EMBEDDED if client.simulated else client.describe()


def _ledger(document: Document) -> str:
    spec, shared = document.head.ledger, document.head.shared_ledger()
    if shared is not None:
        _, keeper = shared
        return f"{keeper.site if isinstance(keeper.site, str) else keeper.address()} {keeper.namespace}"
    return str(spec.local) if isinstance(spec, LedgerSpec) else "beside the document"
