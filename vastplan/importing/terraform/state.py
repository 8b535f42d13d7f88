"""A Terraform state, reduced to the objects that Terraform has and their names.

Reads `terraform.tfstate` (format 4) and what `terraform show -json` prints of a state (format 1). A state holds every value of every
resource, including passwords in clear text: when the parser reaches the closing bracket of an object, it drops all keys but those of
`_KEPT`, and a `TerraformState` has only what `Instance` declares of them. No error contains any of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from vastplan.importing.terraform.address import (
    Key,
    ModuleCall,
    ResourceAddress,
    is_identifier,
    parse_module,
    parse_resource,
)
from vastplan.importing.terraform.resource_types import RESOURCE_TYPES
from vastplan.model import strict_json
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError

STATE_BYTES = 256 * 1024 * 1024  # 15,000 resources were seen to take 100 MB, most of it values that are dropped
_ATTRIBUTES = frozenset({"id", "guid", "name", "path", "tenant_id", "metadata", "namespace"})
_OF_A_STATE = frozenset(
    {
        "version",
        "resources",
        "module",
        "mode",
        "type",
        "instances",
        "index_key",
        "deposed",
        "dependencies",
        "attributes",
    }
)
_SHOWN = frozenset(
    {"format_version", "values", "root_module", "child_modules", "address", "index", "deposed_key", "depends_on"}
)
_OTHERS = frozenset({"encryption_version", "planned_values"})  # keys of encrypted states and of plans
_KEPT = _ATTRIBUTES | _OF_A_STATE | _SHOWN | _OTHERS


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a resource. Texts are "" if the state has no value; numbers are texts.

    For a resource that stands for no kind, only its place and its dependencies are kept.
    """

    resource: ResourceAddress
    key: Key = None
    id: str = ""
    guid: str = ""
    name: str = ""
    path: str = ""
    tenant_id: str = ""
    namespace: str = ""
    dependencies: tuple[ResourceAddress, ...] = ()
    """Their addresses in the configuration, without keys."""
    deposed: bool = False
    """An earlier object of the resource, which Terraform means to destroy."""

    @property
    def address(self) -> str:
        """As Terraform writes it."""
        return self.resource.at(self.key)


@dataclass(frozen=True, slots=True)
class TerraformState:
    """All instances, in the order of their addresses."""

    instances: tuple[Instance, ...] = ()


class _Damaged(ValueError):
    """The text is not a valid state. The message says where, and contains nothing of the text."""


def parse_state(raw: bytes | str, name: str = "the Terraform state") -> TerraformState:
    """The instances in a state; `name` is what a message calls the state.

    Raises:
        VastplanError: The text is too large, not JSON, of a format that is not supported, or not as Terraform writes it.
    """
    content = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    if len(content) > STATE_BYTES:
        raise VastplanError(f"{name} is larger than {STATE_BYTES // 1024**2} MiB")
    state, problem = _read(content)
    # Raised outside of the `except` blocks: an error that is raised inside carries the first error, and its text, as its context.
    if state is None:
        raise VastplanError(f"{name} {problem}")
    return state


def _read(content: bytes) -> tuple[TerraformState | None, str]:
    try:
        data = strict_json.parse_json(content, _KEPT)
    except ValueError:
        return None, "is not complete JSON"
    problem = _not_read(data)
    if problem:
        return None, problem
    try:
        unsorted = _shown_instances(data.get("values")) if "format_version" in data else _instances(data["resources"])
        instances = sorted(unsorted, key=lambda each: (each.resource.order(each.key), each.deposed, each.id))
        _unique(instances)
    except _Damaged as damage:
        return None, f"is damaged: {damage}"
    return TerraformState(tuple(instances)), ""


def _not_read(data: Any) -> str:
    """Why this is not a state that vastplan reads, "" if it is."""
    if not isinstance(data, dict):
        return "is not a Terraform state"
    if "encryption_version" in data:
        return "is encrypted: give what `tofu show -json` prints"
    if "planned_values" in data:
        return "is a plan: give what `terraform show -json` prints without the plan's file"
    version, format_version = data.get("version"), data.get("format_version")
    if isinstance(format_version, str):
        is_known = format_version.split(".")[0] == "1"
        return "" if is_known else "has an unknown format: give what Terraform 1.1 or later prints"
    if type(version) is int and version != 4:
        return "has an unknown format: give what `terraform show -json` prints"
    return "" if version == 4 and "resources" in data else "is not a Terraform state"


def _unique(instances: list[Instance]) -> None:
    for before, after in pairwise(instances):
        if (before.resource, before.key) == (after.resource, after.key) and not after.deposed:
            raise _Damaged("contains an instance twice")


def _instances(resources: Any) -> Iterator[Instance]:
    """The instances in `terraform.tfstate`: a list of resources, each with its instances."""
    modules: dict[str, tuple[ModuleCall, ...]] = {"": ()}
    addresses: dict[str, ResourceAddress] = {}
    for number, row in enumerate(_rows(resources, "resources"), 1):
        where = f"resource {number}"
        module = _module(row.get("module"), modules, where)
        address = _address(row, module, where)
        for instance in _rows(row.get("instances"), f"the instances of {where}"):
            depends = _dependencies(instance.get("dependencies"), addresses, where)
            key, deposed = instance.get("index_key"), bool(instance.get("deposed"))
            yield _instance(address, key, instance.get("attributes"), depends, deposed, where)


def _shown_instances(values: Any) -> Iterator[Instance]:
    """The instances in `terraform show -json`: nested modules, each with a list of instances. A state without a resource has no
    `values`."""
    modules: dict[str, tuple[ModuleCall, ...]] = {"": ()}
    addresses: dict[str, ResourceAddress] = {}
    waiting = [] if values is None else [_row(_row(values, "its values").get("root_module", {}), "the root module")]
    number = 0
    for nested in waiting:  # grows during the loop
        module = _module(nested.get("address"), modules, f"the address after resource {number}")
        for row in _rows(nested.get("resources"), "resources"):
            number += 1
            where = f"resource {number}"
            address = _address(row, module, where)
            depends = _dependencies(row.get("depends_on"), addresses, where)
            yield _instance(address, row.get("index"), row.get("values"), depends, bool(row.get("deposed_key")), where)
        waiting += _rows(nested.get("child_modules"), "modules")


def _instance(
    address: ResourceAddress,
    key: Any,
    attributes: Any,
    dependencies: tuple[ResourceAddress, ...],
    deposed: bool,
    where: str,
) -> Instance:
    if not (key is None or isinstance(key, str) or (type(key) is int and key >= 0)):
        raise _Damaged(f"{where} has an instance whose key is neither a number nor text")
    if address.data or address.type not in RESOURCE_TYPES:
        return Instance(address, key, dependencies=dependencies, deposed=deposed)
    values = {} if attributes is None else _row(attributes, f"the attributes of {where}")
    metadata = values.get("metadata")  # of Kubernetes' provider: a list of one
    inner = metadata[0] if isinstance(metadata, list) and metadata and isinstance(metadata[0], dict) else values
    return Instance(
        address,
        key,
        id=_text(values.get("id")),
        guid=_text(values.get("guid")),
        name=_text(inner.get("name")),
        path=_text(values.get("path")),
        tenant_id=_text(values.get("tenant_id")),
        namespace=_text(inner.get("namespace")),
        dependencies=dependencies,
        deposed=deposed,
    )


def _text(value: Any) -> str:
    """A text, or a whole number as text; "" for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else str(value) if type(value) is int else ""


def _address(row: Mapping[str, Any], module: tuple[ModuleCall, ...], where: str) -> ResourceAddress:
    mode, type_, name = row.get("mode"), row.get("type"), row.get("name")
    if mode not in ("managed", "data"):
        raise _Damaged(f"{where} is neither managed nor a data source")
    if not (isinstance(type_, str) and is_identifier(type_) and isinstance(name, str) and is_identifier(name)):
        raise _Damaged(f"{where} has a type or a name that Terraform does not accept")
    return ResourceAddress(module, type_, name, mode == "data")


def _module(text: Any, calls: dict[str, tuple[ModuleCall, ...]], where: str) -> tuple[ModuleCall, ...]:
    text = "" if text is None else text
    if not isinstance(text, str):
        raise _Damaged(f"{where} is in a module whose address cannot be read")
    if text not in calls:
        try:
            calls[text] = parse_module(text)
        except ValueError:
            raise _Damaged(f"{where} is in a module whose address cannot be read") from None
    return calls[text]


def _dependencies(texts: Any, parsed: dict[str, ResourceAddress], where: str) -> tuple[ResourceAddress, ...]:
    """What an instance depends on; parsed once each, because most of a large state is the same dependencies again and again."""
    if texts is None:
        return ()
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise _Damaged(f"{where} depends on something that is not an address")
    for text in texts:
        if text not in parsed:
            try:
                parsed[text] = parse_resource(text).configured
            except ValueError:
                raise _Damaged(f"{where} depends on something that is not an address") from None
    return tuple(parsed[text] for text in texts)


def _rows(value: Any, where: str) -> list[dict[str, Any]]:
    value = [] if value is None else value
    if not isinstance(value, list):
        raise _Damaged(f"{where} are not a list")
    return [_row(each, f"one of {where}") for each in value]


def _row(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Damaged(f"{where} is not an object")
    return value
