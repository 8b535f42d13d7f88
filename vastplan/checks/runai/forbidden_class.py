"""RAI-10: a new claim of a class that is not configured for it in Run:AI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.proof.class_access import reference_name
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    for source in _sources(facts):
        name = reference_name(source.values["storage_class"], {})
        permitted = _permissions(facts, source.address.site, name)
        if permitted.get("allowed_for_assets") is False:
            yield Violation(
                source, f"storage class {name} is not allowed for data sources: allowed_for_assets is false"
            )
        known = permitted or (source.address.site, "storage_class_configuration") in facts.seen
        if source.values.get("data_sharing") is True and known and permitted.get("allow_data_sharing") is not True:
            yield Violation(source, f"data_sharing needs allow_data_sharing of storage class {name}, which is not true")


def _sources(facts: Facts) -> Iterator[Entry]:
    yield from (source for source in facts.objects.all("data_source") if source.values.get("storage_class"))


def _permissions(facts: Facts, site: str, name: str) -> Mapping[str, Any]:
    """The configuration of a class: that of the document, else the live one; empty for a class without any."""
    written = (entry.values for entry in facts.objects.on(site, "storage_class_configuration").values())
    live = (row.values for row in facts.seen.get((site, "storage_class_configuration"), ()))
    return next((values for values in (*written, *live) if reference_name(values.get("storage_class"), {}) == name), {})


def _wanted(facts: Facts) -> Iterator[str]:
    yield from {source.address.site for source in _sources(facts)}


CHECK = Check(
    code="RAI-10",
    title="a claim of a class that Run:AI does not use for it",
    severity=Severity.ERROR,
    why="Run:AI creates no claim of a class whose configuration does not allow it.",
    fix="name another storage class, or allow it in storage_class_configurations",
    source="Run:ai API 2.24, storage-class-configuration permissions",
    run=_run,
    reads=("storage_class_configuration",),
    wanted=_wanted,
)
