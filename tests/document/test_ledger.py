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
    document.write_text(f"version: 1\nname: doc\nsites: {{iad: {site}}}\n{ledger}")
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
        ("{kubernetes: {namespace: ops, site: iad}}", "kubernetes:ops at iad"),
    ],
)
def test_one_place_is_given(tmp_path: Path, ledger: str, place: str) -> None:
    with opened(tmp_path, f"ledger: {ledger}\n").ledger() as backend:  # and nothing is connected
        assert backend.describe() == place


def test_the_account_of_a_pod_is_for_a_connections_file_to_say(tmp_path: Path) -> None:
    ledger = "ledger: {kubernetes: {namespace: ops, in_cluster: true}}\n"
    with opened(tmp_path, "", "{}", f"sites: {{iad: {REAL}}}\n{ledger}").ledger() as backend:
        assert backend.describe() == "kubernetes:ops at this cluster"
    says = r"VP243: {}: in_cluster uses an account of the user who runs vastplan, .* \(write it in a file for --connections\)"
    with pytest.raises(Invalid, match=says.format("ledger: kubernetes")):
        opened(tmp_path, ledger)
    with pytest.raises(Invalid, match=says.format("site iad: kubernetes")):
        opened(tmp_path, "", "{kubernetes: {in_cluster: true, kubeconfig: mine}}")


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
        opened(tmp_path, f"ledger: {ledger}\n", site)


CLUSTER = "{kubernetes: {namespace: ops, kubeconfig: mgmt.kubeconfig, context: mgmt}}"
SITE = f"sites: {{iad: {REAL}}}\n"


@pytest.mark.parametrize("written", ["", "ledger: {kubernetes: {namespace: ops}}\n"], ids=["left out", "the same"])
def test_the_place_comes_from_the_connections_file(written: str, tmp_path: Path) -> None:
    workspace = opened(tmp_path, written, "{}", f"{SITE}ledger: {CLUSTER}")
    cluster = workspace.document.ledger_cluster
    assert cluster is not None and cluster.address() == "mgmt.kubeconfig mgmt"
    assert workspace.document.connections_folder == tmp_path / "there"
    assert workspace.ledger().describe() == "kubernetes:ops at mgmt"


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("{kubernetes: {namespace: ops, site: iad}}", "kubernetes:ops at iad"),
        ("{local: ../kept}", "file:../kept"),
    ],
)
def test_it_may_be_a_site_or_a_folder_beside_that_file(said: str, place: str, tmp_path: Path) -> None:
    workspace = opened(tmp_path, "", "{}", f"{SITE}ledger: {said}")
    assert workspace.document.ledger_cluster is None
    assert workspace.ledger().describe() == place
    if "local" in said:
        with workspace.ledger(writable=True) as backend:
            backend.open("iad", "me").close()
        assert (tmp_path / "kept" / "iad.json").exists()


@pytest.mark.parametrize(
    ("ledger", "given", "says"),
    [
        ("{kubernetes: {namespace: ops, context: elsewhere}}", CLUSTER, "VP221.*with --connections the document holds no addresses"),
        ("{kubernetes: {namespace: ops, kubeconfig: theirs}}", CLUSTER, "VP221.*with --connections the document holds no addresses"),
        ("{kubernetes: {namespace: other}}", CLUSTER, "VP228.*says where the ledger is, and it says something else"),
        ("{kubernetes: {namespace: ops, site: iad}}", CLUSTER, "VP228.*and it says something else"),
        ("{local: elsewhere}", CLUSTER, "VP228.*and it says something else"),
        ("{local: elsewhere}", "{local: ../kept}", "VP228.*and it says something else"),
        ("{kubernetes: {namespace: ops, site: iad}}", "", "VP228.*the file of --connections says where the ledger is"),
        ("{local: elsewhere}", "", "VP228.*the file of --connections says where the ledger is"),
    ],
)  # fmt: skip
def test_an_edit_of_the_document_cannot_move_the_ledger_of_a_connections_file(
    tmp_path: Path, ledger: str, given: str, says: str
) -> None:
    with pytest.raises(Invalid, match=says):
        opened(tmp_path, f"ledger: {ledger}\n", "{}", SITE + (f"ledger: {given}" if given else ""))


@pytest.mark.parametrize("place", ["../outside", "/tmp/outside", "link", "link/inside", "a/../../outside"])
def test_a_document_keeps_its_ledger_in_its_own_folder(place: str, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(Invalid, match=f"VP227: ledger: {place} is not used: it is not in the document's folder"):
        opened(repo, f"ledger: {{local: {place}}}\n")
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize("place", [".git", ".git/refs", "a/.vastplan/ledger", ".vastplan/.git"])
def test_nor_among_the_files_of_another_tool(place: str, tmp_path: Path) -> None:
    """A site `index` there would be `.git/index.lock`, for which git waits."""
    repo = tmp_path / "repo"
    (repo / place).mkdir(parents=True)
    with pytest.raises(Invalid, match=f"VP227: ledger: {place} is not used: it is hidden"):
        opened(repo, f"ledger: {{local: {place}}}\n")


@pytest.mark.parametrize("connections", ["", SITE], ids=["alone", "with connections"])
def test_nor_is_the_usual_place_a_link_that_leads_out(connections: str, tmp_path: Path) -> None:
    (tmp_path / "outside" / "ledger").mkdir(parents=True)
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / ".vastplan").symlink_to(tmp_path / "outside")
    with pytest.raises(Invalid, match=r"VP227.*\.vastplan/ledger is not used"):
        opened(repo, "", "{}" if connections else REAL, connections)
