"""Figures of a run in Prometheus' text format, for a node exporter's folder or a push gateway.

Every label is bounded by the document and by vastplan: `document`, `site`, `system`, `kind`, `verb`, `cause`, `guard`, `severity`,
`what`, `by`, `state`. Objects are never named: a label with the names of objects would have no bound. Format:
prometheus.io/docs/instrumenting/exposition_formats (0.0.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from vastplan.model.drift import Drift
from vastplan.model.escaping import inert
from vastplan.model.moments import parse_moment
from vastplan.model.plan import Plan
from vastplan.model.replication import Replication, ReplicationState

_HELP = {
    "vastplan_checked_timestamp_seconds": "When the systems were read.",
    "vastplan_objects_in_sync": "Objects that are as the document says.",
    "vastplan_changes": "Changes that a plan would make, by verb, blocked ones included.",
    "vastplan_blocked": "Guards that stop a change.",
    "vastplan_unknown_collections": "Collections that could not be read.",
    "vastplan_findings": "Findings about the document.",
    "vastplan_site_drifted_objects": "Objects changed outside vastplan; present for every site.",
    "vastplan_drifted_objects": "Objects changed outside vastplan, by kind.",
    "vastplan_drifted_fields": "Fields that differ from what was applied, by the side that changed.",
    "vastplan_replications": "Objects that two sites share, by state.",
    "vastplan_replication_oldest_copy_timestamp_seconds": "Time of the oldest copy that a site's objects have on another site.",
    "vastplan_replication_coming_bytes": "Bytes still to be replicated, where the systems report it.",
    "vastplan_replication_oldest_arming_timestamp_seconds": "Time of the oldest arming of the paths that can move; 0 where one is not armed.",
    "vastplan_replication_longest_rehearsal_seconds": "Seconds that the longest last rehearsal of a path took.",
    "vastplan_new_drifted_objects": "Objects changed outside vastplan since the earlier check.",
    "vastplan_managed_objects": "Live objects that are managed here.",
    "vastplan_unmanaged_objects": "Live objects that nobody manages here; 0 where all are managed.",
    "vastplan_made_objects": "Live objects that a driver or a system created for itself.",
    "vastplan_elsewhere_objects": "Live objects that another document manages.",
    "vastplan_ignored_drift": "Differences that rules of the document ignore.",
}
_Labels = tuple[tuple[str, str], ...]


def plan_figures(plan: Plan) -> str:
    """The figures of a plan."""
    figures = _Figures(plan)
    for action in plan.actions:
        figures.count("vastplan_changes", site=action.address.site, kind=action.address.kind, verb=action.verb.value)
        for guard in sorted({block.guard for block in action.blocked}):
            figures.count("vastplan_blocked", site=action.address.site, kind=action.address.kind, guard=guard)
    _two_sites(figures, plan.replications)
    return figures.text()


def drift_figures(drift: Drift) -> str:
    """The figures of a check for drift: all of its drift, including what an earlier check had found."""
    figures = _Figures(drift)
    for site in drift.sites:
        figures.set("vastplan_site_drifted_objects", 0, site=site)
    for drifted in drift.drift:
        site, kind, _ = drifted.address.split("/", 2)
        figures.count("vastplan_site_drifted_objects", site=site)
        figures.count("vastplan_drifted_objects", site=site, kind=kind, what=drifted.what)
        for field in drifted.fields:
            figures.count("vastplan_drifted_fields", site=site, kind=kind, cause=field.cause.value)
    for coverage in drift.coverage:
        figures.set("vastplan_managed_objects", coverage.managed, site=coverage.site, kind=coverage.kind)
        figures.set("vastplan_unmanaged_objects", coverage.unmanaged, site=coverage.site, kind=coverage.kind)
    for owned in drift.made:
        figures.set("vastplan_made_objects", owned.count, site=owned.site, kind=owned.kind, by=owned.by)
    for managed in drift.elsewhere:
        figures.set(
            "vastplan_elsewhere_objects", managed.count, site=managed.site, kind=managed.kind, by=managed.document
        )
    for ignored in drift.ignored:
        site, kind, _ = ignored.address.split("/", 2)
        figures.count("vastplan_ignored_drift", site=site, kind=kind)
    _two_sites(figures, drift.replications)
    if drift.compared_with:
        figures.set("vastplan_new_drifted_objects", len(drift.news()))
    return figures.text()


def _two_sites(figures: _Figures, rows: Iterable[Replication]) -> None:
    """By the site that is the source in the document, with a figure for every state, so that a state that ends goes down to 0.

    Of the ages the oldest counts, of the bytes the sum; what is unknown is left out.
    """
    oldest: dict[str, int] = {}
    armed, longest = dict[tuple[str, str], int](), dict[tuple[str, str], int]()
    for row in rows:
        site, kind, _ = row.address.split("/", 2)
        if (ready := row.readiness) is not None:
            moment = parse_moment(ready.armed) if ready.counts else None
            seconds = 0 if moment is None else int(moment.timestamp())
            armed[site, kind] = min(seconds, armed.get((site, kind), seconds))
            if ready.rehearsed:
                longest[site, kind] = max(ready.seconds, longest.get((site, kind), 0))
        for state in ReplicationState:
            figures.count("vastplan_replications", int(state is row.state), site=site, kind=kind, state=state.value)
        if row.coming is not None:
            figures.count("vastplan_replication_coming_bytes", row.coming, site=site, kind=kind)
        taken = parse_moment(row.as_of)
        if taken is not None:
            seconds = int(taken.timestamp())
            oldest[site] = min(seconds, oldest.get(site, seconds))
    for site, seconds in oldest.items():
        figures.set("vastplan_replication_oldest_copy_timestamp_seconds", seconds, site=site)
    for (site, kind), seconds in armed.items():
        figures.set("vastplan_replication_oldest_arming_timestamp_seconds", seconds, site=site, kind=kind)
    for (site, kind), seconds in longest.items():
        figures.set("vastplan_replication_longest_rehearsal_seconds", seconds, site=site, kind=kind)


class _Figures:
    """Counted figures, and those that every run has."""

    def __init__(self, plan: Plan | Drift) -> None:
        self._document = plan.document
        self._values: dict[str, Counter[_Labels]] = {}
        self.set(
            "vastplan_checked_timestamp_seconds",
            int(datetime.fromisoformat(plan.checked if isinstance(plan, Drift) else plan.created).timestamp()),
        )
        self.set("vastplan_objects_in_sync", plan.in_sync)
        for unknown in plan.unknown:
            self.count("vastplan_unknown_collections", site=unknown.site, system=unknown.system, kind=unknown.kind)
        for finding in plan.findings:
            self.count("vastplan_findings", severity=finding.severity.value)

    def set(self, name: str, value: int, **labels: str) -> None:
        self._values.setdefault(name, Counter())[self._labels(labels)] = value

    def count(self, name: str, by: int = 1, **labels: str) -> None:
        self._values.setdefault(name, Counter())[self._labels(labels)] += by

    def _labels(self, labels: dict[str, str]) -> _Labels:
        return (("document", self._document), *sorted(labels.items()))

    def text(self) -> str:
        lines = []
        for name, help_ in _HELP.items():
            if name in self._values:
                lines += [f"# HELP {name} {help_}", f"# TYPE {name} gauge"]
                for labels, value in sorted(self._values[name].items()):
                    pairs = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
                    lines.append(f"{name}{{{pairs}}} {value}")
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return inert(text).replace("\\", "\\\\").replace('"', '\\"')
