"""Every check, on documents it has nothing to say about and on others, word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vastplan.kinds
from tests.checks.cases import HERE, Case, cases, found
from vastplan.app.checks import catalogue
from vastplan.model.finding import Severity
from vastplan.schema.discover import discover

OF_WHAT_IS_TOLD = ("REP-03", "REP-17", "IDN-14", "TEN-12", "RAI-11", "QTA-06")
"""They look at what is there of a kind, and at no figure of it."""
CASES = tuple(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.title}")
def test_a_check_says_what_it_should(case: Case, tmp_path: Path) -> None:
    check = catalogue()[case.code]
    findings = found(case, tmp_path)
    messages: dict[str, list[str]] = {}
    for finding in (finding for finding in findings if finding.code == case.code):
        assert finding.severity.value == (case.weighs or check.severity.value)
        # What to do about checkpoints depends on figures: tests/checks/checkpoint/findings.yaml.
        assert finding.fix == (case.fix or check.fix) or finding.code.startswith("CKP")
        assert finding.severity in (check.severity, check.milder)
        assert finding.where is not None and finding.where.file.endswith("case.yaml") and finding.where.line > 1
        messages.setdefault(finding.address, []).append(finding.message)
    assert {address: sorted(texts) for address, texts in messages.items()} == {
        address: sorted(expected) for address, expected in case.finds.items()
    }


_LINE = re.compile(r"\bwrite \w+: ")
_IN_A_TASK = {"SKY-02"}  # it says what to write in a file of somebody else


@pytest.mark.parametrize("case", [case for case in CASES if case.then], ids=lambda case: f"{case.code} {case.title}")
def test_what_a_check_says_to_write_is_accepted(case: Case, tmp_path: Path) -> None:
    before = {(finding.code, finding.address) for finding in found(case, tmp_path)}
    after = {(finding.code, finding.address): finding for finding in found(case, tmp_path, case.then)}
    assert not {(case.code, address) for address in case.finds} & after.keys()
    refused = [
        finding for place, finding in after.items() if place not in before and finding.severity is Severity.ERROR
    ]
    assert refused == []


def test_each_line_to_write_is_written_in_a_case() -> None:
    say_a_line = {check.code for check in catalogue().values() if _LINE.search(check.fix)}
    assert say_a_line - _IN_A_TASK == {case.code for case in CASES if case.then}


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
        there = {fact.name for kind in check.reads for fact in kinds[kind].metrics}
        assert set(check.figures) <= there and (bool(there) == bool(check.figures) or check.code in OF_WHAT_IS_TOLD), (
            check.code
        )
