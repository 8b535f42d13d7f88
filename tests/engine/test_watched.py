"""Whoever waits for a plan is told which system is read, page by page, and when nothing more is waited for."""

from __future__ import annotations

from collections.abc import Iterator

from tests.engine.library import KINDS, SITE, Library
from vastplan.engine.live.read import observe
from vastplan.model.errors import Unreachable
from vastplan.model.watch import Watch
from vastplan.schema.kind import Kind, Row


class Told(Watch):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def begins(self, site: str, system: str, what: str) -> None:
        self.lines.append(f"begins {site} {system} {what}")

    def page(self, site: str, system: str, what: str) -> None:
        self.lines.append(f"page of {what}")

    def ends(self, site: str, system: str, what: str) -> None:
        self.lines.append(f"ends {what}")


class Dead(Library):
    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        raise Unreachable("no answer")


def test_each_read_is_told() -> None:
    told, library = Told(), Library()
    library.put("shelf", id="1", name="a")
    observe([(SITE, KINDS["shelf"])], {(SITE, "library"): library}, watch=told)
    assert told.lines == [f"begins {SITE} library shelf", "page of shelf", "ends shelf"]


def test_of_one_that_fails_nothing_more_is_waited_for() -> None:
    told = Told()
    assert observe([(SITE, KINDS["shelf"])], {(SITE, "library"): Dead()}, watch=told).error(SITE, "shelf")
    assert told.lines == [f"begins {SITE} library shelf", "ends shelf"]


def test_nobody_is_told_of_what_is_not_asked() -> None:
    told = Told()
    observe([(SITE, KINDS["shelf"])], {(SITE, "library"): Unreachable("no key")}, watch=told)
    assert told.lines == []
