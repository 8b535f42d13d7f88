"""Create, read, update and delete for every collection, from the vendor's table and the collection's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.tables import Table, TableOperation
from vastplan.sim.vast import bodies, tasks
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import FIXED, REQUIRED, UNIQUE, Problem, detail, missing_object, not_found, raise_for
from vastplan.sim.vast.listing import Filters, page_slice, query_text
from vastplan.sim.vast.records import GOES_ALONG, ApiCollection, Memo, Query, is_true
from vastplan.sim.vast.scope import CallerScope
from vastplan.sim.vast.settle import due
from vastplan.sim.wire import Request, Response

BUILT_IN = "_built_in"


@dataclass(frozen=True, slots=True)
class CollectionSchema:
    """A collection's fields, from the table: the fields of its rows, and the fields that POST accepts."""

    schemas: Mapping[str, Any]
    names: frozenset[str]
    created_with: frozenset[str]
    values: Callable[[Row], tuple[Any, ...]]  # the row's values in the order of `schemas`; KeyError when one is missing

    def answer(self, row: Row) -> Row:
        """The row's fields that answers show; a field that the row lacks is null."""
        try:
            return dict(zip(self.schemas, self.values(row), strict=True))
        except KeyError:  # stored without its collection's blank row, as tasks are, or by a version with fewer fields
            return {name: row.get(name) for name in self.schemas}


@dataclass(slots=True)
class RequestContext:
    """One request being answered: the root of self links, the caller's scope, and a memo of computed values."""

    request: Request
    root: str
    scope: CallerScope = field(default_factory=CallerScope)
    memo: Memo = field(default_factory=dict)


class Crud:
    """The generic part of the plane. Its methods raise `VmsError`."""

    def __init__(
        self, cluster: VastCluster, table: Table, collections: Iterable[ApiCollection], page_cap: int | None
    ) -> None:
        self.cluster = cluster
        self.table = table
        self.collections = {facts.name: facts for facts in collections}
        self.shapes = {name: self._shape(facts) for name, facts in self.collections.items()}
        for name, facts in self.collections.items():
            blank = {field_name: bodies.blank(part) for field_name, part in self.shapes[name].schemas.items()}
            cluster.blanks[name] = {**blank, **facts.defaults}
        self._page_cap = page_cap

    def _shape(self, facts: ApiCollection) -> CollectionSchema:
        name = facts.name
        operation = self.table.operation("GET", f"/{name}/{{id}}/") or self.table.operation("GET", f"/{name}/")
        schema = operation.responses["200"] if operation else {}
        documented = self.table.fields(schema.get("items", schema))
        fields = {field_name: part for field_name, part in documented.items() if field_name not in facts.hidden}
        post = self.table.operation("POST", f"/{name}/")
        created_with = frozenset(self.table.fields(post.body)) if post else frozenset()
        return CollectionSchema(fields, frozenset(fields), created_with, _values_getter(tuple(fields)))

    # Rows

    def make(self, facts: ApiCollection, body: Row) -> Row:
        """Store a new row as `body` describes it, under all rules except the table's; raises `VmsError` (400)."""
        names = self.shapes[facts.name].names
        row = {**self.cluster.blanks[facts.name], **{name: value for name, value in body.items() if name in names}}
        self._complete_and_check(facts, row, body, None)
        row = self.cluster.add(facts.name, row)
        facts.stored(self.cluster, row)
        due(self.cluster, facts, row)
        return row

    def seed(self, facts: ApiCollection, bodies: Iterable[Row]) -> list[Row]:
        """Store new rows as `make` does, but without its checks: fast enough for a hundred thousand."""
        names, blank = self.shapes[facts.name].names, self.cluster.blanks[facts.name]
        rows = []
        for body in bodies:
            row = {**blank, **{name: value for name, value in body.items() if name in names}}
            self._complete(facts, row)
            facts.fill(self.cluster, row, body, None)
            row = self.cluster.add(facts.name, row)
            facts.stored(self.cluster, row)
            rows.append(row)
        return rows

    def _complete(self, facts: ApiCollection, row: Row) -> None:
        for name in facts.structs:
            row[name] = bodies.completed(self.table, self.shapes[facts.name].schemas[name], row.get(name))

    def need(self, facts: ApiCollection, key: str, visit: RequestContext) -> Row:
        """The row with this id, if the caller may see it; raises `VmsError` (404)."""
        row = self.cluster.get(facts.name, key)
        if row is None or not visit.scope.sees(facts.name, row):
            raise not_found()
        return row

    def computed_fields(self, facts: ApiCollection, row: Row, memo: Memo) -> Row:
        """The fields of a row that are computed at a read, without its self link."""
        computed: Row = {}
        if "tenant_name" in row:
            computed["tenant_name"] = self.cluster.name_of("tenants", row.get("tenant_id"))
        if "title" in row:
            computed["title"] = row.get("name") or row.get("path")
        if "cluster" in row:
            computed["cluster"] = self.cluster.name
        return computed | facts.show(self.cluster, row, memo)

    def rendered(self, facts: ApiCollection, row: Row, visit: RequestContext) -> Row:
        """The row as an answer shows it."""
        answer = self.shapes[facts.name].answer(row)
        answer |= self.computed_fields(facts, row, visit.memo)
        if "url" in answer:
            answer["url"] = f"{visit.root}/{facts.name}/{row['id']}/"
        return answer

    # Reads

    def list(self, facts: ApiCollection, visit: RequestContext) -> Response:
        """Returns a bare array, or the paging envelope when the request asks for a page."""
        query = visit.request.query
        filters = Filters(
            self.cluster, self.collections, lambda other, row: self.computed_fields(other, row, visit.memo)
        )
        test = filters.test(facts, self.shapes[facts.name].names, query)
        rows: Sequence[Row] = self.cluster.store.rows(facts.name)
        rows = rows if test is None else [row for row in rows if test(row)]
        if visit.scope.tenant is not None:
            rows = [row for row in rows if visit.scope.sees(facts.name, row)]
        wanted = page_slice(visit.request, len(rows))
        rows = rows[: self._page_cap] if wanted is None else rows[wanted[0]]
        hidden = {name for name, switch in facts.unlisted.items() if not is_true(query, switch)}
        hidden |= facts.unlisted_strictly if self.cluster.strict else set()
        asked_for = frozenset(",".join(query.get("fields", ())).split(",")) - {""}
        results = []
        for row in rows:
            answer = self.rendered(facts, row, visit)
            for name in hidden:
                answer.pop(name, None)
            results.append({name: answer[name] for name in answer if name in asked_for} if asked_for else answer)
        return Response(200, results if wanted is None else {**wanted[1], "results": results})

    def get(self, facts: ApiCollection, key: str, visit: RequestContext) -> Response:
        """Returns one object with all its fields."""
        row = self.need(facts, key, visit)
        return Response(200, self.rendered(facts, row, visit))

    # Writes

    def create(self, facts: ApiCollection, operation: TableOperation, visit: RequestContext) -> Response:
        """Returns 201 and the object."""
        body = visit.scope.completed(self.body(operation, bodies.read_body(visit.request), facts))
        return Response(201, self.rendered(facts, self.make(facts, body), visit))

    def body(
        self,
        operation: TableOperation,
        body: Row,
        facts: ApiCollection = bodies.NO_FACTS,
        fixed: frozenset[str] = frozenset(),
    ) -> Row:
        """The request's body, coerced unless strict, and checked; raises `VmsError` (400)."""
        if not self.cluster.strict:
            body = bodies.received(self.table, operation, body, facts, fixed)
        return bodies.accepted_body(body, operation, facts, fixed)

    def update(self, facts: ApiCollection, key: str, operation: TableOperation, visit: RequestContext) -> Response:
        """Returns the object, or with `strict` what the table says a PATCH answers. A struct is replaced as a whole.

        A field that only a create accepts may be sent again with its current value.
        """
        old = self.need(facts, key, visit)
        shape = self.shapes[facts.name]
        takes = self.table.fields(operation.body).keys()
        sent = bodies.read_body(visit.request)
        sent = {
            name: value
            for name, value in sent.items()
            if name in takes or name not in old or not _same(value, old[name])
        }
        field_names = shape.names | shape.created_with if self.cluster.strict else shape.names & shape.created_with
        body = self.body(operation, sent, facts, field_names - takes)
        raise_for((name, FIXED) for name in sorted(facts.fixed & body.keys()) if not _same(body[name], old.get(name)))
        row = {**old, **{name: value for name, value in body.items() if name in shape.names}}
        self._complete_and_check(facts, row, body, old)
        self.cluster.put(facts.name, row)
        facts.stored(self.cluster, row)
        due(self.cluster, facts, row)
        if facts.silent:
            return Response(204)
        status, schema = next(iter(operation.responses.items())) if self.cluster.strict else ("200", {})
        return Response(int(status), None if schema is None else self.rendered(facts, row, visit))

    def _complete_and_check(self, facts: ApiCollection, row: Row, body: Row, old: Row | None) -> None:
        # References first: completing a row may follow them.
        raise_for([*self._missing_values(facts, row), *self._dangling_references(facts, row, body)])
        self._complete(facts, row)
        facts.fill(self.cluster, row, body, old)
        raise_for([*self._duplicates(facts, row), *facts.check(self.cluster, row, body, old)])

    def delete(self, facts: ApiCollection, key: str, operation: TableOperation, visit: RequestContext) -> Response:
        """Returns 204, or 200 with the async task that deletes. Fields of the body count as query parameters."""
        row = self.need(facts, key, visit)
        query: Query = visit.request.query
        if operation.body is not None and visit.request.body:
            body = self.body(operation, bodies.read_body(visit.request))
            query = {**query, **{name: [query_text(value)] for name, value in body.items()}}
        name = row.get("name") or row.get("path") or row.get("username")
        if row.get(BUILT_IN) or row.get("internal"):
            raise detail(f"{name} is a default or internal object and cannot be deleted.")
        in_the_way = [
            f"it is used by {other} {', '.join(str(user.get('name') or user.get('path')) for user in users)}"
            for other, through in facts.blockers
            if (
                users := [
                    user
                    for user in self.cluster.rows(other)
                    if _mentions(user.get(through), row["id"]) and GOES_ALONG not in user
                ]
            )
        ]
        reasons = [*in_the_way, *facts.guard(self.cluster, row, query)]
        if reasons:
            raise detail(f"Cannot delete {name}: {'; '.join(reasons)}.")
        task = facts.delete(self.cluster, row, query)
        if task is not None:
            return Response(200, tasks.embedded(task)) if task else Response(204)
        self.cluster.remove(facts.name, row)
        facts.gone(self.cluster, row)
        return Response(204)

    # Rules that a collection's facts state

    def _missing_values(self, facts: ApiCollection, row: Row) -> Iterator[Problem]:
        if "name" in row and "name" not in facts.nullable and row["name"] is not None and not str(row["name"]).strip():
            yield "name", "This field may not be blank."
        yield from ((name, REQUIRED) for name in sorted(facts.required & row.keys()) if row[name] is None)

    def _dangling_references(self, facts: ApiCollection, row: Row, body: Row) -> Iterator[Problem]:
        for reference in facts.references:
            keys = body.get(reference.field, row.get(reference.field))
            for key in keys if isinstance(keys, list) else [keys]:
                target = self.cluster.get(reference.collection, key)
                if key is None:
                    continue
                if target is None:
                    yield reference.field, missing_object(key)
                    continue
                same_tenant = reference.same_tenant and not target.get(BUILT_IN)  # built-in objects serve every tenant
                owners = {target["tenant_id"], row.get("tenant_id")} if same_tenant else set()
                if len(owners - {None}) > 1:  # null: all tenants
                    yield reference.field, f"{target['name']} belongs to another tenant."

    def _duplicates(self, facts: ApiCollection, row: Row) -> Iterator[Problem]:
        for names in facts.unique:
            wanted = [_folded(facts, name, row.get(name)) for name in names]
            if any(value in (None, "") for value in wanted):
                continue
            exact = {name: row.get(name) for name in names if name not in facts.fold}
            if any(
                other["id"] != row.get("id") and [_folded(facts, name, other.get(name)) for name in names] == wanted
                for other in self.cluster.rows(facts.name, **exact)
            ):
                yield (
                    (names[0], UNIQUE)
                    if len(names) == 1
                    else ("", f"The fields {', '.join(names)} must make a unique set.")
                )


def _values_getter(names: tuple[str, ...]) -> Callable[[Row], tuple[Any, ...]]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda row: tuple(row[name] for name in names)


def _folded(facts: ApiCollection, name: str, value: Any) -> Any:
    return value.casefold() if name in facts.fold and isinstance(value, str) else value


def _mentions(value: Any, key: int) -> bool:
    return key in value if isinstance(value, list) else value is not None and str(value) == str(key)


def _same(first: Any, second: Any) -> bool:
    return first == second or (first is not None and str(first) == str(second))
