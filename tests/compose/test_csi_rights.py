"""The realms and the role that the rights of the CSI drivers become, and that they are what a cluster takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compose.short import entry, said
from tests.lab import Lab
from vastplan.kinds.compose._csi_rights import DRIVERS, role
from vastplan.model.address import Address
from vastplan.model.value import Ref

TENANT = Ref(Address("iad", "tenant", "team-a"))


def test_there_is_a_realm_for_each_set_of_verbs_and_one_role_after_them() -> None:
    found = {
        str(one.address).removeprefix("iad/"): one for one in role(entry("tenant/team-a"), TENANT, "csi", ["file"])
    }
    assert {name: said(one.values).get("object_types") for name, one in found.items()} == {
        "realm/csi-create-delete-edit-view": ["quota", "snapshot"],
        "realm/csi-create-delete-view": ["view"],
        "realm/csi-delete": ["folder"],
        "realm/csi-delete-edit-view": ["globalsnapstream"],
        "realm/csi-view": ["qospolicy", "viewpolicy"],
        "manager_role/csi": None,
    }
    last = found["manager_role/csi"]
    assert [str(one) for one in last.after] == [f"iad/{name}" for name in found if name.startswith("realm/")]
    assert len(last.values["permissions_list"]) == 4 + 3 + 1 + 3 + 1
    assert {"delete_csi-delete", "view_csi-view", "edit_csi-delete-edit-view"} <= {*last.values["permissions_list"]}
    assert all(said(one.values)["tenant"] == "@tenant/team-a" for one in found.values())


@pytest.mark.parametrize("drivers", [["file"], ["block"], ["file", "block"]], ids="-".join)
def test_a_cluster_takes_them_and_wants_nothing_more(drivers: list[str], tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"team-a": {}}})
        lab.extra = [*role(entry("tenant/team-a"), TENANT, "csi-team-a", drivers)]
        lab.converge()
        assert lab.plan().actions == ()
        held = lab.live("iad/manager_role/csi-team-a")
        assert held is not None and held.values["permissions_list"] == sorted(lab.extra[-1].values["permissions_list"])
        types = {one for row in lab.rows("iad", "realm") for one in row["object_types"]}
        assert types == {name for driver in drivers for name in DRIVERS[driver]}
