"""One cause is told once: an empty ledger, copies that are alike, budgets that are alike; and drift says what to type next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.estate import estate
from tests.report.reading import DRIFT_FORMATS, FORMATS, drift, plan
from vastplan.model.address import Address
from vastplan.model.budget import CheckpointBudget
from vastplan.model.drift import Drift, DriftedField, DriftedObject, UnmanagedObject
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Base, Block, Cause, FieldChange, Plan, PlannedSite, UnknownCollection, Verb
from vastplan.model.replication import Member, Readiness, Replication, ReplicationState
from vastplan.report.budgets import budget_lines
from vastplan.report.drift_next import next_commands
from vastplan.report.markdown_proofs import two_site_lines
from vastplan.report.ownership import not_owned
from vastplan.report.prometheus import drift_figures
from vastplan.report.replication import replication_lines
from vastplan.report.text import Style, plan_text

PLAIN = Style(colour=False, width=160)
PART = PlannedSite("iad", "", 0)
ADOPT = Block("adopt", "it exists and is not in the ledger", "adopt it with --adopt, or write another name")


def found(count: int, serial: int = 0, block: Block = ADOPT, *, replaces: bool = False) -> Plan:
    def action(number: int) -> Action:
        change = FieldChange("hard_limit", number, 99, Cause.NEW, "bytes", replaces=replaces)
        address, changes = Address("iad", "quota", f"q-{number}"), (change,) if number % 2 or replaces else ()
        return Action(address, Verb.ADOPT, "it exists and is not in the ledger", changes, blocked=(block,))

    return replace(
        plan("empty"), actions=tuple(map(action, range(count))), parts=(replace(PART, serial=serial),), topology=()
    )


@pytest.mark.parametrize("count", [6, 400])
@pytest.mark.parametrize("ending", ["txt", "md", "html"])
def test_an_empty_ledger_is_told_once(ending: str, count: int) -> None:
    text = FORMATS[ending](found(count)).replace("`", "")
    assert f"the ledger is empty: these {count} objects exist but are not in it ({count} quotas)" in text
    assert text.count("--adopt adopts them") == 1 and "or write another name" not in text
    assert f"{count} blocked" in text or f"{count} are blocked" in text
    for number in range(count if ending == "html" or count < 30 else 0):
        assert f"q-{number}" in text


def test_it_is_none_where_the_ledger_knows_something_or_little_is_there() -> None:
    assert not_owned(found(6, serial=1)) == [] and not_owned(found(2)) == []
    assert not_owned(found(6, block=replace(ADOPT, fix="write the live value in the document"), replaces=True)) == []
    assert [one.site for one in not_owned(found(3))] == ["iad"]


def copy(number: int, state: ReplicationState = ReplicationState.IN_ORDER, text: str = "") -> Replication:
    members = (
        Member("iad", "SOURCE", "ACTIVE", coming=2**30),
        Member("pdx", "DESTINATION", "ACTIVE", as_of=f"2026-01-0{number % 9 + 1}"),
    )
    return Replication(f"iad/volume/v-{number}", "iad", "iad", state, text, members)


def test_copies_that_are_alike_are_told_once_and_what_is_amiss_first() -> None:
    rows = [*map(copy, range(300)), copy(999, ReplicationState.SPLIT, "two write")]
    lines = [*replication_lines(rows, PLAIN)]
    assert len(lines) == 6 and "v-999: split" in lines[2]
    assert lines[-1].startswith(
        "  in order: 300 objects; the oldest copy as of 2026-01-01; 300 GiB to come in all; iad/volume/v-0, iad/volume/v-1"
    )
    told = two_site_lines(rows)
    assert len(told) == 2 and "split" in told[0] and "300 objects" in told[1]
    assert len([*replication_lines(map(copy, range(4)), PLAIN)]) == 2 + 4 * 3


def armed(number: int) -> Replication:
    ago = (3600, 90000, 200000, 0)[number % 4]
    arming = {"armed": f"2026-01-0{number % 4 + 1}T00:00:00Z", "armed_ago": ago, "kept": 1} if ago else {}
    ready = Readiness("pdx", f"arm {number}", f"try {number}", rehearsed="2026-01-01" if number % 2 else "", **arming)  # type: ignore[arg-type]
    return replace(copy(number), readiness=ready)


def test_the_readiness_of_copies_that_are_alike_is_counted_and_one_command_is_named() -> None:
    (line,) = [text for text in replication_lines(map(armed, range(8)), PLAIN) if "8 objects" in text]
    assert "; 4 of 8 armed within 36 h, 4 rehearsed (the first that is not armed: arm 2); iad/volume/v-0," in line
    (line,) = [text for text in replication_lines([armed(0)] * 5, PLAIN) if "5 objects" in text]
    assert "; 5 of 5 armed within 36 h, 0 rehearsed; " in line


def test_of_several_paths_the_oldest_arming_and_the_longest_rehearsal_are_figures() -> None:
    took = [replace(ready, seconds=number) for number in range(8) if (ready := armed(number).readiness)]
    rows = [replace(armed(number), readiness=ready) for number, ready in enumerate(took)]
    labels = 'document="empty",kind="volume",site="iad"'
    first, every = (
        drift_figures(replace(EMPTY, document="empty", replications=tuple(some))) for some in (rows[:3], rows)
    )
    assert f"vastplan_replication_oldest_arming_timestamp_seconds{{{labels}}} 1767225600\n" in first
    assert f"vastplan_replication_oldest_arming_timestamp_seconds{{{labels}}} 0\n" in every
    assert f"vastplan_replication_longest_rehearsal_seconds{{{labels}}} 7\n" in every
    none = drift_figures(replace(EMPTY, replications=tuple(map(copy, range(3)))))
    assert "arming" not in none and "rehearsal" not in none


def test_budgets_that_are_alike_are_told_once() -> None:
    budgets = [
        CheckpointBudget(f"iad/volume/v-{number}", "every 30 min costs 2 %", changes=("it was 3 %",))
        for number in range(9)
    ]
    assert [*budget_lines(budgets, PLAIN)][2:] == [
        "  9 volumes (iad/volume/v-0, iad/volume/v-1, iad/volume/v-2, iad/volume/v-3 and 5 more): every 30 min costs 2 %",
        "      it was 3 %",
    ]


def test_with_a_base_new_findings_come_first_and_known_ones_are_counted() -> None:
    known = [Finding("TEN-02", Severity.NOTE, f"note {number}", "", f"iad/tenant/{number}") for number in range(9)]
    known.append(Finding("VP900", Severity.ERROR, "an old mistake"))
    new = Finding("NET-01", Severity.WARNING, "a new one", "", "iad/vip_pool/a")
    made = replace(estate(5), findings=(new, *known), base=Base("main", "0" * 64, findings=1))
    text = plan_text(made, PLAIN)
    assert 0 < text.index("warning NET-01") < text.index("an old mistake") and "note 3" not in text
    assert "9 findings that the base has too (9 notes: TEN-02); --format json lists them" in text
    comment = FORMATS["md"](made)
    assert "note 3" not in comment and comment.index("a new one") < comment.index("an old mistake")
    assert "9 findings that the base has too" in comment.replace("`", "")
    assert "note 3" in FORMATS["html"](made)


EMPTY = replace(drift("empty"), pending=0)
QUOTA = DriftedObject(
    "iad/quota/a b", "changed", (DriftedField("hard_limit", 2, 1, Cause.SYSTEM, "bytes"),), since="2026-01-01"
)


def typed(checked: Drift, *paths: str, acceptable: str = "") -> list[str]:
    return [command for command, _ in next_commands(checked, [Path(path) for path in paths], acceptable)]


def test_drift_ends_with_what_to_type_next() -> None:
    stranger = UnmanagedObject("iad", "view", "x")
    assert typed(EMPTY, "doc") == []
    field = "iad/quota/a b.hard_limit"
    assert typed(replace(EMPTY, drift=(QUOTA,), unmanaged=(stranger,)), "my doc", acceptable=field) == [
        "vastplan plan 'my doc'",
        "vastplan drift 'my doc' --accept 'iad/quota/a b.hard_limit'",
        "vastplan import 'my doc' --dry-run",
    ]
    gone = replace(QUOTA, what="gone", fields=())
    assert typed(replace(EMPTY, drift=(gone,)), "doc") == ["vastplan plan doc"]
    assert typed(replace(EMPTY, drift=(replace(gone, what="replaced"),)), "doc") == ["vastplan plan doc --adopt"]
    unread = UnknownCollection("iad", "vast", "view", "not allowed")
    assert typed(replace(EMPTY, unknown=(unread,)), "doc") == []  # what is wrong with it stands in its line
    moved = replace(copy(1, ReplicationState.MOVED), leads="pdx")
    assert typed(replace(EMPTY, replications=(moved,)), "doc")[0] == "vastplan move plan doc iad/volume/v-1 --to iad"
    lost = replace(EMPTY, pending=40, in_sync=0, not_ours={"iad": 40})
    for ending in ("txt", "md", "html"):
        told = DRIFT_FORMATS[ending](lost).replace("`", "")
        assert told.count("iad: the ledger is empty: 40 objects of the document exist but are not in it") == 1
        assert "Drift: none" not in told and "not applied yet" not in told
    assert typed(lost, "doc")[0] == "vastplan plan doc --adopt"
    assert typed(replace(EMPTY, drift=(QUOTA,)), "doc") == ["vastplan plan doc"]  # `--accept` would take nothing of it


def test_they_are_three_at_most_and_stand_at_the_end() -> None:
    from vastplan.report.drift import drift_text

    checked = drift("typical")
    shown = drift_text(checked, PLAIN, [Path("doc")])
    last = shown[shown.index("\nNext:\n") :].strip().splitlines()
    assert 2 <= len(last) <= 4 and all(line.startswith("  vastplan ") for line in last[1:])
    assert "Next:" not in DRIFT_FORMATS["txt"](checked)
