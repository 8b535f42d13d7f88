"""What `crud` knows about a collection: facts as data, and the few functions that a stateful one adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem

Memo = dict[str, Any]
GOES_ALONG = (
    "_goes_along"  # marks a row that is created and deleted with its owner, and that never blocks the delete of another
)
Fill = Callable[[VastCluster, Row, Row, Row | None], None]
Check = Callable[[VastCluster, Row, Row, Row | None], Iterator[Problem]]
Query = Mapping[str, list[str]]


def is_true(query: Query, name: str) -> bool:
    """Whether a query switch such as `force` is on."""
    return query.get(name, ["false"])[-1].lower() in ("true", "1")


def nothing_to_fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    """Complete `row` in place; `body` is what was sent, `old` the row before an update."""


def no_problem(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    """The problems of `row`."""
    yield from ()


def nothing_to_show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    """The fields that are computed when a row is read; `memo` lives as long as the request."""
    return {}


def nothing_to_do(cluster: VastCluster, row: Row) -> None:
    """Act on a row that was stored, has settled or was deleted."""


def nothing_in_the_way(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    """The reasons why a row cannot be deleted."""
    yield from ()


ON_ITS_WAY: Row = {}
"""For a row that is being deleted without a task."""


def gone_at_once(cluster: VastCluster, row: Row, query: Query) -> Row | None:
    """The async task that deletes the row, `ON_ITS_WAY` for a delete without one, or `None` if `crud` deletes it now."""
    return None


@dataclass(frozen=True, slots=True)
class Reference:
    """`field` (an id or a list of ids) names rows of `collection`; filters such as `policy__name` call it `through`."""

    field: str
    collection: str
    through: str = ""
    same_tenant: bool = False

    @property
    def name(self) -> str:
        """The reference's name in filters."""
        return self.through or self.field.removesuffix("_id")


@dataclass(frozen=True, slots=True)
class ApiCollection:
    """One collection of the API. Which fields exist, and the answers' shapes, come from the vendor's table."""

    name: str
    unique: tuple[tuple[str, ...], ...] = ()  # unique together; not compared if one is null or empty
    fold: frozenset[str] = frozenset()  # compared without case
    references: tuple[Reference, ...] = ()
    blockers: tuple[tuple[str, str], ...] = ()  # (collection, field): rows that refer to this one and block its delete
    defaults: Mapping[str, Any] = field(default_factory=dict)
    structs: frozenset[str] = frozenset()  # objects that the server completes with the table's defaults, else null
    required: frozenset[str] = frozenset()  # beyond the table
    optional: frozenset[str] = frozenset()  # required by the table, but clients of live clusters omit it
    nullable: frozenset[str] = frozenset()  # at any depth; the table marks none
    fixed: frozenset[str] = frozenset()  # in the PATCH schema, but refused if the value differs
    unsendable: frozenset[str] = frozenset()  # in the schema, documented as not to be sent
    optional_in_patch: frozenset[str] = frozenset()
    silent: bool = False  # a PATCH is answered 204 without a body, on a strict cluster or not
    either: Mapping[str, type] = field(default_factory=dict)  # a second type that the server accepts
    unlisted: Mapping[str, str] = field(
        default_factory=dict
    )  # field -> query switch that puts it into list rows, "" for none
    hidden: frozenset[str] = frozenset()  # in the schema, but in no answer
    unlisted_strictly: frozenset[str] = frozenset()  # missing in list rows on a strict cluster
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)  # enums that are missing in the table
    fill: Fill = nothing_to_fill
    check: Check = no_problem
    show: Callable[[VastCluster, Row, Memo], Row] = nothing_to_show
    guard: Callable[[VastCluster, Row, Query], Iterator[str]] = nothing_in_the_way
    stored: Callable[[VastCluster, Row], None] = nothing_to_do
    delete: Callable[[VastCluster, Row, Query], Row | None] = gone_at_once
    gone: Callable[[VastCluster, Row], None] = nothing_to_do
    settled: Callable[[VastCluster, Row], None] = nothing_to_do
