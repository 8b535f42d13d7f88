"""DNS: the VAST cluster's own name service. A throw-away kind: a test adds it to a copy of vastplan."""

from typing import Annotated

from vastplan.kinds.vast._common import collection
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, Clears
from vastplan.schema.types import MISSING, Address4or6, Count, Name, Spec, Text


class Dns(Spec):
    """The DNS service of a cluster."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    vip: Address4or6
    domain_suffix: Text
    ttl: Annotated[Count | None | MISSING, Clears(0)] = MISSING


KIND = Kind(Dns, name="dns", system="vast", section="dns_services", endpoint=collection("dns"))
