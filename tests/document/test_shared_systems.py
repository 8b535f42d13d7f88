"""A system is that of one site of a document, however its address is written, and of one document's ledger for each object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.conftest import Run
from vastplan.model.urls import normalised

VAST = {"token": {"env": "T"}}
RUNAI = {"client_id": "x", "client_secret": {"env": "T"}}
ALIKE = [
    "https://vms.example.com", "https://VMS.example.com", "https://vms.example.com/", "https://vms.example.com:443",
    "https://vms.example.com:443//", "https://vms.example.com.",
]  # fmt: skip


def kubeconfig(server: str, context: str) -> str:
    return json.dumps({
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        "current-context": context,
    })  # fmt: skip


def validated(folder: Path, vastplan: Run, *systems: Mapping[str, object]) -> int:
    file = folder / "doc.yaml"
    sites = {f"s{number}": said for number, said in enumerate(systems)}
    file.write_text(yaml.safe_dump({"version": 1, "name": "x", "sites": sites}))
    ran = vastplan("validate", file)
    assert (ran.code, "VP249" in ran.err) in ((0, False), (1, True)), ran
    return ran.code


@pytest.mark.parametrize("url", ALIKE)
def test_one_vast_is_one_site(url: str, tmp_path: Path, vastplan: Run) -> None:
    assert validated(tmp_path, vastplan, {"vast": {"url": ALIKE[0], **VAST}}, {"vast": {"url": url, **VAST}}) == 1


@pytest.mark.parametrize(
    "url", ["https://vms.example.com:444", "https://vms.example.com/vms", "https://vms2.example.com"]
)
def test_others_are_others(url: str, tmp_path: Path, vastplan: Run) -> None:
    assert validated(tmp_path, vastplan, {"vast": {"url": ALIKE[0], **VAST}}, {"vast": {"url": url, **VAST}}) == 0


@pytest.mark.parametrize(("cluster", "code"), [("b", 0), ("a", 1)])
def test_a_control_plane_has_many_clusters(cluster: str, code: int, tmp_path: Path, vastplan: Run) -> None:
    first = {"runai": {"url": ALIKE[0], "cluster": "a", **RUNAI}}
    assert validated(tmp_path, vastplan, first, {"runai": {"url": ALIKE[1], "cluster": cluster, **RUNAI}}) == code


@pytest.mark.parametrize(("server", "code"), [(ALIKE[4], 1), ("https://k8s.example.com", 0)])
def test_one_cluster_is_one_site_whatever_its_context_is_called(
    server: str, code: int, tmp_path: Path, vastplan: Run
) -> None:
    (tmp_path / "one").write_text(kubeconfig(ALIKE[0], "c1"))
    (tmp_path / "two").write_text(kubeconfig(server, "c2"))
    contexts = ({"kubernetes": {"kubeconfig": name}} for name in ("one", "two"))
    assert validated(tmp_path, vastplan, *contexts) == code
    assert validated(tmp_path, vastplan, *({"kubernetes": {"context": name}} for name in ("c1", "c2"))) == 0
    assert validated(tmp_path, vastplan, *({"kubernetes": {"context": "c1"}} for _ in range(2))) == 1


def test_all_spellings_are_one() -> None:
    assert {normalised(url) for url in ALIKE} == {ALIKE[0]}
    assert normalised("https://[::1]:443/ cluster A") == "https://[::1] cluster A"
    for odd in ("https://[::1", "https://x:y", "in cluster", "the current context", ""):
        assert normalised(odd) == odd
