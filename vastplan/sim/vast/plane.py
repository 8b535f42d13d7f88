"""The VMS as a plane: which calls exist and which code answers each."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from vastplan.sim.agenda import request_time
from vastplan.sim.store import Row, Store
from vastplan.sim.tables import TableOperation, load_table
from vastplan.sim.vast import (
    apitokens,
    bodies,
    clockwork,
    directories,
    fabric,
    keys,
    managers,
    mirrors,
    monitoring,
    people,
    permissions,
    platform,
    protectedpaths,
    remotes,
    restore,
    role_changes,
    roles,
    scope,
    settle,
    shared_access,
    sides,
    snapshots,
    streams,
    tasks,
)
from vastplan.sim.vast.assumptions import Assumed
from vastplan.sim.vast.auth import Authenticator
from vastplan.sim.vast.calls import CALLS, answer_prefetch
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.control import Controls
from vastplan.sim.vast.crud import Crud, RequestContext
from vastplan.sim.vast.errors import VmsError, detail, not_found
from vastplan.sim.vast.events import DONE, EVENTS, record_change
from vastplan.sim.vast.identities import GROUPS, LOCAL_PROVIDERS, S3_POLICIES, USERS
from vastplan.sim.vast.lifecycle import LIFECYCLE_RULES
from vastplan.sim.vast.peers import PEERS
from vastplan.sim.vast.protectedpaths import PROTECTED_PATHS
from vastplan.sim.vast.protection import PROTECTION_POLICIES
from vastplan.sim.vast.qos import QOS_POLICIES
from vastplan.sim.vast.quotas import QUOTAS
from vastplan.sim.vast.records import ApiCollection
from vastplan.sim.vast.replication import RESTORE_POINTS
from vastplan.sim.vast.scope import CallerScope, Manager
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
    SNAPSHOTS, STREAMS, USERS, keys.KEYS, GROUPS, LOCAL_PROVIDERS, S3_POLICIES, LIFECYCLE_RULES, VOLUMES, platform.DNS,
    platform.CLUSTERS, platform.VERSIONS, platform.VMS, tasks.VTASKS, EVENTS, roles.ROLES, roles.REALMS, roles.PERMISSIONS,
    managers.MANAGERS, apitokens.API_TOKENS, RESTORE_POINTS, mirrors.REPLICATION_STREAMS,
)  # fmt: skip
USER_KEYS = "/users/{id}/access_keys/"
KEYS_OF_ANY = "/users/non_local_keys/"
TENANT_DATA = "/users/{id}/tenant_data/"
QUERIES = {"/users/query/": "users", "/groups/query/": "groups"}
READ_ONLY = frozenset({
    keys.NAME, "clusters", "versions", "vms", "vtasks", "events", "permissions", "replicationrestorepoints", "replicationstreams",
})  # fmt: skip
DEFAULT_SEGMENT = "v5"
FOLDERS = {"create_folder": "POST", "modify_folder": "PATCH", "stat_path": "POST", "delete_folder": "DELETE"}
# Not in the vendor's document, but clients of live clusters call it.
USAGE_REPORT = "/plugins/usage"
NOT_SIMULATED = frozenset({"/blockhostvolumes/bulk"})
MONITORED = {("GET", monitoring.AD_HOC_QUERY), ("GET", monitoring.AUDITING), ("PATCH", monitoring.AUDITING)}
ACTIONS = {  # PATCHes of an object that start a task
    (streams.NAME, "stop"): streams.stop_stream,
    ("protectedpaths", "force_failover"): role_changes.force_source,
}
EDITS = {("realms", "assign"): roles.assign, ("realms", "unassign"): roles.unassign}  # PATCHes of an object with a body
PAGE_CAPS = {"5.5": 16000}  # rows: where a release cuts unpaged lists off without saying so
STARTING = {"detail": "VMS is starting, try again later", "code": "service_unavailable"}
_PATH = re.compile(r"/api(?:/(?P<segment>v\d+|latest))?(?P<rest>/.*)?")


class VastPlane(Controls):
    """A simulated VMS. `settle_reads` is how many requests a new peer, path, snapshot, volume or task needs to become ready,
    whichever objects they ask for; each ten seconds of the clock count as one.

    `api_tokens` maps a token to the manager who holds it, `managers` are those beside `username`, `token_lifetime`
    is in seconds. `page_cap` is the row at which unpaged lists are cut off silently; by default, that of the release.
    For the first `starting` seconds reads are answered and writes are refused (503), as on a new VMS.

    By default the plane accepts what clients of live clusters are known to send. With `strict` it follows the vendor's document
    alone, and takes the stricter reading where no source decides: unknown fields of a body and wrong scalar types are refused,
    a PATCH is answered as documented, a refresh token can be used once, QoS bursts and minimums must fit their maximum, and
    list rows of users lack their keys.

    `assumed` holds, as settings, what no source settles about replication. `clock` does not move replication: `pass_time` does.

    The store must be used by this plane alone. Raises `FileNotFoundError` for a `version` without a table.
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
        managers: Mapping[str, Manager] = MappingProxyType({}),
        starting: float = 0,
        assumed: Assumed | None = None,
    ) -> None:
        self.name = name
        self._cluster = VastCluster(name, version, store, clock, settle_reads, strict, assumed or Assumed())
        fabric.join_clock(self._cluster, self._cluster.fabric)
        self._crud = Crud(self._cluster, load_table(f"vast-{version}"), COLLECTIONS, page_cap or PAGE_CAPS.get(version))
        self._gate = Authenticator(self._cluster, username, password, api_tokens, token_lifetime, managers=managers)
        self._started = clock() + starting
        if store.empty():
            platform.install(self._crud, username)

    def seed(self, collection: str, bodies: Iterable[Row]) -> list[Row]:
        """Store objects as one POST for each of `bodies` would, unchecked, and return the rows with their ids.

        For benchmarks and tests that need very many objects in seconds. A body must be one that POST accepts, with the ids of the
        objects it refers to (`policy_id`, `tenant_id`); unknown fields are dropped, no event is noted, and objects that settle
        by requests (a peer, a protected path) start as they do after a POST. Raises `KeyError` for an unknown
        collection. Call it under the world's lock while the plane is being served: `World.seed` does.
        """
        with self._cluster.store.transaction():
            return self._crud.seed(self._crud.collections[collection], bodies)

    def expire_tokens(self) -> None:
        """Forget every access and refresh token."""
        self._gate.expire()

    def busy(self) -> Response:
        """Returns 429 in the framework's own words; no public source shows VMS throttling."""
        body = {"detail": "Request was throttled. Expected available in 1 second."}
        return Response(429, body, {"Retry-After": "1"})

    def enrol(
        self,
        users: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
        groups: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        """Replace the content of the directory (such as LDAP) that all tenants ask.

        Users by name, as `{uid: 40001, sid: ..., login_name: ..., groups: [NAME]}`, groups as `{gid: 50001, sid: ...}`; only the
        numbers (`uid`, `gid`) are required.
        """
        people.enrol(self._cluster, users, groups)

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
        plain = path.rstrip("/")
        if plain in ("/token", "/token/refresh"):
            return self._token(request, plain + "/")
        caller = self._gate.admit(request.headers.get("authorization"), request.headers.get(scope.HEADER))
        if plain == USAGE_REPORT and request.method == "POST":
            return Response(200, {})
        agendas = (member.agenda for member in self._cluster.fabric.clusters)
        with request_time(agendas, lambda: settle.settle_rows(self._cluster, self._crud.collections)):
            return self._answer_caller(request, match["segment"] or DEFAULT_SEGMENT, plain, caller)

    def _answer_caller(self, request: Request, segment: str, plain: str, caller: str) -> Response:
        table = self._crud.table
        matched = table.match(plain)
        if matched is None and plain not in NOT_SIMULATED:
            raise not_found()
        template, parameters = matched or (plain, ())
        if request.method == "OPTIONS":
            return _options(table.methods(template))
        operation = table.operation(request.method, template)
        monitored = (request.method, template) in MONITORED
        if (
            operation is None
            and not monitored
            and (plain in NOT_SIMULATED or table.only_named(request.method, template))
        ):
            raise detail(f"{request.method} {template} is not simulated.", 501)
        if operation is None and not monitored:
            raise detail(f'Method "{request.method}" not allowed.', 405)
        if request.method != "GET" and self._cluster.clock() < self._started:
            raise VmsError(503, STARTING)
        snapshots.expire(self._cluster)
        root = f"{request.base_url}/api/{segment}"
        name = template.strip("/").split("/")[0]
        before = self._cluster.get(name, parameters[0]) if parameters else None
        visit = RequestContext(request, root, self._scope(caller))
        self._refuse_unknown_tenant(request)
        visit.scope.admit(request.method, name, before)
        if operation is None or monitored:
            return self._monitored(template, parameters, visit)
        response = self._dispatched(operation, parameters, visit, caller)
        if request.method != "PATCH" or self._cluster.strict:
            operation.assert_documented(response.status)
        if template != USER_KEYS:  # no source documents the events of keys
            self._note_event(request.method, name, before or response.body, caller)
        if request.method == "GET":
            clockwork.was_read(self._cluster, name)
        return response

    def _monitored(self, template: str, parameters: tuple[str, ...], visit: RequestContext) -> Response:
        if template == monitoring.AD_HOC_QUERY:
            return Response(200, monitoring.query_metrics(self._cluster, visit.request.query))
        self._crud.need(platform.CLUSTERS, parameters[0], visit)
        if visit.request.method == "GET":
            return Response(200, monitoring.audit_settings(self._cluster))
        return Response(200, monitoring.change_audit_settings(self._cluster, bodies.read_body(visit.request)))

    def _refuse_unknown_tenant(self, request: Request) -> None:
        name = request.headers.get(scope.HEADER)
        if name and scope.tenant_named(self._cluster, name) is None:
            raise detail(f"X-Tenant-Name: there is no tenant {name}.")

    def _scope(self, caller: str) -> CallerScope:
        manager = self._gate.stored(caller)
        if manager is not None and not manager["is_default"]:
            return CallerScope(manager["tenant_id"], permissions.manager_permissions(self._cluster, manager))
        name = self._gate.tenant_of(caller)
        tenant = None if name is None else scope.tenant_named(self._cluster, name)
        if name is not None and tenant is None:
            raise scope.denied()
        return CallerScope(tenant["id"] if tenant else None, self._permissions(caller))

    def _permissions(self, caller: str) -> frozenset[str] | None:
        role = self._gate.role_of(caller)
        return None if not role else permissions.of_roles(self._cluster, self._cluster.rows("roles", name=role))

    def _note_event(self, method: str, collection: str, row: object, caller: str) -> None:
        if method in DONE and isinstance(row, dict) and "id" in row:
            record_change(self._cluster, method, collection, row, caller)

    def _dispatched(
        self, operation: TableOperation, parameters: tuple[str, ...], visit: RequestContext, caller: str
    ) -> Response:
        method, request = operation.method, visit.request
        _, name, *segments = operation.path.rstrip("/").split("/")
        facts = self._crud.collections.get(name)
        writes = method != "GET"
        if name == "folders" and FOLDERS.get(segments[0]) == method:
            body = visit.scope.completed(self._crud.body(operation, bodies.read_body(request)))
            return Response(200, directories.folder_call(self._cluster, segments[0], body))
        if operation.path == "/tenants/remote_objects/":
            tenants = remote_objects(self._cluster, request.first("target_id"), request.first("name"))
            if tenants is None:
                raise detail("The replication target does not exist or is not connected.")
            return Response(200, tenants)
        if operation.path == KEYS_OF_ANY:
            body = self._crud.body(operation, bodies.read_body(request))
            return keys.answer_key_call(self._cluster, method, body)
        if operation.path in QUERIES:
            return self._query(QUERIES[operation.path], operation, visit)
        if operation.path in remotes.READS:
            return Response(200, remotes.READS[operation.path](self._cluster, request.query))
        if operation.path == "/clusters/list_prefetch_paths_info/":
            return Response(200, shared_access.all_prefetches(self._cluster))
        if operation.path == "/clusters/{id}/" and method == "PATCH":
            body = self._crud.body(operation, bodies.read_body(request))
            if parameters == ("1",) and body.keys() == {"enable_trash"}:
                return Response(200, directories.enable_trash(self._cluster, body["enable_trash"]))
        elif facts is apitokens.API_TOKENS and writes:
            return self._token_call(operation, parameters, visit, caller)
        elif facts is not None and not (writes and name in READ_ONLY):
            if not segments and writes:
                return self._created(facts, operation, visit)
            if not segments:
                return self._crud.list(facts, visit)
            if segments == ["{id}"]:
                return self._item(facts, parameters[0], operation, visit)
            if (name, segments[1:]) == ("snapshots", ["clone"]):
                return self._cloned(self._crud.need(facts, parameters[0], visit), operation, visit)
            if operation.path == TENANT_DATA:
                return self._tenant_data(self._crud.need(facts, parameters[0], visit), operation, visit)
            if operation.path == USER_KEYS:
                user = self._crud.need(facts, parameters[0], visit)
                body = bodies.read_body(request)
                if method == "DELETE":  # not in the document, but sent by drivers that run against live clusters
                    body.pop("tenant_id", None)
                return keys.call(self._cluster, user, method, self._crud.body(operation, body))
            if writes and (name, segments[-1]) in CALLS:
                body = self._crud.body(operation, bodies.read_body(request))
                CALLS[name, segments[-1]](self._cluster, self._crud.need(facts, parameters[0], visit), body)
                return Response(200)
            if name == sides.NAME and segments[1:] in (["prefetch_path"], ["restore"], ["validate"]):
                return self._on_a_path(segments[1], self._crud.need(facts, parameters[0], visit), operation, visit)
            action = ACTIONS.get((name, "/".join(segments[1:])))
            if action is not None:
                row = self._crud.need(facts, parameters[0], visit)
                task = action(self._cluster, row)
                return Response(200, task and tasks.embedded(task))
            edit = EDITS.get((name, "/".join(segments[1:])))
            if edit is not None:
                row = self._crud.need(facts, parameters[0], visit)
                edit(self._cluster, row, self._crud.body(operation, bodies.read_body(visit.request)))
                return Response(200)
        raise detail(f"{method} {operation.path} is documented, but not simulated.", 501)

    def _query(self, collection: str, operation: TableOperation, visit: RequestContext) -> Response:
        if operation.method == "GET":
            identity = people.queried_identity(self._cluster, collection, visit.request)
        else:
            identity, values = people.named_identity(
                self._cluster, collection, self._crud.body(operation, bodies.read_body(visit.request))
            )
            people.allow(self._cluster, identity, values)
            if self._cluster.strict and operation.responses["200"] is None:
                return Response(200)
        if identity is None:
            return Response(200, {})
        keys_of = {"access_keys": keys.of_somebody(self._cluster, identity)} if collection == "users" else {}
        return Response(200, {**people.identity_row(self._cluster, identity), **keys_of})

    def _tenant_data(self, user: Row, operation: TableOperation, visit: RequestContext) -> Response:
        if operation.method == "GET":
            identity = people.of_local(self._cluster, "users", user, visit.request.first("tenant_id"))
        else:
            body = self._crud.body(operation, bodies.read_body(visit.request))
            identity = people.of_local(self._cluster, "users", user, body.pop("tenant_id", None))
            people.allow(self._cluster, identity, body)
        held = people.rights(self._cluster, identity)
        policies = [self._cluster.brief("s3policies", key) for key in held["s3_policies_ids"]]
        return Response(200, {**held, "s3_policies": policies})

    def _token_call(
        self, operation: TableOperation, parameters: tuple[str, ...], visit: RequestContext, caller: str
    ) -> Response:
        if not parameters:
            return apitokens.create_token(
                self._cluster, caller, self._crud.body(operation, bodies.read_body(visit.request))
            )
        row = self._crud.need(apitokens.API_TOKENS, parameters[0], visit)
        if operation.path.endswith("revoke"):
            return apitokens.revoke(self._cluster, row)
        return apitokens.change(self._cluster, row, self._crud.body(operation, bodies.read_body(visit.request)))

    def _on_a_path(self, call: str, row: Row, operation: TableOperation, visit: RequestContext) -> Response:
        if call == "validate":
            return Response(200, restore.validated(self._cluster, row))
        body = self._crud.body(operation, bodies.read_body(visit.request)) if operation.body else {}
        if call == "prefetch_path":
            return answer_prefetch(self._cluster, row, operation.method, body, visit.request.query)
        stream = self._crud.make(STREAMS, restore.clone_of(self._cluster, row, body))
        restore.begun(self._cluster, row, stream)
        return self._with_task(Response(200, self._crud.rendered(STREAMS, stream, visit)))

    def _created(self, facts: ApiCollection, operation: TableOperation, visit: RequestContext) -> Response:
        response = self._crud.create(facts, operation, visit)
        return self._with_task(response) if facts is STREAMS else response

    def _cloned(self, snapshot: Row, operation: TableOperation, visit: RequestContext) -> Response:
        body = self._crud.body(operation, bodies.read_body(visit.request))
        visit.scope.within(body.get("loanee_tenant_id"))
        row = self._crud.make(STREAMS, streams.clone_body(snapshot, body))
        return self._with_task(Response(200, self._crud.rendered(STREAMS, row, visit)))

    def _with_task(self, response: Response) -> Response:
        row = self._cluster.get(streams.NAME, response.body["id"]) or {}
        task = self._cluster.get("vtasks", row["_task"]) or {}
        return Response(response.status, {**response.body, **tasks.embedded(task)})

    def _item(self, facts: ApiCollection, key: str, operation: TableOperation, visit: RequestContext) -> Response:
        if operation.method == "GET":
            return self._crud.get(facts, key, visit)
        if operation.method == "DELETE":
            return self._crud.delete(facts, key, operation, visit)
        if facts is PROTECTED_PATHS:
            body = self._crud.body(operation, bodies.read_body(visit.request), facts)
            row = self._crud.need(facts, key, visit)
            if protectedpaths.carry_out_command(self._cluster, row, body):
                return Response(200, None if self._cluster.strict else self._crud.rendered(facts, row, visit))
        return self._crud.update(facts, key, operation, visit)

    def _token(self, request: Request, path: str) -> Response:
        operation = self._crud.table.operation(request.method, path)
        if operation is None:
            raise detail(f'Method "{request.method}" not allowed.', 405)
        body = self._crud.body(operation, bodies.read_body(request))
        if path.endswith("/refresh/"):
            return Response(200, self._gate.renew(**body))
        pair = self._gate.login(**body, tenant=request.headers.get(scope.HEADER))
        self._refuse_unknown_tenant(request)
        return Response(200, pair)


def _options(methods: list[str]) -> Response:
    """What the web framework of the VMS answers to OPTIONS."""
    body = {"name": "", "description": "", "renders": ["application/json"], "parses": ["application/json"]}
    return Response(200, body, {"Allow": ", ".join([*methods, "HEAD", "OPTIONS"])})
