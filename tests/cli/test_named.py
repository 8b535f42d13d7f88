"""What somebody names on the command line: composite entries, addresses that are not there, and names that a shell would read."""

from __future__ import annotations

import json
import shlex
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.force import by_force
from vastplan.app.planning.named_addresses import resolve_patterns
from vastplan.app.planning.request import PlanOptions
from vastplan.model.address import Address
from vastplan.schema.entries import Entry

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
    """The messages and hints of VP317, warnings all of them."""
    return found(vastplan, document, "VP317", 0, *words)


def refused(vastplan: Run, document: Path, *words: str | Path) -> list[tuple[str, str]]:
    """The messages and hints of VP303, each an error."""
    return found(vastplan, document, "VP303", 1, *words)


def found(vastplan: Run, document: Path, code: str, exit_code: int, *words: str | Path) -> list[tuple[str, str]]:
    """The messages and hints of one of the two, where the other one is not found."""
    ran = vastplan("plan", document, *words, "--format", "json")
    assert ran.code == exit_code, ran
    named = [one for one in json.loads(ran.out)["findings"] if one["code"] in ("VP303", "VP317")]
    assert all(one["code"] == code for one in named), named
    return [(one["message"], one["fix"]) for one in named]


@pytest.mark.slow
@pytest.mark.parametrize(
    "option", by_force(["--allow-delete", "--allow-narrow", "--believe-gone", "--target", "--keep-drift"])
)
def test_an_address_that_is_not_there_is_an_error_with_the_nearest(option: str, document: Path, vastplan: Run) -> None:
    assert refused(vastplan, document, option, "iad/tenant/team-b", option, "iad/tenant/team-a") == [
        (f"{option} iad/tenant/team-b matches nothing here", "did you mean iad/tenant/team-a?")
    ]
    assert refused(vastplan, document, option, "iad/tenants/*", option, "iad/tenant/*") == [
        (f"{option} 'iad/tenants/*' matches nothing here", "did you mean iad/tenant/team-a?")
    ]
    assert refused(vastplan, document, option, "iad/qos_policy/all of them") == [
        (f"{option} 'iad/qos_policy/all of them' matches nothing here", "did you mean 'iad/qos_policy/all of it'?")
    ]
    assert [fix for _, fix in refused(vastplan, document, option, "x")] == ["an address is site/kind/name"]
    assert warned(vastplan, document, option, "iad/volume/scratch", option, "iad/vol*/more") == []
    assert warned(vastplan, document, option, "iad/tenant/team-a", option, "*", option, "*/tenant/[t]eam-?") == []


def test_a_field_of_what_is_there_may_be_kept(document: Path, vastplan: Run) -> None:
    fields = ("iad/tenant/team-a.capacity_rules.hard_limit", "iad/tenant/*.capacity_rules", "*.labels.*")
    assert warned(vastplan, document, *(word for field in fields for word in ("--keep-drift", field))) == []
    ((_, fix),) = refused(vastplan, document, "--keep-drift", "iad/tenant/team-b.capacity_rules")
    assert fix.startswith("did you mean iad/tenant/team-a")


@pytest.mark.parametrize("option", ["--allow-delete", "--allow-narrow", "--believe-gone", "--keep-drift"])
def test_a_pattern_that_fits_nothing_yet_is_a_warning(option: str, document: Path, vastplan: Run) -> None:
    ((text, _),) = warned(vastplan, document, option, "iad/group/*", option, "*/tenant/team-?")
    assert text == f"{option} 'iad/group/*' matches nothing here"
    assert len(refused(vastplan, document, option, "lon/tenant/*")) == 1


def test_targets_that_fit_nothing_at_all_are_an_error(document: Path, vastplan: Run) -> None:
    ((text, _),) = refused(vastplan, document, "--target", "iad/group/*")
    assert text == "--target 'iad/group/*' matches nothing here"
    assert len(warned(vastplan, document, "--target", "iad/group/*", "--target", "iad/tenant/team-a")) == 1


@pytest.mark.slow
def test_the_same_command_typed_again_is_no_mistake(document: Path, vastplan: Run, tmp_path: Path) -> None:
    """What it took away is named by it still: nothing is called so any more, and the ledger knows that something was."""
    one = DOCUMENT["qos_policies"]["all of it"]
    assert vastplan("apply", write(tmp_path, qos_policies={"a1": one, "a2": one}), "--auto-approve").code == 0
    write(tmp_path, qos_policies={"a2": one})
    named = "iad/qos_policy/a1"
    typed = ["--auto-approve", "--target", named, "--allow-delete", named, "--keep-drift", f"{named}.static_limits"]
    for words in (typed, typed, [*typed, "--allow-narrow", "iad/qos_policy/[a]1", "--believe-gone", named]):
        ran = vastplan("apply", document, *words)
        assert ran.code == 0 and "VP3" not in ran.out + ran.err, ran
    ran = vastplan("apply", document, "--auto-approve", "--allow-delete", "iad/qos_policy/a3")
    assert ran.code == 1 and "did you mean iad/qos_policy/a2?" in ran.out, ran


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
    nowhere = warned(vastplan, document, "--approvals", tmp_path / "approvals.yml")
    assert [text.split()[3] for text, _ in nowhere] == named[1:]
    assert nowhere[0][1] == "did you mean pdx/namespace/silver?"


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
    many = refused(vastplan, document, *words)
    assert len(many) == 21 and many[-1] == ("10 more consents and approvals match nothing here", "")


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


def test_and_what_stays_as_a_hand_left_it() -> None:
    at = Address("iad", "claim", "x[1]")
    entries = [Entry(at, {}, origin="iad/volume/x"), Entry(Address("iad", "view", "v"), {}, origin="iad/tenant/t")]
    options = PlanOptions(("iad",), keep_drift=("iad/volume/x", "iad/view/v", "iad/volume/z"))
    kept = resolve_patterns(options.keep_drift, entries, {}, ("iad",), {})
    assert [any(fnmatchcase(str(entry.address), pattern) for pattern in kept) for entry in entries] == [True, True]
    assert kept[0] == "iad/volume/x" and kept[2:] == ("iad/view/v", "iad/volume/z")


@pytest.mark.slow
def test_a_volume_under_another_name_is_pointed_out(document: Path, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    text = document.read_text()
    document.write_text(text.replace("scratch:", "fast:"))
    ran = vastplan("plan", document)
    (line,) = (line for line in ran.out.splitlines() if "VP319" in line)
    assert (
        "iad/volume/fast: it has the same settings as iad/" in line and "iad/persistent_volume_claim/scratch" in line
    ), ran
    assert "if it was renamed, write its former name as renamed_from to keep it" in line


def test_a_saved_plan_shows_one_action(document: Path, vastplan: Run, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    assert vastplan("plan", document, "--out", saved).code == 0
    ran = vastplan("show", saved, "iad/tenant/team-a")
    assert (
        ran.code == 0
        and ran.out.splitlines()[:2] == ["iad", f"  + tenant team-a ({document.name}:25)"]
        and len(ran.out.splitlines()) == 3
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
    ran = vastplan("plan", document, *words, "--out", saved)
    assert shlex.split(ran.out.splitlines()[-1].partition("with: ")[2]) == ["vastplan", "apply", str(saved)]
    found = json.loads(vastplan("plan", document, *words, "--format", "json").out)
    assert [action["blocked"] for action in found["actions"] if action["address"] == address] == [[]]


@pytest.mark.slow
def test_an_approval_of_an_entry_with_several_objects_names_them(document: Path, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("apply", document, "--auto-approve").code == 0
    entries = [{"address": "iad/volume/scratch", "reason": "it was agreed", "until": "2999-01-01"}]
    (tmp_path / "approvals.yml").write_text(yaml.safe_dump({"version": 1, "approvals": entries}))
    ((_, hint),) = warned(vastplan, document, "--approvals", tmp_path / "approvals.yml")
    several = "iad/data_source/scratch, iad/persistent_volume_claim/scratch"
    assert hint.startswith(f"an approval is for one object, not for an entry with several: {several}; ")
    team = {**DOCUMENT["tenants"]["team-a"], "volumes": {}}
    write(tmp_path, tenants={"team-a": team})
    ((_, hint),) = warned(vastplan, document, "--approvals", tmp_path / "approvals.yml")
    assert "an approval is for one object" in hint and "--approvals-template FILE" in hint
