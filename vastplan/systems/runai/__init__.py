"""NVIDIA Run:AI: a control plane's part of a document, and its connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vastplan.schema.system import Connection, SimulatorEndpoint, System, Uncovered
from vastplan.systems.runai.rights import BESIDES, right_of
from vastplan.systems.runai.spec import RunaiEndpoint

if TYPE_CHECKING:
    from vastplan.systems.runai.client import RunaiProvider


def _connect(spec: RunaiEndpoint, connection: Connection) -> RunaiProvider:
    from vastplan.systems.runai.client import RunaiProvider

    return RunaiProvider(
        spec.url,
        cluster=spec.cluster,
        verify=spec.verify(connection.folder),
        client_id=spec.client_id,
        client_secret=connection.secret(spec.client_secret),
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
    )


def _simulate(endpoint: SimulatorEndpoint, connection: Connection) -> RunaiProvider:
    from vastplan.systems.runai.client import RunaiProvider

    return RunaiProvider(
        endpoint.url,
        cluster=endpoint.site,
        verify=endpoint.ca_file,
        client_id=endpoint.username,
        client_secret=lambda: endpoint.password,
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
        simulated=True,
    )


# Lists in the API document of 2.24 whose objects are created and deleted. Only some have a call that counts them.
_UNCOVERED = (
    Uncovered("access keys"),
    Uncovered("compute resources"),
    Uncovered("credentials and data sources of the whole control plane"),
    Uncovered("environments"),
    Uncovered("identity providers"),
    Uncovered("NGC API keys"),
    Uncovered("network topologies", "/api/v1/network-topologies/count"),
    Uncovered("service accounts"),
    Uncovered("users", "/api/v1/users/count"),
    Uncovered("workload templates"),
)

SYSTEM = System(
    "runai",
    RunaiEndpoint,
    _connect,
    _simulate,
    rank=3,
    title="Run:AI",
    right_of=right_of,
    besides=BESIDES,
    uncovered=_UNCOVERED,
)
