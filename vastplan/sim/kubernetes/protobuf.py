"""Objects as protobuf, which kubectl and most Go programs send for the built-in kinds: decoded into their JSON form.

The wire format is https://protobuf.dev/programming-guides/encoding; the field numbers are in the table
`kubernetes/1.34-protobuf`, generated from Kubernetes' own Go types by `tests/kube/tools/protobuf`.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Any

CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\0"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_ZEROS = {"string": "", "bytes": "", "bool": False, "float64": 0.0}  # of numbers: 0
_SIGNED = ("int", "int32", "int64")  # a negative int32 is also sent with 64 bits
_STRUCTURED = ("Time", "MicroTime", "Quantity", "IntOrString", "FieldsV1", "RawExtension")
Json = dict[str, Any]


class NotProtobuf(ValueError):
    """The body is not a protobuf object; the text says where decoding failed."""


def read_protobuf(raw: bytes) -> Json:
    """The object in a body, with its `apiVersion` and `kind`; raises `NotProtobuf`.

    A kind that the table lacks is returned without its content: the caller refuses it by its kind.
    """
    if not raw.startswith(_MAGIC):
        raise NotProtobuf("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    envelope = dict(_fields(raw[len(_MAGIC) :]))
    type_meta = {number: _text(value) for number, value in _fields(_length(envelope.get(1, b"")))}
    version, kind = type_meta.get(1, ""), type_meta.get(2, "")
    if not version or not kind:
        raise NotProtobuf("the envelope names no version or no kind")
    head = {"apiVersion": version, "kind": kind}
    message = _table()["roots"].get("v1/DeleteOptions" if kind == "DeleteOptions" else f"{version}/{kind}")
    return head if message is None else head | _message(message, _length(envelope.get(2, b"")))


@lru_cache
def _table() -> Json:
    file = resources.files("vastplan.sim") / "tables" / "kubernetes" / "1.34-protobuf.json"
    content: Json = json.loads(file.read_text())
    return content


def _message(name: str, raw: bytes) -> Json:
    fields = _table()["messages"][name]
    decoded: Json = {}
    for number, value in _fields(raw):
        field, kind, flags = fields.get(str(number), ("", "", ""))
        if not kind:
            continue  # a field of a newer version
        if "i" in flags:
            decoded |= _message(kind, _length(value))
        elif "m" in flags:
            entry = dict(_fields(_length(value)))
            decoded.setdefault(field, {})[_text(entry.get(1, b""))] = _value(kind, entry.get(2))
        elif "l" in flags:
            decoded.setdefault(field, []).append(_value(kind, value))
        else:
            read_value = _value(kind, value)
            if not ("o" in flags and read_value == _ZEROS.get(kind, 0)):
                decoded[field] = read_value
    return decoded


def _value(kind: str, value: int | bytes | None) -> Any:
    """One value in its JSON form; `None` is a map entry without a value."""
    if kind in _STRUCTURED:
        return _structured(kind, dict(_fields(_length(value or b""))))
    if kind in _table()["messages"]:
        return _message(kind, _length(value or b""))
    if value is None:
        return _ZEROS.get(kind, 0)
    if kind == "string":
        return _text(value)
    if kind == "bytes":
        return base64.b64encode(_length(value)).decode()
    if not isinstance(value, int):
        raise NotProtobuf(f"proto: wrong wireType = {_BYTES} for a field of type {kind}")
    if kind == "bool":
        return bool(value)
    if kind == "float64":
        return struct.unpack("<d", value.to_bytes(8, "little"))[0]
    return _signed(value) if kind in _SIGNED else value


def _structured(kind: str, parts: dict[int, int | bytes]) -> Any:
    """A value whose JSON form is not an object of its fields."""
    if kind in ("Time", "MicroTime"):
        return _time(parts, micro=kind == "MicroTime") if parts else None
    if kind == "Quantity":
        return _text(parts.get(1, b""))
    if kind == "IntOrString":
        return _text(parts.get(3, b"")) if parts.get(1) else _signed(parts.get(2, 0))
    raw = _length(parts.get(1, b""))
    try:
        return json.loads(raw) if raw else {}
    except ValueError as error:
        raise NotProtobuf(str(error)) from None


def _time(parts: dict[int, int | bytes], *, micro: bool) -> str:
    seconds, nanos = _signed(parts.get(1, 0)), _signed(parts.get(2, 0))
    try:
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise NotProtobuf(f"proto: {seconds} seconds are no time") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")


def _signed(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise NotProtobuf(f"proto: wrong wireType = {_BYTES} for a number")
    return value - (1 << 64) if value >= 1 << 63 else value


def _length(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise NotProtobuf(f"proto: wrong wireType = {_VARINT} for a field with a length")
    return value


def _text(value: int | bytes) -> str:
    try:
        return _length(value).decode()
    except UnicodeDecodeError:
        raise NotProtobuf("proto: invalid UTF-8") from None


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and raw value of each field: numbers are unsigned, everything with a length is bytes."""
    at = 0
    while at < len(raw):
        tag, at = _varint(raw, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _varint(raw, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _varint(raw, at)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise NotProtobuf(f"proto: illegal wireType {wire}")
        if at + size > len(raw):
            raise NotProtobuf("unexpected EOF")
        content = raw[at : at + size]
        at += size
        yield number, content if wire == _BYTES else int.from_bytes(content, "little")


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(raw):
            raise NotProtobuf("unexpected EOF")
        byte = raw[at]
        value, at = value | (byte & 0x7F) << shift, at + 1
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise NotProtobuf("proto: integer overflow")
