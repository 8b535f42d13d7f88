"""Cluster: read only, the cluster of the site; objects for the whole cluster refer to it."""

from typing import Annotated

from vastplan.schema.endpoint import Endpoint, Singleton, Update
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import Spec


class RunaiCluster(Spec):
    """The site's cluster, referred to by name."""

    name: Annotated[str, IDENTITY]
    """Name of the cluster in Run:AI."""


KIND = Kind(
    RunaiCluster,
    name="runai_cluster",
    system="runai",
    endpoint=Endpoint("/api/v1/clusters/{cluster}", update=Update.NONE, id=("uuid",), shape=Singleton()),
)
