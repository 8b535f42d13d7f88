"""The VMS as a plane: which calls there are, and who answers them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from vastplan.sim.store import Row, Store
from vastplan.sim.tables import Operation, load
from vastplan.sim.vast import (
    bodies,
    clockwork,
    directories,
    fabric,
    mirrors,
    platform,
    protectedpaths,
    remotes,
    restore,
    roles,
    scope,
    shared_access,
    sides,
    snapshots,
    streams,
    tasks,
)
from vastplan.sim.vast.assumed import Assumed
from vastplan.sim.vast.auth import Gate
from vastplan.sim.vast.calls import CALLS, prefetch
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.control import Controls
from vastplan.sim.vast.crud import Crud, RequestContext
from vastplan.sim.vast.errors import VmsError, detail, not_found
from vastplan.sim.vast.events import DONE, EVENTS, note
from vastplan.sim.vast.identities import GROUPS, LOCAL_PROVIDERS, S3_POLICIES, USERS
from vastplan.sim.vast.peers import PEERS
from vastplan.sim.vast.protectedpaths import PROTECTED_PATHS
from vastplan.sim.vast.protection import PROTECTION_POLICIES
from vastplan.sim.vast.qos import QOS_POLICIES
from vastplan.sim.vast.quotas import QUOTAS
from vastplan.sim.vast.records import Collection
from vastplan.sim.vast.replication import RESTORE_POINTS
from vastplan.sim.vast.scope import Scope, TenantManager
from vastplan.sim.vast.snapshots import SNAPSHOTS
from vastplan.sim.vast.streams import STREAMS
from vastplan.sim.vast.tenants import TENANTS, remote_objects
from vastplan.sim.vast.viewpolicies import VIEW_POLICIES
from vastplan.sim.vast.views import VIEWS
from vastplan.sim.vast.vippools import VIP_POOLS
from vastplan.sim.vast.volumes import VOLUMES
from vastplan.sim.wire import Request, Response

COLLECTIONS = (
    TENANTS, VIP_POOLS, VIEW_POLICIES, VIEWS, QOS_POLICIES, QUOTAS, PROTECTION_POLICIES, PROTECTED_PATHS, PEERS,
    SNAPSHOTS, STREAMS, USERS, GROUPS, LOCAL_PROVIDERS, S3_POLICIES, VOLUMES, platform.DNS, platform.CLUSTERS,
    platform.VERSIONS, platform.VMS, tasks.VTASKS, EVENTS, RESTORE_POINTS, mirrors.REPLICATION_STREAMS,
)  # fmt: skip
READ_ONLY = frozenset(
    {"clusters", "versions", "vms", "vtasks", "events", "replicationrestorepoints", "replicationstreams"}
)
DEFAULT_SEGMENT = "v5"
FOLDERS = {"create_folder": "POST", "modify_folder": "PATCH", "stat_path": "POST", "delete_folder": "DELETE"}
# Not in the document, yet clients of live clusters call them.
USAGE_REPORT = "/plugins/usage"
NOT_SIMULATED = frozenset({"/blockhostvolumes/bulk"})
ACTIONS = {  # PATCHes of an object that start a task
    (streams.NAME, "stop"): streams.stop,
    ("protectedpaths", "force_failover"): roles.force,
}
PAGE_CAPS = {"5.5": 16000}  # rows: where a release cuts unpaged lists off without a word
STARTING = {"detail": "VMS is starting, try again later", "code": "service_unavailable"}
_PATH = re.compile(r"/api(?:/(?P<segment>v\d+|latest))?(?P<rest>/.*)?")


class VastPlane(Controls):
    """A simulated VMS. `settle_reads` is how many reads a new peer, path, snapshot, volume or task needs to get ready.

    `api_tokens` maps a token to the manager who holds it, `tenant_managers` names those of one tenant, `token_lifetime` is
    in seconds, `page_cap` is where unpaged lists are cut off without a word (as the release does, when it is not said).
    For the first `starting` seconds reads are answered and writes are not (503), as a new VMS does.

    By default the plane takes what clients of live clusters are known to send. With `strict` it goes by the document
    alone and takes the stricter reading of what nothing settles: fields that a body does not have and wrong scalar types
    are refused, a PATCH is answered as documented, a refresh token dies with its use, QoS bursts and minimums must fit
    their maximum, list rows of users lack their keys.

    `assumed` is what no source settles about replication, as settings. What `clock` does moves no replication: `pass_time` does.

    The store must be for this plane alone. Raises `FileNotFoundError` for a `version` whose table is not known.
    """

    def __init__(
        self,
        store: Store,
        *,
        name: str = "vast",
        version: str = "5.5",
        username: str = "admin",
        password: str,
        api_tokens: Mapping[str, str] = MappingProxyType({}),
        clock: Callable[[], float] = time.time,
        settle_reads: int = 1,
        token_lifetime: float = 3600,
        page_cap: int | None = None,
        strict: bool = False,
        tenant_managers: Mapping[str, TenantManager] = MappingProxyType({}),
        starting: float = 0,
        assumed: Assumed | None = None,
    ) -> None:
        self.name = name
        self._cluster = VastCluster(name, version, store, clock, settle_reads, strict, assumed or Assumed())
        fabric.join(self._cluster, self._cluster.fabric)
        self._crud = Crud(self._cluster, load(f"vast-{version}"), COLLECTIONS, page_cap or PAGE_CAPS.get(version))
        self._gate = Gate(
            username, password, api_tokens, token_lifetime, clock, managers=tenant_managers, strict=strict
        )
        self._started = clock() + starting
        if store.empty():
            platform.install(self._crud)

    def seed(self, collection: str, bodies: Iterable[Row]) -> list[Row]:
        """Store objects as one POST each of `bodies` would, and answer the rows with their ids; nothing is checked.

        For benchmarks and tests that need a great many objects in seconds. A body must be one that POST takes, with the
        ids of what it refers to (`policy_id`, `tenant_id`); unknown fields are dropped, no event is noted, and what
        settles by reads (a peer, a protected path) starts as it does after a POST. Raises `KeyError` for an unknown
        collection. Call it under the world's lock where the plane is being served: `World.seed` does.
        """
        with self._cluster.store.transaction():
            return self._crud.seed(self._crud.collections[collection], bodies)

    def expire_tokens(self) -> None:
        """Forget every access and refresh token."""
        self._gate.expire()

    def busy(self) -> Response:
        """The framework's own words for too many requests; no public source shows VMS throttling."""
        body = {"detail": "Request was throttled. Expected available in 1 second."}
        return Response(429, body, {"Retry-After": "1"})

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        try:
            return self._answer(request)
        except VmsError as refusal:
            return Response(refusal.status, refusal.body)

    def _answer(self, request: Request) -> Response:
        match = _PATH.fullmatch(request.path)
        if match is None:
            raise not_found()
        path = match["rest"] or "/"
        table = self._crud.table
        plain = path.rstrip("/")
        if plain in ("/token", "/token/refresh"):
            return self._token(request, plain + "/")
        who = self._gate.admit(request.headers.get("authorization"), request.headers.get(scope.HEADER))
        if plain == USAGE_REPORT and request.method == "POST":
            return Response(200, {})
        matched = table.match(plain)
        if matched is None and plain not in NOT_SIMULATED:
            raise not_found()
        template, parameters = matched or (plain, ())
        operation = table.operation(request.method, template)
        if operation is None and (plain in NOT_SIMULATED or table.only_named(request.method, template)):
            raise detail(f"{request.method} {template} is not simulated.", 501)
        if operation is None:
            raise detail(f'Method "{request.method}" not allowed.', 405)
        if request.method != "GET" and self._cluster.clock() < self._started:
            raise VmsError(503, STARTING)
        snapshots.expire(self._cluster)
        root = f"{request.base_url}/api/{match['segment'] or DEFAULT_SEGMENT}"
        name = template.strip("/").split("/")[0]
        before = self._cluster.get(name, parameters[0]) if parameters else None
        visit = RequestContext(request, root, self._scope(who))
        visit.scope.admit(request.method, name, before)
        response = self._dispatched(operation, parameters, visit)
        if request.method != "PATCH" or self._cluster.strict:
            operation.assert_documented(response.status)
        self._note_event(request.method, name, before or response.body, who)
        if request.method == "GET":
            clockwork.was_read(self._cluster, name)
        return response

    def _scope(self, who: str) -> Scope:
        name = self._gate.tenant_of(who)
        tenant = None if name is None else scope.named(self._cluster, name)
        if name is not None and tenant is None:
            raise scope.denied()
        return Scope(tenant["id"] if tenant else None)

    def _note_event(self, method: str, collection: str, row: object, who: str) -> None:
        if method in DONE and isinstance(row, dict) and "id" in row:
            note(self._cluster, method, collection, row, who)

    def _dispatched(self, operation: Operation, parameters: tuple[str, ...], visit: RequestContext) -> Response:
        method, request = operation.method, visit.request
        _, name, *segments = operation.path.rstrip("/").split("/")
        facts = self._crud.collections.get(name)
        writes = method != "GET"
        if name == "folders" and FOLDERS.get(segments[0]) == method:
            body = self._crud.body(operation, bodies.read(request))
            return Response(200, directories.folder_call(self._cluster, segments[0], body))
        if operation.path == "/tenants/remote_objects/":
            tenants = remote_objects(self._cluster, request.first("target_id"), request.first("name"))
            if tenants is None:
                raise detail("The replication target does not exist or is not connected.")
            return Response(200, tenants)
        if operation.path in remotes.READS:
            return Response(200, remotes.READS[operation.path](self._cluster, request.query))
        if operation.path == "/clusters/list_prefetch_paths_info/":
            return Response(200, shared_access.all_prefetches(self._cluster))
        if operation.path == "/clusters/{id}/" and method == "PATCH":
            body = self._crud.body(operation, bodies.read(request))
            if parameters == ("1",) and body.keys() == {"enable_trash"}:
                return Response(200, directories.enable_trash(self._cluster, body["enable_trash"]))
        elif facts is not None and not (writes and name in READ_ONLY):
            if not segments and writes:
                return self._created(facts, operation, visit)
            if not segments:
                return self._crud.list(facts, visit)
            if segments == ["{id}"]:
                return self._item(facts, parameters[0], operation, visit)
            if (name, segments[1:]) == ("snapshots", ["clone"]):
                return self._cloned(self._crud.need(facts, parameters[0], visit), operation, visit)
            if writes and (name, segments[-1]) in CALLS:
                body = self._crud.body(operation, bodies.read(request))
                CALLS[name, segments[-1]](self._cluster, self._crud.need(facts, parameters[0], visit), body)
                return Response(200)
            if name == sides.NAME and segments[1:] in (["prefetch_path"], ["restore"], ["validate"]):
                return self._on_a_path(segments[1], self._crud.need(facts, parameters[0], visit), operation, visit)
            action = ACTIONS.get((name, "/".join(segments[1:])))
            if action is not None:
                row = self._crud.need(facts, parameters[0], visit)
                task = action(self._cluster, row)
                return Response(200, task and tasks.embedded(task))
        raise detail(f"{method} {operation.path} is documented, but not simulated.", 501)

    def _on_a_path(self, call: str, row: Row, operation: Operation, visit: RequestContext) -> Response:
        if call == "validate":
            return Response(200, restore.validated(self._cluster, row))
        body = self._crud.body(operation, bodies.read(visit.request)) if operation.body else {}
        if call == "prefetch_path":
            return prefetch(self._cluster, row, operation.method, body, visit.request.query)
        stream = self._crud.make(STREAMS, restore.clone_of(self._cluster, row, body))
        restore.begun(self._cluster, row, stream)
        return self._with_task(Response(200, self._crud.rendered(STREAMS, stream, visit)))

    def _created(self, facts: Collection, operation: Operation, visit: RequestContext) -> Response:
        response = self._crud.create(facts, operation, visit)
        return self._with_task(response) if facts is STREAMS else response

    def _cloned(self, snapshot: Row, operation: Operation, visit: RequestContext) -> Response:
        body = self._crud.body(operation, bodies.read(visit.request))
        row = self._crud.make(STREAMS, streams.clone(snapshot, body))
        return self._with_task(Response(200, self._crud.rendered(STREAMS, row, visit)))

    def _with_task(self, response: Response) -> Response:
        row = self._cluster.get(streams.NAME, response.body["id"]) or {}
        task = self._cluster.get("vtasks", row["_task"]) or {}
        return Response(response.status, {**response.body, **tasks.embedded(task)})

    def _item(self, facts: Collection, key: str, operation: Operation, visit: RequestContext) -> Response:
        if operation.method == "GET":
            return self._crud.get(facts, key, visit)
        if operation.method == "DELETE":
            return self._crud.delete(facts, key, operation, visit)
        if facts is PROTECTED_PATHS:
            body = self._crud.body(operation, bodies.read(visit.request), facts)
            row = self._crud.need(facts, key, visit)
            if protectedpaths.command(self._cluster, row, body):
                return Response(200, None if self._cluster.strict else self._crud.rendered(facts, row, visit))
        return self._crud.update(facts, key, operation, visit)

    def _token(self, request: Request, path: str) -> Response:
        operation = self._crud.table.operation(request.method, path)
        if operation is None:
            raise detail(f'Method "{request.method}" not allowed.', 405)
        body = self._crud.body(operation, bodies.read(request))
        if path.endswith("/refresh/"):
            return Response(200, self._gate.renew(**body))
        return Response(200, self._gate.login(**body, tenant=request.headers.get(scope.HEADER)))
