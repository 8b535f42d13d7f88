"""Nothing that comes into a list is hidden: in full where there is room, and first where there is not."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tests.report.reading import FORMATS, large, plan
from tests.report.test_hostile import _check_inert
from vastplan.model.address import Address
from vastplan.model.plan import Action, Cause, FieldChange, Plan, Verb
from vastplan.report.markdown import comment
from vastplan.report.markdown_escape import size
from vastplan.report.markdown_page import LIMIT, Page

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
    text = FORMATS[ending](planned(Action(AT, Verb.CREATE, "not there yet", values)))
    for part in ("xxend", *SIXTY, *NEW, "value-0", "value-59"):
        assert part in text, part
    assert "more characters" not in text and "more fields" not in text


@pytest.mark.parametrize("ending", ["txt", "md", "html", "xml"])
def test_another_name_than_that_of_the_address_is_shown(ending: str) -> None:
    name = FieldChange("name", None, "somebody-else", Cause.NEW)
    assert "somebody-else" in FORMATS[ending](planned(Action(AT, Verb.CREATE, "not there yet", (name,))))
    own = replace(name, after=AT.name)
    assert "name: team-a" not in FORMATS["txt"](planned(Action(AT, Verb.CREATE, "not there yet", (own,))))


@pytest.mark.parametrize("ending", READ)
def test_long_values_that_differ_at_their_end_do_not_look_alike(ending: str) -> None:
    before, after = ("a" * 3_000 + end for end in ("old", "new"))
    text = FORMATS[ending](planned(update({"k": before, "same": 1}, {"k": after, "same": 1})))
    assert before in text and after in text


def test_a_comment_without_room_tells_first_who_is_let_in() -> None:
    """Whatever stands before it: deletes that come first, changes of other fields of the same object, thousands of others."""
    many = tuple(FieldChange(f"a-{number}", "x" * 90, "y" * 90, Cause.DOCUMENT) for number in range(2_000))
    hidden = update(SIXTY, [*SIXTY, *NEW])
    hidden = replace(hidden, changes=(*many, *hidden.changes))
    crowd = large(10_000)
    text = comment(replace(crowd, actions=(*crowd.actions, hidden)))
    assert size(text) < LIMIT
    _check_inert(text)
    told = text[: text.index("#### Deletes or replaces")]
    assert f"`{AT}` `nfs_read_write`: adds `128.0.0.0/1`, `203.0.113.66/32`" in told
    assert "`vastplan show PLAN ADDRESS`" in text
    alone = comment(planned(hidden))
    assert re.search(r"`\+ 128\.0\.0\.0/1`", alone) and f"more lines: `vastplan show PLAN {AT}`" in alone


def test_what_is_let_in_and_does_not_fit_is_counted() -> None:
    actions = [update([], [f"10.0.{number}.{host}" for host in range(200)], at=Address("iad", "view_policy", f"p{number}"))
               for number in range(100)]  # fmt: skip
    text = comment(planned(*actions))
    assert size(text) < LIMIT
    found = re.search(
        r"^#### Lets clients in \((\d+)\)$(.*?)^- and (\d+) more: `vastplan show PLAN`$", text, re.M | re.S
    )
    assert found and found[2].count("\n- ") + int(found[3]) == int(found[1]) == 500


def test_what_is_made_and_lets_in_and_what_becomes_empty_is_told_there_too() -> None:
    made = replace(update(None, NEW), verb=Verb.CREATE)
    emptied = update(SIXTY, None, at=Address("iad", "tenant", "t"))
    crowd = large(2_000)
    text = comment(replace(crowd, actions=(*crowd.actions, made, emptied)))
    assert f"- `{AT}` `nfs_read_write`: adds `128.0.0.0/1`, `203.0.113.66/32`\n" in text
    assert "- `iad/tenant/t` `nfs_read_write`: becomes empty\n" in text


def test_a_section_that_does_not_fit_is_shown_in_part() -> None:
    """Whatever was changed by hand is told: many long values do not push the section off the page."""
    many = [replace(update("x" * 150, [f"{number}" * 60 for number in range(9)], at=Address("iad", "view", f"v{n}")),
                    since="2026-01-01") for n in range(300)]  # fmt: skip
    undone = [replace(one, changes=(replace(one.changes[0], cause=Cause.SYSTEM, admits=False),)) for one in many]
    text = comment(planned(*undone))
    assert size(text) < LIMIT and "Undoes what was changed by hand (300)" in text
    assert re.search(r"- and \d+ more lines that did not fit: `vastplan show PLAN`|- and 260 more", text)
    assert "**Cut**" in text
    page = Page(2_000)
    page.add_lines("".join(f"- line {number}\n" for number in range(1_000)))
    shown = page.text().count("- line")
    assert page.text().endswith(f"- and {1_000 - shown} more lines that did not fit: `vastplan show PLAN`\n")
    assert shown > 50 and page.used <= 1_000


def test_a_comment_with_room_says_it_once() -> None:
    assert "Lets clients in" not in comment(planned(update(SIXTY, [*SIXTY, *NEW])))
