"""Every link and anchor of every page leads somewhere, on a code host as in the site; and no page is outside of its navigation."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from tests.docs import places

NAVIGATION = places.ROOT / "tests" / "docs" / "mkdocs.yml"
PAGES = places.pages()


@lru_cache
def anchors(page: str) -> frozenset[str]:
    """The anchors of a page's headings, as a code host makes them."""
    found: dict[str, int] = {}
    tokens = MarkdownIt("commonmark").parse((places.ROOT / page).read_text(encoding="utf-8"))
    names = []
    for head, inline in pairwise(tokens):
        if head.type == "heading_open":
            text = "".join(one.content for one in inline.children or () if one.type in ("text", "code_inline"))
            name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            count = found[name] = found.get(name, -1) + 1
            names.append(f"{name}-{count}" if count else name)
    return frozenset(names)


def wrong(page: str, text: str) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for target in places.targets(text):
        if places.elsewhere(target):
            continue
        path, anchor = places.of_repository(page, target)
        if not (places.ROOT / path).exists():
            found.append(f"{target}: there is no {path}")
        elif anchor and anchor not in anchors(path):
            found.append(f"{target}: {path} has no heading of that name")
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    assert wrong(page, (places.ROOT / page).read_text(encoding="utf-8")) == []


def astray(page: str, text: str) -> list[str]:
    """The links of a page in the site that lead to no file there."""
    folder = posixpath.dirname(places.in_site(page) or page)
    pictures = {str(file.relative_to(places.ROOT / "docs")) for file in places.ROOT.glob("docs/**/*") if file.is_file()}
    there = pictures | set(map(places.in_site, PAGES)) | {f"{path}.md" for path in places.shown()}
    paths = [target.partition("#")[0] for target in places.targets(text) if not places.elsewhere(target)]
    return [path for path in paths if path and posixpath.normpath(posixpath.join(folder, path)) not in there]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere_in_the_site(page: str) -> None:
    assert astray(page, places.for_site(page, (places.ROOT / page).read_text(encoding="utf-8"))) == []


def test_a_link_that_is_broken_over_two_lines_is_noticed() -> None:
    assert astray("docs/reports.md", places.for_site("docs/reports.md", "[the\ntable](../tests/x)")) == ["../tests/x"]


def navigated(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for one in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from navigated(one)


def test_every_page_is_in_the_navigation_once() -> None:
    listed = sorted(navigated(yaml.safe_load(NAVIGATION.read_text(encoding="utf-8"))["nav"]))
    assert listed == sorted(filter(None, map(places.in_site, PAGES)))


def test_a_link_that_leads_nowhere_is_noticed() -> None:
    assert wrong("docs/drift.md", "[a](nowhere.md) [b](guards.md#nothing) `[c](in-code.md)`") == [
        "nowhere.md: there is no docs/nowhere.md", "guards.md#nothing: docs/guards.md has no heading of that name",
    ]  # fmt: skip
    assert wrong("docs/drift.md", "```\n[a](nowhere.md)\n```\n[b](guards.md#names) [c](../README.md)") == []


@pytest.mark.parametrize(
    ("page", "text", "there"),
    [
        ("README.md", "[a](docs/guards.md#names)", "[a](guards.md#names)"),
        ("docs/guides/first-team.md", "[a](../../README.md)", "[a](../README.md)"),
        ("docs/rights.md", "[a](../examples/minimal.yaml)", "[a](examples/minimal.yaml.md)"),
        ("docs/reports.md", "[`x`](../tests/engine/openings.yaml)", "`x`"),
        ("examples/two-sites/README.md", "[a](../../docs/two-sites.md)", "[a](../../two-sites.md)"),
        ("docs/drift.md", "[a](https://example.com) `[b](../tests/x)`", "[a](https://example.com) `[b](../tests/x)`"),
    ],
)
def test_a_link_in_the_site(page: str, text: str, there: str) -> None:
    assert places.for_site(page, text) == f"{there}\n"
