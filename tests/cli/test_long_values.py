"""A value of any length is quoted with its beginning and its end, however often it is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

LONG = "9" * 100_000 + "x"
HEAD = "version: 1\nname: x\nsites: {iad: {sim: {systems: [vast, kubernetes]}}}\n"
AGAIN = 30
DOCUMENTS: dict[str, tuple[str, str, str]] = {  # what quotes it each time, the code, and what its message still says
    "sizes": (
        "quotas: {{q: {{path: /x, hard_limit: &a '{long}'}}, {more}}}",
        "q{n}: {{path: /x, hard_limit: *a}}",
        "such as 500 GiB or 1.5 TB",
    ),
    "sites": ("tenants: {{q: {{sites: [&a '{long}']}}, {more}}}", "q{n}: {{sites: [*a]}}", "no site 9"),
    "paths": ("quotas: {{q: {{path: &a '{long}'}}, {more}}}", "q{n}: {{path: *a}}", "is not a path"),
    "ranges": (
        "vip_pools: {{q: {{ip_ranges: [&a '{long}']}}, {more}}}",
        "q{n}: {{ip_ranges: [*a]}}",
        "is not a range",
    ),
    "the head": ("checks: {{waive: [{{until: &a '{long}'}}, {more}]}}", "{{until: *a}}", "is not a date"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_quoted_is_shortened(name: str, tmp_path: Path, vastplan: Run) -> None:
    content, each, says = DOCUMENTS[name]
    more = ", ".join(each.format(n=number) for number in range(AGAIN))
    file = tmp_path / "doc.yaml"
    file.write_text(HEAD + content.format(long=LONG, more=more))
    ran = vastplan("validate", file, "--format", "json")
    messages = [found["message"] for found in json.loads(ran.out)["findings"] if says in found["message"]]
    assert ran.code == 1 and len(messages) == AGAIN + 1, ran.out[:3000]
    assert all(len(text) <= 500 and ("more characters) …" in text or "999" not in text) for text in messages), messages[
        0
    ]
