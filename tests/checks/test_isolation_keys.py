"""The proof follows S3 keys: whose key lies in a project's namespace, and which buckets he gets at with it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checks.test_isolation import pairs, proven

TEAM: dict[str, Any] = {"view_policy": {"flavor": "S3_NATIVE"}, "project": {"gpus": {"default": 1}}}
ALLOW = {"Effect": "Allow", "Action": "s3:GetObject"}
AB = frozenset({"a", "b"})


def document(a: dict[str, Any], b: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Two teams with people and a bucket of their own, `a` and `b` in what they say beside that."""
    tenants = {}
    for name, says in (("a", a), ("b", b)):
        people = {"users": {f"{name}-ann": {"uid": 1, **says.pop("user", {})}}, "groups": {f"{name}-team": {"gid": 7}}}
        buckets = {f"{name}-set": {"size": "1 B", "owner": f"{name}-ann"}, **says.pop("buckets", {})}
        tenants[name] = {"local_provider": name, **TEAM, **people, "buckets": buckets, **says}
    return {
        "sites": {"iad": {"sim": {}}}, "namespaces": {"plain": {}, "called": {"name": "runai-b"}},
        "local_providers": {"a": {}, "b": {}}, "tenants": tenants, **more,
    }  # fmt: skip


def meets(whole: dict[str, Any]) -> set[tuple[str, str]]:
    """What the two projects meet in."""
    _, proof = proven(whole)
    assert proof.open_ends == ()
    return pairs(proof).get(AB, set())


def key(of: str, to: str, **more: Any) -> dict[str, Any]:
    """A key of a user, delivered to a namespace."""
    return {"s3_keys": {f"of-{of}": {"user": of, "deliver": {"secret": f"{to}/of-{of}"}, **more}}}


OF_A = {("S3 user", "a:a-ann"), ("tenant", "a"), ("bucket", "a:a-set")}


def test_keys_of_its_own_people_bring_nobody_together() -> None:
    assert meets(document(key("a-ann", "runai-a"), key("b-ann", "runai-b"))) == set()
    deliver = {"mount": "/m", "deliver": {"secret": "runai-a/s3"}}
    pool = {"subnet_cidr": 24, "ip_ranges": ["10.0.0.1"], "s3_endpoint": "https://s3.a"}
    assert (
        meets(
            document(
                {"buckets": {"more": {"size": "1 B", "owner": "a-ann", **deliver}}, "vip_pool": pool},
                key("b-ann", "runai-b"),
            )
        )
        == set()
    )


@pytest.mark.parametrize("secret", ["runai-b/s3", "runai-b/other"])
def test_whoever_has_a_key_of_anothers_user_is_in_his_buckets(secret: str) -> None:
    both = {
        f"a-{n}": {"size": "1 B", "owner": "a-ann", "deliver": {"secret": to}}
        for n, to in enumerate(("runai-a/s3", secret))
    }
    met = meets(document({"buckets": both}, {}))
    assert met == {*OF_A, ("bucket", "a:a-0"), ("bucket", "a:a-1")}


def test_a_namespace_is_a_projects_however_it_is_written() -> None:
    first = key("a-ann", "runai-a")
    second = {"s3_keys": {"second": {"tenant": "a", "user": "a-ann", "deliver": {"secret": "runai-b/x"}}}}
    assert meets({**document(first, {}), **second}) == OF_A
    bare = document(first, {})
    del bare["namespaces"]["called"]
    assert meets({**bare, **second}) == OF_A
    assert (
        meets(
            {
                **document(first, {}),
                "s3_keys": {"second": {**second["s3_keys"]["second"], "deliver": {"secret": "plain/x"}}},
            }
        )
        == set()
    )
    far = {"second": {**second["s3_keys"]["second"], "deliver": {"secret": "far/x"}}}
    assert meets({**document(first, {}), "s3_keys": far}) == set()


RULES: dict[str, Any] = {
    "exact": {**ALLOW, "Resource": "a-set/*"}, "pattern": {**ALLOW, "Resource": "*-set/*"}, "one": {**ALLOW, "Resource": "?-set/*"},
    "other": {**ALLOW, "Resource": "z-set/*"}, "nothing": {"Effect": "Deny", "Action": "s3:*", "Resource": "*"},
    "but": {**ALLOW, "NotResource": ["z-set", "z-set/*"]}, "but it": {**ALLOW, "NotResource": ["a-set", "a-set/*"]},
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("of", ["user", "group", "leading", "nobody", "elsewhere"])
def test_what_policies_allow_him_he_gets_at(rule: str, of: str) -> None:
    people: dict[str, Any] = {"a-ann": {"uid": 1}, "a-bo": {"uid": 2}, "a-cy": {"uid": 3}}
    groups: dict[str, Any] = {"a-team": {"gid": 7}}
    if of == "user":
        people["a-bo"]["s3_policies"] = ["rule"]
    else:
        groups["a-team"]["s3_policies"] = ["rule"]
        people["a-bo"] |= {"group": {"gids": [7]}, "leading": {"leading_gid": 7}}.get(of, {"gids": [8]})
    a = {
        "users": people,
        "groups": groups,
        "s3_policies": {"rule": {"policy": {"Statement": RULES[rule]}}},
        **key("a-ann", "runai-a"),
    }
    if of == "elsewhere":
        a["groups"] = {**groups, "far": {"gid": 8}}
        a["groups"]["far"] |= {"s3_policies": []}
    whole = document(a, {})
    whole["s3_keys"] = {"of-bo": {"tenant": "a", "user": "a-bo", "deliver": {"secret": "runai-b/x"}}}
    allowed = of in ("user", "group", "leading") and rule in ("exact", "pattern", "one", "but")
    assert meets(whole) == {("tenant", "a"), *({("bucket", "a:a-set")} if allowed else ())}


def test_a_policy_counts_in_its_tenant_and_where_it_is_on() -> None:
    rule = {"policy": {"Statement": RULES["exact"]}}

    def met(enabled: bool, tenant: str) -> set[tuple[str, str]]:
        a = {"users": {"a-ann": {"uid": 1}, "a-bo": {"uid": 2, "s3_policies": ["rule"]}}, **key("a-ann", "runai-a")}
        whole = document(a, {})
        whole["tenants"]["b"]["local_provider"] = "a"
        whole["tenants"]["b"]["users"] = {"b-ann": {"uid": 9}}
        whole["tenants"]["b"]["groups"] = {}
        whole["s3_policies"] = {"rule": {**rule, "tenant": tenant, "enabled": enabled}}
        whole["s3_keys"] = {"of-bo": {"tenant": "a", "user": "a-bo", "deliver": {"secret": "runai-b/x"}}}
        return meets(whole)

    assert met(True, "a") == {("tenant", "a"), ("bucket", "a:a-set")}
    assert met(False, "a") == met(True, "b") == {("tenant", "a")}


def test_a_superuser_gets_at_all_and_a_stranger_at_what_he_owns() -> None:
    a = {"users": {"a-ann": {"uid": 1}, "a-bo": {"uid": 2, "s3_superuser": True}}, **key("a-ann", "runai-a")}
    whole = document(a, {})
    whole["s3_keys"] = {"of-bo": {"tenant": "a", "user": "a-bo", "deliver": {"secret": "runai-b/x"}}}
    assert meets(whole) == {("tenant", "a"), ("bucket", "a:a-set")}
    theirs = {"more": {"size": "1 B", "owner": {"existing": "zoe"}}}
    whole = document({"buckets": theirs, **key("a-ann", "runai-a")}, {})
    for n, to in enumerate(("runai-a", "runai-b")):
        whole.setdefault("s3_keys", {})[f"z{n}"] = {
            "tenant": "a",
            "user": {"existing": "zoe"},
            "deliver": {"secret": f"{to}/z{n}"},
        }
    assert meets(whole) == {("S3 user", "a:zoe"), ("tenant", "a"), ("bucket", "a:more")}


def test_the_way_there_is_told() -> None:
    both = {
        f"a-{n}": {"size": "1 B", "owner": "a-ann", "deliver": {"secret": to}}
        for n, to in enumerate(("runai-a/s3", "runai-b/s3"))
    }
    _, proof = proven(document({"buckets": both}, {}))
    [meeting] = [one for one in proof.meetings if one.element == "a:a-1"]
    assert meeting.address == "iad/view/a-1" and meeting.projects == ("a", "b")
    assert [chain[2:] for chain in meeting.chains] == [
        (f"S3 key runai-{name}/s3", "S3 user a-ann", "tenant a", "bucket a-1") for name in "ab"
    ]  # fmt: skip
