"""The Kubernetes API server: authentication, routing, answers."""

from __future__ import annotations

import time
from collections.abc import Callable

from vastplan.sim.agenda import request_time
from vastplan.sim.kubernetes import (
    access,
    deletes,
    discovery,
    documentation,
    lifecycle,
    listing,
    representation,
    resources,
    settle,
    writes,
)
from vastplan.sim.kubernetes.call import read_call
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.decoding import decode_object
from vastplan.sim.kubernetes.local_plane import InProcessAccess
from vastplan.sim.kubernetes.resources import ACCESS_REVIEWS, Target
from vastplan.sim.kubernetes.status import NoSuchCallError, StatusError, method_not_allowed
from vastplan.sim.kubernetes.storage import Storage
from vastplan.sim.store import Store
from vastplan.sim.tables import load_table
from vastplan.sim.wire import Request, Response

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_HEALTH = ("/healthz", "/readyz", "/livez")


class KubernetesPlane(InProcessAccess):
    """One cluster's API server, for one user with one bearer token.

    `settle_reads` is how many requests a controller needs until it acts, whichever objects they ask for; `storage` is the storage system of the CSI driver's
    volumes; without `controllers` only the API server itself acts.
    """

    def __init__(
        self,
        store: Store,
        *,
        name: str = "kubernetes",
        version: str = "1.34",
        token: str,
        clock: Callable[[], float] = time.time,
        settle_reads: int = 1,
        storage: Storage | None = None,
        controllers: bool = True,
    ) -> None:
        self.name = name
        self.version = version
        self._token: str | None = token
        self._table = load_table(f"kubernetes-{version}")
        self._denials: list[access.Denial] = []
        self._snapshots = listing.Snapshots()
        super().__init__(KubernetesCluster(name, store, clock, settle_reads, storage, self._table, controllers))
        self._cluster.install_defaults()

    def expire_tokens(self) -> None:
        """Make the token invalid, until `renew`."""
        self._token = None

    def busy(self) -> Response:
        """Returns what API priority and fairness answers when its queues are full."""
        message = "Too many requests, please try again later."
        refusal = StatusError(429, "TooManyRequests", message, {"retryAfterSeconds": 1}).response()
        return Response(refusal.status, refusal.body, {"Retry-After": "1"})

    def renew(self, token: str) -> None:
        """Replace the bearer token."""
        self._token = token

    def deny(self, verb: str, resource: str, group: str = "*", namespace: str = "*", name: str = "*") -> None:
        """Deny the user a verb; `*` stands for any. Requests get 403, and access reviews report the denial."""
        self._denials.append(access.Denial(verb, resource, group, namespace, name))

    def allow_all(self) -> None:
        """Remove all denials."""
        self._denials.clear()

    def compact(self) -> None:
        """Forget old revisions: every continue token given out so far is answered 410."""
        self._snapshots.clear()

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        try:
            return self._handle(request)
        except NoSuchCallError as refusal:
            return (self._not_simulated(request) or refusal).response()
        except StatusError as refusal:
            return refusal.response()

    def _not_simulated(self, request: Request) -> StatusError | None:
        return documentation.not_simulated(self.version, request.method, request.path)

    def _handle(self, request: Request) -> Response:
        path = "/" + request.path.strip("/")
        if path in _HEALTH:
            return Response(200, b"ok", content_type="text/plain; charset=utf-8")
        if self._token is None or request.headers.get("authorization") != f"Bearer {self._token}":
            raise StatusError(401, "Unauthorized", "Unauthorized")
        with request_time((self._cluster.agenda,), self._settle):
            return self._answer(request, path)

    def _answer(self, request: Request, path: str) -> Response:
        target = resources.path_target(path)
        if target is None:
            discovered = (
                discovery.discovery_answer(path, self.version, self._table) if request.method == "GET" else None
            )
            unknown = Response(404, b"404 page not found\n", content_type="text/plain; charset=utf-8")
            missing = self._not_simulated(request)
            return discovered or (missing.response() if missing else unknown)
        form = representation.requested_form(request)
        answer = self._read if request.method == "GET" else self._write
        return representation.shaped(form, target, answer(target, request), self._cluster.clock())

    def _settle(self) -> None:
        settle.settle_steps(self._cluster, lifecycle.STEPS)

    def _authorize(self, target: Target, verb: str) -> None:
        resource = target.resource
        if verb not in resource.verbs:
            raise method_not_allowed()
        requested = (verb, resource.group, resource.plural, target.namespace, target.name)
        if any(denial.covers(*requested) for denial in self._denials):
            raise access.forbidden_error(target, verb)

    def _read(self, target: Target, request: Request) -> Response:
        bodies: list[Object]
        if target.name:
            self._authorize(target, "get")
            body = self._cluster.get(target.resource, target.namespace, target.name)
            if body is None:
                raise target.resource.not_found(target.name)
            response, bodies = Response(200, body), [body]
        elif (request.first("watch") or "").lower() in ("true", "1"):
            self._authorize(target, "watch")
            response, bodies = listing.watch(self._cluster, target, request, self._settle)
        else:
            self._authorize(target, "list")
            response, bodies = listing.answer_list(self._cluster, target, request, self._snapshots)
        lifecycle.retry_read(self._cluster, target.resource, bodies)
        return response

    def _delete_collection(self, target: Target, request: Request) -> Response:
        """Delete the objects that a list with the same selectors has, each as if it were deleted by itself."""
        if target.resource.namespaced and not target.namespace:
            raise method_not_allowed()
        self._authorize(target, "deletecollection")
        response, bodies = listing.answer_list(self._cluster, target, request, self._snapshots)
        for body in bodies:
            one = Target(target.resource, target.namespace, body["metadata"]["name"])
            deletes.delete_object(read_call(self._cluster, one, request, access.USER))
        return response

    def _write(self, target: Target, request: Request) -> Response:
        verb = _VERBS.get(request.method)
        at_object = bool(target.name)
        if verb == "delete" and not at_object:
            return self._delete_collection(target, request)
        if verb is None or at_object == (verb == "create") or (target.subresource and verb == "delete"):
            raise method_not_allowed()
        if target.resource.namespaced and not target.namespace:
            raise method_not_allowed()
        if target.resource is not ACCESS_REVIEWS:  # every user may review their own access
            self._authorize(target, verb)
        call = read_call(self._cluster, target, request, access.USER)
        try:
            if target.resource is ACCESS_REVIEWS:
                response = access.review(call, decode_object(call)[0], self._denials)
            else:
                steps = {
                    "create": writes.create_object,
                    "update": writes.update,
                    "patch": writes.patch,
                    "delete": deletes.delete_object,
                }
                response = steps[verb](call)
        except StatusError as refusal:
            response = refusal.response()
        if not call.warnings:
            return response
        texts = [text.replace("\\", "\\\\").replace('"', '\\"') for text in dict.fromkeys(call.warnings)]
        headers = {"Warning": ", ".join(f'299 - "{text}"' for text in texts)}
        return Response(response.status, response.body, headers, response.content_type)
