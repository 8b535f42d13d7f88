"""The document's ids, the probe tables, and the small parts that hold answers against expectations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.facts import facts
from tests.contract.match import differences
from tests.contract.probes import probes, read
from tests.contract.scrub import Scrubber


def test_every_fact_has_a_probe_or_a_reason_and_the_other_way_round() -> None:
    known, found = facts(), probes()
    assert set(known) == set(found)
    assert {key: one.system for key, one in known.items()} == {key: one.system for key, one in found.items()}
    assert all(one.because or one.steps for one in found.values())


@pytest.mark.parametrize(
    ("line", "about", "assumed"),
    [
        ("VMS-001 a | b | c", "a", "b"),
        ("RAI-002 a | c", "", "a"),
        ("K8S-003 a | b | c", "", "a"),
        ("K8S-004 a", "", "a"),
    ],
)
def test_what_a_line_says(line: str, about: str, assumed: str) -> None:
    (fact,) = facts(f"Some words.\n\n- {line}").values()
    assert (fact.about, fact.assumed) == (about, assumed)


@pytest.mark.parametrize("line", ["- no id | x", "- VMS-1 short | x", "- VMS-001 a | b\n- VMS-001 again | b"])
def test_a_line_without_an_id_of_its_own_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="needs an id"):
        facts(line)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{steps: [{GET: /x}]}", "expects nothing"),
        ("{steps: [{GET: /x, POST: /y, is: 200}]}", "not a step"),
        ("{steps: [{GET: /x, status: 200}]}", "not a step"),
        ("{steps: [], because: x}", "either"),
        ("{leaves_out: x}", "either"),
    ],
)
def test_a_probe_that_cannot_fail_is_refused(entry: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(f"system: vast\nVMS-001: {entry}")


@pytest.mark.parametrize(
    ("wanted", "value", "differs"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1}, {"a": True}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": None}, {}, True),
        ({"a": {"$absent": True}}, {}, False),
        ({"a": {"$absent": True}}, {"a": None}, True),
        ([1], [1, 2], True),
        ({"$has": {"a": 1}}, [{"a": 2}, {"a": 1}], False),
        ({"$all": {"a": 1}}, [], True),
        ({"$rows": [{"a": 1}, {"a": 2}]}, [{"a": 2}, {"a": 1}], False),
        ({"$rows": [{"a": 1}]}, [{"a": 1}, {"a": 1}], True),
        ({"$text": "IN USE"}, "it is in use by", False),
        ({"$regex": "^[0-9]+$"}, 7, True),
        ({"$not": {"a": 1}}, {"a": 1}, True),
        ({"$keys": []}, {}, False),
        (None, "", True),
    ],
)
def test_what_matches(wanted: Any, value: Any, differs: bool) -> None:
    assert bool(differences(wanted, value)) is differs


def test_secrets_are_found_by_name_by_shape_and_by_value() -> None:
    scrubber = Scrubber(["hunter/2 and more"], ["vms.example.com:443"])
    body = (
        '{"a": {"client_secret": "one", "clientSecret": "two"}, "b": ["x hunter/2 and more y"], "password_set": true}'
    )
    text = scrubber.body(body)
    assert not any(word in text for word in ("one", "two", "hunter")) and '"password_set": true' in text
    assert scrubber.body("grant_type=x&client_secret=abc") == "grant_type=x&client_secret=SCRUBBED"
    assert (
        scrubber.text("GET https://vms.example.com:443/?t=hunter%2F2%20and%20more")
        == "GET https://live.invalid/?t=SCRUBBED"
    )
    assert scrubber.text("Bearer eyJhbGciOi.eyJleHAi.c2ln") == "Bearer SCRUBBED"
    assert scrubber.headers({"AUTHORIZATION": "x", "Set-Cookie": ["y"], "Age": "1"}) == {
        "AUTHORIZATION": ["SCRUBBED"], "Set-Cookie": ["SCRUBBED"], "Age": "1",
    }  # fmt: skip
