"""Every field is told in a sentence, and the pages of the reference are as the models say."""

from __future__ import annotations

from pathlib import Path

import pytest

from vastplan.app.reference.markdown import pages
from vastplan.app.reference.read import document_sections
from vastplan.app.reference.structure import DocumentSection

DOCS = Path(__file__).parents[2] / "docs" / "reference"


@pytest.fixture(scope="module")
def known() -> dict[str, DocumentSection]:
    return document_sections()


def test_every_field_has_a_sentence(known: dict[str, DocumentSection]) -> None:
    silent = [
        ".".join((section.name, *one.path)) for section in known.values() for one in section.walk() if not one.meaning
    ]
    assert silent == []
    assert [section.name for section in known.values() if not section.meaning] == []


def test_a_sentence_ends_and_is_short(known: dict[str, DocumentSection]) -> None:
    odd = {
        ".".join((section.name, *one.path)): one.meaning
        for section in known.values()
        for one in section.walk()
        if not one.meaning.endswith(".") or len(one.meaning) > 400
    }
    assert odd == {}


def test_no_page_is_stale(known: dict[str, DocumentSection]) -> None:
    assert {one.name: one.read_text("utf-8") for one in DOCS.glob("*.md")} == pages(known)
