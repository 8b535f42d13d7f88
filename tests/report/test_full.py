"""Nothing that comes into a list is hidden: in full where there is room, and first where there is not."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tests.report.reading import FORMATS, plan, unlike
from tests.report.test_hostile import check_inert
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.isolation import Isolation, Meeting
from vastplan.model.plan import Access, Action, Base, Block, Cause, Door, FieldChange, Opening, Plan, Verb
from vastplan.report.markdown import plan_comment
from vastplan.report.markdown_escape import text_length
from vastplan.report.markdown_page import LIMIT, Page
from vastplan.report.view import of_change, shown_lines

SIXTY = [f"10.{number}.0.0/16" for number in range(60)]
NEW = ["128.0.0.0/1", "203.0.113.66/32"]
AT = Address("iad", "view_policy", "team-a")
READ = ["txt", "md", "html", "sarif", "xml"]


def update(before: object, after: object, *, unordered: bool = True, at: Address = AT) -> Action:
    change = FieldChange("nfs_read_write", before, after, Cause.DOCUMENT, unordered=unordered, admits=True)
    return Action(at, Verb.UPDATE, "the document changed", (change,))


def planned(*actions: Action) -> Plan:
    return replace(plan("empty"), actions=actions)


@pytest.mark.parametrize("unordered", [True, False])
@pytest.mark.parametrize("ending", READ)
def test_two_of_sixty_two_are_seen(ending: str, unordered: bool) -> None:
    after = [*SIXTY[:30], NEW[0], *SIXTY[30:58], NEW[1]]
    text = FORMATS[ending](planned(update(SIXTY, after, unordered=unordered))).replace("\\", "")
    for item in (*NEW, *SIXTY[58:]):
        assert item in text, item
    assert "58 unchanged" in text and SIXTY[3] not in text
    if ending != "html":
        place = "" if unordered else "[59]: "
        assert f"+ {place}203.0.113.66/32" in text and f"- {place}10.59.0.0/16" in text
    assert json.loads(FORMATS["json"](planned(update(SIXTY, after))))["actions"][0]["changes"][0]["after"] == after


@pytest.mark.parametrize("ending", ["txt", "md", "html", "xml"])
def test_what_is_made_is_shown_whole(ending: str) -> None:
    values = (
        FieldChange("description", None, "x" * 300 + "end", Cause.NEW),
        FieldChange("nfs_read_write", None, [*SIXTY, *NEW], Cause.NEW, unordered=True, admits=True),
        *(FieldChange(f"label-{number}", None, f"value-{number}", Cause.NEW) for number in range(60)),
    )
    text = FORMATS[ending](planned(Action(AT, Verb.CREATE, "does not exist yet", values)))
    for part in ("xxend", *SIXTY, *NEW, "value-0", "value-59"):
        assert part in text, part
    assert "more characters" not in text and "more fields" not in text


@pytest.mark.parametrize("ending", ["txt", "md", "html", "xml"])
def test_another_name_than_that_of_the_address_is_shown(ending: str) -> None:
    name = FieldChange("name", None, "somebody-else", Cause.NEW)
    assert "somebody-else" in FORMATS[ending](planned(Action(AT, Verb.CREATE, "does not exist yet", (name,))))
    own = replace(name, after=AT.name)
    assert "name: team-a" not in FORMATS["txt"](planned(Action(AT, Verb.CREATE, "does not exist yet", (own,))))


@pytest.mark.parametrize("ending", READ)
def test_long_values_that_differ_at_their_end_do_not_look_alike(ending: str) -> None:
    before, after = ("a" * 3_000 + end for end in ("old", "new"))
    text = FORMATS[ending](planned(update({"k": before, "same": 1}, {"k": after, "same": 1})))
    assert before in text and after in text


@pytest.mark.slow
def test_a_comment_without_room_tells_first_who_is_let_in() -> None:
    """Whatever stands before it: deletes that come first, changes of other fields of the same object, thousands of others."""
    many = tuple(FieldChange(f"a-{number}", "x" * 90, "y" * 90, Cause.DOCUMENT) for number in range(2_000))
    hidden = update(SIXTY, [*SIXTY, *NEW])
    hidden = replace(hidden, changes=(*many, *hidden.changes))
    crowd = unlike(10_000)
    text = plan_comment(replace(crowd, actions=(*crowd.actions, hidden)))
    assert text_length(text) < LIMIT
    check_inert(text)
    told = text[: text.index("#### Deletes or replaces")]
    assert f"`{AT}`: `nfs_read_write` lets in: `128.0.0.0/1`, `203.0.113.66/32`" in told
    assert "`vastplan show PLAN ADDRESS`" in text
    alone = plan_comment(planned(hidden))
    assert re.search(r"`\+ 128\.0\.0\.0/1`", alone) and f"more lines: `vastplan show PLAN {AT}`" in alone


@pytest.mark.slow
def test_what_is_let_in_and_does_not_fit_is_counted() -> None:
    actions = [update([], [f"10.0.{number}.{host}" for host in range(200)], at=Address("iad", "view_policy", f"p{number}"))
               for number in range(100)]  # fmt: skip
    text = plan_comment(planned(*actions))
    assert text_length(text) < LIMIT
    found = re.search(r"^#### Who is let in \((\d+)\)$(.*?)^- and (\d+) more: `vastplan show PLAN`$", text, re.M | re.S)
    assert found and found[2].count("\n- ") + int(found[3]) == int(found[1]) == 500


def test_what_is_made_and_lets_in_and_what_becomes_empty_is_told_there_too() -> None:
    made = replace(update(None, NEW), verb=Verb.CREATE)
    emptied = update(SIXTY, None, at=Address("iad", "tenant", "t"))
    crowd = unlike(2_000)
    text = plan_comment(replace(crowd, actions=(*crowd.actions, made, emptied)))
    assert f"- `{AT}`: lets in `nfs_read_write` `128.0.0.0/1`, `203.0.113.66/32`\n" in text
    first = "`10.0.0.0/16`, `10.1.0.0/16`, `10.2.0.0/16` and 57 more"
    assert f"- `iad/tenant/t`: `nfs_read_write` becomes: empty (before: {first})\n" in text


def test_a_section_that_does_not_fit_is_shown_in_part() -> None:
    """Whatever was changed by hand is told: many long values do not push the section off the page."""
    many = [replace(update("x" * 150, [f"{number}" * 60 for number in range(9)], at=Address("iad", "view", f"v{n}")),
                    since="2026-01-01") for n in range(300)]  # fmt: skip
    undone = [
        replace(
            one,
            reason=f"since {one.address.name}: moved",
            changes=(replace(one.changes[0], cause=Cause.SYSTEM, admits=False),),
        )
        for one in many
    ]
    text = plan_comment(planned(*undone))
    assert text_length(text) < LIMIT and "Undoes changes made outside vastplan (300)" in text
    assert re.search(r"- and \d+ more lines that did not fit: `vastplan show PLAN`|- and 288 more", text)
    assert "**Cut**" in text
    page = Page(2_000)
    page.add_lines("".join(f"- line {number}\n" for number in range(1_000)))
    shown = page.text().count("- line")
    assert page.text().endswith(f"- and {1_000 - shown} more lines that did not fit: `vastplan show PLAN`\n")
    assert shown > 50 and page.used <= 1_000


def test_a_comment_with_room_says_it_first_too() -> None:
    text = plan_comment(planned(update(SIXTY, [*SIXTY, *NEW])))
    assert text.count("#### Who is let in (1)") == text.count("Lets somebody in") == 1 and text.count(NEW[0]) == 2
    assert "**1 change can be applied, 1 lets somebody in.**" in text


def blocked(number: int) -> Action:
    at = Address("iad", "view", f"v{number}")
    change = FieldChange("path", None, f"/{number}/{'x' * 150}", Cause.NEW)
    return Action(
        at,
        Verb.CREATE,
        "does not exist yet",
        (change,),
        blocked=(Block("missing", f"{number} is not there", "add it"),),
    )


def lost(number: int) -> Action:
    return Action(
        Address("iad", "view", f"gone-{number}"), Verb.DELETE, f"no longer in the document, {number}", holds_data=True
    )


OPENS = FieldChange("open", False, True, Cause.DOCUMENT, admits=True)


def test_no_number_of_blocked_actions_hides_what_lets_in_or_what_is_lost() -> None:
    opens = Action(Address("iad", "admission_policy", "p"), Verb.UPDATE, "the document changed", (OPENS,))
    actions = [*(blocked(number) for number in range(200)), *(lost(number) for number in range(3)), opens]
    text = plan_comment(planned(*actions))
    assert text_length(text) < LIMIT and "**Cut**" in text
    order = [
        "- `iad/admission_policy/p`: `open` becomes: `true` (before: `false`)\n",
        "#### Lets somebody in (1)\n\n<details",
        "<code>iad/admission_policy/p</code>",
        "#### Deletes or replaces objects with data, or lets a system delete them (3)",
        "<code>iad/view/gone-2</code>",
        "#### Blocked (200)",
        "<code>iad/view/v0</code>",
        "#### Not shown in full",
    ]
    assert sorted(order, key=text.index) == order


@pytest.mark.slow
def test_what_is_blocked_and_lets_in_comes_after_what_is_not() -> None:
    stopped = [replace(update([], [f"10.{n}.{m}.0/24" for m in range(90)], at=Address("iad", "view_policy", f"b{n}")),
                       blocked=(Block("narrows", "no", ""),)) for n in range(200)]  # fmt: skip
    text = plan_comment(planned(*stopped, update([], NEW)))
    told = text[text.index("#### Who is let in (601)\n\n") :]
    assert (
        told.splitlines()[2] == f"- `{AT}`: `nfs_read_write` lets in: `128.0.0.0/1`, `203.0.113.66/32` (before: none)"
    )
    assert told.splitlines()[3].endswith(" — blocked")
    assert text.index("#### Lets somebody in (1)\n\n<details") < text.index("#### Blocked (200)")


@pytest.mark.slow
def test_no_object_with_many_clients_hides_another() -> None:
    crowd = update([], [f"10.{number // 250}.{number % 250}.0/24" for number in range(9_000)])
    many = [update([], [f"10.0.{number}.9"], at=Address("iad", "view_policy", f"p{number}")) for number in range(100)]
    text = plan_comment(planned(crowd, *many))
    for number in range(100):
        assert f"`iad/view_policy/p{number}`: `nfs_read_write` lets in: `10.0.{number}.9` (before: none)\n" in text


def test_no_opening_with_much_to_say_hides_what_is_lost() -> None:
    many = tuple(FieldChange(f"f{number}", "a" * 150, "b" * 150, Cause.DOCUMENT) for number in range(40))
    wide = [Action(Address("iad", "view_policy", f"p{n}"), Verb.UPDATE, "", (OPENS, *many)) for n in range(60)]
    text = plan_comment(planned(*wide, *(lost(number) for number in range(30))))
    assert all(f"<code>iad/view/gone-{number}</code>" in text for number in range(30))


def test_what_does_not_fit_is_named_in_that_order_too() -> None:
    wide = [
        Action(Address("iad", "view_policy", f"p{n}"), Verb.UPDATE, f"{n}" * 200, (replace(OPENS, path="o" * 190),))
        for n in range(100)
    ]
    actions = [*(blocked(n) for n in range(300)), *(lost(n) for n in range(200)), *wide]
    text = plan_comment(planned(*actions))
    names = text[text.index("#### Not shown in full") :]
    order = ["view_policy/p99`", "view/gone-199`", "— blocked", "more: "]
    assert sorted(order, key=names.index) == order


@pytest.mark.parametrize("ending", READ)
def test_a_way_in_that_is_no_field_is_in_every_report(ending: str) -> None:
    hostile = "</code>`*` @all"
    made = Opening(Door.UNSAID, (hostile,), ("*",))
    gone = Action(Address("iad", "admission_policy", "p"), Verb.DELETE, "not in it", opens=(Opening(Door.GONE),))
    text = FORMATS[ending](planned(Action(AT, Verb.CREATE, "does not exist yet", opens=(made,)), gone))
    assert "because the document does not set" in text and "those that it keeps out, because it is deleted" in text
    if ending == "md":
        check_inert(text)


def test_each_way_in_has_its_words() -> None:
    """Of values that are none, of scalars, and of lists where what goes is what opens."""
    changes = (
        FieldChange("clients", None, [], Cause.NEW, unordered=True, admits=True),
        FieldChange("tenant", {"$ref": "iad/tenant/a"}, None, Cause.DOCUMENT, admits=True),
        FieldChange(
            "actions",
            ["Deny", "Warn"],
            ["Audit", "Warn"],
            Cause.DOCUMENT,
            unordered=True,
            admits=True,
            access=Access.LOSS,
        ),
        FieldChange("drivers", ["a", "b"], ["a"], Cause.DOCUMENT, unordered=True, admits=True, access=Access.LOSS),
        FieldChange("ranges", ["a"], ["a", "b"], Cause.DOCUMENT, unordered=True, admits=True, access=Access.ADDRESSES),
        FieldChange("data.p", None, None, Cause.DOCUMENT, sensitive=True, source_after="{env: A}", admits=True),
        FieldChange("tls", True, False, Cause.DOCUMENT, admits=True),
        FieldChange("quiet", 1, 2, Cause.DOCUMENT),
    )
    one = Action(AT, Verb.UPDATE, "the document changed", changes, opens=(Opening(Door.MADE),))
    text = plan_comment(planned(one, *(blocked(number) for number in range(200))))
    told = text[text.index("#### Who is let in (7)\n\n") :].splitlines()[2:9]
    assert [line.removeprefix(f"- `{AT}`: ") for line in told] == [
        "`clients` becomes: empty",
        "`tenant` becomes: `(none)` (before: `a`)",
        "`actions` becomes: `Audit`, `Warn` (no longer: `Deny`)",
        "`drivers` becomes: `a` (no longer: `b`)",
        "`ranges` is reached at: `b` (before: `a`)",
        "`data.p` becomes: `(sensitive, from {env: A})` (before: `(sensitive)`)",
        "`tls` becomes: `false` (before: `true`)",
    ]


@pytest.mark.slow
def test_sarif_has_room_for_what_lets_in() -> None:
    opens = Action(Address("iad", "admission_policy", "p"), Verb.UPDATE, "the document changed", (OPENS,))
    results = json.loads(FORMATS["sarif"](planned(*(blocked(number) for number in range(5_001)), opens)))["runs"][0][
        "results"
    ]
    assert len(results) == 5_000 and results[0]["ruleId"] == "opens"
    assert results[0]["message"]["text"] == "iad/admission_policy/p: update: the document changed; open: false → true"


def test_a_change_lets_in_by_what_comes_before_what_goes_before_all_else() -> None:
    items = [FieldChange("a", 1, 2, Cause.DOCUMENT), update(["x"], ["y"]).changes[0], OPENS]
    lines = shown_lines(Verb.UPDATE, map(of_change, items), (Opening(Door.GONE),))
    assert lines == [
        "lets in: those that it keeps out, because it is deleted", "nfs_read_write: + y", "open: false → true", "nfs_read_write: - x", "a: 1 → 2",
    ]  # fmt: skip


def test_no_part_of_a_comment_is_left_out_unsaid() -> None:
    """Projects that meet, and checks that the base has too: what has no room is counted."""
    meeting = Meeting("network", "e" * 200, "iad/vip_pool/e", ("a", "b"))
    apart = tuple(Isolation(f"s{n}", {"a": "a", "b": "b"}, {}, (), (meeting,) * 4, ()) for n in range(5))
    many = [replace(update("x" * 150, [f"{number}" * 60 for number in range(9)], at=Address("iad", "view", f"v{n}")),
                    since="2026-01-01") for n in range(300)]  # fmt: skip
    findings = tuple(Finding("VP999", Severity.WARNING, "m" * 400, address=f"iad/view/f{n}") for n in range(80))
    base = Base("base.yaml", "0" * 64, tuple(f"iad/view/gone-{n}" for n in range(30)), 40)
    text = plan_comment(replace(planned(*many), isolation=apart * 4, findings=findings, base=base))
    assert text_length(text) < LIMIT
    for title in ("Isolation", "Pending before, no longer pending", "findings that the base has too"):
        assert title in text.replace("`", "") or re.search(r"- and \d+ more lines that did not fit", text), title
    assert "Isolation" in text


@pytest.mark.parametrize(("count", "line"), [(1, "- `iad/vip_pool/p0`: {}\n"), (2, "- `iad/vip_pool/p0`, `iad/vip_pool/p1`: each {}\n"),
                                              (90, "`iad/vip_pool/p39` (40 vip pools): each {}\n")])  # fmt: skip
def test_what_is_said_of_many_that_let_in_is_said_once(count: int, line: str) -> None:
    opens = (Opening(Door.MADE),)
    made = [Action(Address("iad", "vip_pool", f"p{n}"), Verb.CREATE, "x", opens=opens) for n in range(count)]
    text = plan_comment(planned(*made, *(blocked(number) for number in range(200))))
    told = text[text.index(f"#### Who is let in ({3 if count == 90 else 1})\n\n") :].split("\n\n")[1] + "\n"
    assert line.format("lets in those it is for, because it is created") in told
    assert {f"iad/vip_pool/p{n}" for n in range(count)} == set(re.findall(r"iad/vip_pool/p\d+", told))
    assert told.count("\n") == (3 if count == 90 else 1)
