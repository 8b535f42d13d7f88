"""Roles wait for the realms that their permissions speak of."""

from __future__ import annotations

import pytest

from tests.compose.short import Said, entry, made
from vastplan.kinds.compose.realms import COMPOSITION

REALMS: dict[str, Said | None] = {
    "realm/writes": {"object_types": ["view"]},
    "realm/looks": {"name": "far_looks"},
    "pdx:realm/elsewhere": {},
}


@pytest.mark.parametrize(
    ("permissions", "after"),
    [
        (["view_writes", "edit_writes"], ["realm/writes"]),
        (["view_far_looks"], ["realm/looks"]),  # by its name, not by what the document calls it
        (["view_looks", "view_logical"], []),
        (["view_elsewhere"], []),
        ([], []),
        (None, []),
    ],
)
def test_a_role_comes_after_its_realms(permissions: list[str] | None, after: list[str]) -> None:
    says = {"tenant": None, "permissions_list": permissions}
    found, wrong = made(COMPOSITION, entry("manager_role/csi", says), REALMS)
    assert (found, wrong) == ({"manager_role/csi": says | ({"(after)": after} if after else {})}, [])


def test_what_it_waits_for_already_it_still_waits_for() -> None:
    role = entry("manager_role/csi", {"permissions_list": ["view_writes"]}, after=(entry("tenant/a").address,))
    found, _ = made(COMPOSITION, role, REALMS)
    assert found["manager_role/csi"] is not None and found["manager_role/csi"]["(after)"] == [
        "tenant/a",
        "realm/writes",
    ]
