"""The values that systems use where nobody sets one, for the versions and the rows of one observation. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.engine.live.observe import Live, Observed
from vastplan.schema.defaults import is_witness, known_defaults
from vastplan.schema.markers import DefaultEvidence
from vastplan.schema.rows import Path


class ServerDefaults:
    """The defaults of the systems in one observation; the rows that show a default are looked up once."""

    def __init__(self, observed: Observed, versions: Mapping[tuple[str, str], str]) -> None:
        """`versions` are the versions of the systems, by site and system."""
        self._observed, self._versions = observed, versions
        self._witnesses: dict[tuple[str, str], Mapping[str, Any] | None] = {}

    def known(self, live: Live) -> Mapping[Path, DefaultEvidence]:
        """The leaves of an object that need not be written, with the evidence for each."""
        key = live.site, live.kind.name
        if key not in self._witnesses:
            rows = self._observed.objects(*key)
            self._witnesses[key] = next((row.values for row in rows if is_witness(live.kind, row.values)), None)
        return known_defaults(
            live.kind, live.values, self._witnesses[key], self._versions.get((live.site, live.kind.system), "")
        )
