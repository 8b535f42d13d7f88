"""Finds sites of one document that share a system: each site would treat the system's objects as its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from vastplan.document.specs import Connections
from vastplan.document.yaml import Mapping as Located
from vastplan.model.finding import Finding, error


def shared_systems(connections: Mapping[str, Connections], folder: Path, tree: Located) -> Iterator[Finding]:
    """VP249 for each system of a site with the same address as that of an earlier site; files are relative to `folder`."""
    first_sites: dict[tuple[str, str], str] = {}
    for site, connected in connections.items():
        for system, spec in connected.given().items():
            other = first_sites.setdefault((system, spec.place(folder)), site)
            if other != site:
                text = f"site {site}: its {system} is the same as that of site {other}; an object has one owner"
                yield error("VP249", text, fix="write them as one site", where=tree["sites"].where(site))
