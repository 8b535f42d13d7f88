"""The planes that can be served alone, for any client: how each is created, and how its credentials are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vastplan.sim.kubernetes import KubernetesPlane, kubeconfig
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Plane


@dataclass(frozen=True, slots=True)
class Standalone:
    """A plane by itself. `make` takes its store, a user, a secret and the product's version; `make_strict` takes the same, for a
    plane that follows the document alone; `credentials` is a format of `user` and `secret`; `kubeconfig` writes one from its URL,
    its authority, the secret and a name."""

    make: Callable[[Store, str, str, str], Plane]
    version: str
    credentials: str
    kubeconfig: Callable[[str, bytes, str, str], str] | None = None
    make_strict: Callable[[Store, str, str, str], Plane] | None = None


def _vast(store: Store, user: str, secret: str, version: str) -> Plane:
    return VastPlane(store, username=user, password=secret, version=version)


def _strict_vast(store: Store, user: str, secret: str, version: str) -> Plane:
    return VastPlane(store, username=user, password=secret, version=version, strict=True)


def _runai(store: Store, user: str, secret: str, version: str) -> Plane:
    clusters = {"sim": StandaloneCluster(store)}
    return RunaiPlane(store, client_id=user, client_secret=secret, clusters=clusters, version=version)


def _kubernetes(store: Store, user: str, secret: str, version: str) -> Plane:
    return KubernetesPlane(store, token=secret, version=version)


PLANES: Mapping[str, Standalone] = MappingProxyType(
    {
        "vast": Standalone(_vast, "5.5", "user {user}, password {secret}", make_strict=_strict_vast),
        "kubernetes": Standalone(_kubernetes, "1.34", "token {secret}", kubeconfig),
        "runai": Standalone(_runai, "2.24", "client id {user}, client secret {secret}"),
    }
)
