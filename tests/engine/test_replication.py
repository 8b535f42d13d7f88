"""What is told of an object that is one on two sites, by what each says and what the ledger noted: one table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.engine.test_groups import OURS, PATH, TENANTS, a_view, both, of_path, path, plan, row
from tests.guards.stage import kinds
from vastplan.engine.live.diff import digests
from vastplan.engine.state.replication import replications
from vastplan.model.finding import Where
from vastplan.model.operation import Operation, Phase
from vastplan.model.plan import Plan, Verb
from vastplan.model.replication import Replication, ReplicationState
from vastplan.model.site_ledger import Owned, SiteLedger

ARRIVED = {
    "last_snapshot_creation_time": "2026-01-01T23:00:00Z",
    "last_restore_point_creation_time": "2026-01-01T23:00:00Z",
    "last_restore_point_time": "2026-01-01T23:00:20Z",
    "health": "HEALTHY",
    "peer_connection_state": "CONNECTED",
}
DELETED = row("iad", "STANDALONE", "DELETED_ON_PEER", logical_size=2**40)
Rows = dict[str, list[dict[str, Any]]]


def pair(iad: str, pdx: str, state: str = "Active", **changes: Any) -> Rows:
    """Both rows, with what has arrived; `changes` are of the one of iad."""
    return {"iad": [row("iad", iad, state, **ARRIVED | changes)], "pdx": [row("pdx", pdx, **ARRIVED)]}


@dataclass(frozen=True)
class Row:
    """A row of the table in dataspace.md, 3.3: what is live, how it is told, what is planned of the path, and what is held back
    of a view on each site that is to be made."""

    rows: Rows
    state: ReplicationState
    text: str = ""
    leads: str = "iad"
    unread: tuple[str, ...] = ()
    actions: dict[str, tuple[Verb, set[str]]] = field(default_factory=dict)
    unknown: set[tuple[str, str]] = field(default_factory=set)
    held: dict[str, set[str]] = field(default_factory=dict)
    codes: tuple[str, ...] = ()


UNKNOWN_PATH = {("iad", "protected_path")}
BOTH_BUSY = {"iad/view/v": {"busy"}, "pdx/view/v": {"busy"}}
BOTH_SPLIT = {"iad/view/v": {"split"}, "pdx/view/v": {"split"}}
AWAY = {(site, kind) for site, kind in [("iad", "protected_path"), ("iad", "view")]}
REPLACED = {"iad/protected_path/v": (Verb.REPLACE, {"approval", "in-use", "in-the-way"})}
STATES = ReplicationState
TABLE = {
    "in order": Row(pair("SOURCE", "DESTINATION"), STATES.IN_ORDER),
    "initial sync": Row(
        pair("SOURCE", "DESTINATION", "Initial Sync", last_uploading_restore_point_progress=250),
        STATES.BUSY,
        "nothing has arrived yet: iad says SOURCE, Initial Sync, 25 % done",
    ),
    "the copy begins": Row(
        {**pair("SOURCE", "DESTINATION"), "pdx": [row("pdx", "DESTINATION", "Initializing")]},
        STATES.BUSY,
        "nothing has arrived yet: pdx says DESTINATION, Initializing",
    ),
    "the copy has begun and says so still": Row(
        {**pair("SOURCE", "DESTINATION"), "pdx": [row("pdx", "DESTINATION", "Initializing", **ARRIVED)]}, STATES.IN_ORDER
    ),
    "a role that changes": Row(
        pair("GRACEFULLY_BECOMING_DESTINATION", "GRACEFULLY_BECOMING_SOURCE"),
        STATES.BUSY,
        "iad says GRACEFULLY_BECOMING_DESTINATION, Active: its role is changing or unknown",
        leads="",
        unknown=UNKNOWN_PATH,
        held=BOTH_BUSY,
    ),
    "a state that nobody knows": Row(
        pair("SOURCE", "DESTINATION", "Thinking"),
        STATES.BUSY,
        "iad says SOURCE, Thinking: its role is changing or unknown",
        leads="",
        unknown=UNKNOWN_PATH,
        held=BOTH_BUSY,
    ),
    "moved": Row(
        pair("DESTINATION", "SOURCE"),
        STATES.MOVED,
        "its source is on pdx, and the document says iad: it was moved outside vastplan, or the document was edited before the move",
        leads="pdx",
        codes=("VP345",),
    ),
    "failed over, the other detached": Row(
        pair("STANDALONE", "SOURCE"),
        STATES.FAILED_OVER,
        "iad was detached and may hold writes that pdx does not have (iad: STANDALONE, Active; pdx: SOURCE, Active)",
        leads="pdx",
        held={"iad/view/v": {"split"}},
        codes=("VP345",),
    ),
    "two sources": Row(
        pair("SOURCE", "SOURCE"),
        STATES.SPLIT,
        "split: more than one site writes to it (iad: SOURCE, Active; pdx: SOURCE, Active)",
        leads="",
        held=BOTH_SPLIT,
        codes=("VP347",),
    ),
    "two that stand alone": Row(
        pair("STANDALONE", "STANDALONE"),
        STATES.SPLIT,
        "split: more than one site writes to it (iad: STANDALONE, Active; pdx: STANDALONE, Active)",
        leads="",
        held=BOTH_SPLIT,
        codes=("VP347",),
    ),
    "the source does not answer": Row(
        pair("SOURCE", "DESTINATION"),
        STATES.UNKNOWN,
        "iad: no answer; an unplanned move to pdx (vastplan move run PATH ADDRESS --to pdx --unplanned, with ADDRESS its project, or iad/protected_path/v if no"
        " project mounts it; or vastplan move run FILE of what was armed)"
        " would lose what was written since 2026-01-01T23:00:00Z (1h ago)",
        leads="",
        unread=("iad",),
        unknown=AWAY,
    ),
    "the source does not answer, and nothing has arrived": Row(
        {"pdx": [row("pdx", "DESTINATION", "Initial Sync")]},
        STATES.UNKNOWN,
        "iad: no answer; pdx cannot become the source: nothing has arrived there",
        leads="",
        unread=("iad",),
        unknown=AWAY,
    ),
    "the other one took over from what does not answer": Row(
        pair("SOURCE", "SOURCE"),
        STATES.MOVED,
        "moved: its source is on pdx now. iad: no answer; do not trust its role or its data when it is back",
        leads="pdx",
        unread=("iad",),
        unknown=AWAY,
        codes=("VP345",),
    ),
    "the copy does not answer": Row(
        pair("SOURCE", "DESTINATION"), STATES.UNKNOWN, "pdx: no answer", unread=("pdx",), unknown={("pdx", "view")}
    ),
    "neither answers": Row(
        {}, STATES.UNKNOWN, "iad: no answer; pdx: no answer", leads="", unread=("iad", "pdx"),
        unknown=AWAY | {("pdx", "view")},
    ),
    "deleted on peer": Row(
        {"iad": [DELETED]},
        STATES.COPY_GONE,
        "iad says STANDALONE, DELETED_ON_PEER: recreating it sends all data again (1 TiB)",
        actions=REPLACED,
        codes=("VP348",),
    ),
    "the other site shows no row": Row(
        {"iad": pair("SOURCE", "")["iad"]},
        STATES.COPY_GONE,
        "it does not exist at pdx: recreating it sends all data again",
        codes=("VP348",),
    ),
    "both rows are gone": Row(
        {},
        STATES.COPY_GONE,
        "it exists on neither site: recreating it sends all data again",
        leads="",
        actions={"iad/protected_path/v": (Verb.CREATE, set())},
        codes=("VP348",),
    ),
    "no site is the source": Row(
        pair("DESTINATION", "DESTINATION"),
        STATES.UNKNOWN,
        "no site says that it is the source",
        leads="",
        codes=("VP345",),
    ),
    "what was sent last has failed": Row(
        pair("SOURCE", "DESTINATION", "Sync Failed"), STATES.STOPPED, "iad says SOURCE, Sync Failed: nothing arrives"
    ),
    "the link is down": Row(
        pair("SOURCE", "DESTINATION", peer_connection_state="ERROR"),
        STATES.STOPPED,
        "iad says that its peer is ERROR: nothing arrives",
    ),
    "somebody suspended it": Row(
        pair("SOURCE", "DESTINATION", enabled=False), STATES.STOPPED, "replication is suspended at iad: nothing arrives", codes=("VP351",)
    ),
}  # fmt: skip


def made(case: Row, *entries: Any) -> Plan:
    return plan(case.rows, path("iad"), *entries, unread=case.unread, iad=OURS)


@pytest.mark.parametrize("title", TABLE)
def test_how_it_is_told_and_what_is_planned(title: str) -> None:
    case = TABLE[title]
    got = made(case, a_view("iad"), a_view("pdx"))
    (told,) = got.replications
    assert (told.address, told.active, told.state, told.text, told.leads) == (
        "iad/protected_path/v", "iad", case.state, case.text, case.leads,
    )  # fmt: skip
    assert of_path(got) == case.actions
    assert {(one.site, one.kind) for one in got.unknown} == case.unknown
    views = {
        str(one.address): {block.guard for block in one.blocked} for one in got.actions if one.address.kind == "view"
    }
    assert {address: guards for address, guards in views.items() if guards} == case.held
    assert tuple(finding.code for finding in got.findings) == case.codes


@pytest.mark.parametrize(
    ("title", "does"),
    [
        ("deleted on peer", "no apply recreates it while its directory exists: remove active and the field that shares it"),
        ("the other site shows no row", "no apply recreates it while it exists on one of the two sites"),
        ("both rows are gone", "an apply recreates it and sends all data again"),
    ],
)  # fmt: skip
def test_what_an_apply_does_for_a_copy_that_is_gone_is_what_is_advised(title: str, does: str) -> None:
    (finding,) = made(TABLE[title]).findings
    assert finding.code == "VP348" and does in finding.fix


@pytest.mark.parametrize("title", ["deleted on peer", "both rows are gone"])
def test_what_it_costs_to_make_one_again_is_told(title: str) -> None:
    (action,) = [one for one in made(TABLE[title]).actions if one.address == PATH["iad"]]
    assert action.notes[-1].startswith("costly: all data is sent to the other site again")
    (first,) = [one for one in plan({}, path("iad")).actions if one.address == PATH["iad"]]
    assert first.notes == ()


def applied(*without: str) -> Owned:
    """The path as the ledger has it after an apply of its entry without some fields."""
    values = {name: value for name, value in path("iad").values.items() if name not in without}
    return replace(
        OURS, fields=digests(kinds()["protected_path"], values, "00" * 32), wire={"tenant": "as it was read"}
    )


def test_the_first_copy_is_not_one_that_is_gone() -> None:
    alone = row("iad", "", remote_tenant_guid=None, target_exported_dir=None)
    first = plan({"iad": [alone]}, path("iad"), iad=applied("remote_tenant", "target_exported_dir"))
    assert (first.replications, first.findings) == ((), ())
    (action,) = [one for one in first.actions if one.address == PATH["iad"]]
    assert action.notes[-1].startswith("costly: all data is sent to the other site for the first time, and until")
    for rows in ({"iad": [alone]}, {"iad": [DELETED]}, {}):  # the ledger has replicated it: somebody removed the copy
        again = plan(rows, path("iad"), iad=applied())
        assert [one.state for one in again.replications] == [STATES.COPY_GONE]
        assert [finding.code for finding in again.findings] == ["VP348"]
        (action,) = [one for one in again.actions if one.address == PATH["iad"]]
        assert action.notes[-1].startswith("costly: all data is sent to the other site again, and until")


def test_each_site_says_how_far_it_is() -> None:
    rows = pair("SOURCE", "DESTINATION", last_uploading_restore_point_logical_size="4096", enabled=False)
    rows["iad"][0]["last_snapshot_creation_time"] = "2026-01-01T23:30:00Z"
    rows["pdx"][0] |= {"last_snapshot_creation_time": "yesterday", "health": None}
    (told,) = made(Row(rows, STATES.STOPPED)).replications
    here, there = told.members
    assert (here.site, here.role, here.state, here.health, here.peer) == (
        "iad",
        "SOURCE",
        "Active",
        "HEALTHY",
        "CONNECTED",
    )
    assert (here.as_of, here.arrived, here.coming) == ("2026-01-01T23:00:00Z", "2026-01-01T23:00:20Z", 4096)
    assert (here.suspended, there.suspended, there.health, there.coming) == (True, False, "", None)
    assert (told.coming, told.as_of) == (4096, "2026-01-01T23:00:00Z")
    rows["iad"][0] |= {"last_uploading_restore_point_logical_size": None, "last_snapshot_creation_time": None}
    (told,) = made(Row(rows, STATES.STOPPED)).replications
    assert told.coming is None
    rows["iad"][0] |= {"last_snapshot_creation_time": "2026-01-01T23:00:00"}
    (told,) = made(Row(rows, STATES.STOPPED)).replications
    assert told.coming == 0


def test_a_site_that_does_not_answer_is_not_known() -> None:
    (told,) = made(TABLE["the source does not answer"]).replications
    assert [(one.site, one.unread) for one in told.members] == [("iad", "no answer"), ("pdx", "")]
    assert told.coming is None


def test_what_is_not_there_yet_and_what_has_no_other_side_is_not_told() -> None:
    assert plan({}, path("iad")).replications == ()
    alone = row("iad", "N/A", "Local", remote_tenant_guid=None, target_exported_dir="/a")
    local = path("iad")
    values = {name: value for name, value in local.values.items() if name != "remote_tenant"}
    entry = replace(local, values={**values, "target_exported_dir": "/a"})
    assert plan({"iad": [alone]}, entry, iad=OURS).replications == ()


def test_one_whose_other_side_is_no_site_of_the_document() -> None:
    far = path("iad")
    values = {name: value for name, value in far.values.items() if name != "remote_tenant"}
    entry = replace(far, values={**values, "remote_tenant_guid": TENANTS["pdx"], "remote_tenant": TENANTS["pdx"]})
    (told,) = plan({"iad": pair("SOURCE", "")["iad"]}, entry, iad=OURS).replications
    assert (told.state, [one.site for one in told.members]) == (STATES.IN_ORDER, ["iad"])


def test_what_is_only_in_the_ledger_is_told_and_no_group_twice() -> None:
    (told,) = plan(both("SOURCE", "DESTINATION"), iad=OURS).replications
    assert (told.address, told.state) == ("iad/protected_path/v", STATES.IN_ORDER)
    (told,) = plan(both("DESTINATION", "SOURCE"), path("pdx"), iad=OURS).replications
    assert (told.address, told.active, told.state) == ("pdx/protected_path/v", "pdx", STATES.IN_ORDER)


def test_a_move_of_ours_is_no_stranger() -> None:
    from tests.engine.test_groups import observed
    from tests.guards.stage import kinds
    from vastplan.engine.matching.match import match
    from vastplan.ledger import events

    book = events.Reducer(replace(events.new_part("doc", "iad"), key="00" * 32))
    book.add(events.own_event("iad/protected_path/v", OURS))
    matches = match(kinds(), observed(both("DESTINATION", "SOURCE")), {"iad": book.part()}, {PATH["iad"]: path("iad")})
    record = Operation("m1", "move", "planned", "g", "iad/volume/v", "iad", "pdx", "doc", "2026-01-01T00:00:00Z")

    def noted(operation: Operation) -> dict[str, SiteLedger]:
        return {"iad": replace(book.part(), operations={operation.subject: operation})}

    def told(operation: Operation) -> Replication:
        now = datetime(2026, 1, 2, tzinfo=UTC)
        (found,) = replications(matches, {PATH["iad"]: path("iad")}, noted(operation), now)
        return found

    assert told(replace(record, phase=Phase.DONE)).text.startswith("moved by vastplan move m1: its source is on pdx")
    assert told(replace(record, phase=Phase.DONE, source="pdx", target="iad")).text.endswith(
        "or the document was edited before the move"
    )
    written = replace(path("iad"), origin="iad/volume/v", where=Where("lab.yaml", 12, 7))
    for entry, edit in (
        (written, "; write active: pdx, at lab.yaml:12:7"),
        (replace(written, where=None), "; write active: pdx"),
        (replace(written, origin=""), "; write it for pdx, at lab.yaml:12:7"),
        (None, ""),
    ):
        desired = {} if entry is None else {PATH["iad"]: entry}
        (moved,) = replications(
            matches, desired, noted(replace(record, phase=Phase.DONE)), datetime(2026, 1, 2, tzinfo=UTC)
        )
        assert moved.text == f"moved by vastplan move m1: its source is on pdx, and the document says iad{edit}"
    way_out = "vastplan move m1 is under way (stage none yet): go on with vastplan move run PATH m1, or give up: vastplan move abort PATH m1"
    begun = told(record)
    stands = "its source is on pdx, and the document says iad"
    assert begun.state is STATES.MOVED and begun.text == f"{way_out}; {stands}"
    home = replace(record, source="pdx", target="iad")
    assert told(replace(home, stage="freeze")).text.endswith(f"; {stands}")
    assert told(replace(home, phase=Phase.ABORTED)).text == f"{stands}; write active: pdx"
    assert "moved outside vastplan" in told(replace(record, phase=Phase.ABORTED)).text
    matches = match(kinds(), observed(both("SOURCE", "DESTINATION")), {"iad": book.part()}, {PATH["iad"]: path("iad")})
    quiet = told(replace(record, stage="freeze"))
    assert quiet.state is STATES.BUSY and quiet.text.startswith("vastplan move m1 is under way (stage freeze)")
    assert told(replace(record, phase=Phase.ABORTED)).state is STATES.IN_ORDER
    fork = replace(record, mode="fork", subject="fork g trial")
    assert told(fork).state is STATES.BUSY and told(replace(fork, phase=Phase.DONE)).state is STATES.IN_ORDER
    past = told(replace(record, stage="open", facts={"past return": "switch"}))
    assert past.text.endswith("go on with vastplan move run PATH m1")


def test_what_is_of_another_entry_goes_on_while_a_role_changes() -> None:
    elsewhere = replace(a_view("iad"), origin="iad/volume/w")
    (action,) = [one for one in made(TABLE["a role that changes"], elsewhere).actions if one.address.kind == "view"]
    assert action.blocked == ()


def at_once(rows: Rows, *unread: str, origin: bool = True) -> tuple[Replication, Plan]:
    """What is told of it where each write is on both sites at once."""
    sent = {"capabilities": "SYNC_REPLICATION", "protection_policy_id": None, "sync_disconnect_time": 30}
    same = {site: [one | sent for one in there] for site, there in rows.items()}
    wanted = path("iad", origin=origin)
    values = {name: value for name, value in wanted.values.items() if name != "protection_policy"}
    entry = replace(wanted, values={**values, "capabilities": "SYNC_REPLICATION", "sync_disconnect_time": 30})
    got = plan(same, entry, unread=unread, iad=OURS)
    return got.replications[0], got


BLOCKED = {"iad": pair("SOURCE", "")["iad"], "pdx": [row("pdx", "DESTINATION", "Blocked")]}
"""The other side of a source has no access any more."""


def test_where_each_write_is_on_both_at_once_nothing_has_an_age() -> None:
    found, got = at_once(pair("SOURCE", "DESTINATION"))
    assert (found.state, found.text) == (STATES.IN_ORDER, "each write is on both sites before it is answered")
    assert found.at_once and got.actions == () and got.findings == ()
    assert (found.as_of, found.coming, {one.arrived for one in found.members}) == ("", None, {""})
    assert not made(TABLE["in order"]).replications[0].at_once


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (pair("SOURCE", "DESTINATION", "Degraded"), "iad alone may write (SOURCE, Degraded); pdx gives no access to its data (DESTINATION, Active)"),
        (BLOCKED, "iad alone may write (SOURCE, Active); pdx gives no access to its data (DESTINATION, Blocked)"),
    ],
)  # fmt: skip
def test_two_that_were_parted_are_told(rows: Rows, text: str) -> None:
    found, got = at_once(rows)
    assert (found.state, found.text) == (STATES.STOPPED, f"its two sites are disconnected: {text}")
    (finding,) = got.findings
    assert (finding.code, finding.address, finding.message) == ("VP352", "iad/protected_path/v", found.text)
    assert finding.fix.startswith("reconnect the two sites, then restore the primary role in the system itself, at iad")


def test_a_link_that_is_cut_has_parted_nobody_yet() -> None:
    found, got = at_once(pair("SOURCE", "DESTINATION", peer_connection_state="ERROR"))
    assert (found.state, found.parted, got.findings) == (STATES.STOPPED, "", ())
    assert found.text == "iad says that its peer is ERROR: nothing arrives"


def test_of_what_sends_by_a_schedule_nobody_is_parted() -> None:
    got = made(Row(BLOCKED, STATES.STOPPED))
    assert (got.replications[0].parted, got.findings) == ("", ())
    assert got.replications[0].text == "pdx says DESTINATION, Blocked: nothing arrives"


@pytest.mark.parametrize(
    ("silent", "rows", "text", "fix"),
    [
        ("iad", "pdx", "pdx gives no access to its data (DESTINATION, Blocked); iad cannot be read and may take writes alone", "bring iad back, then"),
        ("pdx", "iad", "iad alone may write (SOURCE, Degraded); pdx cannot be read", "reconnect the two sites, then"),
    ],
)  # fmt: skip
def test_parted_is_told_by_one_side_where_the_other_does_not_answer(
    silent: str, rows: str, text: str, fix: str
) -> None:
    apart = {**BLOCKED, "iad": [row("iad", "SOURCE", "Degraded")]}
    found, got = at_once({rows: apart[rows]}, silent)
    (finding,) = [one for one in got.findings if one.code == "VP352"]
    assert (found.state, found.parted, finding.message) == (
        STATES.UNKNOWN,
        f"its two sites are disconnected: {text}",
        found.parted,
    )
    assert finding.fix.startswith(fix) and "at iad" in finding.fix


def test_one_that_moved_and_was_parted_is_told_as_both() -> None:
    rows = {"iad": [row("iad", "DESTINATION", "Blocked")], "pdx": [row("pdx", "SOURCE", "Degraded")]}
    found, got = at_once(rows)
    assert found.state is STATES.MOVED and {one.code for one in got.findings} == {"VP345", "VP352"}
    assert "at pdx" in next(one.fix for one in got.findings if one.code == "VP352")


@pytest.mark.parametrize("rows", [
    {**BLOCKED, "iad": [row("iad", "STANDALONE")]},
    {**BLOCKED, "iad": [row("iad", "DESTINATION", "Blocked")]},
    {"pdx": BLOCKED["pdx"]},
])  # fmt: skip
def test_who_may_write_is_not_told_where_it_is_not_known(rows: Rows) -> None:
    found, got = at_once(rows)
    assert found.parted == "" and "VP352" not in {one.code for one in got.findings}


def test_what_somebody_suspended_is_told_as_that() -> None:
    found, got = at_once({**BLOCKED, "iad": [row("iad", "SOURCE", "Suspended", enabled=False)]})
    assert found.text == "iad says SOURCE, Suspended: nothing arrives"
    assert [one.code for one in got.findings] == ["VP351"]


def test_of_a_source_that_does_not_answer_nothing_that_was_answered_is_lost() -> None:
    found, _ = at_once(pair("SOURCE", "DESTINATION"), "iad")
    assert (found.state, found.leads) == (STATES.UNKNOWN, "")
    assert (
        found.text
        == "iad: no answer; pdx has every write up to the disconnection, and gives no access to its data while disconnected"
    )


@pytest.mark.parametrize(
    ("iad", "pdx", "code", "fix"),
    [
        ("DESTINATION", "SOURCE", "VP345", "write active: pdx; or correct the roles"),
        ("STANDALONE", "SOURCE", "VP345", "write active: pdx; or correct the roles"),
        ("SOURCE", "STANDALONE", "VP346", "correct the roles"),
        ("SOURCE", "SOURCE", "VP347", "correct the roles"),
    ],
)
def test_no_move_is_advised_that_would_be_refused(iad: str, pdx: str, code: str, fix: str) -> None:
    _, got = at_once(pair(iad, pdx))
    (finding,) = [one for one in got.findings if one.code == code]
    assert finding.fix.startswith(fix) and "vastplan move" not in finding.fix


def test_nor_of_one_that_is_no_part_of_an_entry() -> None:
    _, got = at_once(pair("DESTINATION", "SOURCE"), origin=False)
    (finding,) = [one for one in got.findings if one.code == "VP345"]
    assert (
        finding.fix
        == "correct the roles in the system itself: vastplan changes no role of what is replicated synchronously"
    )


@pytest.mark.parametrize(
    ("progress", "text"),
    [(0, ", 0 % done"), (1, ", 0.1 % done"), (1000, ", 100 % done"), (-1, ""), (1001, ""), ("250", ""), (True, "")],
)
def test_how_far_the_first_copy_is_is_said_only_where_it_is_a_share(progress: object, text: str) -> None:
    rows = pair("SOURCE", "DESTINATION", "Initial Sync", last_uploading_restore_point_progress=progress)
    (told,) = made(Row(rows, STATES.BUSY)).replications
    assert told.text == f"nothing has arrived yet: iad says SOURCE, Initial Sync{text}"


@pytest.mark.parametrize("taken", ["2026-01-01T22:59:59Z", "2026-01-01T23:00:00Z", "2026-01-01T23:00:01Z"])
def test_nothing_is_to_come_once_the_newest_restore_point_has_arrived(taken: str) -> None:
    rows = pair("SOURCE", "DESTINATION", last_snapshot_creation_time=taken)
    (told,) = made(Row(rows, STATES.IN_ORDER)).replications
    assert told.members[0].coming == (0 if taken <= "2026-01-01T23:00:00Z" else None)


def test_a_pause_that_nobody_sees_end_is_to_be_ended_by_a_person() -> None:
    (finding,) = [one for one in made(TABLE["somebody suspended it"]).findings if one.code == "VP351"]
    assert finding.fix == (
        "enable it there (`enabled` of its protected path): no apply does that, because the pause may be intended"
    )
