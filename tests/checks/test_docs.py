"""The page of checks is that of the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

from tests.checks.docs import ELSEWHERE, page
from vastplan.app.checks import catalogue

PAGE = Path(__file__).resolve().parents[2] / "docs" / "checks.md"


def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text() == page(), "run make checks-doc"


def test_no_rule_is_both_held_and_not() -> None:
    elsewhere = set(re.findall(r"^\| ([A-Z]{3}-\d\d)", ELSEWHERE, flags=re.M))
    assert elsewhere & set(catalogue()) == {"CSI-05"}  # the versions of the drivers are the compositions'
