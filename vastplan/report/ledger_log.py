"""`ledger log` as text: a paragraph for each run, the newest first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from vastplan.model.escaping import inert
from vastplan.model.ledger_log import Ending, LedgerLog, LogEntry
from vastplan.model.plan import Verb
from vastplan.model.site_ledger import Counts, LoggedApproval
from vastplan.model.wording import counted

_SIGNS = {verb.value: verb.sign for verb in Verb}
_SHOWN = 12
"""Addresses of a run that are named in text; JSON has all that the ledger has."""


def text(log: LedgerLog) -> str:
    """The whole log."""
    blocks = ["\n".join(_lines(entry)) for entry in log.runs] or ["no run is recorded"]
    if log.more:
        blocks.append(f"{counted(log.more, 'more run')}: --limit N shows more.")
    if log.unnamed:
        more = counted(log.unnamed, "other run")
        blocks.append(f"{more} changed more objects than the history names: these addresses may be among them.")
    blocks += (
        f"{inert(site, 80)}: {counted(count, 'older change')}, no longer in the history."
        for site, count in log.older.items()
    )
    return "\n\n".join(blocks)


def _lines(entry: LogEntry) -> Iterator[str]:
    words = [_time(entry.at), entry.command, "by", inert(entry.who, 200)]
    if entry.commit:
        commit, _, edits = entry.commit.partition("+")
        words += ["from", commit[:12] + ("+edits" if edits else "")]
    if entry.plan:
        words += ["plan" if entry.command == "apply" else "id", inert(entry.plan[:12], 12)]
    yield " ".join(inert(word, 300) for word in words)
    serials = ", ".join(f"{inert(each.site, 80)} {each.before} → {each.after}" for each in entry.sites)
    yield f"  {entry.ending.value}: {_counts(entry.counts)}; serial {serials}"
    for change in entry.changes[:_SHOWN]:
        state = change.state or ("" if entry.ending is Ending.RUNNING else "not known")
        sign = _SIGNS.get(change.verb, change.verb)
        yield f"  {inert(sign, 20):>3} {inert(change.address, 300)}{'' if state == 'done' else f'  {inert(state, 40)}'}"
    hidden = sum(sum(states.values()) for states in entry.counts.values()) - len(entry.changes[:_SHOWN])
    if hidden > 0:
        yield f"      and {counted(hidden, 'more change')}"
    yield from map(_approval, entry.approvals)


def _time(at: str) -> str:
    try:
        return datetime.fromisoformat(at).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError):
        return at


def _counts(counts: Counts) -> str:
    """`create 2, delete 1 (1 failed)`."""
    texts = []
    for verb, states in counts.items():
        others = ", ".join(f"{count} {state or 'not known'}" for state, count in states.items() if state != "done")
        texts.append(f"{verb} {sum(states.values()):,}" + (f" ({others})" if others else ""))
    return inert(", ".join(texts) or "no change", 1000)


def _approval(approval: LoggedApproval) -> str:
    by = f" by {inert(approval.by, 200)}" if approval.by else ""
    return f"  approved{by}: {inert(approval.address, 300)}: {inert(approval.reason, 300)}"
