"""A plan of thousands of changes: what many have in common is told once, nothing is left out without a word, and files hold all."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from dataclasses import replace
from hashlib import sha256

import pytest

from tests.report.estate import estate
from tests.report.reading import FORMATS, large, lines_run, unlike
from tests.report.test_hostile import ATTRIBUTES, ELEMENTS, _parsed, check_inert
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import (
    GOING,
    Action,
    Author,
    Base,
    Block,
    Cause,
    FieldChange,
    Node,
    Plan,
    Stage,
    Standing,
    Verb,
    lets_in,
)
from vastplan.report.html_script import FILTER
from vastplan.report.long_plan import FROM, expanded, unmatched_patterns
from vastplan.report.markdown import plan_comment
from vastplan.report.markdown_page import LIMIT
from vastplan.report.owners import TenantFinder
from vastplan.report.similarity import similar_actions
from vastplan.report.text import Style, plan_text

NARROW = Style(colour=False, width=80)
MANY = 2_000


def text(shown: Plan, *expand: str, style: Style = NARROW, whole: bool = False) -> str:
    return plan_text(shown, style, expand=expand, whole=whole)


def test_the_same_change_is_told_once() -> None:
    shown = text(estate(MANY))
    assert shown.count("hard_limit 10 TiB → 12 TiB on 600 quotas") == 1
    assert re.search(r"… and 596\s+more\s+\(--expand '\*/quota/\*'\)", shown)
    assert len(shown.splitlines()) < 320
    for ending in ("md", "html"):
        other = FORMATS[ending](estate(MANY))
        assert other.count("600 quotas") in (1, 2) and other.count("10 TiB") < 5, ending


def test_the_worst_comes_first() -> None:
    order = [
        "Deletes or replaces objects with data", "Deletes or replaces (", "Lets somebody in (", "Lets fewer in",
        "Undoes a change made outside vastplan", "Updates (", "Creates (", "By tenant (",
    ]  # fmt: skip
    for shown in (text(estate(MANY)), plan_comment(estate(MANY))):
        assert sorted(order, key=shown.index) == order


def test_nothing_is_wider_than_the_window() -> None:
    for width, count in ((80, 300), (80, MANY), (160, 300), (160, MANY)):
        lines = text(estate(count), style=Style(colour=False, width=width)).splitlines()
        assert [line for line in lines if len(line) > width and not line.startswith("Plan:")] == []  # one line, as ever


def test_what_is_typed_is_on_one_line() -> None:
    shown = text(estate(MANY))
    for typed in ("(--expand '*/quota/*')", "--expand ADDRESS", "--expand '*'", "vastplan plan ... --report plan.html"):
        assert typed in shown


def test_notes_come_after_what_is_decided_on_and_errors_before() -> None:
    made = estate(MANY)
    error = Finding("QTA-02", Severity.ERROR, "there is no quota", "write one", "iad/quota/a")
    made = replace(made, findings=(*made.findings, error))
    page = FORMATS["html"](made)
    for shown, last in ((text(made), "By tenant"), (plan_comment(made), "#### By tenant"), (page, "Creates")):
        order = ["QTA-02", "Deletes or replaces objects with data", last, "QTA-01"]
        assert sorted(order, key=shown.index) == order and shown.count("QTA-01") == 1
    short = replace(estate(30), findings=made.findings[:1])
    assert "\n\nnote QTA-01" in text(short)[: text(short).index("iad\n")] and "#### Notes" not in plan_comment(short)


def test_what_is_undone_is_shown_once_but_who_did_it_and_what_has_a_worse_risk() -> None:
    made = estate(300)
    shown = text(made)
    assert shown.count("iad/project/team-08-project-24") == 1 and "  shown above, grouped: 10 changes\n" in shown
    assert "#### Undoes changes made outside" not in plan_comment(made) and "#### Undoes a change made" in plan_comment(
        made
    )
    undone = [action for action in made.actions if action.address.kind == "project"]
    known, blocked = undone[0], undone[1]
    (change,) = known.changes
    known = replace(known, changes=(replace(change, author=Author("root", "2026-01-02")),))
    blocked = replace(blocked, blocked=(Block("frozen", "it is frozen", "wait"),))
    others = tuple(action for action in made.actions if action not in undone[:2])
    made = replace(made, actions=(*others, known, blocked))
    end = text(made).partition("Undoes changes made outside vastplan (10)")[2]
    assert (
        "grouped: 8 changes" in end and f"{known.address} quota.gpus" in end and f"{blocked.address} quota.gpus" in end
    )
    assert "#### Undoes changes made outside vastplan (2)" in plan_comment(made)


def test_a_count_of_thousands_has_commas() -> None:
    made = estate(10_000)
    for shown in (text(made), plan_comment(made), FORMATS["html"](made)):
        shown = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", shown, flags=re.S)
        counts = r"(?<![\w./,-])\d{4,} (?:to \w+|more|quotas|views|objects|changes|persistent|blocked)|\(\d{4,}[):]"
        assert re.findall(counts, shown) == []
        assert "2,000 views" in shown


def test_few_are_told_as_ever_and_one_more_is_not() -> None:
    assert "--expand" not in text(estate(FROM - 1)) and "--expand" in text(estate(FROM))
    assert text(estate(FROM), whole=True).count("hard_limit  10 TiB → 12 TiB") == 10


def test_what_is_expanded_is_shown_in_full() -> None:
    made = estate(MANY)
    one = "iad/quota/team-00-quota-0"
    assert "~ quota team-00-quota-0 " in text(made, one) and "on 600 quotas" in text(made, one)
    every = text(made, "*/quota/*")
    assert every.count("hard_limit  10 TiB → 12 TiB") == 600 and "on 600 quotas" not in every
    tenant = text(made, "iad/tenant/team-02")
    mine = [action for action in made.actions if "/team-02-" in str(action.address)]
    assert len(mine) > 40 and all(f" {action.address.name}" in tenant for action in mine)
    whole = text(made, "*")
    assert "grouped or only counted" not in whole
    assert all(f" {action.address.name}" in whole for action in made.actions[:50])


def test_a_pattern_that_is_of_nothing_is_named() -> None:
    assert unmatched_patterns(estate(40), ["*", "iad/quota/*", "pdx/realm/*", "iad/tenant/team-00"]) == ["pdx/realm/*"]


def test_into_a_file_goes_all_of_it() -> None:
    whole = text(estate(300), whole=True)
    assert all(f" {action.address.name}" in whole for action in estate(300).actions)
    assert "grouped" not in whole and "By tenant" not in whole


def test_every_action_is_told_or_counted() -> None:
    """What is told together, in full and only counted adds up to all of them."""
    for made in (estate(MANY), unlike(MANY), large(MANY)):
        headings = re.findall(
            r"^[A-Z][^\n(]*\((?:[\d,]+: )?((?:[\d,]+ [a-z ]+(?:, )?)+)\)$",
            text(made, style=Style(colour=False, width=400)),
            re.M,
        )
        counted = sum(
            int(number.replace(",", "")) for heading in headings for number in re.findall(r"([\d,]+) [a-z]", heading)
        )
        assert counted == len(made.actions)


@pytest.mark.parametrize("count", [MANY, 10_000])
def test_the_comment_holds_what_somebody_decides_on(count: int) -> None:
    made = estate(count)
    shown = plan_comment(made, ["plan.html"])
    assert len(shown.encode()) < LIMIT and "**Cut**" not in shown
    check_inert(shown)
    for heading in (
        "Deletes or replaces objects with data",
        "Lets somebody in",
        "Lets fewer in",
        "Undoes a change made outside vastplan",
    ):
        assert f"#### {heading}" in shown
    hosts = {str(change.after[-1]) for action in made.actions for change in action.changes if change.admits}
    assert all(f"+ {host}`" in shown for host in hosts)
    told = [action.address for action in made.actions if lets_in(action) or action.verb in GOING]
    assert all(f"`{address.name}`" in shown or f"`{address}`" in shown for address in told)
    assert f"{count} of {count} changes are grouped" in shown or "changes are grouped" in shown


def test_the_page_has_every_address_once_and_is_small() -> None:
    made = estate(MANY)
    page = FORMATS["html"](made)
    assert len(page.encode()) < 1_000_000
    read = _parsed(page)
    listed = sum(1 for name, values in read.elements if name == "li" and str(values.get("class")).startswith("s-"))
    rows = [values for name, values in read.elements if name == "tr" and str(values.get("class")).startswith("v-")]
    assert listed + len(rows) >= MANY
    said = Counter(part.strip() for part in read.said)
    assert all(said[str(action.address)] or said[action.address.name] for action in made.actions)
    assert len(FORMATS["html"](unlike(MANY)).encode()) < 1_000_000


def test_the_one_script_is_ours_and_only_a_long_page_has_it() -> None:
    hostile = Address("iad", "quota", "</script><script>alert(1)</script>")
    made = estate(60)
    made = replace(made, actions=(*made.actions, *(replace(one, address=hostile) for one in made.actions[:1])))
    read = _parsed(FORMATS["html"](made))
    assert {element for element, _ in read.elements} <= ELEMENTS | {"script", "i"}
    assert {attribute for _, attributes in read.elements for attribute in attributes} <= ATTRIBUTES
    assert [element for element, _ in read.elements].count("script") == 1 and FILTER in read.said
    (policy,) = [str(attributes["content"]) for _, attributes in read.elements if "http-equiv" in attributes]
    digest = b64encode(sha256(FILTER.encode()).digest()).decode()
    assert re.fullmatch(
        rf"default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-{re.escape(digest)}'; base-uri 'none'; form-action 'none'",
        policy,
    )
    assert "<script" not in FORMATS["html"](estate(30)) and "script-src" not in FORMATS["html"](estate(30))
    assert not any(word in FILTER for word in ("innerHTML", "eval", "fetch", "XMLHttp", "location", "</"))


def test_what_is_said_of_all_is_true_of_all() -> None:
    together, others = similar_actions(estate(MANY).actions)
    assert sum(len(alike.actions) for alike in together) + len(others) == MANY
    for alike in together:
        shared = {change.path: change for change in alike.first.changes if change.path not in alike.own}
        for action in alike.actions:
            assert (action.verb, action.address.kind, action.holds_data) == (
                alike.first.verb, alike.first.address.kind, alike.first.holds_data,
            )  # fmt: skip
            mine = {change.path: change for change in action.changes if change.path not in alike.own}
            assert mine.keys() == shared.keys()
            for path, change in mine.items():
                if not change.unordered:
                    assert (change.before, change.after) == (shared[path].before, shared[path].after)


def test_who_is_let_in_is_never_told_as_one_of_many_values() -> None:
    def opening(number: int) -> Action:
        change = FieldChange("hosts", [], [f"192.0.2.{number}"], Cause.DOCUMENT, unordered=True, admits=True)
        return Action(Address("iad", "view_policy", f"p-{number}"), Verb.UPDATE, "the document changed", (change,))

    together, others = similar_actions([opening(number) for number in range(40)])
    assert not together and len(others) == 40


def test_what_was_read_of_many_is_a_range_and_a_sum() -> None:
    (alike, *_), _ = similar_actions([action for action in estate(300).actions if action.verb is Verb.DELETE])
    assert alike.lost() == "used 5 GiB to 275 GiB, 1400 GiB in all" and alike.others() == []


def test_the_tenant_is_found_over_others_and_not_in_a_circle() -> None:
    nodes = (
        Node("iad/tenant/a", "vast", Stage.OWNER),
        Node("iad/view/v", "vast", Stage.DATA, ("iad/view_policy/p",)),
        Node("iad/view_policy/p", "vast", Stage.POLICY, ("iad/view/v", "iad/tenant/a")),
        Node("iad/realm/r", "vast", None, ("iad/realm/s",)),
        Node("iad/realm/s", "vast", None, ("iad/realm/r",)),
    )
    owners = TenantFinder(replace(estate(1), topology=nodes))

    def of(address: str, **more: object) -> str:
        return owners.of(Action(Address.parse(address), Verb.UPDATE, "", **more))  # type: ignore[arg-type]

    assert [of(node.address) for node in nodes] == ["iad/tenant/a", "iad/tenant/a", "iad/tenant/a", "", ""]
    assert of("iad/quota/q", desired={"tenant": {"$ref": "iad/tenant/b"}}) == "iad/tenant/b"
    assert of("iad/quota/q", seen={"tenant": {"$existing": "iad/tenant/c"}}) == "iad/tenant/c"
    assert of("iad/quota/q") == of("iad/quota/q", desired={"tenant": "b"}) == ""


def test_an_entry_is_expanded_by_its_own_address() -> None:
    made = estate(40)
    first = replace(made.actions[0], origin="iad/volume/data")
    made = replace(made, actions=(first, *made.actions[1:]))
    assert expanded(made.actions, ["iad/volume/*"], TenantFinder(made)) == [first]


def test_with_a_base_each_part_is_told_so() -> None:
    made = estate(400)
    standings = [*Standing]
    actions = tuple(replace(action, standing=standings[number % 3]) for number, action in enumerate(made.actions))
    made = replace(made, actions=actions, base=Base("main", "0" * 64))
    for shown in (text(made), plan_comment(made)):
        order = ["This change", "Pending before this change", "Drift, independent of this change"]
        assert sorted(order, key=shown.rindex) == order and shown.count("Updates (") == 3


@pytest.mark.parametrize("expand", [(), ("*",), ("iad/tenant/team-02",)])
def test_work_grows_no_faster_than_the_actions(expand: tuple[str, ...]) -> None:
    few, many = 200, 1_000
    small, large_one = estate(few), estate(many)
    least = lines_run(lambda: text(small, *expand))
    assert lines_run(lambda: text(large_one, *expand)) <= 1.25 * many / few * least


def test_what_to_expand_is_an_address_of_the_plan() -> None:
    plan = estate(MANY)
    elsewhere = tuple(replace(action, address=action.address._replace(site="lab")) for action in plan.actions)
    shown = text(replace(plan, actions=elsewhere), style=Style(colour=False, width=1000))
    first = elsewhere[0].address
    assert f"with patterns ('lab/{first.kind}/*')" in shown and "('iad/" not in shown
