"""List queries: filters with Django's lookups, and pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import detail, not_found
from vastplan.sim.vast.records import ApiCollection
from vastplan.sim.wire import Request

DEFAULT_PAGE = 50  # rows, when only `page` is given
LARGEST_PAGE = 1000  # rows
Getter = Callable[[Row], Any]
Test = Callable[[Any], bool]


def query_text(value: Any) -> str:
    """A value as a query spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _equal(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted.lower() in (("true", "1") if value else ("false", "0"))
    if isinstance(value, list):
        return any(_equal(part, wanted) for part in value)
    return value is not None and query_text(value) == wanted


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, str], bool]:
    def test(value: Any, wanted: str) -> bool:
        if isinstance(value, int | float):
            try:
                return compare(value, float(wanted))
            except ValueError:
                return False
        return isinstance(value, str) and compare(value, wanted)

    return test


def _matches(value: Any, pattern: str, flags: int) -> bool:
    try:
        return value is not None and re.search(pattern, query_text(value), flags) is not None
    except re.error:
        return False


LOOKUPS: dict[str, Callable[[Any, str], bool]] = {
    "exact": _equal,
    "in": lambda value, wanted: any(_equal(value, part) for part in wanted.split(",")),
    "contains": lambda value, wanted: value is not None and wanted in query_text(value),
    "icontains": lambda value, wanted: value is not None and wanted.lower() in query_text(value).lower(),
    "startswith": lambda value, wanted: value is not None and query_text(value).startswith(wanted),
    "istartswith": lambda value, wanted: value is not None and query_text(value).lower().startswith(wanted.lower()),
    "endswith": lambda value, wanted: value is not None and query_text(value).endswith(wanted),
    "iendswith": lambda value, wanted: value is not None and query_text(value).lower().endswith(wanted.lower()),
    "regex": lambda value, wanted: _matches(value, wanted, 0),
    "iregex": lambda value, wanted: _matches(value, wanted, re.IGNORECASE),
    "gt": _ordered(lambda value, wanted: value > wanted),
    "gte": _ordered(lambda value, wanted: value >= wanted),
    "lt": _ordered(lambda value, wanted: value < wanted),
    "lte": _ordered(lambda value, wanted: value <= wanted),
}


class Filters:
    """Turns the parameters of a list call into a test of rows.

    `fields` are the collection's response fields; `computed_fields` yields the fields that only a read computes. A parameter
    that names no field is ignored, as VMS does: the call then returns everything.
    """

    def __init__(
        self,
        cluster: VastCluster,
        collections: Mapping[str, ApiCollection],
        computed_fields: Callable[[ApiCollection, Row], Row],
    ) -> None:
        self._cluster = cluster
        self._collections = collections
        self._computed_fields = computed_fields

    def test(
        self, facts: ApiCollection, fields: frozenset[str], query: Mapping[str, list[str]]
    ) -> Callable[[Row], bool] | None:
        """A test that a row passes all filters, `None` if the query has no filter."""
        fields |= {reference.field for reference in facts.references}
        tests = [
            test for name, values in query.items() if (test := self._filter(facts, fields, name, values)) is not None
        ]
        return (lambda row: all(test(row) for test in tests)) if tests else None

    def _filter(
        self, facts: ApiCollection, fields: frozenset[str], name: str, values: list[str]
    ) -> Callable[[Row], bool] | None:
        if name == "serves_tenant" and facts.name in ("vippools", "viewpolicies"):
            return lambda row: row["tenant_id"] is None or str(row["tenant_id"]) == values[-1]
        *path, last = name.split("__")
        wanted, negated = last.removeprefix("not_"), last.startswith("not_")
        if path and wanted in LOOKUPS:
            lookup = LOOKUPS[wanted]
        else:
            path, lookup, negated = [*path, last], LOOKUPS["exact"], False
            wanted = "exact"
        getter = self._getter(facts, fields, path)
        if getter is None:
            return None
        # Django keeps the last of repeated parameters; `in` accepts a list, in either spelling.
        value = ",".join(values) if wanted == "in" else values[-1]
        return lambda row: lookup(getter(row), value) is not negated

    def _getter(self, facts: ApiCollection, fields: frozenset[str], path: list[str]) -> Getter | None:
        first, *further = path
        if not further:
            return self._field(facts, first) if first in fields else None
        if first == "cluster" and further in (["id"], ["name"]):
            return lambda row: self._cluster.name if further == ["name"] else 1
        reference = next((link for link in facts.references if first in (link.name, link.field)), None)
        if reference is None:
            return None
        target = self._collections[reference.collection]
        inner = self._getter(
            target, frozenset({"id", "name", "guid", "path"} | {link.field for link in target.references}), further
        )
        if inner is None:
            return None

        def through(row: Row) -> Any:
            keys = row.get(reference.field)
            targets = [
                self._cluster.get(reference.collection, key) for key in (keys if isinstance(keys, list) else [keys])
            ]
            values = [inner(other) for other in targets if other is not None]
            return values if isinstance(keys, list) else values[0] if values else None

        return through

    def _field(self, facts: ApiCollection, name: str) -> Getter:
        computed: list[bool] = []  # every row of a collection computes the same fields: the first row decides

        def value(row: Row) -> Any:
            if not computed:
                computed.append(name in self._computed_fields(facts, row))
            return self._computed_fields(facts, row)[name] if computed[0] else row.get(name)

        return value


def page_slice(request: Request, total: int) -> tuple[slice, Row] | None:
    """The slice to show and the envelope without `results`; `None` for a bare array; raises `VmsError` (404)."""
    if request.first("page") is None and request.first("page_size") is None:
        return None
    number = _positive(request.first("page"), 1, strict=True)
    size = min(_positive(request.first("page_size"), DEFAULT_PAGE, strict=False), LARGEST_PAGE)
    last = max(1, -(-total // size))
    if number > last:
        raise detail("Invalid page.", 404)

    def link(other: int) -> str | None:
        if not 1 <= other <= last:
            return None
        return f"{request.base_url}{request.path}?{urlencode({**request.query, 'page': [str(other)]}, doseq=True)}"

    envelope = {"count": total, "next": link(number + 1), "previous": link(number - 1)}
    return slice((number - 1) * size, number * size), envelope


def _positive(value: str | None, default: int, *, strict: bool) -> int:
    if value is not None and value.isdecimal() and int(value) > 0:
        return int(value)
    if value is not None and strict:
        raise not_found() if value == "" else detail("Invalid page.", 404)
    return default
