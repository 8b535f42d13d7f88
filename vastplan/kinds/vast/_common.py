"""Shared parts of the VAST kinds: endpoints, rows that belong to the system, and the formats of durations."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator

from vastplan.model import units
from vastplan.model.ip_ranges import canonical_address, canonical_clients, networks
from vastplan.model.wording import quoted, shortened, some
from vastplan.schema.dependents import Dependents
from vastplan.schema.endpoint import Delta, Endpoint
from vastplan.schema.live import ControllerOwned
from vastplan.schema.markers import SCHEMA, WITNESS, Codec, ServerDefault
from vastplan.schema.types import CLIENTS, PATH

# The defaults of VMS.
OFF = ServerDefault(False, WITNESS)
NOTHING = ServerDefault(None, WITNESS)
NO_LIMIT = ServerDefault(0, SCHEMA)  # QoS limits: 0 is no limit
INTERNAL = ((("internal",), True),)
# A volume's directory has the name of its PersistentVolume, which is pvc-UID unless external-provisioner is configured with
# another prefix: the views and quotas of a driver with another prefix are not recognised.
CSI_CREATED = (ControllerOwned("the CSI driver", ("path",), r"(/.*)?/pvc-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),)
_OCTET = r"(25[0-5]|2[0-4]\d|1?\d{1,2})"
_WILDCARD = re.compile(rf"{_OCTET}(\.({_OCTET}|\*)){{3}}")


def _directory(path: str) -> str:
    if path != "/" and (not path.startswith("/") or any(part in ("", ".", "..") for part in path[1:].split("/"))):
        text = f"{quoted(path)} is not a path: a path starts with /, does not end with / and has no //, . or .."
        if ".." in path.split("/") and not path.startswith("/"):
            raise ValueError(text)  # nobody knows where it begins
        meant = posixpath.normpath("/" + shortened(path).lstrip("/"))
        raise ValueError(f"{text}; write {meant}")
    if not path.isprintable() or len(path) > 4096:
        raise ValueError("a path has at most 4096 characters, all printable")
    return path


def _mode(digits: int) -> int:
    if not 0 <= digits <= 7777 or not set(str(digits)) <= set("01234567"):
        raise ValueError(f"{digits} is not a mode: write its octal digits, for example 755")
    return digits


def _clients(text: str) -> str:
    if text == "*" or _WILDCARD.fullmatch(text):
        return text
    inside = networks(text) if "-" in text else []
    if inside:
        raise ValueError(f"{quoted(text)} is a range, not a network; write these entries: {some(inside)}")
    try:
        return canonical_clients(text)
    except ValueError:
        raise ValueError(
            f"{quoted(text)} is not an address or network; write one such as 10.1.0.7, 10.1.0.0/16, 10.1.*.*, or *"
        ) from None


def _nfs_clients(text: str) -> str:
    return text if re.fullmatch(r"@\S+", text) else _clients(text)


# VMS accepts it with or without / at the end, and may show it with it.
FOLDER = Codec(str, lambda path: PATH.of(str(path)))
Directory = Annotated[str, AfterValidator(_directory), FOLDER]  # inside a tenant
Mode = Annotated[int, AfterValidator(_mode)]  # 755 is rwxr-xr-x: VMS takes the octal digits as a decimal number
Clients = Annotated[str, AfterValidator(_clients), CLIENTS]
NfsClients = Annotated[str, AfterValidator(_nfs_clients), CLIENTS]  # netgroups too


def views_below(path: str) -> Dependents:
    """The views of a directory and of those below it, in the object's tenant."""
    return Dependents("view", "views", (("tenant", "tenant"),), (path, "path"))


def collection(
    name: str,
    *,
    vanishes_later: bool = False,
    deltas: tuple[Delta, ...] = (),
    refuses: Mapping[str, str] = MappingProxyType({}),
) -> Endpoint:
    """A VMS collection: paged lists, PATCH with the changed fields."""
    return Endpoint(path=f"/{name}/", vanishes_later=vanishes_later, deltas=deltas, refuses=refuses)


def _read_span(raw: object) -> int:
    """Seconds from any dialect VMS uses: a number, `90m`, or `[DD ][HH:[MM:]]ss`."""
    if isinstance(raw, int):
        return raw
    text = str(raw).strip()
    if text.isdecimal():
        return int(text)
    if ":" not in text and " " not in text:
        return units.parse_span(text.replace("H", "h").replace("D", "d").replace("W", "w").replace("Y", "y"))
    days, _, clock = text.rpartition(" ")
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + int(part)
    return int(days or 0) * 86400 + seconds


def _write_clock(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days} {clock}" if days else clock


def _write_range(text: str) -> list[str]:
    return [part.strip() for part in text.split(" - ")]


def _read_range(raw: list[str]) -> str:
    start, end = raw
    return f"{canonical_address(start)} - {canonical_address(end)}"


CLOCK = Codec(_write_clock, _read_span)  # quota grace periods
SUFFIXED = Codec(units.span_text, _read_span)  # schedule frames
SECONDS = Codec(str, _read_span)  # capacity rules
RANGE = Codec(_write_range, _read_range)  # [start, end]


def refuse_soft_above_hard(
    limits: Any, whole: Any = None, size: str = "hard_limit", inodes: str = "hard_limit_inodes"
) -> None:
    """Raises `ValueError` for a soft limit of bytes or inodes above the hard one; a hard limit of 0 is none. The hard ones are the
    fields `size` and `inodes` of `whole`, where that is not `limits` itself."""
    for soft_name, hard_name, unit in (("soft_limit", size, units.BYTES), ("soft_limit_inodes", inodes, "")):
        soft, hard = getattr(limits, soft_name), getattr(limits if whole is None else whole, hard_name)
        if isinstance(soft, int) and isinstance(hard, int) and 0 < hard < soft:
            both = f"{units.show_amount(soft, unit)}, {units.show_amount(hard, unit)}"
            raise ValueError(f"the soft limit is above the hard limit ({both}); lower {soft_name} or raise {hard_name}")
