"""The picture of two sites and the page of a move: what they say, also to those who see no picture, and to a hostile name."""

from __future__ import annotations

import re

import pytest

from tests.report import two_sites
from tests.report.test_hostile import ATTRIBUTES, ELEMENTS, _parsed
from tests.report.two_sites import EVIL, IN_ORDER, LOST, MOVED, READ, SPLIT, move, on_two_sites
from vastplan.model.replication import ASTRAY, WRITTEN_TWICE, Replication, ReplicationState
from vastplan.report.html import plan_page
from vastplan.report.html_move import move_page
from vastplan.report.markdown import plan_comment
from vastplan.report.review import review_line
from vastplan.report.style import Style
from vastplan.report.text import plan_text
from vastplan.report.two_sites import MOST_ROWS, copy_age, pictures


def drawn(*rows: Replication) -> str:
    return "".join(pictures(rows, READ))


def tips(svg: str) -> list[str]:
    return re.findall(r'class="(tip [a-z]+)"', svg)


def test_the_arrow_goes_from_the_side_that_leads_and_says_how_old_the_copy_is() -> None:
    svg = drawn(IN_ORDER)
    assert "copy is 12 min old" in svg and "3 GB to come" in svg and "SOURCE, Active" in svg
    assert tips(svg) == ["tip same"] and 'd="M506 83l-10 -5v10z"' in svg
    other = drawn(MOVED)
    assert tips(other) == ["tip amiss"] and 'd="M228 83l10 -5v10z"' in other and "copy is 60 min old" in other


def test_nobody_leads_where_two_do_or_nobody_is_known_to() -> None:
    assert tips(drawn(SPLIT)) == [] and "split" in drawn(SPLIT) and 'class="amiss"' in drawn(SPLIT)
    detached = two_sites.replication("x", ReplicationState.FAILED_OVER, *MOVED.members, leads="pdx")
    assert tips(drawn(detached)) == [] and ">source<" in drawn(detached)  # what is detached is nobody's copy
    lost = drawn(LOST)
    assert (
        tips(lost) == [] and ">cannot be read<" in lost and "connection refused" in lost
    )  # the reason is in its title


def test_what_is_amiss_comes_first_and_what_is_too_much_is_counted() -> None:
    svg = drawn(*[IN_ORDER] * MOST_ROWS, SPLIT, MOVED)
    assert svg.index("split") < svg.index("in order") and "2 more paths not drawn" in svg


def test_each_pair_of_sites_has_its_own_picture_and_one_side_alone_has_none() -> None:
    other = two_sites.replication(
        "x", IN_ORDER.state, two_sites.member("iad", "SOURCE"), two_sites.member("sea", "DESTINATION")
    )
    alone = two_sites.replication("y", IN_ORDER.state, two_sites.member("iad", "SOURCE"))
    svg = drawn(IN_ORDER, other, alone)
    assert re.findall(r'aria-label="(Paths between [a-z ]+)"', svg) == [
        "Paths between iad and pdx",
        "Paths between iad and sea",
    ]


@pytest.mark.parametrize(
    ("as_of", "said"),
    [
        ("2026-11-26T11:59:30Z", "copy is 30 s old"),
        ("2026-11-26T11:59:30", "copy is 30 s old"),
        ("2026-11-26T12:00:01Z", "as of 2026-11-26T12:00:01Z"),
        ("yesterday", "as of yesterday"),
        ("", "no restore point known"),
    ],
)
def test_how_old_a_copy_is(as_of: str, said: str) -> None:
    assert copy_age(as_of, READ) == said


@pytest.mark.parametrize("state", ReplicationState)
def test_each_headline_counts_what_somebody_has_to_look_at(state: ReplicationState) -> None:
    """Whatever a plan changes: "no changes" alone would be read as "all is well"."""
    row = two_sites.replication("x", state, *MOVED.members, leads="pdx")
    twice = " (more than one site may be writing)" if state in WRITTEN_TWICE else ""
    said = f"On two sites: 2 {state.value}{twice}."
    plan = on_two_sites(row, row)
    lines = plan_text(plan, Style(colour=False, width=300)).splitlines()
    headlines = (lines[0], lines[-1], review_line(plan), plan_comment(plan).partition("####")[0], plan_page(plan))
    expected = [state in ASTRAY] * len(headlines)
    assert [said in headline for headline in headlines] == expected


def test_a_page_with_the_picture_is_whole_and_a_hostile_name_stays_text() -> None:
    made = _parsed(plan_page(on_two_sites(IN_ORDER, EVIL)))
    assert {element for element, _ in made.elements} <= ELEMENTS
    assert {attribute for _, attributes in made.elements for attribute in attributes} <= ATTRIBUTES
    ids = [attributes["id"] for _, attributes in made.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) and "paths-title-0" in ids


def test_the_page_of_a_move_is_its_stages_in_their_order_with_the_point_of_no_return_in_words() -> None:
    text = move_page(move(), "vastplan move run move.json")
    stages = re.findall(r"<li( class=\"after\")?><span class=\"number\">(\d)</span><h3>(\w+)</h3>", text)
    assert [(bool(after), number, name) for after, number, name in stages] == [
        (False, "1", "look"), (True, "2", "switch"), (True, "3", "protect"),
    ]  # fmt: skip
    assert text.count("The point of no return lies here.") == 1
    assert text.index("switch</h3>") < text.index("The point of no return") < text.index("protect</h3>")
    assert text.count("Waits for at most") == 2 and "waits for at most <b>30 min</b> in all" in text
    assert "vastplan move run move.json" in text and "By hand (1)" in text and "1</b> workload to suspend" in text


def test_the_page_of_a_move_loads_nothing_and_a_hostile_name_stays_text() -> None:
    made = _parsed(move_page(move(two_sites.HOSTILE), two_sites.HOSTILE))
    assert {element for element, _ in made.elements} <= ELEMENTS | {"ol"}
    assert {attribute for _, attributes in made.elements for attribute in attributes} <= ATTRIBUTES
    policies = [attributes["content"] for _, attributes in made.elements if "http-equiv" in attributes]
    assert len(policies) == 1 and str(policies[0]).startswith("default-src 'none'; style-src 'sha256-")
