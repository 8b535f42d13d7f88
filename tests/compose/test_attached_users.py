"""The users of a USER QoS policy: those of the document by their keys, and those who are said to be there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import Said, back, entry, made, objects_of, pieces
from vastplan.kinds.compose.attached_users import OF_QOS_POLICY

WORLD: dict[str, Said | None] = {
    "tenant/nlp": {"local_provider": "@local_provider/a"}, "user/ana": {"tenant": "@tenant/nlp", "uid": 7},
    "user/bo": {"local_provider": "@local_provider/a", "name": "bo.k"}, "user/eve": {"local_provider": "@local_provider/b"},
}  # fmt: skip
POLICY: Said = {"tenant": "@tenant/nlp", "policy_type": "USER"}


def attached(*users: Any, world: Said | None = None, **more: Any) -> tuple[Any, Any, list[Any]]:
    """Whom VMS is told, what comes before the policy, and what is wrong."""
    says = {**POLICY, "attached_users": list(users), **more}
    found, wrong = made(OF_QOS_POLICY, entry("qos_policy/q", says), {**WORLD, **(world or {})})
    policy = found["qos_policy/q"]
    return policy["attached_users"], policy.get("(after)", []), wrong


def test_users_of_the_document_are_called_as_vms_calls_them_and_are_there_first() -> None:
    assert attached({"user": "bo"}, {"user": "ana"}) == (
        [{"user": "ana"}, {"user": "bo.k"}],
        ["user/bo", "user/ana"],
        [],
    )
    assert attached({"user": {"existing": "bo.k"}}) == ([{"user": "bo.k"}], ["user/bo"], [])
    assert attached({"user": "bo.k"})[2] == []  # by its name, where that is of one


def test_others_are_told_as_they_are_said() -> None:
    said = [{"uid": 5}, {"sid": "S-1-5"}, {"user": {"existing": "carol"}, "fqdn": "x"}]
    assert attached(*said) == ([{"sid": "S-1-5"}, {"uid": 5}, {"user": "carol", "fqdn": "x"}], [], [])


@pytest.mark.parametrize(
    ("name", "more", "whose", "there"),
    [
        ("anna", {}, "of tenant nlp", "one of ana, bo, or "),
        ("eve", {}, "of tenant nlp", "one of ana, bo, or "),
        ("carol", {"tenant": None}, "in this document", "one of ana, bo, eve, or "),
        ("carol", {"tenant": "@tenant/cv"}, "of tenant cv", "one of ana, bo, eve, or "),
    ],
)
def test_one_whom_nobody_knows_is_refused(name: str, more: Said, whose: str, there: str) -> None:
    fix = f"{there}{{existing: {name}}} for one outside this document"
    assert attached({"user": name}, **more)[2] == [("VP209", f"attached_users: no user {name} {whose}", fix)]


def test_a_document_without_users_has_nobody_to_name() -> None:
    nobody = dict.fromkeys(("user/ana", "user/bo", "user/eve"))
    fix = "{existing: ana} for one outside this document"
    assert attached({"user": "ana"}, world=nobody)[2] == [("VP209", "attached_users: no user ana of tenant nlp", fix)]


def test_a_policy_without_users_stays_as_it_is() -> None:
    for says in (POLICY, {**POLICY, "attached_users": []}, {**POLICY, "attached_users": None}):
        assert made(OF_QOS_POLICY, entry("qos_policy/q", says), WORLD)[0] == {"qos_policy/q": says}


def test_whom_the_document_has_is_said_by_his_key_again() -> None:
    def again(*users: Said, **more: Any) -> Any:
        policy = {"qos_policy/q": {**POLICY, "attached_users": list(users), **more}}
        found = back(OF_QOS_POLICY, pieces(objects_of(policy, WORLD)))
        return [one["says"]["attached_users"] for one in found]

    whole = [
        {"user": "ana"},
        {"user": "bo"},
        {"user": {"existing": "carol"}},
        {"user": {"existing": "eve"}},
        {"uid": 5},
    ]
    told = ({"user": "ana"}, {"user": "bo.k"}, {"user": "carol"}, {"user": "eve"}, {"uid": 5})
    assert again(*told) == [whole]
    assert again({"user": "ana"}, {"uid": 5}) == []  # it says so already
    assert again({"user": "eve"}, tenant="@tenant/cv") == [] == again({"user": "eve"}, tenant=None)
