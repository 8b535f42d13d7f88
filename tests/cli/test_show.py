"""`show` of a document: what a composite entry stands for, a list without an order, and what was mistyped."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.test_named import DOCUMENT
from tests.conftest import Run
from tests.test_schemas import fits

SCRATCH = "iad/volume/scratch"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    (tmp_path / "doc.yaml").write_text(yaml.safe_dump(DOCUMENT))
    return tmp_path / "doc.yaml"


@pytest.mark.slow
def test_a_composite_entry_shows_its_parts(document: Path, vastplan: Run) -> None:
    ran = vastplan("show", document, SCRATCH)
    assert ran.code == 0 and "part iad/persistent_volume_claim/scratch: create: " in ran.out, ran
    told = fits("show", vastplan("show", document, SCRATCH, "--format", "json"))
    assert told["fields"] == [] and told["state"] == f"consists of {len(told['parts'])} objects"
    assert "iad/data_source/scratch" in [part["address"] for part in told["parts"]]
    assert vastplan("apply", document, "--auto-approve").code == 0
    told = fits("show", vastplan("show", document, SCRATCH, "--format", "json"))
    assert {part["state"] for part in told["parts"]} == {"in sync"}


def test_an_object_shows_what_comes_of_it(document: Path, vastplan: Run) -> None:
    told = fits("show", vastplan("show", document, "iad/storage_class/team-a", "--format", "json"))
    assert told["fields"] and "iad/admission_policy/vastplan-team-a" in [part["address"] for part in told["parts"]]
    assert fits("show", vastplan("show", document, "iad/tenant/team-a", "--format", "json"))["parts"] == []


@pytest.mark.parametrize(
    ("typed", "meant"), [("iad/volume/scratsh", SCRATCH), ("iad/tenant/team-b", "iad/tenant/team-a")]
)
def test_what_is_mistyped_is_said_with_the_nearest(typed: str, meant: str, document: Path, vastplan: Run) -> None:
    ran = vastplan("show", document, typed)
    assert ran.code == 1 and f"the document has no {typed} (did you mean {meant}?)" in ran.err, ran
    saved = document.parent / "plan.json"
    vastplan("plan", document, "--out", saved)
    ran = vastplan("show", saved, typed)
    assert ran.code == 1 and f"the plan has no action on {typed} (did you mean {meant}?)" in ran.err, ran
    assert f"vastplan show {document} {typed}" in ran.err


def test_a_reference_shows_the_name_that_the_system_has(document: Path, vastplan: Run) -> None:
    ran = vastplan("show", document, "iad/persistent_volume_claim/scratch")
    assert "  namespace: runai-team-a  live" in ran.out, ran


@pytest.mark.parametrize("typed", ["scratch", "volume/scratch"])
def test_what_is_no_address_is_said_with_those_that_end_so(typed: str, document: Path, vastplan: Run) -> None:
    for words in (("show", document, typed), ("show", typed)):
        ran = vastplan(*words)
        assert ran.code == 1 and ran.err.startswith(f"error: the document has no object '{typed}' (did you mean "), ran
        assert "iad/volume/scratch" in ran.err
    ran = vastplan("show", "nothing-like-it")
    assert "no object 'nothing-like-it' (an address is site/kind/name, and a saved plan is a file)" in ran.err
    assert "the plan plan.json cannot be read" in vastplan("show", "plan.json").err


@pytest.mark.slow
def test_a_list_without_an_order_says_what_is_there_and_what_is_not(document: Path, vastplan: Run) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    text = document.read_text()
    hosts = ("[10.1.0.0/16, 10.2.0.0/16]", "[10.2.0.0/16, 10.3.0.0/16]")
    document.write_text(text.replace("flavor: NFS", f"flavor: NFS\n      nfs_no_squash: {hosts[0]}"))
    assert vastplan("apply", document, "--auto-approve").code == 0
    document.write_text(text.replace("flavor: NFS", f"flavor: NFS\n      nfs_no_squash: {hosts[1]}"))
    told = "live has 10.1.0.0/16 besides what the document says, and lacks 10.3.0.0/16  [document changed]"
    ran = vastplan("show", document, "iad/view_policy/team-a")
    assert told in ran.out, ran
    planned = vastplan("plan", document).out
    assert "        - 10.1.0.0/16\n        + 10.3.0.0/16\n" in planned


@pytest.mark.slow
def test_what_the_document_leaves_out_is_shown_with_how_it_is_known(document: Path, vastplan: Run) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    told = fits("show", vastplan("show", document, "iad/view_policy/team-a", "--format", "json"))
    unsaid = {row["path"]: row for row in told["unsaid"]}
    assert unsaid["nfs_posix_acl"] == {"path": "nfs_posix_acl", "live": False, "evidence": "witness", "unit": ""}
    assert unsaid["atime_frequency"]["evidence"] == "prose"
    assert not unsaid.keys() & {field["path"] for field in told["fields"]}
    text = vastplan("show", document, "iad/view_policy/team-a").out
    assert "left out, because it is the system's default: " in text and "and " in text
    fits("show", vastplan("show", document, "iad/tenant/team-a", "--format", "json"))


@pytest.mark.slow
def test_what_is_live_and_neither_said_nor_a_default_is_shown_with_its_value(document: Path, vastplan: Run) -> None:
    tree = yaml.safe_load(document.read_text())
    tree["tenants"]["team-a"]["max_views"] = 7
    document.write_text(yaml.safe_dump(tree))
    assert vastplan("apply", document, "--auto-approve").code == 0
    del tree["tenants"]["team-a"]["max_views"]
    document.write_text(yaml.safe_dump(tree))
    assert "  left out: max_views, which is 7\n" in vastplan("show", document, "iad/tenant/team-a").out
