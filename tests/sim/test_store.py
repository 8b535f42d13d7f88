"""The simulators' store: what is looked up by a value, and what is seeded instead of posted."""

from __future__ import annotations

from pathlib import Path

from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.world import World


def _names(store: Store, **fields: object) -> list[str]:
    return [row["name"] for row in store.where("c", **fields)]


def test_rows_are_found_by_value_in_the_order_of_creation_after_every_change() -> None:
    store = Store()
    for key, color in (("a", "red"), ("b", "blue"), ("c", "red"), ("d", None)):
        store.put("c", key, {"name": key, "color": color, "tags": [color]})
    assert _names(store, color="red") == ["a", "c"]
    assert _names(store, color=None) == ["d"] and _names(store, size=None) == ["a", "b", "c", "d"]
    assert _names(store, tags=["blue"]) == ["b"]
    store.put("c", "b", {"name": "b", "color": "red", "tags": []})  # older than c, red after it
    assert _names(store, color="red") == ["a", "b", "c"] and _names(store, color="blue") == []
    row = store.get("c", "a")
    assert row is not None
    row["color"] = "blue"
    store.put("c", "a", row)
    store.remove("c", "c")
    assert _names(store, color="red") == ["b"] and _names(store, color="blue", name="a") == ["a"]
    assert [row["name"] for row in store.rows("c")] == ["a", "b", "d"]


def test_seeded_objects_are_what_posts_would_have_made(tmp_path: Path) -> None:
    world = World(tmp_path, {"iad": ["vast"]}).start()
    try:
        (policy,) = world.seed("iad", "viewpolicies", [{"name": "p", "tenant_id": 1, "flavor": "NFS"}])
        view = {"path": "/a/b", "policy_id": policy["id"], "tenant_id": 1, "protocols": ["NFS"], "create_dir": True}
        quotas = [{"path": path, "tenant_id": 1, "hard_limit": 10} for path in ("/a/b", "/a")]
        rows = [*world.seed("iad", "views", [view]), *world.seed("iad", "quotas", quotas)]
    finally:
        world.stop()
    again = World(tmp_path, {"iad": ["vast"]}).start()
    try:
        plane = again.sites["iad"].planes["vast"]
        assert isinstance(plane, VastPlane)
        store = again._stores[0]
        assert [*store.where("views", path="/a/b"), *store.rows("quotas")] == rows
        assert [row["path"] for row in rows] == ["/a/b", "/a/b", "/a"] and all(row["guid"] for row in rows)
        assert rows[1]["default_user_quota"]["hard_limit"] is None
    finally:
        again.stop()
