"""What an import is asked for: patterns of names, and how far a thing falls."""

from __future__ import annotations

import pytest

from tests.importing.terraform_states import KINDS, live
from vastplan.importing.model import (
    Degraded,
    Detail,
    EntryForm,
    Left,
    LeftReason,
    Selection,
    object_key,
    pattern_of,
)
from vastplan.model.address import fits


def test_a_pattern_is_of_stars_and_question_marks_alone() -> None:
    assert fits("nlp", "n*") and fits("nlp", "n?p") and not fits("nlp", "n?") and not fits("NLP", "nlp")
    assert fits("a[1]", "a[1]") and not fits("a1", "a[1]")


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("home", "home"),
        ("R&D", "R&D"),
        ("a\x1b[2Jb", "a??2Jb"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 200 + "*"),
    ],
)
def test_a_name_fits_the_pattern_that_is_told_for_it(name: str, pattern: str) -> None:
    assert pattern_of(name) == pattern and fits(name, pattern)


def test_patterns_are_of_site_kind_and_name_or_locator() -> None:
    claim = live("persistent_volume_claim", "9", name="data", namespace="team")
    assert Selection(take=("iad/persistent_volume_claim/team/data",)).asked_for(claim)
    assert Selection(take=("iad/persistent_volume_claim/data",)).asked_for(claim)
    assert not Selection(take=("pdx/persistent_volume_claim/data",)).asked_for(claim)
    assert object_key(claim) == ("iad", "persistent_volume_claim", "9")
    assert Selection(without=("iad/*/data",), kinds=("view",)).excludes(claim) == "--except"
    assert Selection(without=("iad/*/other",), kinds=("view",)).excludes(claim) == "--kind"
    assert Selection(without=("iad/*/other",)).excludes(claim) == ""


def test_patterns_that_fit_nothing_are_known_for_each_option() -> None:
    tenant, view = live("tenant", "1", name="nlp"), live("view", "7", path="/a", name="home", tenant=1)
    assert list(Selection(tenants=("home",)).unmatched([tenant, view])) == [("--tenant", "home")]
    assert list(Selection(tenants=("nlp",), take=("*/x",)).unmatched([tenant, view])) == [("--take", "*/x")]
    assert list(Selection(without=("*/x",)).unmatched([tenant, view])) == [("--except", "*/x")]
    assert list(Selection(take=("*/home",), without=("iad/tenant/*",)).unmatched([tenant, view])) == []


def test_how_far_something_may_stand_up() -> None:
    key = "iad", "view", "7"
    assert Degraded().step(key) is EntryForm.COMPOSED
    assert Degraded({key: EntryForm.FLAT}).step(key) is EntryForm.FLAT
    assert [step.value for step in EntryForm] == sorted(step.value for step in EntryForm)


def test_labels_are_kept_where_somebody_asked() -> None:
    theirs = next(field.keys_of_others for field in KINDS["namespace"].fields if field.name == "labels")
    assert theirs is not None
    assert not Detail().keeps(KINDS["namespace"], theirs, "team")
    assert Detail(labels=("*",)).keeps(KINDS["namespace"], theirs, "team")
    assert not Detail(labels=("*",)).keeps(KINDS["secret"], theirs, "team")


def test_a_reason_is_told_by_its_code() -> None:
    assert [reason.value for reason in LeftReason] == [reason.name for reason in LeftReason]
    left = Left("iad", "view", "7", "a", LeftReason.FORM, "too odd")
    assert (left.fix, left.path) == ("", ""), "of an object as a whole, and nothing would change that"
