"""Where a document may say that its ledger is, and where the address of a shared one comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from vastplan.app.workspace import Workspace, open_workspace
from vastplan.model.errors import Invalid

VAST = "vast: {url: https://vms.example.com, token: {env: TOKEN}}"
REAL = "{kubernetes: {context: iad}}"


def opened(folder: Path, ledger: str, site: str = REAL, connections: str = "") -> Workspace:
    document = folder / "doc.yaml"
    document.write_text(f"version: 1\nname: doc\nsites: {{iad: {site}}}\nledger: {ledger}\n")
    if not connections:
        return open_workspace([document])
    (folder / "there").mkdir()
    (folder / "there" / "connections.yaml").write_text(f"version: 1\n{connections}\n")
    return open_workspace([document], folder / "there" / "connections.yaml")


@pytest.mark.parametrize(
    ("ledger", "place"),
    [
        ("{local: kept}", "file:kept"),
        ("{kubernetes: {namespace: ops}}", "kubernetes:ops at the current context"),
        ("{kubernetes: {namespace: ops, context: mgmt}}", "kubernetes:ops at mgmt"),
        ("{kubernetes: {namespace: ops, in_cluster: true}}", "kubernetes:ops at this cluster"),
        ("{kubernetes: {namespace: ops, site: iad}}", "kubernetes:ops at iad"),
    ],
)
def test_one_place_is_given(tmp_path: Path, ledger: str, place: str) -> None:
    with opened(tmp_path, ledger).ledger() as backend:  # and nothing is connected
        assert backend.describe() == place


@pytest.mark.parametrize(
    ("ledger", "site", "says"),
    [
        ("{}", REAL, "VP212.*give either local or kubernetes"),
        ("{local: a, kubernetes: {namespace: b}}", REAL, "VP212.*give either local or kubernetes"),
        ("{kubernetes: {}}", REAL, "VP211.*namespace is missing"),
        ("{kubernetes: {namespace: A/../b}}", REAL, "VP212.*namespace"),
        ("{kubernetes: {namespace: b, site: iad, context: c}}", REAL, "VP212.*give either site, or context"),
        ("{kubernetes: {namespace: b, site: pdx}}", REAL, "VP202.*no site pdx"),
        ("{kubernetes: {namespace: b, site: iad}}", f"{{{VAST}}}", "VP208.*site iad has no kubernetes"),
        ("{kubernetes: {namespace: b, site: iad}}", "{sim: {systems: [vast]}}", "VP208.*site iad has no kubernetes"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, ledger: str, site: str, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        opened(tmp_path, ledger, site)


def test_the_cluster_comes_from_the_connections_file(tmp_path: Path) -> None:
    connections = "sites: {iad: {kubernetes: {context: iad}}}\nledger: {kubeconfig: mgmt.kubeconfig, context: mgmt}"
    workspace = opened(tmp_path, "{kubernetes: {namespace: ops}}", "{}", connections)
    cluster = workspace.document.ledger_cluster
    assert cluster is not None and cluster.address() == "mgmt.kubeconfig mgmt"
    assert workspace.document.connections_folder == tmp_path / "there"
    assert workspace.ledger().describe() == "kubernetes:ops at mgmt"


def test_or_from_the_site_that_it_gives(tmp_path: Path) -> None:
    workspace = opened(
        tmp_path, "{kubernetes: {namespace: ops, site: iad}}", "{}", f"sites: {{iad: {REAL}}}"
    )  # fmt: skip
    assert workspace.document.ledger_cluster is None
    assert workspace.ledger().describe() == "kubernetes:ops at iad"


@pytest.mark.parametrize(
    ("ledger", "given", "says"),
    [
        ("context: elsewhere", "ledger: {context: mgmt}", "VP221.*with --connections the document holds no addresses"),
        ("kubeconfig: theirs", "ledger: {context: mgmt}", "VP221.*with --connections the document holds no addresses"),
        ("", "", "VP220.*the ledger has no cluster"),
    ],
)
def test_an_edit_of_the_document_cannot_point_a_credential_elsewhere(
    tmp_path: Path, ledger: str, given: str, says: str
) -> None:
    spec = f"{{kubernetes: {{namespace: ops, {ledger}}}}}"
    with pytest.raises(Invalid, match=says):
        opened(tmp_path, spec, "{}", f"sites: {{iad: {REAL}}}\n{given}")
