"""REP-03: a protected path of a directory that nobody is known to make."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for path in facts.objects.all("protected_path"):
        site, directory = path.address.site, path.values["source_dir"].rstrip("/") or "/"
        there = {live.address for live in facts.seen.get((site, "protected_path"), ())}
        if path.address in there:
            continue
        views = {view.values["path"] for view in facts.objects.on(site, "view").values()}
        views |= {live.values["path"] for live in facts.seen.get((site, "view"), ()) if "path" in live.values}
        if not any((view.rstrip("/") + "/").startswith(directory.rstrip("/") + "/") for view in views):
            yield Violation(path, f"no view of {site} is in {directory}, so nothing here makes it")


def _wanted(facts: Facts) -> Iterator[str]:
    for path in facts.objects.all("protected_path"):
        yield path.address.site


CHECK = Check(
    code="REP-03",
    title="a protected path of a directory that nobody makes",
    severity=Severity.NOTE,
    why="VAST takes a directory that is there: of one that is not the protected path is refused in the middle of an apply.",
    fix="a view of the directory in the document; nothing, where something else makes it",
    source="VAST knowledge base, managing protected paths: the source path must exist",
    run=_run,
    reads=("view", "protected_path"),
    wanted=_wanted,
)
