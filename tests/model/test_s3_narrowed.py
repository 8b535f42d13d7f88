"""What an identity policy allows no more when another takes its place."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.model.s3_narrowing import lost_permissions

NAMES = ("Effect", "Action", "Resource", "Condition")
READS = ["Allow", "s3:GetObject", "data/*"]
HOME = {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}


def document(*statements: Any) -> dict[str, Any]:
    written = [dict(zip(NAMES, one, strict=False)) if isinstance(one, list) else one for one in statements]
    return {"Version": "2012-10-17", "Statement": written}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ([READS], [["Allow", ["S3:getobject"], "arn:aws:s3:::data/*"]], []),
        ([READS], [["Allow", "s3:Get*", "*"]], []),
        ([READS], [["Allow", "s3:PutObject", "data/*"]], ["s3:GetObject of data/*"]),
        ([READS], [["Allow", "s3:GetObject", "data/a/*"]], ["s3:GetObject of data/*"]),
        ([READS], [["Deny", "s3:GetObject", "data/*"]], ["s3:GetObject of data/*", "what it denies now: s3:GetObject of data/*"]),
        ([READS], [READS, ["Deny", "s3:*", "*"]], ["what it denies now: s3:* of *"]),
        ([READS, ["Deny", "s3:*", "*"]], [READS, ["Deny", "s3:PutObject", "x"]], []),
        ([["Deny", "s3:GetObject", "x"]], [["Deny", "s3:*", "x"]], []),
        ([READS], [[*READS, HOME]], ["s3:GetObject of data/*"]),
        ([[*READS, HOME]], [READS], []),
        ([[*READS, HOME]], [[*READS, {"IpAddress": {"aws:SourceIp": ["10.0.0.0/8"]}}]], []),
        ([[*READS, HOME]], [["Deny", "s3:PutObject", "x", HOME]], [
            's3:GetObject of data/* under {"IpAddress": {"aws:SourceIp": ["10.0.0.0/8"]}}',
            'what it denies now: s3:PutObject of x under {"IpAddress": {"aws:SourceIp": ["10.0.0.0/8"]}}',
        ]),
        ([["Allow", "s3:*", "data/*"]], [["Allow", "s3:?", "data/*"]], ["s3:* of data/*"]),
        ([READS], [{"Effect": "Allow", "NotAction": "s3:PutObject", "Resource": "*"}], ["s3:GetObject of data/*"]),
        ([{"Effect": "Allow", "NotAction": "s3:PutObject", "Resource": "*"}], [["Allow", "*", "*"]], []),
        (
            [{"Effect": "Allow", "NotAction": "s3:Put*", "NotResource": "a"}],
            [{"Effect": "Allow", "NotAction": "s3:PutObject", "NotResource": "a"}],
            [],
        ),
        (
            [{"Effect": "Allow", "NotAction": "s3:PutObject", "NotResource": "a"}],
            [{"Effect": "Allow", "NotAction": "s3:Put*", "NotResource": "a"}],
            ["all but s3:PutObject of all but a"],
        ),
    ],
)  # fmt: skip
def test_what_is_allowed_no_more(before: list[Any], after: list[Any], lost: list[str]) -> None:
    assert lost_permissions(document(*before), document(*after)) == lost


def test_one_statement_need_not_be_a_list() -> None:
    one = {"Version": "2012-10-17", "Statement": dict(zip(NAMES, READS, strict=False))}
    assert lost_permissions(one, document(READS)) == []


def test_what_is_no_policy_allowed_what_nobody_knows() -> None:
    assert lost_permissions("{broken", document(READS)) == ["what it allows now (cannot determine what)"]
    assert lost_permissions(None, document(READS)) == []
