"""VAST's S3 policies: what they decide, what they are not, and which say the same."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from vastplan.model.s3_policy import (
    AccessRequest,
    Policy,
    PolicyDecision,
    applies,
    canonical_policy,
    decide_access,
    goes_on,
    matches,
    parse_policy,
)

TABLE: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "s3_policies.yaml").read_text(encoding="utf-8"))
CASES: dict[str, dict[str, Any]] = TABLE["cases"]
ALLOW = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "data/*"}


def policy(statements: list[Any], *, of_bucket: bool = False) -> Policy:
    written = [
        dict(zip(("Effect", "Action", "Resource"), one, strict=True)) if isinstance(one, list) else one
        for one in statements
    ]
    return parse_policy({"Version": "2012-10-17", "Statement": written}, of_bucket=of_bucket)


@pytest.mark.parametrize("name", CASES)
def test_what_policies_decide(name: str) -> None:
    case = CASES[name]
    assert case["source"] in TABLE["sources"]
    user, groups, action, resource = case["asks"]
    identity = [policy(one) for one in case.get("identity", ())]
    bucket = policy(case["bucket"], of_bucket=True) if "bucket" in case else None
    assert decide_access(AccessRequest(action, resource, user, frozenset(groups)), identity, bucket) is PolicyDecision(
        case["is"]
    )


def test_the_table_is_large_enough_and_uses_each_source() -> None:
    assert len(CASES) >= 30
    assert {case["source"] for case in CASES.values()} == set(TABLE["sources"])


@pytest.mark.parametrize(
    ("flavor", "counts"),
    [("S3_NATIVE", True), ("MIXED_LAST_WINS", False), ("NFS", False), ("SMB", False), (None, False)],
)
def test_policies_count_with_one_flavor_only(flavor: str | None, counts: bool) -> None:
    """VAST: managing-s3-access-control-lists-acls-4; the others skip identity and bucket policies."""
    assert applies(flavor) is counts


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("{}", "a policy is a mapping"),
        ({"Statement": []}, "Statement is a list"),
        ({"Statement": "x"}, "Statement is a list"),
        ({"Statement": [ALLOW], "Versoin": "x"}, "a policy has no 'Versoin'; there are Id, Statement, Version"),
        ({"Statement": [ALLOW], "Version": "2020-01-01"}, "Version is '2012-10-17', in quotes"),
        ({"Statement": ["x"]}, "Statement 1 is a mapping"),
        ({"Statement": [ALLOW, {**ALLOW, "Effect": "ALLOW"}]}, "Statement 2: Effect is Allow or Deny"),
        ({"Statement": [{**ALLOW, "NotAction": "*"}]}, "give either Action or NotAction"),
        ({"Statement": [{"Effect": "Allow", "Action": "*"}]}, "give either Resource or NotResource"),
        ({"Statement": [{**ALLOW, "Action": []}]}, "Action is text, or a list of texts"),
        ({"Statement": [{**ALLOW, "Action": [7]}]}, "Action is text, or a list of texts"),
        ({"Statement": [{**ALLOW, "Resource": ""}]}, "Resource is text, or a list of texts"),
        ({"Statement": [{**ALLOW, "Action": "GetObject"}]}, "'GetObject' is not an action"),
        ({"Statement": [{**ALLOW, "Condition": {"IpAddress": "10.0.0.0/8"}}]}, "Condition is a mapping of operators"),
        ({"Statement": [{**ALLOW, "Condition": "x"}]}, "Condition is a mapping of operators"),
        ({"Statement": [{**ALLOW, "Sid": 7}]}, "Sid is text"),
        ({"Statement": [{**ALLOW, "Principal": "*"}]}, "applies to whom it is attached to: remove Principal"),
        ({"Statement": [{**ALLOW, "NotPrincipal": "*"}]}, "Statement 1 has no 'NotPrincipal'"),
        ({"Statement": [{**ALLOW, "NotResource": "*"}]}, "give either Resource or NotResource"),
        ({"Statement": [{"Effect": "Allow", "Resource": "*"}]}, "give either Action or NotAction"),
        (
            {"Statement": [{"Effect": "Allow", "NotAction": [], "Resource": "*"}]},
            "NotAction is text, or a list of texts",
        ),
        ({"Statement": [{**ALLOW, "Condition": []}]}, "Condition is a mapping of operators"),
    ],
)
def test_what_is_no_identity_policy(document: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_policy(document)


@pytest.mark.parametrize(
    ("principal", "says"),
    [
        ({}, "Principal is '*', or has User and Group"),
        ("ann", "Principal is '*', or has User and Group"),
        ({"AWS": "*"}, "Statement 1: Principal has no 'AWS'; there are Group, User"),
        ({"User": []}, "User is text, or a list of texts"),
    ],
)
def test_what_is_no_principal(principal: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_policy({"Statement": [{**ALLOW, "Principal": principal}]}, of_bucket=True)


def test_a_policy_of_a_bucket_says_whom_it_is_about() -> None:
    with pytest.raises(ValueError, match="a bucket policy says to whom it applies: write Principal"):
        parse_policy({"Statement": [ALLOW]}, of_bucket=True)


def test_one_statement_needs_no_brackets() -> None:
    assert parse_policy({"Statement": ALLOW}) == parse_policy({"Statement": [ALLOW]})


SAME = {"Version": "2012-10-17", "Statement": [{**ALLOW, "Action": ["s3:a", "s3:b"]}, {**ALLOW, "Effect": "Deny"}]}


@pytest.mark.parametrize(
    "other",
    [
        {"Statement": SAME["Statement"][::-1], "Version": "2012-10-17"},
        {**SAME, "Statement": [{**ALLOW, "Effect": "Deny", "Resource": ["data/*"]}, {**ALLOW, "Action": ["s3:b", "s3:a", "s3:b"]}]},
    ],
)  # fmt: skip
def test_what_is_written_otherwise_and_says_the_same(other: Any) -> None:
    assert canonical_policy(SAME) == canonical_policy(other)


@pytest.mark.parametrize(
    "other",
    [
        {**SAME, "Statement": SAME["Statement"][:1]},
        {**SAME, "Statement": [{**ALLOW, "Action": ["s3:a"]}, {**ALLOW, "Effect": "Deny"}]},
        {**SAME, "Id": "x"},
        "text",
        None,
        [SAME],
        {"Statement": None},
        {"Statement": ["x"]},
    ],
)
def test_what_does_not_say_the_same(other: Any) -> None:
    assert canonical_policy(SAME) != canonical_policy(other)


def test_principals_and_conditions_are_compared_by_what_they_say() -> None:
    def of(users: Any, ranges: Any) -> Any:
        statement = {
            **ALLOW,
            "Principal": {"User": users},
            "Condition": {"IpAddress": {"aws:SourceIp": ranges}, "Odd": "x"},
        }
        return canonical_policy({"Statement": [statement]})

    assert of("ann", ["10.0.0.0/8", "11.0.0.0/8"]) == of(["ann"], ["11.0.0.0/8", "10.0.0.0/8"])
    assert of("ann", "10.0.0.0/8") != of("bob", "10.0.0.0/8") != of("bob", "11.0.0.0/8")
    assert canonical_policy({"Statement": [{**ALLOW, "Principal": "*"}]}) != canonical_policy({"Statement": [ALLOW]})


def test_patterns_are_those_of_regular_expressions_with_other_signs() -> None:
    letters = "a/*?"
    patterns = ["".join(signs) for length in range(5) for signs in itertools.product(letters, repeat=length)]
    texts = ["".join(signs) for length in range(4) for signs in itertools.product("a/", repeat=length)]
    for pattern in patterns:
        expression = re.compile("".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in pattern))
        for text in texts:
            assert matches(pattern, text) is bool(expression.fullmatch(text)), (pattern, text)


def test_whether_a_pattern_goes_on() -> None:
    assert (
        goes_on("data/*", "data/") and goes_on("*", "data/") and goes_on("da*x", "data/") and goes_on("data/x", "data/")
    )
    assert not goes_on("data/", "data/") and not goes_on("data", "data/") and not goes_on("other/*", "data/")


@pytest.mark.parametrize(
    ("statement", "reached"),
    [
        ({"Resource": "data"}, True),
        ({"Resource": "data/runs/*"}, True),
        ({"Resource": "d*"}, True),
        ({"Resource": "arn:aws:s3:::data/*"}, True),
        ({"Resource": "data2/*"}, False),
        ({"Resource": "data/"}, False),
        ({"NotResource": "other"}, True),
        ({"NotResource": "data"}, True),
        ({"NotResource": "data/*"}, True),
        ({"NotResource": ["data", "data/runs/*"]}, True),
        ({"NotResource": ["data", "data/*"]}, False),
        ({"NotResource": ["d?ta", "d*"]}, False),
        ({"NotResource": "*"}, False),
        ({"NotResource": "data*"}, False),
    ],
)
def test_whether_a_statement_reaches_a_bucket(statement: dict[str, Any], reached: bool) -> None:
    (one,) = parse_policy({"Statement": [{"Effect": "Allow", "Action": "*", **statement}]}).statements
    assert one.reaches("data") is reached


def test_a_pattern_that_means_ill_comes_to_an_end() -> None:
    assert not matches("*a" * 200 + "b", "a" * 2000)  # tried one way after the other it would not end
