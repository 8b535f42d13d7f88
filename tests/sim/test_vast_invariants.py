"""What holds of two replicating clusters in any order of writes, losses, returns and calls."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.sim.twins import GB, HOUR, ONE, Twins
from vastplan.sim.vast.assumptions import Assumed
from vastplan.sim.vast.control import NoAnswer, ReadOnly

STEPS = 60
SETTINGS: dict[str, Any] = {
    "as it is": {},
    "a source stays": {"old_source": "stays"},
    "a source is blocked": {"old_source": "blocked", "read_only_from": "call"},
    "a source hears late": {"hears_of_detach": False, "force_detaches": True, "abort_at": "either"},
    "points expire": {"common_point_expires": True, "rejoined_branch_kept": True, "enabled_after_failover": False},
}


class Story:
    """Random steps on two clusters, and what they must not do."""

    def __init__(self, twins: Twins, seed: int) -> None:
        self.twins, self.chance = twins, Random(seed)
        self.told: list[str] = []
        self.written: set[str] = set()
        self.up = True
        twins.write("first")
        self.written.add("first")
        twins.protect()

    def sides(self) -> list[Any]:
        return [self.twins.a, self.twins.b]

    def everywhere(self) -> set[str]:
        """All labels that are in the directory of either side."""
        return set().union(*(self.there(vms) for vms in self.sides()))

    def there(self, vms: Any) -> set[str]:
        return set(vms.plane.labels("/v" if vms is self.twins.a else "/replica", tenant_id=2))

    def step(self, number: int) -> None:
        vms = self.chance.choice(self.sides())
        does = self.chance.choice([self.write, self.write, self.time, self.time, self.link, self.call, self.call])
        before = self.everywhere()
        said = does(vms, number)
        self.told.append(f"{number}: {does.__name__} on {vms.plane.name}: {said}")
        lost = before - self.everywhere()
        if lost and not self.gives_up_a_branch():
            raise AssertionError(f"{lost} is gone")
        rows = [one.get(ONE) for one in self.sides()]
        roles = {row["role"] for row in rows}
        apart = roles == {"SOURCE"} or roles & {"STANDALONE", "BECOMING_STANDALONE", "BECOMING_SOURCE"}
        writers = self.twins.writers()
        assert len(writers) < 2 or apart, f"{writers} write, and the roles are {roles}"

    def gives_up_a_branch(self) -> bool:
        """Whether a side was attached again, which is the only thing that takes a branch away."""
        return any("attach" in line for line in self.told)

    def write(self, vms: Any, number: int) -> str:
        label, size = f"{vms.plane.name}-{number}", self.chance.choice([0, 1, 5, 60]) * GB
        try:
            vms.plane.write("/v" if vms is self.twins.a else "/replica", size, label, tenant_id=2)
        except (ReadOnly, NoAnswer) as refused:
            return type(refused).__name__
        self.written.add(label)
        assert label in self.there(vms)
        return label

    def time(self, vms: Any, number: int) -> str:
        seconds = self.chance.choice([1, 7, 30, 200, HOUR, 30 * HOUR])
        self.twins.pass_time(seconds)
        return f"{seconds} s"

    def link(self, vms: Any, number: int) -> str:
        self.up = not self.up
        self.twins.link(up=self.up)
        return "up" if self.up else "cut"

    def call(self, vms: Any, number: int) -> str:
        stream = vms.get("/replicationstreams/")[0]["id"]
        name, path, body = self.chance.choice(
            [
                ("plan", ONE, {"failover": True, "graceful": True}),
                ("detach", ONE, {"failover": True, "graceful": False}),
                ("abort", ONE, {"abort": True}),
                ("force", f"{ONE}force_failover", None),
                ("attach", f"{ONE}reattach_stream/", {"stream_id": str(stream)}),
                ("suspend", ONE, {"enabled": False}),
                ("resume", ONE, {"enabled": True}),
                (
                    "now",
                    f"{ONE}replicate_now/",
                    dict.fromkeys(("time_expires_local", "time_expires_target"), "2030-01-01T00:00:00"),
                ),
            ]
        )
        answer = vms.call("PATCH", path, body)
        assert answer.status_code in (200, 400, 409), answer.text
        return f"{name} {answer.status_code}"

    def heals(self) -> None:
        """With the link back, a side that leads and one that follows end level."""
        self.twins.link(up=True)
        self.twins.pass_time(100 * HOUR)
        for vms in self.sides():
            row = vms.get(ONE)
            assert "BECOMING" not in row["role"], row["role"]
            if row["role"] == "SOURCE" and not row["enabled"]:
                assert vms.call("PATCH", ONE, {"enabled": True}).status_code == 200
        self.twins.pass_time(100 * HOUR)
        if sorted(self.twins.roles()) == ["DESTINATION", "SOURCE"]:
            assert self.there(self.twins.a) == self.there(self.twins.b)
            assert self.twins.states() == ("Active", "Active")


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("seed", range(6))
def test_in_any_order(start: Any, settings: str, seed: int) -> None:
    story = Story(Twins(start, assumed=Assumed(**SETTINGS[settings])), seed)
    try:
        for number in range(STEPS):
            story.step(number)
        story.heals()
    except AssertionError as problem:
        raise AssertionError("\n".join([*story.told, str(problem)])) from None
