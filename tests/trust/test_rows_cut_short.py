"""A server that leaves out of its rows what the vendor's document promises: what is told by it is not known, and nothing ends in a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import Run
from tests.force import by_force
from tests.lab import Lab
from tests.trust.planes import Tampered, rows_of

DOCUMENT: dict[str, Any] = {
    "namespaces": {"csi": {}},
    "secrets": {"mgmt": {"namespace": "csi", "data": {"endpoint": "x"}}},
    "departments": {"d": {"gpus": {"default": 1}}},
    "tenants": {
        "a": {
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.1.0.1 - 10.1.0.5"]},
            "view_policy": {"flavor": "NFS"},
            "storage_class": {"driver": "file", "storage_path": "/a/k8s", "secret": "mgmt"},
            "project": {"department": "d", "gpus": {"default": 1}},
            "views": {"v": {"path": "/a/v", "protocols": ["NFS"], "quota": {"hard_limit": "1 TiB"}}},
            "volumes": {"data": {"path": "/a/data", "size": "1 TiB"}},
        }
    },
}
PLACES = {
    "vast": ("/views/", "/viewpolicies/", "/quotas/", "/vippools/", "/tenants/"),
    "kubernetes": (
        "/persistentvolumes", "/persistentvolumeclaims", "/storageclasses", "/validatingadmissionpolicies",
        "/validatingadmissionpolicybindings",
    ),
    "runai": ("/projects",),
}  # fmt: skip
LEFT = {
    "the id": ("id",),
    "id and name": ("id", "name"),
    "what names it": ("id", "metadata", "name", "guid"),
    "id and path": ("id", "path"),
    "id and spec": ("id", "metadata", "spec"),
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab"), {"iad": list(PLACES)}) as one:
        one.write(DOCUMENT)
        one.converge()
        yield one


@pytest.mark.parametrize("words", [("drift", "--isolation"), ("plan", "--commitments")], ids=" ".join)
@pytest.mark.parametrize("left", by_force(LEFT, "the id"))
@pytest.mark.parametrize("place", [(system, path) for system, paths in PLACES.items() for path in paths], ids="".join)
def test_rows_that_hold_hardly_anything(
    place: tuple[str, str], left: str, words: tuple[str, str], lab: Lab, vastplan: Run
) -> None:
    system, path = place

    def cut(body: Any) -> Any:
        for row in rows_of(body):
            for key in row.keys() - set(LEFT[left]):
                del row[key]
        return body

    server = lab.world.sites["iad"].servers[system]
    plane = server.plane
    server.plane = Tampered(plane, cut, path)
    try:
        ran = vastplan(words[0], lab.folder / "lab.yaml", *words[1:])
    finally:
        server.plane = plane
    assert "a bug in vastplan" not in ran.err + ran.out and "Traceback" not in ran.err, ran
    assert ran.code in (0, 1, 2, 3, 6), ran
