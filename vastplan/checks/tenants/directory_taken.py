"""TEN-13: a new subsystem or bucket in a directory that has what VMS refuses there."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import lies_within
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    for view in facts.objects.all("view"):
        site, path, protocols = view.address.site, view.values["path"], view.values.get("protocols") or ()
        if facts.before is not None and view.address.name in facts.before.on(site, "view"):
            continue
        for kind, field in (("view", "path"), ("quota", "path")) if "BLOCK" in protocols and facts.before else ():
            for other in facts.before.on(site, kind).values() if facts.before is not None else ():
                if _below(other, field, view):
                    text = f"{path} is not empty: {kind} {other.values[field]} exists, and a BLOCK view needs a directory of its own"
                    yield Violation(view, text)
        for other in facts.objects.on(site, "protected_path").values() if "S3" in protocols else ():
            if _below(other, "source_dir", view) and other.values["source_dir"] != path:
                text = f"protected path {other.address.name} is below the bucket's directory {path}: {other.values['source_dir']}"
                yield Violation(view, text)


def _below(other: Entry, field: str, view: Entry) -> bool:
    path = other.values.get(field)
    return (
        isinstance(path, str)
        and other.values.get("tenant") == view.values.get("tenant")
        and lies_within(path, view.values["path"])
    )


CHECK = Check(
    code="TEN-13",
    title="a new subsystem or bucket in a directory that is taken",
    severity=Severity.ERROR,
    why="VMS creates a view with protocol BLOCK in an empty directory only, and no bucket above a protected path.",
    fix="write another path for the view, or protect the bucket's directory itself",
    source="VAST knowledge base, block storage and protected paths",
    run=_run,
)
