"""A plan of 10,000 actions: a comment that a host takes, a page that is whole, and work and memory in proportion."""

from __future__ import annotations

import gc
import re
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.force import by_force
from tests.report.estate import estate
from tests.report.reading import FORMATS, crowded, large, lines_run, plan, unlike
from tests.report.test_hostile import _parsed, check_inert
from vastplan.model.plan import Plan
from vastplan.report.markdown import plan_comment
from vastplan.report.markdown_escape import text_length
from vastplan.report.markdown_page import LIMIT

FEW, MANY = 1_000, 10_000


def _steps(ending: str, shown: Plan) -> int:
    return lines_run(lambda: FORMATS[ending](shown))


@pytest.mark.parametrize("shape", [large, unlike, crowded, estate])
@pytest.mark.parametrize("ending", FORMATS)
def test_work_grows_no_faster_than_the_actions(ending: str, shape: Callable[[int], Plan]) -> None:
    few, many = 100, 600
    assert _steps(ending, shape(many)) <= 1.25 * many / few * _steps(ending, shape(few))


def _peak(ending: str, shown: Plan) -> int:
    FORMATS[ending](shown)  # what is made once, is made
    gc.collect()
    tracemalloc.start()
    FORMATS[ending](shown)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.slow
@pytest.mark.parametrize("ending", by_force([ending for ending in FORMATS if ending != "json"], "md"))
def test_memory_grows_no_faster_than_the_actions(ending: str) -> None:
    few, many = large(FEW), large(MANY)
    assert _peak(ending, many) <= 1.25 * MANY / FEW * _peak(ending, few)


@pytest.mark.slow
def test_a_comment_is_cut_says_so_and_counts_what_it_leaves_out() -> None:
    huge = unlike(MANY)
    text = plan_comment(huge, ["plan.html", "plan.json"])
    assert LIMIT * 0.8 < text_length(text) < LIMIT
    check_inert(text)
    shown = text.count("<details")
    named = len(re.findall(r"^- (?:[-+~>.]|-/\+) \w+ `", text, re.MULTILINE))
    (more,) = re.findall(r"^- and ([\d,]+) more: (.*)$", text, re.MULTILINE)
    left = int(more[0].replace(",", ""))
    assert shown + named + left == MANY
    assert sum(int(count.replace(",", "")) for count in re.findall(r"([\d,]+) to", more[1])) == left
    assert f"**Cut**: {MANY - shown:,} of {MANY:,} actions did not fit" in text
    assert "attached `plan.html`, `plan.json`" in text
    # The worst of what would be done is what is shown: nothing that only creates, and nothing that is blocked, before all that is lost.
    assert "#### Deletes or replaces (1,666)" in text and "create <code>" not in text and "delete <code>" not in text


def test_a_comment_of_wide_letters_is_counted_as_hosts_count() -> None:
    wide = unlike(400)
    text = plan_comment(replace(wide, document="\U0001f600" * 90))
    assert len(text.encode("utf-16-le")) // 2 == text_length(text) < LIMIT


@pytest.mark.slow
def test_a_page_has_a_row_for_every_action() -> None:
    page = _parsed(FORMATS["html"](unlike(MANY)))
    rows = [
        attributes
        for element, attributes in page.elements
        if element == "tr" and (attributes.get("class") or "").startswith("v-")
    ]
    assert len(rows) == MANY
    # Long groups are folded, and a picture draws only what a person can see; both say how much there is.
    said = " ".join(page.said)
    assert "36 tenants not drawn, 16 of them with changes" in said
    assert sum(1 for element, _ in page.elements if element == "rect") < 1_000


@pytest.mark.slow
def test_an_action_that_is_too_long_for_a_comment_is_still_named() -> None:
    typical = plan("typical")
    long = replace(typical.actions[0], changes=typical.actions[0].changes * 5_000)
    text = plan_comment(replace(typical, actions=(long,)))
    assert text_length(text) < LIMIT and "more lines: `vastplan show PLAN iad/" in text
