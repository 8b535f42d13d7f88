"""Block volumes: each is a volume in the subsystem that its class names."""

from __future__ import annotations

from vastplan.sim.csi.vms import Abort, Row, VmsClient
from vastplan.sim.kubernetes.storage import VolumeWanted


def create(vms: VmsClient, wanted: VolumeWanted) -> dict[str, str]:
    """Create a volume in its subsystem, a view found by name, in the class's tenant if it names one."""
    if wanted.snapshot_id or wanted.source_volume_id:
        raise Abort("Unimplemented", "clones of block volumes are not simulated")
    parameters = wanted.parameters
    of_tenant = {"tenant_name": parameters["tenant_name"]} if parameters.get("tenant_name") else {}
    subsystem = vms.need("views", name=parameters["subsystem"], **of_tenant)
    if "BLOCK" not in subsystem["protocols"]:
        raise ValueError(f"View {subsystem['name']} is not a block volume")
    volume = _of(vms, wanted.volume_id)
    if volume is None:
        body: Row = {"name": wanted.volume_id, "size": wanted.size, "view_id": subsystem["id"]}
        if parameters.get("qos_policy"):
            body["qos_policy_id"] = vms.need("qospolicies", name=parameters["qos_policy"])["id"]
        volume = vms.call("POST", "/volumes/", body)
    kept = ("subsystem", "tenant_name", "transport_type", "vip_pool_name", "vip_pool_fqdn")
    attributes = {name: parameters[name] for name in kept if parameters.get(name)}
    return attributes | {"volume_name": wanted.name, "volume_id": str(volume["id"])}


def _of(vms: VmsClient, volume_id: str) -> Row | None:
    return vms.row("volumes", name__endswith=volume_id)


def expand(vms: VmsClient, volume_id: str, size: int) -> None:
    """Grow a volume to at least `size`; raises `Abort` if it does not exist."""
    volume = _of(vms, volume_id)
    if volume is None:
        raise Abort("NotFound", f"Not found quota with id: {volume_id}")
    if volume["size"] < size:
        vms.call("PATCH", f"/volumes/{volume['id']}/", {"size": size})


def delete(vms: VmsClient, volume_id: str) -> None:
    """Delete a volume, if it exists."""
    volume = _of(vms, volume_id)
    if volume is not None:
        vms.call("DELETE", f"/volumes/{volume['id']}/")
