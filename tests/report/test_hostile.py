"""Names that want to be more than names: in every format they are text, and nothing but text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.report.reading import DRIFT_FORMATS, DRIFTS, FORMATS, PLANS, drift, large, plan
from vastplan.model.escaping import inert
from vastplan.report.html_escape import _VOID, HOLE, HtmlTemplate, code_html, joined, tag
from vastplan.report.html_escape import html_text as html_text
from vastplan.report.markdown import plan_comment
from vastplan.report.markdown_escape import code_span as md_code
from vastplan.report.markdown_escape import prose, summary_code, text_length
from vastplan.report.markdown_page import LIMIT, marker

NASTY = st.text(
    alphabet=st.sampled_from("`|\\*_~[]()<>!@#&;:/.-+=$\"' \n\r\t\x1b\u202e\u2066\u200d\u0627中a1w\ud800\U0001f600"),
    max_size=60,
)
# All the mark-up that a comment is made of; the text of a summary is looked at apart.
OURS = re.compile(
    r"<!-- vastplan:(?:plan|drift|import):[\w.~%]* -->|<details(?: open)?>|</details>"
    r"|<summary>(?:(?:[-+~>.]|-/\+) \w+ )?<code>[^<]*</code>(?: — <code>[^<]*</code>)?(?: — blocked)?(?: \(<code>[^<]*</code>(?: of the base)?\))?</summary>"
)


def _tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _tokens(token.children or [])


def _read(markdown: str) -> list[Token]:
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return [*_tokens(reader.parse(markdown))]


def check_inert(markdown: str) -> None:
    """Nothing in a comment is mark-up but ours."""
    for token in _read(markdown):
        assert token.type not in (
            "link_open",
            "image",
            "fence",
            "code_block",
            "table_open",
            "blockquote_open",
            "s_open",
            "hr",
        )
        if token.type in ("html_block", "html_inline"):
            assert OURS.sub("", token.content).strip() == "", token.content
        if token.type == "text":  # what a code host looks for in text once Markdown has been read
            assert not re.search(r"[@#`<>\\$]|://|www\.|\w\.\w|GH-\d|:\w+:|\b[0-9a-f]{7,}\b", token.content), (
                token.content
            )


@pytest.mark.parametrize("name", PLANS)
def test_a_comment_is_our_markup_and_their_text(name: str) -> None:
    text = plan_comment(plan(name), ["@all.html"])
    assert text_length(text) < LIMIT
    check_inert(text)
    assert text.startswith(marker(plan(name).document) + "\n")
    assert text.count("<!--") == 1  # whoever looks for the marker of another document does not find it in a name
    folds = [token.content for token in _read(text) if token.type == "html_block"]
    assert sum(fold.count("<details") for fold in folds) == len(plan(name).actions)
    assert sum(fold.count("</details>") for fold in folds) == len(plan(name).actions)


@pytest.mark.slow
@given(NASTY)
def test_nothing_gets_out_of_a_code_span_a_sentence_or_a_summary(name: str) -> None:
    spans = [token for token in _read(f"Name: {md_code(name)} end") if token.type == "code_inline"]
    if name:
        (span,) = spans
        assert span.content.replace("\\x60", "`").replace("\\x20", " ").replace("\\x21", "!") == inert(name, 200)
    check_inert(f"- Why: {prose(name)}\n- end\n")
    check_inert(f"<details><summary>+ create {summary_code(name)}</summary>\n\n- x\n\n</details>\n")


@given(NASTY)
def test_a_marker_is_one_comment_of_html(document: str) -> None:
    assert OURS.fullmatch(marker(document)), marker(document)


class _Page(HTMLParser):
    """A page's elements, held to be closed in order, and its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def _parsed(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return page


ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "p", "ul", "li", "b", "main",
    "form", "fieldset", "legend", "label", "input", "figure", "figcaption", "svg", "desc", "g", "rect", "text", "path",
    "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "span", "code", "footer",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "href", "class", "id", "aria-label", "data-label", "aria-labelledby", "role",
    "autocomplete", "type", "checked", "tabindex", "xmlns", "viewbox", "width", "height", "x", "y", "rx", "d", "open",
    "scope", "dir",
}  # fmt: skip


@pytest.mark.parametrize("name", PLANS)
def test_a_page_loads_nothing_runs_nothing_and_is_whole(name: str) -> None:
    page = _parsed(FORMATS["html"](plan(name)))
    assert {element for element, _ in page.elements} <= ELEMENTS
    assert {attribute for _, attributes in page.elements for attribute in attributes} <= ATTRIBUTES
    assert {attributes["href"] for _, attributes in page.elements if "href" in attributes} <= {"#changes"}
    policies = [attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes]
    assert len(policies) == 1 and str(policies[0]).startswith("default-src 'none'; style-src 'sha256-")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    hidden = [char for part in page.said for char in part if unicodedata.category(char) in ("Cf", "Cs", "Co")]
    assert hidden == []
    style = page.said[[element for element, _ in page.elements].index("style") - 5 :]
    assert not any("url(" in part or "@import" in part for part in style if "color-scheme" in part)


@given(NASTY)
def test_html_text_and_attributes_read_back_as_what_they_show(name: str) -> None:
    page = _parsed(joined(tag("p", name, title=name), code_html(name), html_text(name)))
    assert "".join(page.said) == inert(name, 2000) * 3
    assert page.elements[0] == ("p", {"title": inert(name, 2000)})


@pytest.mark.slow
@given(st.lists(NASTY, min_size=2, max_size=2))
def test_a_form_is_filled_with_what_a_tag_would_hold(values: list[str]) -> None:
    name, title = values
    form = HtmlTemplate(tag("p", code_html(HOLE), " 100 %s ", tag("b", HOLE), title=HOLE))
    assert form.fill(title, name, title) == tag("p", code_html(name), " 100 %s ", tag("b", title), title=title)
    assert form.fill(name, tag("i", name), "") == tag("p", code_html(tag("i", name)), " 100 %s ", tag("b"), title=name)
    with pytest.raises(TypeError):
        form.fill(name)


@pytest.mark.parametrize("name", PLANS)
def test_a_terminal_and_a_log_see_lines_and_our_colours_only(name: str) -> None:
    for ending in ("txt", "prom"):
        text = re.sub(r"\x1b\[\d{1,2}m", "", FORMATS[ending](plan(name)))
        bad = [char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
        assert bad == []


@pytest.mark.parametrize("name", PLANS)
def test_xml_is_well_formed_and_counts_its_cases(name: str) -> None:
    top = ElementTree.fromstring(FORMATS["xml"](plan(name)))
    assert top.tag == "testsuites"
    (suite,) = top
    for element in (top, suite):
        cases = suite.findall("testcase")
        assert int(element.attrib["tests"]) == len(cases) > 0
        for total, child in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.attrib[total]) == sum(1 for case in cases if case.find(child) is not None)
    for case in suite:
        assert set(case.attrib) == {"classname", "name", "time"}
        assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out"} and len(case) <= 1


@pytest.mark.slow
def test_labels_are_ours_and_no_object_is_named() -> None:
    for name in PLANS:
        for line in FORMATS["prom"](plan(name)).splitlines():
            if not line.startswith("#"):
                sample = re.fullmatch(r'(vastplan_\w+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} \d+', line)
                assert sample, line
                labels = set(re.findall(r'(?:^|,)([a-z]+)="', sample[2]))
                assert labels <= {
                    "state",
                    "document",
                    "site",
                    "system",
                    "kind",
                    "verb",
                    "cause",
                    "guard",
                    "severity",
                    "what",
                    "by",
                }
    many = FORMATS["prom"](large(2_000))
    assert "directory-" not in many and len(many.splitlines()) < 60


def test_secrets_are_in_no_report_that_people_read() -> None:
    for ending, render in FORMATS.items():
        if ending != "json":
            assert "hunter2" not in render(plan("sensitive")), ending


def test_sarif_messages_hold_no_links() -> None:
    for result in json.loads(FORMATS["sarif"](plan("hostile")))["runs"][0]["results"]:
        assert not re.search(r"(?<!\\)(?:\\\\)*\[", result["message"]["text"])


@pytest.mark.parametrize("name", DRIFTS)
def test_drift_is_our_markup_and_their_text_in_every_format(name: str) -> None:
    checked = drift(name)
    text = DRIFT_FORMATS["md"](checked)
    assert text_length(text) < LIMIT and text.count("<!--") == 1
    assert text.startswith("<!-- vastplan:drift:")
    check_inert(text)
    page = _parsed(DRIFT_FORMATS["html"](checked))
    assert {element for element, _ in page.elements} <= ELEMENTS
    assert {attribute for _, attributes in page.elements for attribute in attributes} <= ATTRIBUTES
    assert not any("href" in attributes for _, attributes in page.elements)
    for ending in ("txt", "prom"):
        bare = re.sub(r"\x1b\[\d{1,2}m", "", DRIFT_FORMATS[ending](checked))
        assert [
            char for char in bare if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        ] == []
    ElementTree.fromstring(DRIFT_FORMATS["xml"](checked))
    for result in json.loads(DRIFT_FORMATS["sarif"](checked))["runs"][0]["results"]:
        assert not re.search(r"(?<!\\)(?:\\\\)*\[", result["message"]["text"])


def test_the_labels_of_drift_are_bounded_and_no_object_is_named() -> None:
    for name in ("typical", "since", "empty"):
        text = DRIFT_FORMATS["prom"](drift(name))
        labels = {
            label for line in text.splitlines() if line[0] != "#" for label in re.findall(r'[{,]([a-z]+)="', line)
        }
        assert labels <= {"document", "site", "system", "kind", "severity", "what", "cause", "by", "state"}
        assert "team-" not in text and "/scratch" not in text
