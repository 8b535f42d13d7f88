"""Findings are told once for each cause."""

from __future__ import annotations

from dataclasses import replace

from tests.report.reading import FORMATS, plan
from vastplan.model.finding import Finding, Severity, Where, error
from vastplan.model.plan import UnknownCollection
from vastplan.report.folding import counted_known, folded
from vastplan.report.text import unknown_lines

WHERE = Where("a.yaml", 1, 1)
ONE = Finding("TEN-02", Severity.NOTE, "says nothing", "remove it", "iad/tenant/a", WHERE)
MEET = Finding(
    "ISO-01", Severity.WARNING, "projects a, b meet in tenant a: ways", "part them", "iad/tenant/a", WHERE,
    group="projects a, b meet in", item="tenant a",
)  # fmt: skip


def test_the_same_of_one_thing_on_several_sites_is_one() -> None:
    other = replace(ONE, address="pdx/tenant/a")
    assert folded([ONE, other]) == (replace(ONE, address="iad, pdx: tenant/a"),)
    assert folded([ONE]) == (ONE,)


def test_what_differs_is_told_apart() -> None:
    others = [
        replace(ONE, address="iad/tenant/b"),
        replace(ONE, message="says something else"),
        replace(ONE, severity=Severity.WARNING),
        replace(ONE, fix="keep it"),
        replace(ONE, code="TEN-03"),
    ]
    assert folded([ONE, *others]) == (ONE, *others)


def test_a_group_is_one_with_all_its_items() -> None:
    pool = replace(MEET, message="projects a, b meet in VIP pool a: ways", address="iad/vip_pool/a", item="VIP pool a")
    there = replace(MEET, address="pdx/tenant/a")
    (one,) = folded([MEET, pool, there])
    assert (one.address, one.message) == ("iad, pdx", "projects a, b meet in tenant a, VIP pool a")
    assert folded([MEET]) == (MEET,), "alone it says the way"


def test_many_items_are_counted() -> None:
    many = [replace(MEET, item=f"path {number}", address=f"iad/view/{number}") for number in range(9)]
    assert (
        folded(many)[0].message == "projects a, b meet in " + ", ".join(f"path {n}" for n in range(6)) + " and 3 more"
    )


def test_what_is_waived_is_counted_after_all_others() -> None:
    waived = [replace(ONE, address=f"iad/tenant/{name}", waived=True) for name in "bcd"]
    told = folded([*waived, ONE])
    assert told[0] == ONE and len(told) == 2
    assert told[1].message == "3 findings waived by the document (checks.waive); --format json lists them"
    assert folded(waived[:1]) == tuple(waived[:1])


def test_what_is_about_no_object_is_told_as_it_is() -> None:
    plain = replace(ONE, address="", where=None)
    assert folded([plain, plain]) == (plain,)


def test_the_same_of_many_objects_is_told_once_and_each_error_by_itself() -> None:
    many = [
        replace(ONE, address=f"iad/tenant/{name}", message=f"iad/tenant/{name} says nothing") for name in "abcdefgh"
    ]
    (one,) = folded(many)
    assert one.message == (
        "of 8 tenants: ADDRESS says nothing: iad/tenant/a, iad/tenant/b, iad/tenant/c, iad/tenant/d, iad/tenant/e, "
        "iad/tenant/f and 2 more; --format json lists them"
    )
    assert (one.address, one.where, one.fix) == ("", None, "remove it")
    assert folded(many[:4]) == tuple(many[:4])
    errors = [replace(finding, severity=Severity.ERROR) for finding in many]
    assert folded(errors) == tuple(errors)


def test_what_the_base_has_too_is_counted() -> None:
    known = [ONE, ONE, replace(MEET, code="ISO-02")]
    text = "3 findings that the base has too (1 warning, 2 notes: ISO-02, TEN-02); --format json lists them"
    assert counted_known(known) == text and counted_known([]) == ""


def test_the_same_error_at_two_places_is_two() -> None:
    here, there = (error("VP207", "data is given twice", where=Where("doc.yaml", line, 7)) for line in (42, 70))
    assert folded([here, there, here]) == (here, there)


def test_what_could_not_be_read_for_one_reason_is_one_line() -> None:
    kinds = [f"kind_{number}" for number in range(11)]
    unread = [UnknownCollection("iad", "vast", kind, "no password") for kind in kinds]
    others = [
        UnknownCollection("iad", "vast", "view", "timed out"),
        UnknownCollection("pdx", "vast", "view", "no password"),
    ]
    lines = [
        "  ? iad vast 11 kinds (kind_0, kind_1 and 9 more): no password",
        "  ? iad vast view: timed out",
        "  ? pdx vast view: no password",
    ]
    assert unknown_lines([*unread, *others]) == lines
    assert unknown_lines(unread[:2]) == ["  ? iad vast kind_0: no password", "  ? iad vast kind_1: no password"]
    made = replace(plan("empty"), unknown=(*unread, *others))
    for ending in ("txt", "md", "html"):
        assert FORMATS[ending](made).count("no password") == 2, ending
    assert FORMATS["json"](made).count("no password") == 12
