"""What somebody names on the command line: composite entries, addresses that are not there, and names that a shell would read."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.force import by_force

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {}}, "pdx": {"sim": {}}},
    "departments": {"research": {"gpus": {"default": 8}, "sites": ["iad"]}},
    "tenants": {
        "team-a": {
            "sites": ["iad"],
            "view_policy": {"flavor": "NFS"},
            "storage_class": {"driver": "file", "storage_path": "/k8s", "vip_pool_fqdn": "nfs.example.com"},
            "project": {"department": "research", "gpus": {"default": 1}},
            "volumes": {
                "scratch": {"storage_class": "team-a", "size": "1 TiB", "mount": "/scratch"},
                "more": {"storage_class": "team-a", "size": "1 TiB", "mount": "/more"},
            },
        }
    },
    "namespaces": {"gold": {"sites": ["pdx"]}},
    "qos_policies": {"all of it": {"tenant": "team-a", "sites": ["iad"], "static_limits": {"max_writes_bw_mbps": 100}}},
}


def write(folder: Path, **more: Any) -> Path:
    """The document, in a file."""
    (folder / "doc.yaml").write_text(yaml.safe_dump({**DOCUMENT, **more}))
    return folder / "doc.yaml"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return write(tmp_path)


def warned(vastplan: Run, document: Path, *words: str | Path) -> list[tuple[str, str]]:
    """The messages and hints of VP317, and of VP303 where no target is there, and nothing is planned."""
    ran = vastplan("plan", document, *words, "--format", "json")
    assert ran.code in (0, 1), ran
    return [
        (one["message"], one["fix"]) for one in json.loads(ran.out)["findings"] if one["code"] in ("VP317", "VP303")
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "option", by_force(["--allow-delete", "--allow-narrow", "--believe-gone", "--target", "--keep-drift"])
)
def test_an_address_that_is_not_there_is_said_with_the_nearest(option: str, document: Path, vastplan: Run) -> None:
    alone = "no object matches {}" if option == "--target" else f"{option} {{}} matches nothing here"
    assert warned(vastplan, document, option, "iad/tenant/team-b") == [
        (alone.format("iad/tenant/team-b"), "did you mean iad/tenant/team-a?")
    ]
    assert warned(vastplan, document, option, "iad/tenants/*", option, "iad/tenant/*") == [
        (f"{option} iad/tenants/* matches nothing here", "did you mean iad/tenant/team-a?")
    ]
    assert [fix for _, fix in warned(vastplan, document, option, "x")] == ["an address is site/kind/name"]
    assert warned(vastplan, document, option, "iad/tenant/team-a", option, "*", option, "*/tenant/[t]eam-?") == []


def test_a_field_of_what_is_there_may_be_kept(document: Path, vastplan: Run) -> None:
    fields = ("iad/tenant/team-a.capacity_rules.hard_limit", "iad/tenant/*.capacity_rules", "*.labels.*")
    assert warned(vastplan, document, *(word for field in fields for word in ("--keep-drift", field))) == []
    (found,) = warned(vastplan, document, "--keep-drift", "iad/tenant/team-b.capacity_rules")
    assert found[1].startswith("did you mean iad/tenant/team-a")


def test_approvals_are_shared_by_runs(document: Path, vastplan: Run, tmp_path: Path) -> None:
    until = "2999-01-01"
    named = ["iad/tenant/team-a", "iad/tenant/team-b", "pdx/view/nothing", "lon/tenant/team-a"]
    entries = [{"address": one, "reason": "it was agreed", "until": until} for one in named]
    (tmp_path / "approvals.yml").write_text(yaml.safe_dump({"version": 1, "approvals": entries}))
    words = ("--approvals", tmp_path / "approvals.yml")
    everywhere, at_iad = [
        [text.split()[3] for text, _ in warned(vastplan, document, *words, *site)] for site in ((), ("--site", "iad"))
    ]
    assert everywhere == named[1:]
    assert at_iad == ["iad/tenant/team-b", "lon/tenant/team-a"]  # nothing of pdx is planned this time


@pytest.mark.slow
def test_an_approval_for_what_is_gone_already_is_no_mistake(document: Path, vastplan: Run, tmp_path: Path) -> None:
    namespaces = {name: {"sites": ["pdx"]} for name in ("gold", "silver")}
    assert vastplan("apply", write(tmp_path, namespaces=namespaces), "--auto-approve").code == 0
    write(tmp_path, namespaces={"gold": {"sites": ["pdx"]}})
    named = ["pdx/namespace/bronze", "pdx/namespace/silber", "pdx/namespaces/bronze", "lon/namespace/bronze"]
    entries = [{"address": one, "reason": "it was agreed", "until": "2999-01-01"} for one in named]
    (tmp_path / "approvals.yml").write_text(yaml.safe_dump({"version": 1, "approvals": entries}))
    found = warned(vastplan, document, "--approvals", tmp_path / "approvals.yml")
    assert [text.split()[3] for text, _ in found] == named[1:]
    assert found[0][1] == "did you mean pdx/namespace/silver?"


def test_a_consent_for_a_site_that_is_not_planned(document: Path, vastplan: Run) -> None:
    assert warned(vastplan, document, "--site", "iad", "--allow-delete", "pdx/namespace/gold") == [
        ("--allow-delete pdx/namespace/gold matches nothing here", "pdx is not planned this time")
    ]


@pytest.mark.slow
def test_what_is_owned_and_left_the_document_can_be_named(document: Path, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    write(tmp_path, namespaces={})
    assert warned(vastplan, document, "--allow-delete", "pdx/namespace/gold") == []


def test_many_are_counted(document: Path, vastplan: Run) -> None:
    words = [word for number in range(30) for word in ("--allow-delete", f"iad/view/v{number}")]
    found = warned(vastplan, document, *words)
    assert len(found) == 21 and found[-1] == ("10 more consents and approvals match nothing here", "")


def addresses(vastplan: Run, document: Path, *targets: str) -> set[str]:
    """What a plan of these targets acts on."""
    words = [word for target in targets for word in ("--target", target)]
    ran = vastplan("plan", document, *words, "--format", "json")
    assert ran.code == 0, ran
    return {action["address"] for action in json.loads(ran.out)["actions"]}


@pytest.mark.slow
def test_a_composite_entry_is_a_target(document: Path, vastplan: Run) -> None:
    scratch = addresses(vastplan, document, "iad/volume/scratch")
    assert {"iad/persistent_volume_claim/scratch", "iad/data_source/scratch"} <= scratch
    assert not any(address.endswith("/more") for address in scratch)
    assert "iad/tenant/team-a" in scratch  # what it needs comes along, as for any target
    both = addresses(vastplan, document, "iad/volume/*")
    assert both > scratch and "iad/persistent_volume_claim/more" in both


def test_and_no_consent(document: Path, vastplan: Run) -> None:
    ((text, fix),) = warned(vastplan, document, "--allow-delete", "iad/volume/scratch")
    assert text == "--allow-delete iad/volume/scratch matches nothing here"
    assert fix.startswith("it stands for several objects, and a consent names what goes: iad/")
    assert "iad/persistent_volume_claim/scratch" in fix


@pytest.mark.slow
def test_a_volume_under_another_name_is_pointed_out(document: Path, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    text = document.read_text()
    document.write_text(text.replace("scratch:", "fast:"))
    ran = vastplan("plan", document)
    (line,) = (line for line in ran.out.splitlines() if "VP319" in line)
    assert "iad/volume/fast: it is set up as iad/" in line and "iad/persistent_volume_claim/scratch" in line, ran
    assert "if it was renamed, write its former name as renamed_from: then it stays" in line


def test_a_saved_plan_shows_one_action(document: Path, vastplan: Run, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    assert vastplan("plan", document, "--out", saved).code == 0
    ran = vastplan("show", saved, "iad/tenant/team-a")
    assert (
        ran.code == 0 and ran.out.splitlines()[:2] == ["iad", "  + tenant team-a"] and len(ran.out.splitlines()) == 3
    ), ran
    ran = vastplan("show", saved, "iad/volume/scratch")
    assert ran.code == 0 and "+ persistent_volume_claim scratch" in ran.out and "more" not in ran.out, ran
    ran = vastplan("show", saved, "iad/tenant/team-b")
    assert ran.code == 1 and "the plan has no action on iad/tenant/team-b (did you mean iad/tenant/team-a?)" in ran.err
    for words in (("--format", "json"), ("--report", str(tmp_path / "r.md"))):
        ran = vastplan("show", saved, "iad/tenant/team-a", *words)
        assert ran.code == 1 and "show PLAN ADDRESS prints text" in ran.err, ran


@pytest.mark.slow
def test_what_is_to_be_pasted_is_quoted(document: Path, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    write(tmp_path, qos_policies={})
    address, saved = "iad/qos_policy/all of it", tmp_path / "my $plan.json"
    ran = vastplan("plan", document, "--out", saved)
    (line,) = [line for line in ran.out.splitlines() if "to go on: --allow-delete" in line and "of it" in line]
    words = shlex.split(line.partition("to go on: ")[2])
    assert words == ["--allow-delete", address]
    assert shlex.split(ran.out.splitlines()[-1].partition("with: ")[2]) == ["vastplan", "apply", str(saved)]
    found = json.loads(vastplan("plan", document, *words, "--format", "json").out)
    assert [action["blocked"] for action in found["actions"] if action["address"] == address] == [[]]
