"""Systems that keep values in a form of their own: every field whose values can be written in several ways, against a simulator that
answers in another one than was sent. No write fails, nothing differs afterwards, and an adoption changes no field."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.cases import Case, cases
from tests.kinds.test_kinds import action_of, made
from tests.kinds.test_kinds import lab as lab  # the fixture
from tests.lab import REGISTRY_KINDS, Lab
from vastplan.kinds._moments import MOMENT
from vastplan.kinds.kubernetes._common import QUANTITY
from vastplan.kinds.kubernetes.resource_quota import canonical
from vastplan.kinds.vast._common import CLOCK, FOLDER, RANGE, SECONDS, SUFFIXED
from vastplan.model.plan import Verb
from vastplan.schema.codec import at
from vastplan.schema.field import Field
from vastplan.schema.rows import put
from vastplan.schema.shapes.set import IP_RANGES
from vastplan.schema.types import ADDRESS, CLIENTS, EMAIL, HOST_NAME, PATH, URL
from vastplan.sim.wire import Request, Response


def _long(text: str) -> str:
    return ip_address(text).exploded.upper()


def _clients(text: str) -> str:
    """An address with its prefix length, a network with host bits, IPv6 in full and in capitals."""
    if " - " in text:
        return " - ".join(map(_long, text.split(" - ")))
    try:
        network = ip_network(text)
    except ValueError:
        return text
    return f"{_long(str(network[-1]))}/{network.prefixlen}"


def _host(text: str) -> str:
    try:
        return _long(text)
    except ValueError:
        return f"{text.upper()}."


def _time(text: str) -> str:
    return datetime.fromisoformat(text).astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()


def _url(text: str) -> str:
    return text.replace("s3.", "S3.").rstrip("/") + "/"


def _seconds(codec: Any) -> Callable[[Any], Any]:
    return lambda raw: f"{codec.read(raw) // 86400}D" if codec.read(raw) % 86400 == 0 else codec.read(raw)


OTHERWISE: dict[Any, Callable[[Any], Any]] = {
    ADDRESS: _long, CLIENTS: _clients, HOST_NAME: _host, EMAIL: lambda text: text.swapcase() if "@" in text else text, PATH: lambda path: f"{path}/", URL: _url,
    FOLDER: lambda path: f"{path}/", MOMENT: _time, QUANTITY: lambda raw: f"{QUANTITY.read(raw)}000m",
    SUFFIXED: _seconds(SUFFIXED), CLOCK: _seconds(CLOCK), SECONDS: _seconds(SECONDS),
}  # fmt: skip


def _halves(pairs: list[list[str]]) -> list[list[str]]:
    """Each range as its first address and the rest, in the opposite order."""
    divided = []
    for first, last in pairs:
        start = ip_address(first)
        parts = [[first, last]] if first == last else [[first, first], [str(start + 1), last]]
        divided += [[_long(end) for end in part] for part in parts]
    return divided[::-1]


def _respelled(field: Field, raw: Any) -> Any:
    if isinstance(raw, list) and field.codec is RANGE and field.shape is IP_RANGES:
        return _halves(raw)
    rewrite = OTHERWISE.get(field.meaning) if field.meaning else OTHERWISE.get(field.codec)
    if getattr(field.codec, "read", None) is canonical:
        return {name: f"{QUANTITY.read(value)}000m" for name, value in raw.items()}
    if rewrite is None or raw in (None, ""):
        return raw
    return [rewrite(item) for item in raw][::-1] if isinstance(raw, list) else rewrite(raw)


def _respell(fields: tuple[Field, ...], row: Any, respelled: set[str]) -> None:
    """Rewrites a row in place, and notes the names of the fields that look different now."""
    for field in fields:
        raw = at(row, field.read_at) if field.read_at else row
        if raw is None:
            continue
        if field.fields:
            for part in raw if isinstance(raw, list) else [raw]:
                if isinstance(part, dict):
                    _respell(field.fields, part, respelled)
        elif field.refers is None and (other := _respelled(field, raw)) != raw:
            put(row, field.read_at, other)
            respelled.add(field.name)


def _rows(body: Any) -> Iterator[dict[str, Any]]:
    if isinstance(body, list):
        yield from (row for row in body if isinstance(row, dict))
    elif isinstance(body, dict):
        yield body
        for inner in body.values():
            yield from _rows(inner) if isinstance(inner, list) else ()


def answer_otherwise(lab: Lab, name: str) -> set[str]:
    """From now on the system of a kind shows its objects in another spelling; returns the names of the fields that it rewrote."""
    kind, respelled = lab.registry.kinds[name], set[str]()
    collection = kind.endpoint.path.strip("/").rpartition("/")[2]
    for site in lab.world.sites.values():
        plane = site.servers[kind.system].plane if kind.system in site.servers else None
        if plane is None:
            continue

        def answers(request: Request, handle: Callable[[Request], Response] = plane.handle) -> Response:
            response = handle(request)
            if collection not in request.path.split("/") or response.status >= 400 or isinstance(response.body, bytes):
                return response
            body = copy.deepcopy(response.body)
            for row in _rows(body):
                _respell(kind.fields, row, respelled)
            return Response(response.status, body, response.headers, response.content_type)

        plane.handle = answers  # type: ignore[method-assign]
    return respelled


def _spelled(fields: tuple[Field, ...]) -> Iterator[str]:
    for field in fields:
        rewritten = field.meaning in OTHERWISE if field.meaning else field.codec in OTHERWISE or field.codec is RANGE
        if (rewritten and field.refers is None) or any(_spelled(field.fields)):
            yield field.name


def _with_spellings() -> list[Case]:
    return [case for case in cases() if {*_spelled(REGISTRY_KINDS[case.kind].fields)} & case.get("entry", {}).keys()]


@pytest.mark.parametrize("case", _with_spellings(), ids=str)
def test_what_a_system_spells_otherwise_is_the_same(lab: Lab, case: Case) -> None:
    respelled = answer_otherwise(lab, case.kind)
    people = {"subject": "Jane.Doe@Example.com", "subject_type": "user"} if case.kind == "access_rule" else {}
    made(lab, case, {**case.get("entry", {}), **people})
    assert respelled, "the case has no value that could be written in another way"
    again = lab.plan()
    assert again.actions == (), [(str(one.address), one.verb.value, one.changes) for one in again.actions]
    if lab.registry.kinds[case.kind].distinct_by_id:
        return
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    action = action_of(lab.plan(), case.address)
    assert action is None or action.verb is Verb.ADOPT, action
    assert action is None or action.changes == (), action.changes


def test_every_field_with_several_spellings_is_tried() -> None:
    """Of each way to declare one, at least one case has a value; a codec that nobody rewrites here is not one of these."""
    tried = {
        name
        for case in _with_spellings()
        for name in {*_spelled(REGISTRY_KINDS[case.kind].fields)} & case.get("entry", {}).keys()
    }
    assert {
        "path", "source_dir", "ip_ranges", "gw_ipv6", "client_ip_ranges", "access_ip_ranges", "nfs_no_squash", "domain_name", "server",
        "default_email", "subject", "url", "mount", "storage_path", "size", "expires",
    } <= tried, tried  # fmt: skip


SPELLINGS = {
    "tenants": {
        "t": {
            "client_ip_ranges": ["10.5.0.9 - 10.5.0.20", "10.5.0.1-10.5.0.8", "2001:DB8:0::1"],
            "access_ip_ranges": ["10.6.0.7/32", "10.6.1.5/24", "10.6.2.1", "10.6.2.2 - 10.6.2.9", "2001:DB8::/64"],
        }
    },
    "view_policies": {
        "p": {
            "tenant": "t",
            "nfs_no_squash": ["10.1.0.7/32", "10.1.0.0/24", "2001:DB8::/64"],
            "nfs_read_write": ["10.1.0.5/24", "@Group"],
        }
    },
}


def test_every_spelling_in_a_document_has_one_meaning(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(SPELLINGS)
        values = {entry.address.name: entry.values for entry in lab.workspace().document.entries}
        assert values["t"]["client_ip_ranges"] == ["10.5.0.1 - 10.5.0.20", "2001:db8::1 - 2001:db8::1"]
        assert values["t"]["access_ip_ranges"] == ["10.6.0.7", "10.6.1.0/24", "10.6.2.1 - 10.6.2.9", "2001:db8::/64"]
        assert values["p"]["nfs_no_squash"] == ["10.1.0.0/24", "10.1.0.7", "2001:db8::/64"]
        assert values["p"]["nfs_read_write"] == ["10.1.0.0/24", "@Group"]
        lab.converge()
        assert lab.plan().actions == ()
