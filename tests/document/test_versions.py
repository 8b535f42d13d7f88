"""What a product's version lacks is refused before anything is written: by the version that answers, or by the declared one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
import requests

from tests.conftest import Run
from tests.throwaway.comma_separated import COMMA_SEPARATED
from vastplan.model.address import Address
from vastplan.schema import versions
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.entries import Entry, Site
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, ListMap, RequiredFrom, Since, Until
from vastplan.schema.types import MISSING, Name, Spec
from vastplan.sim.serve import Authority, Server
from vastplan.sim.store import Store
from vastplan.sim.vast.plane import VastPlane

TOKEN = "version-token"


@pytest.mark.parametrize(
    ("has", "needed", "enough"),
    [
        ("2.6", "2.6.0", True),
        ("2.6.0", "2.6", True),
        ("2.10", "2.9.9", True),
        ("5.5.0.12", "5.5", True),
        ("5.4.9.99", "5.5", False),
        ("v1.34.4+k3s1", "1.30", True),
        ("1.9", "1.30", False),
        ("2.24.0-rc1", "2.24", True),
    ],
)
def test_versions_compare_as_versions(has: str, needed: str, enough: bool) -> None:
    there, least = versions.parse_version(has), versions.parse_version(needed)
    assert there is not None and least is not None
    assert versions.at_least(there, least) is enough


@pytest.mark.parametrize("text", ["five", "", "latest", "x.2", None])
def test_what_begins_with_no_number_is_no_version(text: object) -> None:
    assert versions.parse_version(text) is None


class _Room(Spec):
    light: Annotated[bool | MISSING, Since("vms", "2.3", subject="the light")] = MISSING


class _House(Spec):
    name: Annotated[Name, IDENTITY]
    heating: Annotated[str | MISSING, Since("vms", "2.0", values=("pump",)), Until("vms", "3.0", values=("gas",))] = (
        MISSING
    )
    doors: Annotated[list[str] | MISSING, COMMA_SEPARATED, Since("vms", "2.1", values=("steel",))] = MISSING
    tags: Annotated[dict[str, str] | MISSING, Since("vms", "2.2", values=("new",))] = MISSING
    rooms: Annotated[dict[str, _Room] | MISSING, ListMap(("name",))] = MISSING


def found(version: str, **values: Any) -> list[str]:
    house = Kind(_House, name="house", system="vast", endpoint=Endpoint("/houses/"))
    site = Site("iad", frozenset({"vast"}), probed={"vast_version": version})
    entry = Entry(Address("iad", "house", "h"), {"name": "h", **values})
    needed = versions.needs({"house": house}, [entry])
    return [finding.message for finding in versions.lacking({"iad": site}, needed)]


def test_each_kind_of_marker() -> None:
    assert found("1.9", heating="gas") == []
    assert found("1.9", heating="pump") == ["heating: pump needs version 2.0 of VAST, and site iad has 1.9"]
    assert found("3.0", heating="gas") == ["heating: gas needs a version before 3.0 of VAST, and site iad has 3.0"]
    assert found("1.9", doors=["oak", "steel"]) == ["doors: steel needs version 2.1 of VAST, and site iad has 1.9"]
    assert found("1.9", tags={"a": "1", "new.b": "2"}) == ["tags.new.b needs version 2.2 of VAST, and site iad has 1.9"]
    assert found("1.9", rooms={"hall": {"light": True}}) == [
        "the light needs version 2.3 of VAST, and site iad has 1.9"
    ]
    assert found("2.3", heating="pump", doors=["steel"], tags={"new": "1"}, rooms={"hall": {"light": True}}) == []
    assert found("unknown", heating="pump", rooms={"hall": {"light": True}}) == []


HEAD = "version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}, %s}}\n"


@pytest.mark.parametrize(
    "written", ["versions: {vms: 5.3}", "versions: {vms: '5.3'}", "versions: {vms: 5.3.0.7}", "versions: {vms: v5.3}"]
)
def test_a_declared_version_is_enough(written: str, tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    file.write_text(HEAD % written + "tenants:\n  a:\n    max_views: 3\n")
    ran = vastplan("validate", file)
    assert ran.code == 1, ran
    assert "doc.yaml:5:3" in ran.err and "VP251" in ran.err and "iad/tenant/a" in ran.err, ran.err
    assert "max_views needs version 5.5 of VAST" in ran.err
    file.write_text(HEAD % "versions: {vms: 5.5}" + "tenants: {a: {max_views: 3}}\n")
    assert vastplan("validate", file).code == 0


@pytest.mark.parametrize("written", ["csi: 2.10", "versions: {kubernetes: 1.30}", "versions: {runai: 2.20}"])
def test_a_version_that_yaml_shortens_is_refused(written: str, tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    file.write_text(HEAD % written)
    ran = vastplan("validate", file)
    number = written.rstrip("}").rpartition(" ")[2]
    assert ran.code == 1 and f"put the version in quotes: '{number}'" in ran.err, ran
    file.write_text(HEAD % written.replace(number, f"'{number}'"))
    assert vastplan("validate", file).code == 0


def test_a_version_may_be_a_number(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    body = (
        "storage_classes: {b: {driver: block, subsystem: {existing: s}, vip_pool_fqdn: v.example.com, shared: true}}\n"
    )
    head = "version: 1\nname: doc\nsites: {iad: {csi: %s, sim: {systems: [vast, kubernetes]}}}\n"
    for version in ("2.6", "'2.6'", "2.6.0"):  # the block driver needs 2.6.0
        file.write_text(head % version + body)
        ran = vastplan("validate", file)
        assert "VP251" not in ran.err and ran.code == 0, ran
    file.write_text(head % 2.5 + body)
    assert "site iad has 2.5" in vastplan("validate", file).err


@pytest.fixture
def old_cluster(tmp_path: Path) -> Iterator[Server]:
    authority = Authority()
    (tmp_path / "ca.pem").write_bytes(authority.pem())
    plane = VastPlane(Store(), version="5.3", password="p", api_tokens={TOKEN: "admin"})
    server = Server(plane, authority, threading.RLock()).start()
    yield server
    server.stop()


def test_the_version_that_answers_decides(
    old_cluster: Server, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERSION_TOKEN", TOKEN)
    site = f"vast: {{url: '{old_cluster.url}', token: {{env: VERSION_TOKEN}}, ca_file: ca.pem}}"
    head = "version: 1\nname: doc\nsites: {iad: {%s%s}}\n"
    file = tmp_path / "doc.yaml"
    file.write_text(
        head % (site, "") + "tenants: {plain: {}}\nqos_policies:\n  q: {tenant: plain, policy_type: VOLUME}\n"
    )
    for command in (("plan",), ("apply", "--auto-approve")):
        ran = vastplan(*command, file)
        assert ran.code == 1, ran
        assert "doc.yaml:6:3" in ran.err and "iad/qos_policy/q" in ran.err, ran.err
        assert "policy_type: VOLUME needs version 5.5 of VAST, and site iad has 5.3" in ran.err
    tenants = requests.get(
        f"{old_cluster.url}/api/v5/tenants/",
        headers={"Authorization": f"Api-Token {TOKEN}"},
        verify=str(tmp_path / "ca.pem"),
        timeout=10,
    )
    assert [row["name"] for row in tenants.json()] == ["default"]

    file.write_text(head % (site, ", versions: {vms: 5.5}") + "tenants: {plain: {}}\n")
    ran = vastplan("plan", file)
    assert ran.code == 0, ran
    assert "warning VP252" in ran.out and "versions.vms says 5.5, and VAST reports 5.3" in ran.out


class _Lodger(Spec):
    name: Annotated[str, IDENTITY]
    number: Annotated[
        int | MISSING, RequiredFrom(product="vms", version="2.0.2", until="3.0", fix="write a number")
    ] = MISSING


@pytest.mark.parametrize(
    ("version", "refused"),
    [("1.9", False), ("2.0", False), ("2.0.1", False), ("2.0.2", True), ("2.0.2.7", True), ("2.9", True), ("3.0", False),
     ("unknown", False)],
)  # fmt: skip
def test_what_a_version_does_not_go_without(version: str, refused: bool) -> None:
    lodger = Kind(_Lodger, name="lodger", system="vast", endpoint=Endpoint("/lodgers/"))
    site = Site("iad", frozenset({"vast"}), probed={"vast_version": version})
    without, written = (
        Entry(Address("iad", "lodger", name), {"name": name, **values})
        for name, values in (("a", {}), ("b", {"number": 0}))
    )
    needed = versions.needs({"lodger": lodger}, [without, written])
    findings = versions.lacking({"iad": site}, needed)
    text = (
        f"number is left out, and VAST requires it from version 2.0.2 on, before 3.0; site iad has {version}",
        "write a number",
    )
    assert [(finding.message, finding.fix, finding.address) for finding in findings] == [
        (*text, "iad/lodger/a")
    ] * refused


def test_a_release_that_wants_a_uid_is_told_of_a_user_without(
    old_cluster: Server, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERSION_TOKEN", TOKEN)
    site = f"vast: {{url: '{old_cluster.url}', token: {{env: VERSION_TOKEN}}, ca_file: ca.pem}}"
    file = tmp_path / "doc.yaml"
    text = f"version: 1\nname: doc\nsites: {{iad: {{{site}}}}}\nlocal_providers: {{p: {{}}}}\nusers:\n  ann: {{local_provider: p%s}}\n"
    file.write_text(text % "")
    ran = vastplan("plan", file)
    assert ran.code == 1 and "doc.yaml:6:3" in ran.err, ran
    assert "uid is left out, and VAST requires it from version 5.3.2 on, before 5.5; site iad has 5.3.2" in ran.err
    file.write_text(text % ", uid: 30109")
    assert vastplan("apply", "--auto-approve", file).code == 0
