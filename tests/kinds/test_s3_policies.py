"""Identity policies: data in the document, JSON text in VMS, and compared by what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab import Lab
from vastplan.document.document_form import document_form
from vastplan.kinds.vast.s3_policy import KIND
from vastplan.model.plan import Cause, Verb
from vastplan.schema.codec import decode_row
from vastplan.schema.walk import redacted

READ = {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "data*"}
POLICY = {
    "Version": "2012-10-17",
    "Statement": [READ, {"Effect": "Deny", "Action": "s3:DeleteObject", "Resource": "*"}],
}
SAME = {
    "Statement": [
        {"Resource": ["*"], "Action": ["s3:DeleteObject"], "Effect": "Deny"},
        {**READ, "Action": ["s3:ListBucket", "s3:GetObject"]},
    ],
    "Version": "2012-10-17",
}
PATH = "/api/v5/s3policies/"


@pytest.fixture
def lab(tmp_path: Path) -> Any:
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write({"tenants": {"a": {"s3_policies": {"read": {"policy": POLICY}}}}})
        one.converge()
        yield one


def patch(lab: Lab, text: str) -> None:
    live = lab.live("iad/s3_policy/read")
    assert live is not None
    lab.by_hand("iad", "vast", "PATCH", f"{PATH}{live.id}/", {"policy": text})


def test_it_is_sent_as_text_that_people_can_read(lab: Lab) -> None:
    (row,) = lab.rows("iad", "s3_policy")
    assert json.loads(row["policy"]) == POLICY
    assert "\n" in row["policy"]


@pytest.mark.parametrize("text", [json.dumps(SAME), json.dumps(SAME, indent=8), f"\n\n  {json.dumps(POLICY)} "])
def test_what_says_the_same_is_no_drift(lab: Lab, text: str) -> None:
    patch(lab, text)
    assert lab.plan().actions == ()


@pytest.mark.parametrize("other", [{**POLICY, "Statement": [READ]}, {**POLICY, "Statement": []}, {"odd": [1, None]}])
def test_what_says_something_else_is_drift_and_set_back(lab: Lab, other: Any) -> None:
    patch(lab, json.dumps(other))
    (action,) = lab.plan().actions
    assert (action.verb, [(one.path, one.cause) for one in action.changes]) == (Verb.UPDATE, [("policy", Cause.SYSTEM)])
    lab.converge()
    assert lab.plan().actions == ()


@pytest.mark.parametrize("text", ["", "no JSON", "[" * 100 + "]" * 100, '{"a": NaN}', '"\\ud800"', None, 7])
def test_what_is_no_json_is_shown_as_it_is(text: Any) -> None:
    assert decode_row(KIND, {"name": "p", "policy": text})["policy"] == text


def test_it_holds_no_secret_and_is_typed_as_data() -> None:
    values = {"name": "p", "policy": POLICY, "tenant": "a"}
    assert redacted(KIND.fields, values, frozenset()) == (values, [])
    typed = document_form(KIND.fields, values)
    assert typed["policy"] == POLICY
    assert yaml.safe_load(yaml.safe_dump(typed)) == typed


def test_an_attachment_goes_before_its_policy(lab: Lab) -> None:
    people = {"users": {"ann": {"uid": 1, "s3_policies": ["read"]}}}
    policy = {"s3_policies": {"read": {"policy": POLICY}}}
    tenant = {"local_provider": "a"}
    lab.write({"local_providers": {"a": {}}, "tenants": {"a": {**tenant, **policy, **people}}})
    lab.converge()
    (row,) = lab.rows("iad", "user")
    assert [one["name"] for one in row["s3_policies"]] == ["read"]
    people["users"]["ann"]["s3_policies"] = []
    lab.write({"local_providers": {"a": {}}, "tenants": {"a": {**tenant, **people}}})
    lab.clear_calls()
    lab.converge(lab.consent_to_loss("iad/s3_policy/read"))
    assert [call.method for call in lab.calls()] == ["PATCH", "DELETE"]
    assert lab.rows("iad", "s3_policy") == []
