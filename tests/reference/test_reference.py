"""What the reference tells of each field, at a terminal and on its pages."""

from __future__ import annotations

import pytest

from vastplan.app.explain import explain_path
from vastplan.model.errors import VastplanError


def test_a_field_at_a_terminal() -> None:
    told = explain_path("tenants.quota.hard_limit", 100)
    assert told.startswith("quotas.hard_limit\n\n  ")
    assert "  Write a size, such as `10 TiB`.\n" in told
    assert "  `null` clears it" in told
    assert "Its name in the API: `hard_limit`." in told
    assert told == explain_path("quotas.hard_limit", 100)


def test_what_is_below_is_listed_and_all_of_it_when_asked() -> None:
    told = explain_path("volumes.checkpoint", 100)
    assert "\n  reliability " in told and "mtbf" not in told.partition("Example:")[0]
    assert "\n  reliability\n    mtbf\n" in explain_path("volumes.checkpoint", 100, recursive=True)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    for place in ("", "tenants", "quotas.hard_limit", "volumes"):
        told = explain_path(place, width).partition("\nExample:")[0]
        assert [line for line in told.splitlines() if len(line) > max(width, 64)] == []


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("quotaz", "no section quotaz: did you mean quotas?"),
        ("nothing-like-it", "vastplan explain lists the sections"),
        ("quotas.hard_limt", "quotas has no field hard_limt: did you mean hard_limit?"),
        ("tenants.qotas", "did you mean quotas?"),
        (
            "quotas.hard_limit.xxxxxxxx",
            "quotas.hard_limit has no field xxxxxxxx: vastplan explain quotas.hard_limit lists",
        ),
        ("quotas.\x1b[31m", r"has no field \x1b[31m"),
        ("quotas..hard_limit", "quotas..hard_limit: a name is missing; write SECTION.FIELD"),
        ("defaults.quotaz", "defaults has no section quotaz: did you mean quotas?"),
    ],
)
def test_what_is_not_there(place: str, says: str) -> None:
    with pytest.raises(VastplanError) as refused:
        explain_path(place, 100)
    assert says in str(refused.value) and "\x1b" not in str(refused.value)


@pytest.mark.parametrize(
    ("place", "same"),
    [
        ("quotas.", "quotas"),
        (".", ""),
        ("defaults.quotas.hard_limit", "quotas.hard_limit"),
        ("defaults.tenants.views", "views"),
    ],
)
def test_what_is_typed_in_another_way(place: str, same: str) -> None:
    assert explain_path(place, 100) == explain_path(same, 100)
