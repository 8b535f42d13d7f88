"""What a Terraform configuration has made: objects on simulators, by the systems' own APIs, and the state that says so.

No provider is at hand, so a real Terraform is given stand-ins: `vastdata_view.data` is `terraform_data.vastdata_view__data`,
with the same modules, keys and dependencies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.importing.terraform_states import CANARY, instance, kubernetes, resource, shown, tfstate
from tests.lab import Lab
from vastplan.importing.terraform.address import Key, parse_resource

SITES = {"iad": ["vast", "kubernetes"], "pdx": ["vast"]}
HEAD: dict[str, Any] = {
    "version": 1,
    "name": "brownfield",
    "sites": {site: {"sim": {"systems": systems}} for site, systems in SITES.items()},
}
_OURS = re.compile(r"\b((?:vastdata|kubernetes|random)_\w+)\.(\w+)")
_STAND_IN = re.compile(r"terraform_data\.([a-z_]+?)__(\w+)")


@dataclass
class Configuration:
    """One on a site, made by one generation of the provider: in 1.x an id is a text, in 2.x a number."""

    lab: Lab
    site: str
    generation: int
    rows: dict[tuple[str, str, str], list[dict[str, Any]]] = field(default_factory=dict)

    def vast(
        self,
        address: str,
        path: str,
        body: Mapping[str, Any],
        key: int | str | None = None,
        module: str = "",
        depends: Iterable[str] = (),
    ) -> int:
        """Makes an object of VAST for an instance of `TYPE.NAME`; answers its id."""
        row = self.lab.by_hand(self.site, "vast", "POST", f"/api/v5/{path}/", dict(body))
        said = {name: row.get(name) for name in ("guid", "name", "path", "tenant_id")}
        id_: int = row["id"]
        self._add(address, module, instance(key, depends, id=str(id_) if self.generation == 1 else id_, **said))
        return id_

    def kubernetes(self, address: str, path: str, manifest: Mapping[str, Any], module: str = "") -> None:
        """Makes an object of Kubernetes."""
        self.lab.by_hand(self.site, "kubernetes", "POST", path, dict(manifest))
        metadata = manifest["metadata"]
        self._add(address, module, kubernetes(metadata["name"], metadata.get("namespace")))

    def other(self, address: str, depends: Iterable[str] = ()) -> None:
        """Something of another provider."""
        self._add(address, "", instance(None, depends, id=CANARY, name=CANARY))

    def state(self, *, as_shown: bool = False) -> bytes:
        """As a `terraform.tfstate`, or as `terraform show -json` prints it."""
        rows = [
            resource(type_, name, *rows, module=module) for (module, type_, name), rows in sorted(self.rows.items())
        ]
        return shown(tfstate(*rows)) if as_shown else tfstate(*rows)

    def _add(self, address: str, module: str, row: dict[str, Any]) -> None:
        type_, name = address.split(".")
        self.rows.setdefault((module, type_, name), []).append(row)


def stand_ins(text: str) -> str:
    """Addresses of ours as those of their stand-ins."""
    return _OURS.sub(r"terraform_data.\1__\2", text)


def originals(state: bytes, like: Configuration) -> bytes:
    """The state that a real Terraform wrote of stand-ins, with the attributes that providers would have written."""
    data = json.loads(state)
    for row in data["resources"]:
        row["type"], row["name"] = row["name"].split("__")
        rows = like.rows[row.get("module", ""), row["type"], row["name"]]
        attributes = {each.get("index_key"): each["attributes"] for each in rows}
        for each in row["instances"]:
            each["attributes"] = attributes[each.get("index_key")]
            each["dependencies"] = [_STAND_IN.sub(r"\1.\2", text) for text in each.get("dependencies", [])]
    return json.dumps(data).encode()


def configure(folder: Path, made: Configuration, keep: Callable[[str], bool]) -> None:
    """Writes the configuration of stand-ins: instances whose addresses are kept, and what they depend on that is kept, too."""
    kept: dict[str, list[dict[str, Any]]] = {}
    for (module, type_, name), rows in made.rows.items():
        address = ".".join(filter(None, (module, type_, name)))
        there = [row for row in rows if keep(str(parse_resource(address).at(row.get("index_key"))))]
        if there:
            kept[address] = there
    folders: dict[str, dict[str, Any]] = {"": {}}
    calls: dict[str, dict[str, Any]] = {}
    for address, rows in kept.items():
        resource_, needs = parse_resource(address), rows[0].get("dependencies", [])
        needed = sorted(
            {
                _needed(need)
                for need in needs
                if any(parse_resource(one).configured == parse_resource(need) for one in kept)
            }
        )
        body = _repeated([row.get("index_key") for row in rows])
        inner = resource_.module[0].name if resource_.module else ""
        if resource_.module:
            calls[inner] = {"source": f"./{inner}", "depends_on": needed, **_repeated([resource_.module[0].key])}
        elif needed:
            body["depends_on"] = needed
        folders.setdefault(inner, {})[f"{resource_.type}__{resource_.name}"] = body
    for name, resources in folders.items():
        (folder / name).mkdir(exist_ok=True)
        whole = {"resource": {"terraform_data": resources}} | ({"module": calls} if calls and not name else {})
        (folder / name / "main.tf.json").write_text(json.dumps(whole))


def _repeated(keys: Sequence[Key]) -> dict[str, Any]:
    """What makes a resource, or the call of a module, have these instances."""
    if keys == [None]:
        return {}
    return {"count": len(keys)} if isinstance(keys[0], int) else {"for_each": f"${{toset({json.dumps(keys)})}}"}


def _needed(address: str) -> str:
    """What to write in the root module: of what is in a module, the module."""
    steps = parse_resource(address).module
    return f"module.{steps[0].name}" if steps else stand_ins(address)


def storage(lab: Lab, site: str, generation: int) -> Configuration:
    """A team's storage: counted, mapped and in modules, of which one has keys."""
    made = Configuration(lab, site, generation)
    tenant = made.vast("vastdata_tenant.nlp", "tenants", {"name": "nlp"})
    of_team = {"tenant_id": tenant}
    policy = made.vast(
        "vastdata_view_policy.this", "viewpolicies", {"name": "nlp", "flavor": "NFS", **of_team},
        module="module.policy", depends=["vastdata_tenant.nlp"],
    )  # fmt: skip
    view = {"policy_id": policy, "protocols": ["NFS"], "create_dir": True, **of_team}
    needs = ["vastdata_tenant.nlp", "module.policy.vastdata_view_policy.this"]
    for number in range(3):
        made.vast(
            "vastdata_view.data", "views", {"path": f"/nlp/d{number}", **view}, number, depends=needs
        )  # a position: no name
    for user in ("ana", "bo b"):
        made.vast("vastdata_view.home", "views", {"path": f"/nlp/h/{user}", **view}, user, depends=needs)
    made.vast("vastdata_view.scratch", "views", {"path": "/nlp/x9", **view}, depends=needs)
    for number, size in enumerate((2**40, 2**41)):
        body = {"name": f"nlp-q{number}", "path": f"/nlp/d{number}", "hard_limit": size, **of_team}
        made.vast(
            "vastdata_quota.this", "quotas", body, f"q{number}", 'module.limits["nlp"]', ["vastdata_view.data", *needs]
        )
    made.other("random_pet.note", ["vastdata_view.scratch"])
    return made


def cluster(made: Configuration) -> None:
    """What Kubernetes' provider made, in both of its generations, and a pool that somebody else did."""
    pool = {"name": "nlp", "subnet_cidr": 24, "ip_ranges": [["10.0.0.1", "10.0.0.9"]]}
    made.lab.by_hand(made.site, "vast", "POST", "/api/v5/vippools/", pool)
    made.kubernetes("kubernetes_namespace.csi", "/api/v1/namespaces", {"metadata": {"name": "vast-csi"}})
    for name, type_ in (("nlp-fast", "kubernetes_storage_class_v1"), ("nlp-slow", "kubernetes_storage_class")):
        parameters = {"root_export": f"/nlp/{name}", "view_policy": "nlp", "vip_pool_name": "nlp"}
        body = {"metadata": {"name": name}, "provisioner": "csi.vastdata.com", "parameters": parameters}
        made.kubernetes(f"{type_}.{name.removeprefix('nlp-')}", "/apis/storage.k8s.io/v1/storageclasses", body)
