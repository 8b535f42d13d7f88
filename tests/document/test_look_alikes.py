"""Names that read like others: a warning by address, and marked where they stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        yield one


def test_a_name_with_letters_of_another_script_is_a_warning_and_marked(lab: Lab, vastplan: Run) -> None:
    names = ["tеam-a", "team-a", "команда", "b\u3164"]
    policy = {"tenant": "t0", "flavor": "NFS", "vip_pools": [{"existing": "pооl"}], "auth_source": "RPC"}
    tenants = {f"t{number}": {"domain_name": name} for number, name in enumerate(names)}
    lab.write({"tenants": tenants, "view_policies": {"p": policy}})
    reports = [lab.folder / f"r{ending}" for ending in (".md", ".html", ".sarif", ".xml")]
    words = [word for file in reports for word in ("--report", file)]
    ran = vastplan("plan", lab.folder / "lab.yaml", *words)
    told = [line for line in ran.out.splitlines() if "VP325" in line]
    assert len(told) == 3 and all("warning VP325" in line for line in told), ran.out
    assert (
        "t\\u0435am-a has characters that are invisible or look like others: U+0435 CYRILLIC SMALL LETTER IE" in ran.out
    )
    assert "U+3164 HANGUL FILLER" in ran.out and "p\\u043e\\u043el has characters" in ran.out
    for text in (ran.out, *(file.read_text() for file in reports)):
        assert "tеam" not in text and "\u3164" not in text and "pооl" not in text
    ran = vastplan("validate", lab.folder / "lab.yaml", "--format", "json")
    assert [found["code"] for found in json.loads(ran.out)["findings"]].count("VP325") == 3
