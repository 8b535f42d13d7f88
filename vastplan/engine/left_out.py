"""What an open operation is about and the document does not have any more: it is told, for no action of a plan may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.operation import PAST, Operation
from vastplan.schema.entries import Entry


def left_out(operations: Iterable[Operation], entries: Iterable[Entry], sites: Set[str]) -> Iterator[Finding]:
    """A finding for each operation of these sites; what a move changes may be written for either of its sites."""
    known = {text for entry in entries for text in (str(entry.address), entry.origin)}
    for one in operations:
        site, _, rest = one.address.partition("/")
        if (
            one.phase.closed
            or site not in sites
            or any(f"{there}/{rest}" in known for there in (one.source, one.target))
        ):
            continue
        back = "" if PAST in one.facts else f", or give up: vastplan {one.kind} abort PATH {inert(one.id, 40)}"
        yield Finding(
            "VP353",
            Severity.WARNING,
            f"not in the document any more, and the {one.kind} {inert(one.id, 40)} of it is under way "
            f"(stage {inert(one.stage or 'none yet', 40)})",
            f"put it back as it was and go on with the file of the {one.kind}{back}",
            one.address,
        )
