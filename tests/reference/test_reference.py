"""What the reference tells of each field, at a terminal and on its pages."""

from __future__ import annotations

import io
import sys

import pytest

from vastplan.app.explain import explain_path
from vastplan.app.reference.read import document_sections
from vastplan.cli import main
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
    for place in ("", "tenants", "quotas.hard_limit", "volumes", "alarm"):
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


def test_a_word_lists_what_has_it_in_its_name_or_description() -> None:
    told = explain_path("alarm", 100)
    assert told.startswith("Sections and fields with alarm in their name or description:\n\n")
    assert "\n\n  quotas.enable_alarms\n    Whether" in told
    assert explain_path("Alarm", 100).splitlines()[1:] == told.splitlines()[1:]
    paths = [line.strip() for line in explain_path("quota", 100).splitlines() if line[:2] == "  " and line[2:3] != " "]
    assert paths[0] == "quotas", "sections first"
    expected = set()
    for section in document_sections().values():
        expected |= {section.name} if "quota" in f"{section.name} {section.meaning}".lower() else set()
        fields = (field for field in section.walk() if "quota" in f"{field.name} {field.meaning}".lower())
        expected |= {".".join((section.name, *field.path)) for field in fields}
    assert {*paths} == expected and len(paths) == len(expected)
    for path in paths:
        assert explain_path(path, 100).splitlines()[0] == path, "each path can be typed"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "columns", "longest"), [(_Terminal, 160, 160), (_Terminal, 60, 60), (io.StringIO, 160, 100)]
)
def test_a_list_is_as_wide_as_the_terminal_and_100_columns_elsewhere(
    out: type[io.StringIO], columns: int, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", out())
    assert main(["explain", "views"]) == 0
    assert isinstance(sys.stdout, io.StringIO)
    told = sys.stdout.getvalue().partition("\nExample:")[0]
    assert max(map(len, told.splitlines())) == longest
