"""REP-03: a protected path of a directory that the document does not create."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for path in facts.objects.all("protected_path"):
        site, directory = path.address.site, path.values["source_dir"].rstrip("/") or "/"
        existing = {live.address for live in facts.seen.get((site, "protected_path"), ())}
        if path.address in existing:
            continue
        views = {view.values["path"] for view in facts.objects.on(site, "view").values()}
        views |= {live.values["path"] for live in facts.seen.get((site, "view"), ()) if "path" in live.values}
        if not any((view.rstrip("/") + "/").startswith(directory.rstrip("/") + "/") for view in views):
            yield Violation(
                path, f"no view of {site} is in {directory}, so this document does not create that directory"
            )


def _wanted(facts: Facts) -> Iterator[str]:
    for path in facts.objects.all("protected_path"):
        yield path.address.site


CHECK = Check(
    code="REP-03",
    title="a protected path of a directory that the document does not create",
    severity=Severity.NOTE,
    why="VAST protects a directory that exists: it refuses a protected path of another one, in the middle of an apply.",
    fix="add a view of the directory to the document, unless something else creates it",
    source="VAST knowledge base, managing protected paths: the source path must exist",
    run=_run,
    reads=("view", "protected_path"),
    wanted=_wanted,
)
