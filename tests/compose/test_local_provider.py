"""Users and groups: the local provider of their tenant, the groups that a user names, and back."""

from __future__ import annotations

import pytest

from tests.compose.short import Said, back, entry, made, pieces
from vastplan.kinds.compose.local_provider import OF_GROUP, OF_USER

TENANTS: dict[str, Said | None] = {
    "tenant/a": {"local_provider": "@local_provider/p"},
    "tenant/b": {"local_provider": "@?local_provider/default"},
    "tenant/c": {},
    "local_provider/p": {},
}
READERS: dict[str, Said | None] = {
    "group/readers": {"tenant": "@tenant/a", "gid": 7},
    "group/made": {"local_provider": "@local_provider/p", "gid": 3},
    "group/others": {"tenant": "@tenant/b", "gid": 8},
}


@pytest.mark.parametrize("kind", ["user", "group"])
@pytest.mark.parametrize(("tenant", "provider"), [("a", "@local_provider/p"), ("b", "@?local_provider/default")])
def test_it_is_kept_where_its_tenant_says(kind: str, tenant: str, provider: str) -> None:
    composition = {"user": OF_USER, "group": OF_GROUP}[kind]
    found, wrong = made(composition, entry(f"{kind}/x", {"tenant": f"@tenant/{tenant}", "uid": 5}), TENANTS)
    shown = provider.removeprefix("@").removeprefix("?").partition("/")[2]
    chosen = [f"local_provider {shown}, the one of tenant {tenant}"]
    assert (found, wrong) == ({f"{kind}/x": {"uid": 5, "local_provider": provider, "(chosen)": chosen}}, [])


def test_a_provider_that_is_written_stays() -> None:
    says = {"local_provider": "@local_provider/p", "gids": [1]}
    assert made(OF_USER, entry("user/x", says), TENANTS) == ({"user/x": says}, [])


@pytest.mark.parametrize("tenant", ["@tenant/c", "@?tenant/elsewhere"])
def test_a_tenant_whose_provider_nobody_says_is_refused(tenant: str) -> None:
    _, wrong = made(OF_USER, entry("user/x", {"tenant": tenant}), TENANTS)
    assert [(code, fix) for code, _, fix in wrong] == [
        ("VP271", "write local_provider: NAME in the tenant; the one of new clusters is {existing: default}")
    ]


def test_groups_are_sent_by_their_numbers_and_made_before() -> None:
    says = {"tenant": "@tenant/a", "gids": [9], "groups": ["@group/readers", "@group/made"]}
    found, wrong = made(OF_USER, entry("user/x", says), {**TENANTS, **READERS})
    assert wrong == []
    assert (found["user/x"]["gids"], found["user/x"]["(after)"]) == ([3, 7, 9], ["group/readers", "group/made"])
    assert "groups" not in found["user/x"]


@pytest.mark.parametrize(
    ("group", "message", "fix"),
    [
        ("@?group/live", "group live is not in this document, and its number is not known", "write its number in gids"),
        (
            "@group/others",
            "group others is in another local provider than the user",
            "name a group of the same provider, or write the group's number in gids",
        ),
    ],
)
def test_a_group_whose_number_is_not_the_users_is_refused(group: str, message: str, fix: str) -> None:
    says = {"tenant": "@tenant/a", "groups": [group]}
    _, wrong = made(OF_USER, entry("user/x", says), {**TENANTS, **READERS})
    assert wrong == [("VP272", message, fix)]


LIVE: dict[str, Said | None] = {
    "user/x": {"local_provider": "@local_provider/p", "gids": [7, 9]},
    "user/y": {"local_provider": "@local_provider/q", "gids": [7]},
    "group/readers": {"local_provider": "@local_provider/p", "gid": 7},
}


def test_the_one_tenant_that_uses_a_provider_and_the_groups_there_are_written() -> None:
    there = pieces({**LIVE, "tenant/a": TENANTS["tenant/a"]})
    assert back(OF_USER, there) == [
        {
            "entry": "user/x",
            "says": {"tenant": "@tenant/a", "gids": [9], "groups": ["@group/readers"]},
            "of": ["user/x"],
        }
    ]
    assert back(OF_GROUP, there) == [
        {"entry": "group/readers", "says": {"tenant": "@tenant/a", "gid": 7}, "of": ["group/readers"]}
    ]


def test_gids_that_are_all_named_are_not_written_again() -> None:
    there = pieces({**LIVE, "user/x": {"local_provider": "@local_provider/p", "gids": [7]}})
    assert back(OF_USER, there) == [
        {
            "entry": "user/x",
            "says": {"local_provider": "@local_provider/p", "groups": ["@group/readers"]},
            "of": ["user/x"],
        }
    ]


def test_a_provider_of_several_tenants_is_written_itself() -> None:
    both: dict[str, Said | None] = {
        "tenant/a": TENANTS["tenant/a"],
        "tenant/b": {"local_provider": "@local_provider/p"},
    }
    assert back(OF_GROUP, pieces({**LIVE, **both})) == []
    assert back(OF_GROUP, pieces({**LIVE, "tenant/a": both["tenant/a"]}, known={"tenant/b": both["tenant/b"]})) == []
