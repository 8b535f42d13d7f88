"""Plans, checks for drift and moves of what is on two sites, for the tests of their pages."""

from __future__ import annotations

from dataclasses import replace

from tests.report.reading import plan
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation_plan import Fact, PlannedStage
from vastplan.model.plan import Plan
from vastplan.model.replication import Member, Replication, ReplicationState

HOSTILE = "<script>window.pwned=1</script>\"'`\x1b[2J\u202e]]>--> & url(javascript:1)\nx"
READ = "2026-11-26T12:00:00+00:00"


def member(site: str, role: str, state: str = "Active", **said: object) -> Member:
    return replace(Member(site, role, state, "HEALTHY", "CONNECTED"), **said)  # type: ignore[arg-type]


def replication(
    name: str, state: ReplicationState, *members: Member, leads: str = "iad", text: str = ""
) -> Replication:
    return Replication(f"iad/protected_path/{name}", "iad", leads, state, text, members)


IN_ORDER = replication(
    "checkpoints", ReplicationState.IN_ORDER,
    member("iad", "SOURCE", coming=3 * 10**9), member("pdx", "DESTINATION", as_of="2026-11-26T11:48:00Z"),
)  # fmt: skip
MOVED = replication(
    "data",
    ReplicationState.MOVED,
    member("iad", "DESTINATION", as_of="2026-11-26T11:00:00Z"),
    member("pdx", "SOURCE"),
    leads="pdx",
)
SPLIT = replication(
    "home", ReplicationState.SPLIT, member("iad", "SOURCE"), member("pdx", "SOURCE"), leads="", text="two writers"
)
LOST = replication(
    "models",
    ReplicationState.UNKNOWN,
    member("iad", "", "", unread="connection refused"),
    member("pdx", "DESTINATION"),
    leads="",
)
EVIL = replication(
    HOSTILE,
    ReplicationState.SPLIT,
    member(HOSTILE, HOSTILE, HOSTILE, as_of=HOSTILE),
    member("pdx", HOSTILE),
    leads=HOSTILE,
    text=HOSTILE,
)


def on_two_sites(*rows: Replication) -> Plan:
    return replace(plan("typical"), replications=rows, created=READ)


def move(words: str = "text") -> MovePlan:
    """A move of three stages, whose every text is `words`."""
    stages = (
        PlannedStage("look", words, words, 0, words), PlannedStage("switch", words, words, 600, words, no_return=True),
        PlannedStage("protect", words, words, 1200, words),
    )  # fmt: skip
    return MovePlan(
        document=words, digest="d", folder="/", sources=(words,), created=READ, expires="2026-11-26T12:15:00+00:00", address=words,
        path=words, mode="planned", source="iad", target="pdx", guid="g", loss=words, jobs=({"id": "1", "name": words},), stages=stages,
        evidence=(Fact(words, words),), by_hand=(words,), id="0123456789ab",
    )  # fmt: skip
