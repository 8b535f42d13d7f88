"""Objects of two sites that are one: what a plan says by what each says of itself, and what the ledger noted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.guards.stage import Nobody, kinds
from vastplan.app.planning.edits import with_places
from vastplan.engine.deciding.plan import PlanInputs, build, collections_to_read
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.groups import group_key, other_members, part_of, turned
from vastplan.engine.live.observe import Observed, ObservedCollection, live_of
from vastplan.engine.live.owners import owners
from vastplan.engine.matching.match import match
from vastplan.engine.state.responsibility import Responsibility, standings
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.plan import Plan, Verb
from vastplan.model.site_ledger import Owned
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

TENANTS = {"iad": "00000000-0000-0000-0000-00000000000a", "pdx": "00000000-0000-0000-0000-00000000000b"}
OTHER = {"iad": "pdx", "pdx": "iad"}
PATH = {site: Address(site, "protected_path", "v") for site in OTHER}
VIEW = {site: Address(site, "view", "v") for site in OTHER}
Roles = tuple[str | None, str | None]


def row(site: str, role: str, state: str = "Active", **changes: Any) -> dict[str, Any]:
    """A member as its site shows it: directories as the first source has them."""
    return {
        "id": 3, "name": "v", "guid": "g", "tenant_id": 1, "source_dir": "/a", "target_exported_dir": "/b",
        "capabilities": "ASYNC_REPLICATION", "remote_tenant_guid": TENANTS[OTHER[site]], "protection_policy_id": "9",
        "enabled": True, "role": role, "state": state, "logical_size": 0,
    } | changes  # fmt: skip


def path(site: str, *, origin: bool = True) -> Entry:
    """The path as the document has it with that site active."""
    ends = ("/a", "/b") if site == "iad" else ("/b", "/a")
    values = {
        "name": "v", "tenant": Ref(Address(site, "tenant", "t"), managed=False), "source_dir": ends[0],
        "target_exported_dir": ends[1], "capabilities": "ASYNC_REPLICATION",
        "protection_policy": Ref(Address(site, "protection_policy", "far"), managed=False),
        "remote_tenant": Ref(Address(OTHER[site], "tenant", "t"), managed=False),
    }  # fmt: skip
    return Entry(PATH[site], values, origin=f"{site}/volume/v" if origin else "")


def a_view(site: str) -> Entry:
    """Another part of the volume, which is to be made."""
    values = {"path": f"/{site}", "tenant": Ref(Address(site, "tenant", "t"), managed=False), "protocols": ["NFS"]}
    return Entry(VIEW[site], values, origin=f"{site}/volume/v")


def observed(
    rows: Mapping[str, list[dict[str, Any]]], unread: Iterable[str] = (), views: Iterable[dict[str, Any]] = ()
) -> Observed:
    """What both sites show; of those that are `unread` nothing."""
    found = {}
    for site in OTHER:
        there = {
            "tenant": [{"id": 1, "name": "t", "guid": TENANTS[site]}],
            "protection_policy": [{"id": 9, "name": "far", "guid": "p"}],
            "protected_path": rows.get(site, []),
            "view": list(views) if site == "iad" else [],
        }
        for name, kind in kinds().items():
            live = [live_of(site, kind, one, Nobody()) for one in there.get(name, [])]  # type: ignore[arg-type]
            found[site, name] = ObservedCollection(error="no answer") if site in unread else ObservedCollection(live)
    return Observed(found)


def plan(
    rows: Mapping[str, list[dict[str, Any]]],
    *entries: Entry,
    unread: Iterable[str] = (),
    views: Iterable[dict[str, Any]] = (),
    view: Owned | None = None,
    **owned: Owned,
) -> Plan:
    """The plan of these entries, where the ledger has the path (by site), and consent to everything but to adopting."""
    parts = {}
    for site in OTHER:
        book = events.Reducer(replace(events.new_part("doc", site), key="00" * 32))
        if site in owned:
            book.add(events.own_event(str(PATH[site]), owned[site]))
        if view is not None and site == "iad":
            book.add(events.own_event(str(VIEW[site]), view))
        parts[site] = book.part()
    return build(
        PlanInputs(
            document="doc", digest="0", source="doc.yaml", kinds=kinds(), entries=entries,
            observed=observed(rows, unread, views), ledger=parts, endpoints={}, reveal=None, now=datetime(2026, 1, 2, tzinfo=UTC),
            consent=Consent(allow_delete=("*",), max_count=100, believe_gone=("*",)),
        )
    )[0]  # fmt: skip


OURS = Owned("3", "3", group="g", origin="iad/volume/v")


def of_path(made: Plan) -> dict[str, tuple[Verb, set[str]]]:
    return {
        str(one.address): (one.verb, {block.guard for block in one.blocked})
        for one in made.actions
        if one.address.kind == "protected_path"
    }


def both(iad: str, pdx: str) -> dict[str, list[dict[str, Any]]]:
    return {"iad": [row("iad", iad)], "pdx": [row("pdx", pdx)]}


def test_in_order() -> None:
    made = plan(both("SOURCE", "DESTINATION"), path("iad"), iad=OURS)
    assert of_path(made) == {} and made.findings == () and not made.unknown


@pytest.mark.parametrize("role", ["BECOMING_STANDALONE", "GRACEFULLY_BECOMING_DESTINATION", "N/A", "INVALID"])
@pytest.mark.parametrize("which", ["iad", "pdx"])
def test_what_changes_or_is_not_known_is_unknown(role: str, which: str) -> None:
    rows = both("SOURCE", "DESTINATION")
    rows[which][0]["role"] = role
    for desired in ((path("iad"),), ()):
        made = plan(rows, *desired, iad=OURS)
        assert of_path(made) == {}
        assert [(one.site, one.kind) for one in made.unknown] == [("iad", "protected_path")]
        assert role in next(iter(made.unknown)).reason
    made = plan({**both("SOURCE", "DESTINATION"), which: [row(which, "SOURCE", "joining")]}, path("iad"), iad=OURS)
    assert "joining" in next(iter(made.unknown)).reason


def test_words_are_read_however_they_are_written() -> None:
    rows = {"iad": [row("iad", "source", "partially active")], "pdx": [row("pdx", "Destination", "ACTIVE")]}
    made = plan(rows, path("iad"), iad=OURS)
    assert not made.unknown and of_path(made) == {}


def test_moved_and_the_ways_out() -> None:
    where = Where("lab.yaml", 12, 7)
    entry = replace(path("iad"), where=where)
    made = with_places(plan(both("DESTINATION", "SOURCE"), entry, iad=OURS), [entry])
    (finding,) = made.findings
    assert finding.where == where and finding.code == "VP345" and "moved: its source is on pdx now" in finding.message
    assert finding.fix == "write active: pdx, or vastplan move plan PATH iad/protected_path/v --to iad"
    assert of_path(made) == {}
    made = plan(both("DESTINATION", "SOURCE"), path("iad", origin=False), iad=replace(OURS, origin=""))
    assert [one.fix for one in made.findings] == ["make this site its source again, or declare it at the site that is"]


def test_of_a_view_the_document_says_what_to_write() -> None:
    """Whose parts the ledger notes as objects of their own."""
    view = replace(path("iad"), origin="iad/view/v")
    made = plan(both("DESTINATION", "SOURCE"), view, iad=replace(OURS, origin=""))
    assert [one.fix.startswith("write active: pdx, or ") for one in made.findings] == [True]


def test_the_edit_takes_over_what_is_there_the_other_way_round_and_lets_go_afterwards() -> None:
    made = plan(both("DESTINATION", "SOURCE"), path("pdx"), iad=OURS)
    assert of_path(made) == {"pdx/protected_path/v": (Verb.ADOPT, set()), "iad/protected_path/v": (Verb.RELEASE, set())}
    order = [operation.address.site for operation in made.operations]
    assert order == ["pdx", "iad"]
    assert all(not action.changes for action in made.actions)


def test_another_one_that_is_wanted_on_the_other_site_does_not_keep_it() -> None:
    """What it is one with decides, and not that there is one of its kind."""
    values = {**path("pdx").values, "name": "w", "source_dir": "/w", "target_exported_dir": "/w"}
    other = Entry(Address("pdx", "protected_path", "w"), values, origin="pdx/volume/w")
    made = plan({"iad": [row("iad", "SOURCE")]}, other, iad=OURS)
    assert {text: verb for text, (verb, _) in of_path(made).items()} == {
        "iad/protected_path/v": Verb.DELETE,
        "pdx/protected_path/w": Verb.CREATE,
    }


def test_what_its_composite_made_there_goes_no_further_than_that() -> None:
    gone = Owned("5", "5", origin="iad/volume/v")
    rows = {"id": 5, "name": "v", "path": "/iad", "tenant_id": 1, "protocols": ["NFS"], "logical_capacity": 0}
    for roles in (both("DESTINATION", "SOURCE"), both("SOURCE", "DESTINATION")):
        made = plan(roles, path("pdx"), iad=OURS, views=[rows], view=gone)
        (delete,) = [one for one in made.actions if one.address == VIEW["iad"]]
        assert delete.verb is Verb.DELETE and delete.together == ("pdx/protected_path/v",)


def test_by_what_the_ledger_noted_where_the_first_site_does_not_answer() -> None:
    rows = {"pdx": [row("pdx", "SOURCE")]}
    made = plan(rows, path("pdx"), unread=("iad",), iad=OURS)
    assert of_path(made) == {"pdx/protected_path/v": (Verb.ADOPT, set())}
    assert {one.site for one in made.unknown} == {"iad"}
    stranger = plan(rows, path("pdx"), unread=("iad",), iad=replace(OURS, group="another"))
    assert of_path(stranger)["pdx/protected_path/v"] == (Verb.ADOPT, {"adopt"})


def test_under_another_name_too() -> None:
    rows = both("DESTINATION", "SOURCE")
    for one in (rows["iad"][0], rows["pdx"][0]):
        one["name"] = "w"
    made = plan(rows, path("pdx"), iad=OURS)
    assert {text: verb for text, (verb, _) in of_path(made).items()} == {
        "pdx/protected_path/v": Verb.ADOPT,
        "iad/protected_path/v": Verb.RELEASE,
    }


def test_an_edit_before_the_move_is_held() -> None:
    made = plan(both("SOURCE", "DESTINATION"), path("pdx"), iad=OURS)
    assert of_path(made) == {"pdx/protected_path/v": (Verb.ADOPT, {"copy"})}
    (block,) = made.actions[0].blocked
    assert block.fix == "make pdx its source first, or active: iad"
    nothing_there = plan({"iad": [row("iad", "SOURCE")]}, path("pdx", origin=False), iad=OURS)
    assert of_path(nothing_there) == {"pdx/protected_path/v": (Verb.CREATE, {"copy"})}
    assert "write it for iad" in nothing_there.actions[0].blocked[0].fix
    unseen = plan({"iad": [row("iad", "SOURCE")]}, path("pdx"), unread=("pdx",), iad=OURS)
    assert of_path(unseen) == {}


@pytest.mark.parametrize("roles", [("SOURCE", "SOURCE"), ("STANDALONE", "STANDALONE")])
def test_split_stops_the_volume_on_both_sites(roles: tuple[str, str]) -> None:
    made = plan(both(*roles), path("iad"), a_view("iad"), a_view("pdx"), iad=OURS)
    assert [one.code for one in made.findings] == ["VP347"]
    assert made.findings[0].fix.endswith("vastplan move plan PATH iad/protected_path/v --keep SITE")
    held = {str(one.address): {block.guard for block in one.blocked} for one in made.actions}
    assert "split" in held["iad/view/v"] and "split" in held["pdx/view/v"]


def test_split_stops_a_view_with_its_parts() -> None:
    rows = both("SOURCE", "SOURCE")
    views = [replace(a_view(site), origin="") for site in OTHER]
    made = plan(rows, replace(path("iad"), origin="iad/view/v"), *views, iad=replace(OURS, origin=""))
    held = {str(one.address): {block.guard for block in one.blocked} for one in made.actions}
    assert "split" in held["iad/view/v"] and "split" in held["pdx/view/v"]


def test_a_site_that_was_detached_is_left_alone_and_its_part_is_told() -> None:
    rows = both("STANDALONE", "SOURCE")
    made = plan(rows, path("iad"), a_view("iad"), a_view("pdx"), iad=OURS)
    assert [one.code for one in made.findings] == ["VP345"]
    ways = "--rejoin iad shows what only iad has and makes it the destination of pdx; --keep iad does the reverse"
    assert made.findings[0].fix == f"vastplan move plan PATH iad/protected_path/v {ways}"
    held = {str(one.address): {block.guard for block in one.blocked} for one in made.actions}
    assert "split" in held["iad/view/v"] and "split" not in held["pdx/view/v"]
    (block,) = [one for action in made.actions for one in action.blocked if one.guard == "split"]
    assert block.fix == "vastplan move plan PATH iad/protected_path/v --rejoin SITE, or --keep SITE, then plan again"
    assert of_path(plan(rows, iad=OURS)) == {"iad/protected_path/v": (Verb.DELETE, {"copy", "split", "approval"})}
    moved = plan(rows, path("pdx"), pdx=replace(OURS, origin="pdx/volume/v"))
    assert [one.code for one in moved.findings] == ["VP346"] and of_path(moved) == {}
    assert moved.findings[0].fix == f"vastplan move plan PATH pdx/protected_path/v {ways}"


def test_one_that_has_no_other_member_leads_whatever_it_says() -> None:
    alone = row("iad", "N/A", "Local", remote_tenant_guid=None, target_exported_dir="/a")
    local = path("iad")
    values = {
        **{name: value for name, value in local.values.items() if name != "remote_tenant"},
        "target_exported_dir": "/a",
    }
    made = plan({"iad": [alone]}, replace(local, values=values), iad=OURS)
    assert not made.unknown and of_path(made) == {} and made.findings == ()


def test_a_kind_that_is_not_grouped_has_no_members() -> None:
    seen = observed(both("SOURCE", "DESTINATION"))
    (tenant,) = seen.objects("iad", "tenant")
    assert (group_key(tenant), other_members(seen, tenant), part_of(tenant).value) == ("", [], "member")
    assert turned(tenant, {}, {"name": "t"}) == {"name": "t"}


def test_what_the_other_site_has_of_it_is_read() -> None:
    places = collections_to_read(kinds(), [path("iad")], {}, {site: frozenset({"vast"}) for site in OTHER})
    assert {("iad", "protected_path"), ("pdx", "protected_path")} <= places


def test_what_the_system_has_of_it_on_the_other_site_is_a_copy_under_any_name() -> None:
    rows = {"iad": [row("iad", "SOURCE")], "pdx": [row("pdx", "DESTINATION", name="w")]}
    seen, book = observed(rows), events.Reducer(replace(events.new_part("doc", "iad"), key="00" * 32))
    book.add(events.own_event("iad/protection_policy/far", Owned("9", "9")))
    matches = match(kinds(), seen, {"iad": book.part()}, {PATH["iad"]: path("iad")})
    told = standings(matches, owners("doc", {}), {*matches.owned, PATH["iad"]})
    (policy,), (copy,) = seen.objects("pdx", "protection_policy"), seen.objects("pdx", "protected_path")
    assert [told.of(one) for one in (policy, copy)] == [Responsibility.COPY, Responsibility.COPY]
    (tenant,) = seen.objects("pdx", "tenant")
    assert told.of(tenant) is Responsibility.NOBODYS


def test_one_that_its_site_has_alone_is_no_member_of_what_another_site_is_to_have() -> None:
    alone = row("iad", "N/A", "Local", remote_tenant_guid=None, target_exported_dir="", capabilities="SNAPSHOTS")
    there = path("pdx")
    local = {"remote_tenant", "target_exported_dir", "capabilities"}
    entry = replace(there, values={name: value for name, value in there.values.items() if name not in local})
    made = plan({"iad": [alone]}, entry, iad=OURS)
    verbs = {action.address: (action.verb, {block.guard for block in action.blocked}) for action in made.actions}
    assert verbs[PATH["pdx"]] == (Verb.CREATE, set())
    assert verbs[PATH["iad"]][0] is Verb.DELETE
