"""VAST: a cluster's part of a document, and its connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vastplan.schema.connection import AnySecret
from vastplan.schema.system import Connection, SimulatorEndpoint, System, Uncovered
from vastplan.systems.vast.rights import BESIDES, right_of
from vastplan.systems.vast.spec import VastEndpoint

if TYPE_CHECKING:
    from vastplan.systems.vast.client import VastProvider


def _connect(spec: VastEndpoint, connection: Connection) -> VastProvider:
    from vastplan.systems.vast.client import VastProvider

    user = None
    if isinstance(spec.username, str) and isinstance(spec.password, AnySecret):
        user = (spec.username, connection.secret(spec.password))
    return VastProvider(
        spec.url,
        verify=spec.verify(connection.folder),
        token=connection.secret(spec.token) if isinstance(spec.token, AnySecret) and user is None else None,
        user=user,
        tenant=spec.tenant if isinstance(spec.tenant, str) else None,
        api_version=spec.api_version if isinstance(spec.api_version, str) else "v5",
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
    )


def _simulate(endpoint: SimulatorEndpoint, connection: Connection) -> VastProvider:
    from vastplan.systems.vast.client import VastProvider

    return VastProvider(
        endpoint.url,
        verify=endpoint.ca_file,
        token=None,
        user=(endpoint.username, lambda: endpoint.password),
        writable=connection.writable,
        parallel=connection.parallel,
        limits=connection.limits,
        simulated=True,
    )


# Lists in the API document of VMS 5.5 whose objects are created and deleted, except hardware and the cluster itself.
# Credentials (`s3keys`) are not read.
_UNCOVERED = (
    "activedirectory", "blockhosts", "cnodegroups", "dns", "encryptedpaths", "eventbrokers",
    "iamroles", "kerberos", "ldaps", "nis", "oidcs", "quotagroups",
    "replicationpolicies", "replicationstreams", "replicationtargets",
    "snapshotpolicies", "userquotas", "volumes", "vpntunnels", "webhooks",
)  # fmt: skip

SYSTEM = System(
    "vast",
    VastEndpoint,
    _connect,
    _simulate,
    rank=1,
    title="VAST",
    right_of=right_of,
    besides=BESIDES,
    uncovered=(
        *(Uncovered(name, f"/{name}/") for name in _UNCOVERED),
        Uncovered("rights and keys of users and groups of other providers"),  # of known kinds, but not listed
    ),
)
