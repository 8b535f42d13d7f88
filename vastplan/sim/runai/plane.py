"""The Run:ai control plane: authentication, the version's document, and routing to handlers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from vastplan.sim.agenda import Agenda, request_time
from vastplan.sim.runai import (
    access_rules,
    assets,
    audit,
    clusters,
    data_volumes,
    departments,
    node_pools,
    nodes,
    policies,
    priorities,
    projects,
    roles,
    settle,
    storage_classes,
    submissions,
    workloads,
)
from vastplan.sim.runai.cluster import KubernetesSide
from vastplan.sim.runai.context import Context, Finish, NoWorkers, OmittedPools, Routes, RunaiCall, WorkloadJobs
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.query import parse_query
from vastplan.sim.runai.shape import check_body, prune_fields
from vastplan.sim.runai.tokens import Tokens
from vastplan.sim.store import Store
from vastplan.sim.tables import TableOperation, load_table
from vastplan.sim.wire import NotJson, Request, Response

TOKEN_V1, TOKEN_V2 = "/api/v1/token", "/api/v2/token"
ROUTES: Routes = {}
for _part in (
    access_rules,
    assets,
    audit,
    clusters,
    data_volumes,
    departments,
    node_pools,
    nodes,
    policies,
    priorities,
    projects,
    roles,
    storage_classes,
    submissions,
    workloads,
):
    ROUTES.update(_part.ROUTES)
FINISHES: Mapping[str, Finish] = MappingProxyType(
    {
        "access-rule": access_rules.finish_access_rule,
        "asset": assets.finish_asset,
        "datavolume": data_volumes.finish_data_volume,
        "node-pool": node_pools.finish_node_pool,
        "project": projects.finish_project,
        "workload": workloads.finish_phase,
    }
)


class RunaiPlane:
    """A control plane of one `version` for the named `clusters`; raises `FileNotFoundError` for an unknown version.

    `settle_reads` is how many requests a change takes, whichever rows they ask for; `token_lifetime` is in seconds;
    `omitted_pools` says whether a PUT zeroes or keeps the quota of pools it omits.
    `others` are clients beside `client_id`: their ids, with their secrets.
    """

    def __init__(
        self,
        store: Store,
        *,
        name: str = "runai",
        version: str = "2.24",
        client_id: str,
        client_secret: str,
        clusters: Mapping[str, KubernetesSide],
        clock: Callable[[], float] = time.time,
        settle_reads: int = 1,
        token_lifetime: float = 3600,
        omitted_pools: OmittedPools = "zero",
        workers: WorkloadJobs | None = None,
        others: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self._tokens = Tokens({**others, client_id: client_secret}, clock, token_lifetime)
        self._ctx = Context(
            store=store,
            table=load_table(f"runai-{version}"),
            name=name,
            version=tuple(map(int, version.split("."))),
            sides=dict(clusters),
            clock=clock,
            settle_reads=settle_reads,
            omitted_pools=omitted_pools,
            author=client_id,
            agenda=Agenda(store, clock, settle_reads, lambda: settle.pending_rows(store, name, FINISHES)),
            finishes=FINISHES,
            workers=workers or NoWorkers(),
        )
        for cluster in clusters:
            self._register(cluster)

    def _register(self, name: str) -> None:
        row = clusters.register(self._ctx, name)
        node_pools.ensure_default_pool(self._ctx, row)
        departments.ensure_default_department(self._ctx, row)

    def expire_tokens(self) -> None:
        """Invalidate every token given out so far."""
        self._tokens.forget()

    def busy(self) -> Response:
        """Returns 429: the documents have none, but a gateway in front of the control plane may answer it."""
        return RunaiError(429, "Try again in a second", {"Retry-After": "1"}).response()

    def submit(self, project: str, name: str, **fields: Any) -> str:
        """Submit a workload to a project, as a user would; see `workloads.submit`."""
        return workloads.submit_workload(self._ctx, project, name, **fields)

    def join(self, cluster: str, name: str, **fields: Any) -> None:
        """Add a node to a cluster; see `nodes.join`."""
        nodes.add_node(self._ctx, cluster, name, **fields)

    def end(self, workload_id: str) -> None:
        """Delete a workload, as its user would."""
        workloads.delete_workload(self._ctx, self._ctx.need("workload", workload_id))

    def set_cluster_state(self, cluster: str, state: str) -> None:
        """Change the state of a cluster; nothing makes progress on a cluster that is not `Connected`."""
        clusters.set_state(self._ctx, cluster, state)

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        try:
            return self._answer(request)
        except RunaiError as refused:
            return refused.response()
        except NotJson as error:
            return RunaiError(400, str(error)).response()

    def _answer(self, request: Request) -> Response:
        if request.path.rstrip("/") in (TOKEN_V1, TOKEN_V2):
            operation, _ = self._operation(request)
            return self._pruned(operation, self._login(operation, request))
        ctx = replace(self._ctx, author=self._tokens.check(request.headers))
        operation, params = self._operation(request)
        with request_time((ctx.agenda,), lambda: settle.settle_changes(ctx)):
            handler = ROUTES.get((operation.method, operation.path))
            if handler is None:
                raise RunaiError(501, f"{operation.method} {operation.path}")
            query = parse_query(self._ctx.table, operation, request.query)
            try:
                response = handler(ctx, RunaiCall(operation, params, query, _body(operation, request)))
            except RunaiError as refused:
                _note_audit(ctx, request, operation, params, refused.response())
                raise
            _note_audit(ctx, request, operation, params, response)
            return self._pruned(operation, response)

    def _pruned(self, operation: TableOperation, response: Response) -> Response:
        operation.assert_documented(response.status)
        schema = self._schema(operation, response.status)
        body = prune_fields(self._ctx.table, schema, response.body) if schema else response.body
        return Response(response.status, body, response.headers)

    def _operation(self, request: Request) -> tuple[TableOperation, tuple[str, ...]]:
        table = self._ctx.table
        matched = table.match(request.path)
        if matched is None:
            raise RunaiError(404, request.path)
        template, parameters = matched
        operation = table.operation(request.method, template)
        if operation is None:
            allowed = ", ".join(sorted(table.content["paths"][template]))
            raise RunaiError(405, f"{request.method} {request.path}", {"Allow": allowed})
        return operation, parameters

    def _schema(self, operation: TableOperation, status: int) -> dict[str, Any] | None:
        # The document gives a new NFS data source the answer of an S3 one; use the answer of its GET instead.
        if operation.method == "POST" and operation.path.startswith(assets.PATH):
            content: dict[str, Any] = self._ctx.table.content["paths"][f"{operation.path}/{{AssetId}}"]
            return content["GET"]["responses"]["200"]  # type: ignore[no-any-return]
        return operation.responses.get(str(status))

    def _login(self, operation: TableOperation, request: Request) -> Response:
        if operation.path == TOKEN_V2:
            return self._tokens.login_v2(operation, request)
        _check_media(request)
        return self._tokens.login_v1(operation, self._ctx.table.fields(operation.body), request)


def _note_audit(
    ctx: Context, request: Request, operation: TableOperation, params: tuple[str, ...], response: Response
) -> None:
    if request.method in audit.ACTIONS:
        audit.record_call(ctx, request, operation.path, params[0] if params else "", response)


def _body(operation: TableOperation, request: Request) -> Any:
    if operation.body is None:
        return None
    _check_media(request)
    body = request.json()
    check_body(operation, body)
    return body


def _check_media(request: Request) -> None:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.body and media != "application/json":
        raise RunaiError(415, f"Content-Type {media!r}")
