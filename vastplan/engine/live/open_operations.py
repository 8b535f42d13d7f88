"""Subjects of open operations that the document no longer has: they are reported, because a plan may have no action for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.operation import PAST, Operation
from vastplan.schema.entries import Entry


def operation_text(operation: Operation) -> str:
    """An operation that is under way, as words to follow its subject."""
    stage = inert(operation.stage or "none yet", 40)
    return f"its {operation.kind} {inert(operation.id, 40)} is under way (stage {stage})"


def missing_entries(operations: Iterable[Operation], entries: Iterable[Entry], sites: Set[str]) -> Iterator[Finding]:
    """A finding for each operation of these sites without its entry; the document may have the subject of a move on either of its sites."""
    open_ones = [
        operation
        for operation in operations
        if not operation.phase.closed and operation.address.partition("/")[0] in sites
    ]
    if not open_ones:
        return
    addresses = {text for entry in entries for text in (str(entry.address), entry.origin)}
    for operation in open_ones:
        rest = operation.address.partition("/")[2]
        if any(f"{site}/{rest}" in addresses for site in (operation.source, operation.target)):
            continue
        back = (
            ""
            if PAST in operation.facts
            else f", or give up: vastplan {operation.kind} abort PATH {inert(operation.id, 40)}"
        )
        yield Finding(
            "VP353",
            Severity.WARNING,
            f"no longer in the document, and {operation_text(operation)}",
            f"put it back as it was and go on with vastplan {operation.kind} run PATH {inert(operation.id, 40)}{back}",
            operation.address,
        )
