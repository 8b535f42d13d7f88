"""TEN-11: what only one view of a tenant, or ten of a cluster, can be."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.live_values import items_of
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_MOST_MONITORED = 10


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        views = (facts.after or facts.objects).on(site, "view")
        taken: dict[tuple[object, ...], Entry] = {}
        for view in views.values():  # those that the document does not have come first
            for claim, text in _claims(view):
                other = taken.setdefault(claim, view)
                if other is not view and facts.objects.get(Ref(view.address)) is not None:
                    yield Violation(view, f"{text} view {other.address.name}")
        monitored = [view for view in views.values() if view.values.get("select_for_live_monitoring") is True]
        ours = [view for view in monitored if facts.objects.get(Ref(view.address)) is not None]
        if len(monitored) > _MOST_MONITORED and ours:
            text = f"select_for_live_monitoring: {len(monitored)} views of {site} would have it, and at most {_MOST_MONITORED} can"
            yield Violation(ours[-1], text)


def _claims(view: Entry) -> Iterator[tuple[tuple[object, ...], str]]:
    """What no other view of the tenant can have, each with the beginning of what is said where one has it."""
    values, tenant = view.values, str(view.values.get("tenant"))
    if values.get("is_default_subsystem") is True:
        yield (tenant, "default"), f"tenant {tenant} has a default subsystem already:"
    if "BLOCK" in items_of(values.get("protocols")):
        yield (
            (tenant, "name", str(values.get("name"))),
            f"the subsystem {values.get('name')} of tenant {tenant} exists already:",
        )
    for user in items_of(values.get("bucket_creators")):
        yield (tenant, "creator", user), f"{user} creates buckets of tenant {tenant} in another view already:"


CHECK = Check(
    code="TEN-11",
    title="a second view of what there can be one of",
    severity=Severity.ERROR,
    why="VMS refuses a second default subsystem, subsystem of a name or view for a bucket creator in a tenant, and the eleventh "
    "view for live monitoring on a cluster.",
    fix="write it for one view only",
    source="VMS 5.5 document, views.is_default_subsystem, name, bucket_creators, select_for_live_monitoring",
    run=_run,
)
