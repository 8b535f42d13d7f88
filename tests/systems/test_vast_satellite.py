"""What VMS says of a global access path and its prefetches, also where it says it in other words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from vastplan.model.errors import ObjectNotFound, Unclear, Unreachable
from vastplan.schema.ports.cache import Prefetch, Progress
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.satellite import VastCached

ROW = {"guid": "g", "tenant_id": 7, "capabilities": "STARED_GLOBAL_NAMESPACE", "lease_expiry_time": 300}


@dataclass
class Cluster:
    """A cluster in memory: what it answers, and what it was asked."""

    row: dict[str, Any] = field(default_factory=lambda: dict(ROW))
    listed: Any = ()
    task: dict[str, Any] | None = None
    answer: Any = None
    asked: list[tuple[str, str, Any]] = field(default_factory=list)

    def describe(self) -> str:
        return "https://pdx"

    def object(self, path: str, only: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        if path == "/tenants/7/":
            return {"id": 7, "name": "team"}
        if path.startswith("/clusters/"):
            return {"prefetch_data": list(self.listed) if isinstance(self.listed, tuple) else self.listed}
        if path.endswith("prefetch_path"):
            assert only == {"task_id": 4}
            if self.task is None:
                raise ObjectNotFound("no such task", 404)
            return self.task
        return self.row

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        self.asked.append((method, path, body))
        return self.answer

    def cached(self) -> VastCached:
        return VastCached("pdx", cast(VastProvider, self), "3", "g")


def item(tenant: Any, *paths: Any) -> dict[str, Any]:
    return {"tenant": tenant, "paths": list(paths)}


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ((), ()),
        ((item({"name": "team"}, {"path": "/d", "task_id": 4}),), (4,)),
        ((item({"name": "team"}, {"path": "/d/", "task_id": 4}, {"path": "/d/e", "task_id": 5}),), (4,)),
        ((item({"name": "other"}, {"path": "/d", "task_id": 4}),), ()),
        ((item({"id": 7, "name": "renamed"}, {"path": "/d", "task_id": 4}),), (4,)),
        ((item({"id": 8, "name": "team"}, {"path": "/d", "task_id": 4}),), ()),
        ((item(None, {"path": "/d", "task_id": 4}), "x", item({"name": "team"}, "x", {"path": "/d"})), ()),
        ((item({"name": "team"}, {"path": "/d", "task_id": 4, "code": "COMPLETED"}),), ()),
        ((item({"name": "team"}, {"path": "/d", "task_id": 4, "code": "failed"}),), ()),
        ((item({"name": "team"}, {"path": "/d", "task_id": 4, "code": "SUCCESS"}),), (4,)),
    ],
)
def test_which_run_is_by_tenant_directory_and_state(listed: Any, found: tuple[int, ...]) -> None:
    assert Cluster(listed=listed).cached().running("/d") == found


def test_a_list_that_is_none_is_not_an_empty_one() -> None:
    with pytest.raises(Unreachable, match="has no prefetch_data"):
        Cluster(listed=None).cached().running("/d")


RUNS = (item({"name": "team"}, {"path": "/d", "task_id": 4}),)


@pytest.mark.parametrize(
    ("task", "listed", "found"),
    [
        (None, (), None),
        ({"code": "RUNNING", "size_retrieved": 9}, RUNS, Prefetch(4, Progress.RUNNING, "RUNNING", True, 9)),
        ({"code": "completed", "prefetch_type": "FULL"}, (), Prefetch(4, Progress.COMPLETE, "COMPLETED")),
        ({"code": "COMPLETED", "prefetch_type": "META_DATA_ONLY"}, (), Prefetch(4, Progress.COMPLETE, "COMPLETED", False)),
        ({"code": "FAILED"}, (), Prefetch(4, Progress.FAILED, "FAILED")),
        ({"code": "SUCCESS"}, RUNS, Prefetch(4, Progress.RUNNING, "SUCCESS")),
        ({"code": "SUCCESS"}, (), Prefetch(4, Progress.COMPLETE, "SUCCESS")),
        ({"code": "SOMETHING_NEW"}, (), Prefetch(4, Progress.RUNNING, "SOMETHING_NEW")),
        ({}, (), Prefetch(4, Progress.RUNNING, "")),
    ],
)  # fmt: skip
def test_a_word_that_nobody_knows_is_busy(task: Any, listed: Any, found: Prefetch | None) -> None:
    assert Cluster(task=task, listed=listed).cached().prefetched(4, "/d") == found


def test_what_is_sent() -> None:
    cluster = Cluster(answer={"code": "SUCCESS", "task_id": 4})
    assert cluster.cached().prefetch("/d") == 4
    cluster.cached().stop(4)
    assert cluster.asked == [
        ("POST", "/protectedpaths/3/prefetch_path", {"path": "/d", "prefetch_type": "FULL"}),
        ("DELETE", "/protectedpaths/3/prefetch_path", {"task_id": 4, "stop_running_prefetch": True}),
    ]
    for answer in (None, {}, {"task_id": "4"}):
        with pytest.raises(Unclear, match="the answer has no task"):
            Cluster(answer=answer).cached().prefetch("/d")


@pytest.mark.parametrize(("said", "lease"), [(300, 300.0), (0, None), (None, None), ("300", None)])
def test_a_lease_that_is_not_told_is_none(said: Any, lease: float | None) -> None:
    cached = Cluster({**ROW, "lease_expiry_time": said}).cached()
    assert cached.lease() == lease and cached.shared()


def test_another_path_in_its_place_is_noticed() -> None:
    assert not Cluster({**ROW, "capabilities": "ASYNC_REPLICATION"}).cached().shared()
    cached = Cluster({**ROW, "guid": "h"}).cached()
    for look in (cached.shared, cached.lease, lambda: cached.running("/d")):
        with pytest.raises(Unreachable, match="is now another protected path"):
            look()
