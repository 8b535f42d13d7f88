"""Sites of one document whose system is the same one: each would take its objects for its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from vastplan.document.specs import Connections
from vastplan.document.yaml import Mapping as Located
from vastplan.model.finding import Finding, error


def shared_systems(connections: Mapping[str, Connections], folder: Path, tree: Located) -> Iterator[Finding]:
    """VP249 for each system of a site that is where that of an earlier site is; `folder` is that of the files they name."""
    first: dict[tuple[str, str], str] = {}
    for site, connected in connections.items():
        for system, spec in connected.given().items():
            other = first.setdefault((system, spec.place(folder)), site)
            if other != site:
                text = f"site {site}: its {system} is the same as that of site {other}; an object has one owner"
                yield error("VP249", text, fix="write them as one site", where=tree["sites"].where(site))
