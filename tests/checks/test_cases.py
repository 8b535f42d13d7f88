"""Every check, on documents it has nothing to say about and on others, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

import vastplan.kinds
from tests.checks.cases import HERE, Case, cases, checked, written
from vastplan.app.checks import catalogue
from vastplan.schema.discover import discover

CASES = tuple(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one.code} {one.title}")
def test_a_check_says_what_it_should(case: Case, tmp_path: Path) -> None:
    check = catalogue()[case.code]
    found = [
        one for one in checked(written(case.document, tmp_path), case.live, probed=case.probed) if one.code == case.code
    ]
    said: dict[str, list[str]] = {}
    for one in found:
        assert one.severity.value == (case.weighs or check.severity.value)
        # What to do about checkpoints depends on figures: tests/checks/checkpoint/findings.yaml.
        assert one.fix == (case.fix or check.fix) or one.code.startswith("CKP")
        assert one.severity in (check.severity, check.milder)
        assert one.where is not None and one.where.file.endswith("case.yaml") and one.where.line > 1
        said.setdefault(one.address, []).append(one.message)
    assert {address: sorted(told) for address, told in said.items()} == {
        address: sorted(told) for address, told in case.finds.items()
    }


def test_every_check_has_cases() -> None:
    assert sorted(catalogue()) == sorted(file.stem for file in HERE.glob("*.yaml"))


def test_every_check_says_why_and_what_to_do() -> None:
    for check in catalogue().values():
        for text in (check.title, check.why, check.fix, check.source):
            assert text.strip() == text and len(text) > 10, check.code
        assert check.why.endswith(".") and not check.title.endswith("."), check.code


def test_what_checks_read_is_there_to_be_read() -> None:
    kinds = discover(vastplan.kinds).kinds
    for check in catalogue().values():
        there = {fact.name for kind in check.reads for fact in kinds[kind].facts}
        assert set(check.figures) <= there and bool(there) == bool(check.figures), check.code
