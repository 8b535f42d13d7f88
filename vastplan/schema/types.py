"""The types of document fields, strict where YAML is lax, canonical after validation."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from typing import Annotated, Any

from pydantic import MISSING, AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from vastplan.model import units
from vastplan.model.urls import LOGIN_IN_URL, can_be_taken_apart, holds_login
from vastplan.model.wording import quoted, shortened
from vastplan.model.yaml_text import scalar
from vastplan.schema.markers import Typed, Unit

__all__ = [
    "MISSING", "Address4or6", "Bandwidth", "Bytes", "Cidr", "Count", "EndpointUrl", "Existing", "Host", "IpRange", "Key", "KubernetesName",
    "Name", "ReferenceName", "SecretSource", "Span", "Spec", "Text", "VendorName", "formed", "quantity",
]  # fmt: skip


class Spec(BaseModel):
    """A part of the document: strict, closed, frozen. A field left out is `MISSING`, which is not `null`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, title=None)


class Existing(Spec):
    """Something live that this document does not manage."""

    existing: Annotated[str, StringConstraints(min_length=1, max_length=1024)]


class EnvironmentSecret(Spec):
    """A secret in an environment variable."""

    env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class FileSecret(Spec):
    """A secret in a file, relative to the document; a trailing newline is not part of it."""

    file: Annotated[str, StringConstraints(min_length=1)]


SecretSource = EnvironmentSecret | FileSecret


def formed(pattern: str, words: str) -> BeforeValidator:
    """Says in words what a text has to be that a pattern holds (`StringConstraints`, beside this): who wrote it reads no patterns."""

    def check(value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(pattern, value):
            raise ValueError(f"{quoted(value)} is not {words}")
        return value

    return BeforeValidator(check)


class Key(str):
    """The key of an entry, where it stands in for a name that nobody wrote."""

    __slots__ = ()


def _no_key(value: Any) -> Any:
    """A key is in addresses, commands and files: it stays plain, whatever a vendor takes for a name."""
    if isinstance(value, Key):
        if not re.fullmatch(_PLAIN, value) or len(value) > _LONGEST_KEY:
            raise ValueError(
                f"{str(value)!r} cannot be an entry's key, which is letters, digits and ' ._@:+-' after the first,"
                f" at most {_LONGEST_KEY}; give it another, and say what it is called with name: {scalar(value)}"
            )
        return str(value)
    return value


def quantity(parse: Any) -> Any:
    """A number that may be written with a unit."""

    def convert(value: Any) -> Any:
        return parse(value) if isinstance(value, str) else value

    return BeforeValidator(convert, json_schema_input_type=int | str)


def _range(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("write a range as '10.0.0.1 - 10.0.0.9', or one address")
    first, _, last = (part.strip() for part in shortened(value, 200).partition("-"))
    start, end = ip_address(first), ip_address(last or first)
    if start.version != end.version or int(start) > int(end):
        raise ValueError(f"{quoted(value)}: the first address must not be above the last")
    return f"{start} - {end}"


def _one_address(text: str) -> str:
    """A range of one address as that address."""
    first, _, last = text.partition(" - ")
    return first if first == last else text


def _cidr(value: Any) -> Any:
    if isinstance(value, str):
        ip_network(shortened(value, 200), strict=False)
    return value


def _address(value: Any) -> Any:
    return str(ip_address(shortened(value, 200))) if isinstance(value, str) else value


def _without_login(value: Any) -> Any:
    if isinstance(value, str) and holds_login(value):
        raise ValueError(f"{LOGIN_IN_URL}: an address is shown, and keys are delivered elsewhere")
    if isinstance(value, str) and not re.match(_ENDPOINT, value):
        raise ValueError("write https://HOST or https://HOST:PORT, without a path: buckets are below it")
    return value


def _host_alone(value: str) -> str:
    if not can_be_taken_apart(value):
        raise ValueError("is no address: its host or its port cannot be read")
    return value.rstrip("/")


_LINE = r"^[^\x00-\x1f\x7f\u2028\u2029]*$"  # one line, no control characters
_ENDPOINT = r"^https?://[A-Za-z0-9._:\[\]-]+/?$"
_PLAIN = r"[A-Za-z0-9][A-Za-z0-9 ._@:+-]*"
_LONGEST_KEY = 128

Text = Annotated[str, StringConstraints(max_length=1024, pattern=_LINE)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_KEY, pattern=f"^{_PLAIN}$")]
# VMS and Run:AI say of most names only that they are text: one line of it, and no key of an entry but a plain one.
VendorName = Annotated[
    str,
    BeforeValidator(_no_key),
    StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"),
]
_DNS = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
KubernetesName = Annotated[
    str,
    StringConstraints(max_length=253, pattern=_DNS),
    formed(_DNS, "a name in Kubernetes: small letters and digits, with - and . between them"),
]
ReferenceName = Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=_LINE)] | Existing
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Bytes = Annotated[Annotated[int, Field(ge=0, le=2**63 - 1)], quantity(units.parse_bytes), Unit(units.BYTES)]
Bandwidth = Annotated[Annotated[int, Field(ge=0, le=2**32)], quantity(units.parse_bandwidth), Unit(units.BANDWIDTH)]
Span = Annotated[Annotated[int, Field(ge=1, le=2**40)], quantity(units.parse_span), Unit(units.SECONDS)]
IpRange = Annotated[str, BeforeValidator(_range, json_schema_input_type=str), Typed(_one_address)]
Cidr = Annotated[str, BeforeValidator(_cidr, json_schema_input_type=str)]
Address4or6 = Annotated[str, BeforeValidator(_address, json_schema_input_type=str)]
# A host and a port, if any: buckets are below it.
EndpointUrl = Annotated[
    str,
    BeforeValidator(_without_login, json_schema_input_type=str),
    StringConstraints(max_length=1024, pattern=_ENDPOINT),
    AfterValidator(_host_alone),
]
Host = Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=r"^[^\x00-\x20\x7f]+$")]
