"""Reading a body by the vendor's field table, as the server's decoder does.

Unknown fields are dropped and reported, wrong types are refused, quantities are rewritten, and zero values that the
server never stores are left out.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any

from vastplan.sim.kubernetes import quantity
from vastplan.sim.kubernetes.status import StatusCause
from vastplan.sim.tables import Table

_MICRO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,}(Z|[-+]\d\d:\d\d)")
_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)")
# Go pointers: an empty string differs from an absent one.
_POINTERS = {
    ("PersistentVolumeClaimSpec", "storageClassName"),
    ("PersistentVolumeClaimSpec", "volumeAttributesClassName"),
    ("LeaseSpec", "holderIdentity"),
    ("EphemeralVolumeSource", "storageClassName"),
}
# Go values, not pointers: false is the same as absent.
_PLAIN_BOOLEANS = {("CSIPersistentVolumeSource", "readOnly"), ("VolumeMount", "readOnly"), ("PodSpec", "hostNetwork")}


_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
_GO_TYPES = {bool: "bool", str: "string", dict: "object", list: "array"}


def _bad_time(value: str, micro: bool) -> str:
    layout = "2006-01-02T15:04:05.000000Z07:00" if micro else "2006-01-02T15:04:05Z07:00"
    unparsed, wanted = value, "2006"
    for pattern, element in (
        (r"\d{4}-\d\d-\d\d", "T"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", ".000000" if micro else "Z07:00"),
    ):
        if match := re.match(pattern, value):
            unparsed, wanted = value[match.end() :], element
    return f'parsing time "{value}" as "{layout}": cannot parse "{unparsed}" as "{wanted}"'


class WrongType(ValueError):
    """A value has the wrong type for its field; the text is the server's."""


@dataclass(slots=True)
class Reader:
    """Reads one object; `unknown` collects the paths of fields that the table lacks."""

    table: Table
    kind: str
    custom: bool = False
    unknown: list[str] = field(default_factory=list)
    causes: list[StatusCause] = field(
        default_factory=list
    )  # wrong types of a custom resource, which are not decoding errors

    def resolve(self, schema: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The schema behind references, and the short name of its type."""
        name = ""
        while "$ref" in schema:
            reference = schema["$ref"].removeprefix("#/schemas/")
            schema, name = self.table.content["schemas"][reference], reference.rsplit(".", 1)[1]
        return schema, name

    def read(self, schema: dict[str, Any], value: Any, path: str = "", owner: str = "") -> Any:
        """`value` as the server decodes it; raises `WrongType`."""
        schema, name = self.resolve(schema)
        owner = owner or self.kind
        if name == "Quantity":
            return self._quantity(value)
        if name in ("IntOrString", "FieldsV1"):
            return value
        if "properties" in schema:
            return self._struct(schema, value, path, name or owner)
        kind = schema.get("type")
        if kind == "object":
            return self._map(schema, value, path, owner)
        if kind == "array":
            if not isinstance(value, list):
                return self._wrong(value, schema, path, owner)
            return [self.read(schema["items"], item, f"{path}[{index}]", owner) for index, item in enumerate(value)]
        return self._scalar(schema, name, value, path, owner)

    def _struct(self, schema: dict[str, Any], value: Any, path: str, owner: str) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, schema, path, owner)
        struct: dict[str, Any] = {}
        fields, needed = schema["properties"], schema.get("required", ())
        for key, item in value.items():
            inner = f"{path}.{key}" if path else key
            if key not in fields:
                self.unknown.append(inner)
                continue
            if item is None:
                continue
            read = self.read(fields[key], item, inner, owner)
            kept_as_sent = self.custom and not inner.startswith("metadata")
            if kept_as_sent or key in needed or not self._is_zero(fields[key], read, owner, key):
                struct[key] = read
        return struct

    def _is_zero(self, schema: dict[str, Any], value: Any, owner: str, key: str) -> bool:
        if value == "":
            return (owner, key) not in _POINTERS
        if value is False:
            return (owner, key) in _PLAIN_BOOLEANS
        return value == [] or (value == {} and "properties" not in self.resolve(schema)[0])

    def _map(self, schema: dict[str, Any], value: Any, path: str, owner: str) -> Any:
        if not isinstance(value, dict):
            return self._wrong(value, schema, path, owner)
        items = schema.get("additionalProperties")
        if not isinstance(items, dict):
            return value
        plain = self.resolve(items)[0]
        if (
            plain.get("type") == "string" and "format" not in plain and not self.custom
        ):  # Go reads null as an empty string, not as an absent key
            value = {key: "" if item is None else item for key, item in value.items()}
        # Go reports every value at the path of the map.
        return {
            key: self.read(items, item, f"{path}.{key}" if self.custom else path, owner)
            for key, item in value.items()
            if item is not None
        }

    def _quantity(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise WrongType(f"quantities must match the regular expression '{quantity.SYNTAX.pattern}'")
        return quantity.canonical_quantity(value if isinstance(value, str) else repr(value))

    def _scalar(self, schema: dict[str, Any], name: str, value: Any, path: str, owner: str) -> Any:
        kind = schema.get("type")
        fits = {
            "string": isinstance(value, str),
            "boolean": isinstance(value, bool),
            "integer": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, int | float) and not isinstance(value, bool),
        }.get(str(kind), True)
        if not fits:
            return self._wrong(value, schema, path, owner)
        if schema.get("format") == "byte":
            try:
                base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                raise WrongType("illegal base64 data at input byte 0") from None
        if schema.get("format") == "date-time" and not self.custom:
            micro = name == "MicroTime"
            if not (_MICRO if micro else _SECONDS).fullmatch(value):
                raise WrongType(_bad_time(value, micro))
        return value

    def _wrong(self, value: Any, schema: dict[str, Any], path: str, owner: str) -> Any:
        if self.custom and path and path.partition(".")[0] != "metadata":  # the server decodes metadata itself
            type_name = _JSON_TYPES[type(value)]
            why = f'Invalid value: "{type_name}": {path} in body must be of type {schema.get("type", "object")}: "{type_name}"'
            self.causes.append(StatusCause("FieldValueTypeInvalid", why, path))
            return value
        type_name = _GO_TYPES.get(type(value), "number")
        where = f"Go struct field {owner}.{path}" if path else "Go value"
        raise WrongType(f"json: cannot unmarshal {type_name} into {where} of type {self._go(schema, owner)}")

    def _go(self, schema: dict[str, Any], owner: str) -> str:
        schema, name = self.resolve(schema)
        kind = schema.get("type")
        if "properties" in schema:
            return f"v1.{name or owner}"
        if kind == "array":
            return "[]" + self._go(schema["items"], owner)
        if kind == "object":
            items = schema.get("additionalProperties")
            return f"map[string]{self._go(items, owner)}" if isinstance(items, dict) else "map[string]interface {}"
        return {"boolean": "bool", "integer": str(schema.get("format", "int32")), "number": "float64"}.get(
            str(kind), "string"
        )
