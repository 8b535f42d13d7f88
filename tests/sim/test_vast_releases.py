"""Every collection of the simulated VMS in each release that there is a document of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sim.conftest import Vms
from tests.sim.test_vast import LIVES

POOL = {"ip_ranges": [["10.8.0.1", "10.8.0.4"]]}


@pytest.mark.parametrize(("name", "body", "change", "answered"), LIVES)
def test_every_collection_lives_in_an_older_release(
    start: Any, name: str, body: Any, change: Any, answered: Any
) -> None:
    older: Vms = start(version="5.3")
    row = older.post(name, **body, **(POOL if name == "vippools" else {}))
    path = f"/{name}/{row['id']}/"
    field, value = next(iter(change.items()))
    assert older.get(path).keys() == row.keys()
    assert older.get(f"/{name}/", id=row["id"])[0]["id"] == row["id"]
    if field in row:  # `max_views` came later
        assert older.call("PATCH", path, change).json()[field] == value
    assert older.call("DELETE", path).status_code == 204


def test_blocks_and_clones_in_an_older_release(start: Any) -> None:
    older: Vms = start(version="5.3")
    older.view("/block", protocols=["BLOCK"], name="sub")
    volume = older.post("volumes", name="v", size=10, view_id=2)
    assert older.get("/volumes/1/").keys() == volume.keys()
    older.post("snapshots", name="s", path="/block")
    older.get("/snapshots/1/")
    body = {"name": "c", "loanee_root_path": "/copy", "loanee_tenant_id": 1}
    assert older.call("POST", "/snapshots/1/clone/", body).json()["status"] == {"state": "Active"}
    older.post("protectionpolicies", name="p", prefix="p", clone_type="LOCAL", frames=[{"every": "1h"}])
    path = {"name": "pp", "source_dir": "/copy", "protection_policy_id": 1}
    assert older.post("protectedpaths", **path)["target_exported_dir"] == "/copy"  # and no tenant
