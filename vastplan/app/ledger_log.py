"""`vastplan ledger log`: the runs that changed the ledger of a document, those of all its sites together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from fnmatch import fnmatchcase

from vastplan.app.ledger import known_sites
from vastplan.app.workspace import Workspace
from vastplan.ledger.history import OPEN
from vastplan.model.ledger_log import ChangedAddress, Ending, LedgerLog, LogEntry, SiteSerials
from vastplan.model.outcome import State
from vastplan.model.site_ledger import LoggedChange, LoggedRun, SiteLedger

_OPERATIONS = ("move", "restore")
"""Commands whose runs leave the serial as it is, and may go on in another run."""
_WORST = (
    (State.UNKNOWN.value, Ending.UNKNOWN),
    (State.FAILED.value, Ending.FAILED),
    (State.SKIPPED.value, Ending.INCOMPLETE),
    (State.STALE.value, Ending.INCOMPLETE),
    ("aborted", Ending.ABORTED),
)


def history(workspace: Workspace, wanted: Sequence[str], site: str | None, limit: int) -> LedgerLog:
    """The newest runs, of all sites or one, that named a wanted address or pattern; all runs if none is given. Never locks."""
    with workspace.ledger() as backend:
        sites = known_sites(workspace, backend, site)
        parts = {name: backend.read(name) for name in sites}
        held = {name for name, part in parts.items() if part.runs and not part.runs[-1].ended and backend.holder(name)}
    everything = _entries(parts, held)
    entries = [entry for entry in everything if not wanted or _names(entry, wanted)]
    unnamed = sum(1 for entry in everything if entry not in entries and _changed(entry) > len(entry.changes))
    older = {name: count for name, part in parts.items() if (count := _older(part))}
    return LedgerLog(workspace.name, tuple(entries[:limit]), max(0, len(entries) - limit), older, unnamed)


def _changed(entry: LogEntry) -> int:
    return sum(sum(states.values()) for states in entry.counts.values())


def _older(part: SiteLedger) -> int:
    """How many changes of the part came before the oldest run that it has."""
    if not part.runs:
        return part.serial
    oldest = part.runs[0]
    return oldest.serial - (0 if _is_operation(oldest) else 1)


def _is_operation(run: LoggedRun) -> bool:
    return run.command.partition(" ")[0] in _OPERATIONS


def _entries(parts: Mapping[str, SiteLedger], held: Set[str]) -> list[LogEntry]:
    """The runs, the newest first; what one run did on several sites is one entry."""
    together: dict[tuple[str | int, ...], list[tuple[str, LoggedRun]]] = {}
    for site, part in parts.items():
        alike = Counter[tuple[str, ...]]()
        for run in part.runs:
            key = (run.at, run.command, run.plan, run.who)
            alike[key] += 1  # of two runs in one second
            together.setdefault((*key, alike[key]), []).append((site, run))
    groups = sorted(together.values(), key=lambda group: group[0][1].at)
    return [_entry(group, parts, held) for group in reversed(groups)]


def _entry(group: list[tuple[str, LoggedRun]], parts: Mapping[str, SiteLedger], held: Set[str]) -> LogEntry:
    first = group[0][1]
    runs = [run for _, run in group]
    counts: dict[str, Counter[str]] = {}
    changes: dict[str, ChangedAddress] = {}
    for run in runs:
        changes |= {
            address: ChangedAddress(address, *LoggedChange.of_text(text)) for address, text in run.changes.items()
        }
        for verb, states in run.counts.items():
            counts.setdefault(verb, Counter()).update(states)
    if _is_operation(first):  # both sites record the same operation
        counts = {}
        for change in changes.values():
            counts.setdefault(change.verb, Counter())[change.state] += 1
    cut_off = [(site, run) for site, run in group if not run.ended]
    holds = any(site in held and parts[site].runs[-1] is run for site, run in cut_off)
    return LogEntry(
        first.command, first.at, first.who, first.commit, first.plan,
        ended="" if cut_off else max(run.ended for run in runs),
        ending=_ending(first, {state for states in counts.values() for state in states}, bool(cut_off), holds),
        sites=tuple(SiteSerials(site, run.serial - (0 if _is_operation(run) else 1), run.serial) for site, run in group),
        counts={verb: dict(states) for verb, states in counts.items()},
        changes=tuple(sorted(changes.values(), key=_place)),
        approvals=tuple(dict.fromkeys(approval for run in runs for approval in run.approvals)),
    )  # fmt: skip


def _place(change: ChangedAddress) -> tuple[bool, str]:
    return not LoggedChange(change.verb).comes_first, change.address


def _ending(run: LoggedRun, states: Set[str], cut_off: bool, holds: bool) -> Ending:
    if cut_off and holds:
        return Ending.RUNNING
    if cut_off:
        return Ending.OPEN if _is_operation(run) and not states.isdisjoint(OPEN) else Ending.CUT_OFF
    return next((ending for state, ending in _WORST if state in states), Ending.DONE)


def _names(entry: LogEntry, wanted: Sequence[str]) -> bool:
    addresses = [part for change in entry.changes for part in change.address.split(" → ")]
    return any(address == text or fnmatchcase(address, text) for text in wanted for address in addresses)
