"""The types of document fields, strict where YAML is lax, canonical after validation."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated, Any, ClassVar

from pydantic import (
    MISSING,
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError, core_schema

from vastplan.model import ip_ranges, units
from vastplan.model.dataclass import dataclass
from vastplan.model.urls import LOGIN_IN_URL, can_be_taken_apart, holds_login
from vastplan.model.wording import counted, quoted, shortened
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.markers import Codec, Meaning, Typed, Unit

__all__ = [
    "ADDRESS",
    "A_SPAN",
    "CANONICAL",
    "CLIENTS",
    "EMAIL",
    "GIVEN",
    "HOST_NAME",
    "MISSING",
    "NORMAL_PATH",
    "PATH",
    "PATH_PART",
    "QUANTITY",
    "URL",
    "Address4or6",
    "Bandwidth",
    "ByteCount",
    "Bytes",
    "Count",
    "EndpointUrl",
    "Existing",
    "Host",
    "IpRange",
    "IpSource",
    "Key",
    "KubernetesName",
    "Name",
    "ReferenceName",
    "Says",
    "SecretSource",
    "Size",
    "Span",
    "Spec",
    "Text",
    "UnitSpan",
    "VendorName",
    "plain_key",
    "quantity",
]  # fmt: skip


GIVEN = "said"
"""The error type for a text that breaks the constraints that `Says` describes."""
CANONICAL = {"canonical": True}
"""The validation context for values that nobody wrote: their numbers are in the API's own unit, and may be small."""
QUANTITY = "quantity"
"""The error type for a value that is neither a number nor a text with a unit; `wanted` in its context says what to write."""


@dataclass(frozen=True, slots=True)
class Says:
    """Describes in words what the constraints of a text require (`StringConstraints`, before this marker): users read no patterns.

    Messages repeat what was written, unless `shown` is false because it may hold a secret.
    """

    words: str
    shown: bool = True

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The type's own schema with these words in its errors; validation does not get slower."""
        inner = handler(source)
        context = {"words": self.words, "shown": self.shown, "longest": inner.get("max_length")}
        return core_schema.custom_error_schema(
            inner, GIVEN, custom_error_message="is not {words}", custom_error_context=context
        )


class Spec(BaseModel):
    """A part of the document: strict, closed, frozen. A field left out is `MISSING`, which is not `null`.

    `SAYS` is how it is written, in short, where its required fields do not tell that.
    """

    SAYS: ClassVar[str] = ""
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, title=None)


class Existing(Spec, defer_build=False):  # built once, else once for each field that refers to something
    """A live object that this document refers to and does not manage."""

    SAYS = "{existing: NAME}"
    existing: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    """Name of the live object, as its system shows it; this document does not manage it."""


class EnvironmentSecret(Spec, defer_build=False):
    """A secret in an environment variable."""

    SAYS = "{env: NAME}"
    env: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$"),
        Says("the name of an environment variable: letters, digits and _, without $", shown=False),
    ]
    """Environment variable that holds the secret. A document's has to be allowed by `VASTPLAN_ALLOW_ENV`, or by
    `secrets` of the connections file."""


class FileSecret(Spec, defer_build=False):
    """A secret in a file; a newline at its end is not part of it."""

    SAYS = "{file: PATH}"
    file: Annotated[str, StringConstraints(min_length=1)]
    """File that holds the secret, relative to the document or connections file that names it; a newline at its end is
    not part of it."""


SecretSource = EnvironmentSecret | FileSecret


class Key(str):
    """The key of an entry that is used as its name, where the document does not write one."""

    __slots__ = ()


def plain_key(value: Any) -> Any:
    """Refuses a key with unusual characters, even if the vendor accepts them in names: keys are in addresses, commands and files."""
    if isinstance(value, Key):
        if not re.fullmatch(_PLAIN, value) or len(value) > _LONGEST_KEY:
            raise ValueError(
                f"{str(value)!r} cannot be an entry's key: a key begins with a letter or digit, then letters, digits and ' ._@:+-',"
                f" at most {_LONGEST_KEY}; the name in the system can still be that: name: {yaml_scalar(value)}"
            )
        return str(value)
    return value


def quantity(parse: Any, wanted: str) -> Any:
    """A validator for a number that may be written with a unit; for anything else `wanted` says in the message what to write."""

    def convert(value: Any) -> Any:
        if isinstance(value, str):
            return parse(value)
        if type(value) is not int:
            raise PydanticCustomError(QUANTITY, "is not {wanted}", {"wanted": wanted})
        return value

    return BeforeValidator(convert, json_schema_input_type=int | str)


def _with_a_unit(value: Any, info: ValidationInfo) -> Any:
    """Refuses a small number of bytes without a unit: who writes `size: 500` means another unit."""
    if type(value) is int and 0 < value < units.LEAST_BARE and info.context is not CANONICAL:
        examples = f"{value} GiB, {value} TiB" if value < 1000 else "500 GiB"
        raise ValueError(f"is only {counted(value, 'byte')}; write the unit: {examples}, or {value} B for bytes")
    return value


def _with_a_unit_of_time(value: Any, info: ValidationInfo) -> Any:
    """Refuses a small number of seconds without a unit: who writes `every: 24` means hours."""
    if type(value) is int and 0 < value < units.SPANS["m"] and info.context is not CANONICAL:
        raise ValueError(
            f"is only {counted(value, 'second')}; write the unit: {value}m, {value}h, {value}d, or {value}s for seconds"
        )
    return value


def _range(value: Any) -> Any:
    if not isinstance(value, str):
        raise PydanticCustomError(
            GIVEN, "is not {words}", {"words": "a range such as 10.0.0.1 - 10.0.0.9, or one address"}
        )
    text = shortened(value, 200)
    first, _, last = (part.strip() for part in text.partition("-"))
    try:
        start, end = ip_address(first), ip_address(last or first)
    except ValueError:
        raise ValueError(f"{quoted(value)} is not a range; write {ip_ranges.range_suggestion(text)}") from None
    if start.version != end.version:
        raise ValueError(f"{quoted(value)} is not a range: one end is IPv4 and the other IPv6")
    if int(start) > int(end):
        raise ValueError(f"{quoted(value)}: the first address is above the last; write {end} - {start}")
    return f"{start} - {end}"


def _source(value: Any) -> Any:
    if not isinstance(value, str):
        raise PydanticCustomError(GIVEN, "is not {words}", {"words": "an address, a range or a network"})
    try:
        return ip_ranges.canonical_clients(shortened(value, 200))
    except ValueError:
        raise ValueError(
            f"{quoted(value)} is not an address, a range or a network; write one such as 10.1.0.7, 10.1.0.7 - 10.1.0.9 or 10.1.0.0/16"
        ) from None


def _host(text: str) -> str:
    """An address in its canonical form; a DNS name in lower case and without the dot at its end."""
    try:
        return ip_ranges.canonical_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return text.lower().removesuffix(".")


def _path(text: str) -> str:
    return text.rstrip("/") or "/"


def _url(text: str) -> str:
    """The scheme and the host in lower case, and no slash at the end."""
    scheme, _, rest = text.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/") if rest else text


def _one_address(text: str) -> str:
    """A range as a user writes it: a range of one address as that address."""
    first, _, last = text.partition(" - ")
    return first if first == last else text


def _address(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return str(ip_address(shortened(value, 200)))
    except ValueError:
        raise ValueError(
            f"{quoted(value)} is not an address; write {ip_ranges.one_meant(shortened(value, 200))}"
        ) from None


def _without_login(value: Any) -> Any:
    if isinstance(value, str) and holds_login(value):
        raise ValueError(
            f"{LOGIN_IN_URL}; write the address alone: addresses are shown, and keys are delivered elsewhere"
        )
    if isinstance(value, str) and not re.match(_ENDPOINT, value):
        raise ValueError("write https://HOST or https://HOST:PORT, without a path: buckets are below it")
    return value


def _host_alone(value: str) -> str:
    if not can_be_taken_apart(value):
        raise ValueError("is not an address: the host or the port cannot be read")
    return value.rstrip("/")


HOST_NAME, PATH, URL = Meaning(_host), Meaning(_path), Meaning(_url)
EMAIL = Meaning(lambda text: text.lower() if "@" in text else text)
_LINE = r"^[^\x00-\x1f\x7f\u2028\u2029]*$"  # one line, no control characters
_ENDPOINT = r"^https?://[A-Za-z0-9._:\[\]-]+/?$"
_PLAIN = r"[A-Za-z0-9][A-Za-z0-9 ._@:+-]*"
_LONGEST_KEY = 128
PATH_PART = r"(\.?[^./\x00-\x1f\x7f][^/\x00-\x1f\x7f]*|\.\.[^/\x00-\x1f\x7f]+)"
"""Pattern of a name in a path: neither `.` nor `..`."""
NORMAL_PATH = rf"^/$|^(/{PATH_PART})+/?$"
"""Pattern of the directories that VAST accepts, and of those with a slash at the end."""

Text = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=_LINE),
    Says("one line of text, without control characters", shown=False),
]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=_LONGEST_KEY, pattern=f"^{_PLAIN}$"),
    Says(f"a name: a letter or digit, then letters, digits and ' ._@:+-', at most {_LONGEST_KEY}"),
]
# VMS and Run:AI document most names only as text: one line is accepted here, but an entry's key must be plain.
VendorName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=1024, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"),
    Says("a name in one line, without control characters"),
    BeforeValidator(plain_key),
]
KubernetesName = Annotated[
    str,
    StringConstraints(max_length=253, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"),
    Says("a name in Kubernetes: lowercase letters and digits, with - and . between them"),
]
DnsLabel = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"),
    Says("a name of lowercase letters and digits, with - between them, at most 63"),
]
SecretKey = Annotated[
    str,
    StringConstraints(max_length=253, pattern=r"^[-._a-zA-Z0-9]+$"),
    Says("a key of a Secret: letters, digits, -, _ and ."),
]
AbsolutePath = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=r"^/[^\x00-\x1f\x7f]*$"),
    Says("an absolute path, which starts with /"),
    PATH,
]
# A directory of VAST, which accepts no other.
NormalPath = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=NORMAL_PATH),
    Says("an absolute path, which starts with / and has no .., . or //"),
    PATH,
]
ReferenceName = (
    Annotated[str, StringConstraints(min_length=1, max_length=253, pattern=_LINE), Says("a name")] | Existing
)
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
_A_SIZE, _A_BANDWIDTH, A_SPAN = "a size, such as 500 GiB", "a bandwidth, such as 2 GB/s", "a duration, such as 24h"
# Any number of bytes, also a small one: for example the size of objects that a rule deletes.
ByteCount = Annotated[
    Annotated[int, Field(ge=0, le=2**63 - 1)], quantity(units.parse_bytes, _A_SIZE), Unit(units.BYTES)
]
Bytes = Annotated[ByteCount, BeforeValidator(_with_a_unit, json_schema_input_type=int | str)]
# The size of what is created; 0 would be no limit to one system, and is refused by another.
Size = Annotated[
    Annotated[int, Field(gt=0, le=2**63 - 1)],
    quantity(units.parse_bytes, _A_SIZE),
    Unit(units.BYTES),
    BeforeValidator(_with_a_unit, json_schema_input_type=int | str),
]
Bandwidth = Annotated[
    Annotated[int, Field(ge=0, le=2**32)], quantity(units.parse_bandwidth, _A_BANDWIDTH), Unit(units.BANDWIDTH)
]
Span = Annotated[Annotated[int, Field(ge=1, le=2**40)], quantity(units.parse_span, A_SPAN), Unit(units.SECONDS)]
# For fields that the system itself writes with a unit, so that a plain number is never in the system's unit.
UnitSpan = Annotated[Span, BeforeValidator(_with_a_unit_of_time, json_schema_input_type=int | str)]
ADDRESS = Codec(str, ip_ranges.canonical_address)
CLIENTS = Codec(str, ip_ranges.canonical_clients)
IpRange = Annotated[str, BeforeValidator(_range, json_schema_input_type=str), Typed(_one_address)]
# An address, a range or a network, of those who may connect.
IpSource = Annotated[str, BeforeValidator(_source, json_schema_input_type=str), CLIENTS]
Address4or6 = Annotated[str, BeforeValidator(_address, json_schema_input_type=str), ADDRESS]
# A host and an optional port, without a path: buckets are below it.
EndpointUrl = Annotated[
    str,
    StringConstraints(max_length=1024, pattern=_ENDPOINT),
    Says("https://HOST or https://HOST:PORT, without a path: buckets are below it", shown=False),
    BeforeValidator(_without_login, json_schema_input_type=str),
    AfterValidator(_host_alone),
]
Host = Annotated[
    str,
    StringConstraints(min_length=1, max_length=253, pattern=r"^[^\x00-\x20\x7f]+$"),
    Says("a host: its name or its address, without blanks"),
    HOST_NAME,
]
