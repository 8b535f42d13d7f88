"""VIP pool: the addresses at which a tenant's clients, or a replication peer, reach the cluster."""

from ipaddress import ip_address, ip_network
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from vastplan.kinds.vast._common import OFF, RANGE, collection
from vastplan.model.plan import Stage
from vastplan.model.wording import quoted
from vastplan.schema.access import LetsIn
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import (
    DOCUMENT,
    EXPLICIT_NULL,
    IDENTITY,
    IMMUTABLE,
    PROSE,
    SCHEMA,
    SET,
    WITNESS,
    Admits,
    Clears,
    Exclusive,
    Opens,
    Refers,
    ServerDefault,
    Wire,
)
from vastplan.schema.shapes.set import IP_RANGES
from vastplan.schema.types import (
    HOST_NAME,
    MISSING,
    Address4or6,
    Count,
    EndpointUrl,
    IpRange,
    ReferenceName,
    Spec,
    Text,
    VendorName,
)

_ROUTE = Opens(shut=(None,), at_create=False)  # another network than before can reach the pool
_Asn = Annotated[int, Field(ge=1, le=2**32 - 1)]


def _length(value: Any) -> Any:
    """Refuse a prefix length that is text, such as a mask or a length with its slash; the error has the number to write."""
    if not isinstance(value, str):
        return value
    try:
        meant = f"write {ip_network('0.0.0.0/' + value.strip().lstrip('/')[:40]).prefixlen}"
    except ValueError:
        meant = "write a number, such as 24"
    raise ValueError(f"{quoted(value)} is not a prefix length; {meant}")


_LENGTH = BeforeValidator(_length)


class VipPool(Spec):
    """A VIP pool: the addresses at which clients, or a replication peer, reach the cluster. `tenant: null` serves every
    tenant, and is never the default; `vlan` 0 is untagged.

    A pool with role REPLICATION carries traffic between clusters and belongs to no tenant.
    """

    name: Annotated[VendorName | MISSING, IDENTITY] = MISSING
    """Name of the pool on the cluster; the entry's key when left out."""
    role: Annotated[Literal["PROTOCOLS", "REPLICATION"], Opens(at_create=False)] = "PROTOCOLS"
    """Traffic that the pool carries: of clients by all protocols (PROTOCOLS), or between clusters (REPLICATION)."""
    tenant: Annotated[ReferenceName | None | MISSING, Refers("tenant"), Wire("tenant_id"), EXPLICIT_NULL, Opens()] = (
        MISSING
    )
    """Tenant that the pool serves; null serves every tenant. Role PROTOCOLS needs it, role REPLICATION excludes it."""
    ip_ranges: Annotated[
        list[Annotated[IpRange, RANGE]],
        Field(min_length=1),
        SET,
        IP_RANGES,
        Admits(addresses=("subnet_cidr", "subnet_cidr_ipv6")),
        Exclusive("vlan"),
    ]
    """Addresses of the pool, as ranges or single addresses; neighbouring ranges are one range. Pools of one VLAN must not share addresses."""
    subnet_cidr: Annotated[int, Field(ge=1, le=32), _LENGTH] | MISSING = MISSING
    """Prefix length of the pool's IPv4 subnet, in bits; IPv4 ranges need it."""
    subnet_cidr_ipv6: Annotated[int, Field(ge=1, le=128), _LENGTH] | MISSING = MISSING
    """Prefix length of the pool's IPv6 subnet, in bits; IPv6 ranges need it."""
    gw_ip: Annotated[Address4or6 | None | MISSING, _ROUTE] = MISSING
    """IPv4 gateway through which clients reach the pool; null is none."""
    gw_ipv6: Annotated[Address4or6 | None | MISSING, _ROUTE] = MISSING
    """IPv6 gateway through which clients reach the pool; null is none."""
    vlan: Annotated[
        Annotated[Count, Field(le=4096)] | None | MISSING, Clears(0), Opens(at_create=False), ServerDefault(0, WITNESS)
    ] = MISSING
    """VLAN on which the pool's addresses are exposed; 0 or null is untagged."""
    port_membership: Annotated[Literal["RIGHT", "LEFT", "ALL"] | MISSING, ServerDefault("ALL", PROSE)] = MISSING
    """Ports of the CNodes that the pool uses: the right, the left, or all of them."""
    cnode_ids: Annotated[list[Count] | None | MISSING, SET, Clears([]), ServerDefault([], WITNESS)] = MISSING
    """IDs of the CNodes that hold the pool's addresses; null or an empty list is all CNodes."""
    domain_name: Annotated[Text | None | MISSING, HOST_NAME, Clears("")] = MISSING
    """Host name by which VAST DNS resolves the pool, without the suffix of the DNS service; null is none."""
    enabled: Annotated[bool | MISSING, Opens(True, at_create=False), ServerDefault(True, SCHEMA)] = MISSING
    """Whether the pool's addresses are in service; otherwise nothing mounts through them."""
    vms_preferred: Annotated[bool | MISSING, OFF] = MISSING
    """Whether the CNodes of the pool are preferred as the host of VMS."""
    enable_l3: Annotated[bool | MISSING, IMMUTABLE, Opens(True), OFF] = MISSING
    """Whether the pool uses L3 networking; the ASNs need it."""
    peer_asn: Annotated[_Asn | None | MISSING, _ROUTE] = MISSING
    """ASN of the clients' network, other than vast_asn; null is none. It needs enable_l3."""
    vast_asn: _Asn | None | MISSING = MISSING
    """ASN of the cluster, other than peer_asn; null is none. It needs enable_l3."""
    s3_endpoint: Annotated[EndpointUrl | MISSING, DOCUMENT] = MISSING
    """Address at which S3 clients reach the buckets of the tenant, such as https://s3.example.com. Exports use it;
    it is not sent to a system."""

    @model_validator(mode="after")
    def _of_a_tenant(self) -> "VipPool":
        if self.role == "PROTOCOLS" and self.tenant is MISSING:
            raise ValueError("a pool for clients needs tenant; `tenant: null` serves all tenants")
        if self.role == "REPLICATION" and self.tenant is not MISSING:
            raise ValueError("a REPLICATION pool has no tenant")
        if self.role == "REPLICATION" and self.s3_endpoint is not MISSING:
            raise ValueError("a REPLICATION pool serves no buckets, so it has no s3_endpoint")
        return self

    @model_validator(mode="after")
    def _network(self) -> "VipPool":
        versions = {ip_address(ip_range.partition(" ")[0]).version for ip_range in self.ip_ranges}
        for version, size, gateway in ((4, "subnet_cidr", "gw_ip"), (6, "subnet_cidr_ipv6", "gw_ipv6")):
            if version in versions and getattr(self, size) is MISSING:
                raise ValueError(f"IPv{version} ranges need {size}")
            address = getattr(self, gateway)
            if isinstance(address, str) and ip_address(address).version != version:
                raise ValueError(f"{gateway} must be an IPv{version} address")
        return self

    @model_validator(mode="after")
    def _routed(self) -> "VipPool":
        if (isinstance(self.peer_asn, int) or isinstance(self.vast_asn, int)) and self.enable_l3 is not True:
            raise ValueError("peer_asn and vast_asn need enable_l3: true")
        if isinstance(self.peer_asn, int) and self.peer_asn == self.vast_asn:
            raise ValueError("peer_asn and vast_asn must differ")
        return self


KIND = Kind(
    VipPool,
    name="vip_pool",
    system="vast",
    section="vip_pools",
    stage=Stage.NETWORK,
    endpoint=collection("vippools", vanishes_later=True),
    attributes=(
        Attribute("leading_vip", ("start_ip",)),
        Attribute("domain_name", ("domain_name",), lambda values: values.get("domain_name"), ("domain_name",)),
    ),
    # at each publish the CSI driver reads the ranges of the pool whose name is in the volume
    lets_in=LetsIn("without it nothing mounts through its addresses", by=("enabled", "role", "vlan"), who=("tenant",)),
)
