"""What vastplan says that it may do is what it does: for all kinds, and for one document on systems that are simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.documented import plugin
from tests.documented.allowed import SYSTEMS, beyond, said
from tests.documented.used import BESIDES, READ_ONLY, kinds, operations
from tests.lab import Lab, full_registry
from tests.rights.docs import page
from vastplan.app.rights import document_rights, writable_kinds
from vastplan.model.rights import Right
from vastplan.schema.operations import Purpose, read_operations, unnamed_path, write_operations

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rights.md"
DOCUMENT: dict[str, Any] = {
    "tenants": {
        "team-a": {
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.20.3.10 - 10.20.3.20"]},
            "view_policy": {"flavor": "NFS"},
            "project": {"department": "research", "gpus": {"default": 8}, "access": {"ML engineer": ["grp-a"]}},
            "storage_class": {"driver": "file", "storage_path": "/a/k8s", "secret": {"existing": "vast-csi/vast-mgmt"}},
            "volumes": {"data": {"path": "/a/data", "size": "1 TiB", "mount": "/data"}},
            "roles": {"watch": {"permissions_list": ["view_logical"]}},
        }
    },
    "departments": {"research": {"gpus": {"default": 16}}},
}


def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run make rights-doc"


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.system}-{kind.name}")
def test_the_operations_of_a_kind_are_those_that_the_facts_were_cut_for(kind: Any) -> None:
    listed_only = kind.name not in writable_kinds(full_registry())
    assert listed_only is (kind.name in READ_ONLY)
    found = [*read_operations(kind, alone=not listed_only), *(() if listed_only else write_operations(kind))]
    assert sorted({(one.method, one.path) for one in found}) == sorted({*operations(kind)})


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_asked_besides_is_all_said(system: str) -> None:
    known = {(one.method, one.path) for one in SYSTEMS[system].besides}
    known |= {("GET", each.path) for each in SYSTEMS[system].uncovered if each.path}
    assert {(method, unnamed_path(path)) for method, path in BESIDES[system]} <= known
    # what a ledger shares with a kind stands with the kind in the facts
    of_kinds = {pair for kind in kinds() if kind.system == system for pair in operations(kind)}
    besides = {(one.method, one.path) for one in SYSTEMS[system].besides}
    assert besides - of_kinds <= {(method, unnamed_path(path)) for method, path in BESIDES[system]}


@pytest.mark.parametrize(
    ("system", "method", "path", "writable", "wrong"),
    [
        ("vast", "GET", "/views/", False, ""),
        ("vast", "POST", "/views/", True, ""),
        ("vast", "POST", "/views/", False, "takes create of logical, which is not said to be needed to look"),
        ("vast", "PATCH", "/clusters/{}/", True, "takes edit of hardware, which is not said to be needed to apply"),
        ("vast", "GET", "/madeup/", True, "nobody says which right it takes"),
        ("vast", "POST", "/token/", False, ""),
        ("kubernetes", "PUT", "/api/v1/namespaces/{}", True, "takes update of /namespaces, which is not said"),
        ("kubernetes", "GET", "/healthz", False, "nobody says which right it takes"),
        ("runai", "DELETE", "/api/v1/node-pools/{}", True, "takes delete of nodepools, which is not said"),
        ("runai", "GET", "/api/v1/asset", False, "nobody says which right it takes"),
    ],
)
def test_a_request_beyond_them_is_noticed(system: str, method: str, path: str, writable: bool, wrong: str) -> None:
    found = beyond(system, method, path, writable=writable)
    assert found.startswith(wrong) and bool(found) is bool(wrong)


@pytest.mark.parametrize(
    ("system", "method", "path", "right"),
    [
        ("vast", "POST", "/snapshots/{}/clone/", Right("logical", "edit")),
        ("vast", "PATCH", "/realms/{}/assign/", Right("security", "edit")),
        ("kubernetes", "GET", "/api/v1/namespaces", Right("/namespaces", "list")),
        ("kubernetes", "GET", "/api/v1/namespaces/{}", Right("/namespaces", "get")),
        ("kubernetes", "GET", "/api/v1/namespaces/{}/secrets", Right("/secrets", "list")),
        (
            "kubernetes",
            "DELETE",
            "/apis/storage.k8s.io/v1/storageclasses/{}",
            Right("storage.k8s.io/storageclasses", "delete"),
        ),
        ("runai", "GET", "/api/v1/clusters/{}/nodes", Right("nodes", "read")),
        ("runai", "GET", "/api/v1/clusters/{}", Right("cluster", "read")),
        ("runai", "PUT", "/api/v1/org-unit/projects/{}", Right("project", "update")),
    ],
)
def test_the_right_of_an_operation(system: str, method: str, path: str, right: Right) -> None:
    right_of = SYSTEMS[system].right_of
    assert right_of is not None and right_of(method, path) == right


def test_looking_takes_nothing_that_changes() -> None:
    assert {right.verb for right in said("vast")[Purpose.READ]} == {"view"}
    assert {right.verb for right in said("kubernetes")[Purpose.READ]} == {"get", "list"}
    assert {right.verb for right in said("runai")[Purpose.READ]} == {"read"}


def taken(names: set[str]) -> set[tuple[str, Right]]:
    """The rights that requests took, as the recorder has named them."""
    found = set()
    for name in names:
        system, method, path, *place = name.split(" ")
        right_of = SYSTEMS[system].right_of
        if not place and right_of is not None and (right := right_of(method, path)) is not None:
            found.add((system, right))
    return found


@pytest.mark.slow
def test_a_document_takes_what_it_says_and_no_more(tmp_path: Path) -> None:
    before = plugin.RECORDER.forget()
    seen: set[str] = set()
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        for body in (
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vast-csi"}},
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "vast-mgmt", "namespace": "vast-csi"}},
        ):
            place = "" if body["kind"] == "Namespace" else "/vast-csi/secrets"
            lab.by_hand("iad", "kubernetes", "POST", f"/api/v1/namespaces{place}", body)
        lab.write(DOCUMENT)
        systems = {one.system: one for one in document_rights(lab.workspace()).systems}
        plugin.RECORDER.forget()
        lab.plan()
        looked = plugin.RECORDER.forget()
        lab.converge()
        lab.write({})  # all of it goes, which asks for what hangs on each
        lab.converge(lab.consent_to_loss(*(str(action.address) for action in lab.plan().actions)))
        seen |= looked | plugin.RECORDER.seen
    plugin.RECORDER.seen |= before | seen
    for read_only, names in ((True, looked), (False, seen)):
        for system, rights in systems.items():
            allowed = {*rights.read, *rights.optional, *(() if read_only else rights.write)}
            allowed |= {Right(one.on, verb) for one in rights.named for verb in (*one.read, "list")}
            assert {right for name, right in taken(names) if name == system} <= allowed
    # each right to change something is one that a whole life takes, but for changes, which this life has few of
    for system, rights in systems.items():
        changes = {"edit", "patch", "update"}
        unused = {*rights.write} - {right for name, right in taken(seen) if name == system}
        assert {right.verb for right in unused} <= changes, unused


def test_objects_that_are_read_by_name_are_named(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        (tmp_path / "password").write_text("p")
        data = {"password": {"file": "password"}}
        lab.write({"secrets": {"own": {"namespace": {"existing": "csi"}, "data": data}}})
        (one,) = document_rights(lab.workspace()).systems
    (named,) = one.named
    assert (named.on, named.namespace, named.names, named.written) == ("/secrets", "csi", ("own",), ("own",))
    assert (named.read, named.write) == (("get",), ("create", "delete", "patch"))
    assert not any(right.on == "/secrets" for right in (*one.read, *one.write, *one.optional))
