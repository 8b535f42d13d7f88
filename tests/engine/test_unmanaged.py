"""What somebody else opened to everybody, by a field of which the document says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guards.stage import planned

TENANT = {"$existing": "iad/tenant/t"}


def told(kind: str, live: dict[str, Any], desired: dict[str, Any]) -> list[str]:
    rows = {"tenant": [{"id": 1, "name": "t"}], kind: [{"id": 5, "name": "p", "tenant_id": 1, **live}]}
    case = {"rows": rows, "owned": {f"{kind}/p": 5}, "desired": {f"{kind}/p": {"tenant": TENANT, **desired}}}
    return [finding.message for finding in planned(case)[0].findings if finding.code == "VP362"]


VIEW, BUCKET = {"path": "/a"}, {"path": "/a", "protocols": ["S3"]}


@pytest.mark.parametrize(
    ("kind", "live", "desired", "lines"),
    [
        ("view", {**BUCKET, "allow_s3_anonymous_access": True}, VIEW, [
            "allow_s3_anonymous_access is true, which lets in anybody, without a key; the document does not have it"]),
        ("view", {**BUCKET, "allow_s3_anonymous_access": True}, {**VIEW, "allow_s3_anonymous_access": True}, []),
        ("view", {**BUCKET, "allow_s3_anonymous_access": False}, VIEW, []),
        ("view", BUCKET, VIEW, []),
        ("view_policy", {"nfs_no_squash": ["*"]}, {"name": "p"}, [
            'nfs_no_squash is ["*"], which lets in everybody; the document does not have it']),
        ("view_policy", {"nfs_no_squash": ["0.0.0.0/1", "128.0.0.0/1"]}, {"name": "p"}, [
            'nfs_no_squash is ["0.0.0.0/1", "128.0.0.0/1"], which lets in all IPv4 addresses; the document does not have it']),
        ("view_policy", {"nfs_no_squash": ["10.0.0.0/8"]}, {"name": "p"}, []),
        ("view_policy", {"nfs_read_write": ["*"]}, {"name": "p"}, []),  # by default
        ("view_policy", {"nfs_read_write": ["*"], "nfs_read_only": ["*"]}, {"name": "p"}, []),  # they may write already
        ("view_policy", {"permission_per_vip_pool": {}}, {"name": "p"}, []),  # any pool, by default
    ],
)  # fmt: skip
def test_what_lets_everybody_in_and_is_not_in_the_document_is_said(
    kind: str, live: dict[str, Any], desired: dict[str, Any], lines: list[str]
) -> None:
    assert told(kind, live, desired) == lines


def test_a_value_that_the_system_chose_opens_nothing() -> None:
    rows = {
        "local_provider": [{"id": 2, "name": "l"}],
        "user": [{"id": 5, "name": "p", "uid": 7, "local_provider": {"id": 2}}],
    }
    user = {"name": "p", "local_provider": {"$existing": "iad/local_provider/l"}}
    made, _ = planned({"rows": rows, "owned": {"user/p": 5}, "desired": {"user/p": user}})
    assert [finding.code for finding in made.findings] == []


def test_what_to_do_about_it_is_said() -> None:
    rows = {
        "tenant": [{"id": 1, "name": "t"}],
        "view": [{"id": 5, "tenant_id": 1, **BUCKET, "allow_s3_anonymous_access": True}],
    }
    made, _ = planned({"rows": rows, "owned": {"view/p": 5}, "desired": {"view/p": {"tenant": TENANT, **VIEW}}})
    assert [finding.fix for finding in made.findings] == ["set it to false there, or write it in its entry"]


def test_of_what_does_not_exist_yet_nothing_is_said() -> None:
    case = {"rows": {"tenant": [{"id": 1, "name": "t"}]}, "desired": {"view/p": {"tenant": TENANT, **VIEW}}}
    assert not [finding for finding in planned(case)[0].findings if finding.code == "VP362"]
