"""A loaded document, as moves and restores read it."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from vastplan.app.checks import check_facts
from vastplan.app.workspace import Workspace
from vastplan.checks.checkpoint.evaluate import WITH_BUDGET, evaluate_volume
from vastplan.checks.checkpoint.write_time import LimitKind
from vastplan.model.dataclass import dataclass
from vastplan.operations.document import WanWrite
from vastplan.schema.entries import Entry


@dataclass(frozen=True)
class DocumentOf:
    """The document of a workspace, as operations read it."""

    workspace: Workspace

    @property
    def written(self) -> tuple[Entry, ...]:
        """Its entries as they are written."""
        return self.workspace.document.entries

    @property
    def sites(self) -> Collection[str]:
        """The names of its sites."""
        return self.workspace.document.head.sites

    @property
    def paths(self) -> str:
        """Its files, as somebody types them, with the option for its connections file."""
        return self.workspace.document.typed

    def objects(self) -> tuple[Entry, ...]:
        """The objects that it is composed to. Raises `Invalid`."""
        return self._objects

    @cached_property
    def _objects(self) -> tuple[Entry, ...]:
        return self.workspace.entries()[0]

    def wan_write(self, volume: str, site: str, origin: str) -> WanWrite | str | None:
        """By the checkpoint block of the volume and the bandwidth of the site."""
        facts = check_facts(self.workspace, self.workspace.composed())
        entry = facts.written.on(site, WITH_BUDGET).get(volume)
        if entry is None or "checkpoint" not in entry.values:
            return None
        result = evaluate_volume(entry, facts.scope, facts.capability(site))
        over = [row for row in result.budget.write_times if row.limit.kind is LimitKind.WAN] if result.budget else []
        if result.budget is None or not over:
            if origin in facts.capability(site).get("wan_bw_mbps", {}):
                return "; ".join(finding.message for finding in result.findings)
            return f"sites.{site}.capability.wan_bw_mbps.{origin} is not given"
        inputs, rate = result.budget.inputs, over[0].limit.bytes_per_second
        return WanWrite(inputs.size_bytes, rate, over[0].seconds, inputs.interval, inputs.writer.asynchronous)
