"""An import beside Terraform: what things are called, how Terraform lets go of them, and what states may not do."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.conftest import Run
from tests.force import by_force
from tests.importing.terraform_states import CANARY, HOSTILE_KEYS, instance, resource, shown, tfstate
from tests.importing.terraform_world import HEAD, SITES, Configuration, cluster, storage
from tests.lab import Lab
from vastplan.app.importing import terraform
from vastplan.app.schemas import json_schema
from vastplan.importing.terraform.address import parse_module
from vastplan.model.escaping import inert


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """Two sites, and a document that has nothing of them yet."""
    (tmp_path / "head.yaml").write_text(yaml.safe_dump(HEAD))
    with Lab(tmp_path, SITES) as made:
        yield made


@pytest.fixture
def iad(lab: Lab, tmp_path: Path) -> Configuration:
    """What Terraform has on iad; `iad.tfstate` says so."""
    made = storage(lab, "iad", 2)
    cluster(made)
    (tmp_path / "iad.tfstate").write_bytes(made.state())
    lab.clear_calls()
    return made


def _entries(folder: Path) -> set[str]:
    """The keys of all views that the written files have."""
    whole = [yaml.safe_load(file.read_text()) for file in folder.glob("*.yaml")]
    tenants = [tenant for data in whole for tenant in data.get("tenants", {}).values()]
    return {key for data in [*whole, *tenants] for key in data.get("views", {})}


def _indented(out: str) -> list[str]:
    return [line[4:] for line in out.splitlines() if line.startswith("    ")]


def _blocks(out: str) -> list[str]:
    return [line.split(" = ")[1] for line in _indented(out) if line.startswith("  from = ")]


def _removed(out: str) -> list[str]:
    return [shlex.split(line)[3] for line in _indented(out) if line.startswith("terraform state rm ")]


TAKEN = [
    "kubernetes_storage_class.slow",
    "kubernetes_storage_class_v1.fast",
    "vastdata_tenant.nlp",
    "vastdata_view.data",
    "vastdata_view.home",
    "vastdata_view.scratch",
    "module.limits.vastdata_quota.this",
    "module.policy.vastdata_view_policy.this",
]


@pytest.mark.slow
@pytest.mark.parametrize("generation", by_force([1, 2], "2"))
@pytest.mark.parametrize("as_shown", [False, True])
def test_it_is_taken_over_and_terraform_is_told_to_let_go(
    lab: Lab, vastplan: Run, tmp_path: Path, generation: int, as_shown: bool
) -> None:
    made = storage(lab, "iad", generation)
    cluster(made)
    (tmp_path / "state").write_bytes(made.state(as_shown=as_shown))
    lab.clear_calls()
    ran = vastplan("import", ".", "--terraform", "iad=state", "--report", "import.md")
    assert ran.code == 0 and lab.calls() == [], ran
    typed = [line for line in ran.out[ran.out.index("Terraform, ") :].splitlines() if line.startswith("    ")]
    comment = (tmp_path / "import.md").read_text().splitlines()
    assert [line for line in comment if line in typed] == typed  # a block of code, as it is to be typed
    assert "Two tools own these objects until the last step is done." in ran.out
    assert (_blocks(ran.out), _removed(ran.out)) == (TAKEN, [])
    places = ["    vastplan apply . --adopt", "    removed {", "    random_pet.note: vastdata_view.scratch"]
    assert sorted(places, key=ran.out.index) == places
    assert "Next:" not in ran.out  # it is the first step
    assert "1 random_pet" in ran.out and "state is old" not in ran.out

    assert vastplan("apply", ".", "--adopt", "--auto-approve").code == 0
    assert {call.path.split("/")[-1] for call in lab.calls()} == {
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
    }
    assert vastplan("plan", ".", "--detailed-exitcode").code == 0
    again = vastplan("import", ".", "--terraform", "iad=state")
    assert "Nothing new" in again.out and "vastplan apply" not in again.out
    assert (_blocks(again.out), _removed(again.out)) == (TAKEN, [])


@pytest.mark.slow
def test_what_has_no_name_of_its_own_is_called_as_its_resource(
    iad: Configuration, vastplan: Run, tmp_path: Path
) -> None:
    ran = vastplan("import", ".", "--terraform", "iad=iad.tfstate", "--dry-run")
    assert "The steps to remove them from Terraform are printed when the files are written." in ran.out
    assert not _blocks(ran.out) and not _removed(ran.out)
    assert vastplan("import", ".", "--terraform", "iad=iad.tfstate").code == 0
    # a number is a position; q0 and q1 are what the quotas are called, which stand in their views
    assert _entries(tmp_path) == {"home-ana", "home-bo b", "scratch", "nlp-d2", "nlp-q0", "nlp-q1"}


@pytest.mark.slow
def test_a_snapshot_says_the_same(iad: Configuration, vastplan: Run, tmp_path: Path) -> None:
    assert vastplan("record", ".", "--out", "seen.json").code == 0
    words = ("import", ".", "--terraform", "iad.tfstate", "--format", "json", "--dry-run")
    offline = vastplan(*words, "--snapshot", "seen.json")
    assert json.loads(offline.out)["terraform"][0]["taken"] == 12  # a site without Kubernetes has none of it
    assert offline.out == vastplan(*words).out


def test_what_stays_is_told_by_its_dependencies_and_numbers(iad: Configuration, vastplan: Run, tmp_path: Path) -> None:
    ran = vastplan(
        "import", ".", "--terraform", "iad=iad.tfstate", "--except", "iad/view//nlp/d1", "--except", "iad/view//nlp/h/ana",
        "--except", "iad/quota/nlp-q1",
    )  # fmt: skip
    assert {"vastdata_view.data", "vastdata_view.home"}.isdisjoint(_blocks(ran.out))
    assert _removed(ran.out) == [
        "vastdata_view.data[0]", "vastdata_view.data[2]", 'vastdata_view.home["bo b"]',
        'module.limits["nlp"].vastdata_quota.this["q0"]',
    ]  # fmt: skip
    assert "    vastdata_view.data keeps [1]" in ran.out.splitlines()
    tenant = "module.policy.vastdata_view_policy.this, vastdata_tenant.nlp"
    for name in ("data", "home"):
        told = next(line for line in ran.out.splitlines() if line.startswith(f"    vastdata_view.{name}: "))
        assert {*told.split(": ")[1].split(", ")} == {*tenant.split(", ")}


@pytest.mark.slow
def test_several_states_are_let_go_of_one_after_the_other(lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    for site, generation in (("iad", 2), ("pdx", 1)):
        (tmp_path / f"{site}.tfstate").write_bytes(storage(lab, site, generation).state())
    ran = vastplan(
        "import", ".", "--terraform", "pdx=pdx.tfstate", "--terraform", "iad=iad.tfstate", "--format", "json"
    )
    result = json.loads(ran.out)
    jsonschema.Draft202012Validator(json_schema("import")).validate(result)
    assert [(each["state"], each["sites"], each["found"], each["taken"]) for each in result["terraform"]] == [
        ("pdx.tfstate", ["pdx"], 10, 10),
        ("iad.tfstate", ["iad"], 10, 10),
    ]
    assert [each["address"] for each in result["terraform"][0]["handover"]["blocks"]] == TAKEN[2:]
    assert result["next"] == "vastplan apply . --adopt"
    # Both teams call it so: it is one entry of two sites.
    assert {"home-ana", "scratch"} < _entries(tmp_path)
    text = vastplan("import", ".", "--terraform", "pdx=pdx.tfstate", "--terraform", "iad=iad.tfstate").out
    assert [line.split(".")[0] for line in text.splitlines() if line[:1].isdigit()] == [
        str(each) for each in range(1, 8)
    ]
    places = [text.index(f"In the configuration whose state is {site}.tfstate:") for site in ("pdx", "iad")]
    assert text.count("vastplan apply . --adopt") == 1 and places == sorted(places)


def test_an_old_state_says_so_and_names_nothing(lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    made = storage(lab, "iad", 2)
    for row in made.rows["", "vastdata_view", "scratch"]:
        row["attributes"]["path"] = "/nlp/before"
    made.rows["", "vastdata_view", "home"][0]["attributes"]["id"] = 99
    (tmp_path / "iad.tfstate").write_bytes(made.state())
    ran = vastplan("import", ".", "--terraform", "iad.tfstate", "--site", "iad")
    assert "because the state is old: run `terraform apply -refresh-only`" in ran.out
    assert "    vastdata_view.scratch: view 7 on iad has path /nlp/x9, but the state has /nlp/before" in ran.out
    assert '    vastdata_view.home["ana"]: iad has no view with id 99' in ran.out
    assert "vastdata_view.scratch" not in _blocks(ran.out) and _removed(ran.out) == ['vastdata_view.home["bo b"]']
    assert {"nlp-x9", "nlp-h-ana"} < _entries(tmp_path)


@pytest.mark.slow
def test_nothing_else_of_a_state_gets_anywhere(iad: Configuration, vastplan: Run, tmp_path: Path) -> None:
    """Every instance has a password and outputs with it, the provider's address and its own data have it, too."""
    state = (tmp_path / "iad.tfstate").read_text()
    assert state.count(CANARY) > 100
    for file in (
        iad.state(),
        shown(iad.state()),
        iad.state()[:-30],
        b"[" * 10**6,
        iad.state().replace(b'"id": 7', b'"id": 7, "id": 8'),
    ):
        (tmp_path / "iad.tfstate").write_bytes(file)
        for words in (["--dry-run"], ["--format", "json"], []):
            ran = vastplan("import", ".", "--terraform", "iad.tfstate", "--site", "iad", *words)
            assert CANARY not in ran.out + ran.err, ran
    (tmp_path / "iad.tfstate").unlink()
    written = [file for file in tmp_path.rglob("*") if file.is_file() and "sim" not in file.parts]
    assert {"tenant-nlp.yaml", "shared.yaml"} < {file.name for file in written}
    assert not [file for file in written if CANARY in file.read_text()]


def test_names_with_markup_are_shown_as_themselves(lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    made = Configuration(lab, "iad", 2)
    tenant = made.vast("vastdata_tenant.t", "tenants", {"name": "nlp"})
    policy = made.vast("vastdata_view_policy.t", "viewpolicies", {"name": "nlp", "flavor": "NFS", "tenant_id": tenant})
    keys = [*HOSTILE_KEYS, "<img src=x>", "<!-- vastplan:import:x -->", "a: b", "- x", "*/ # ]]>"]
    for number, key in enumerate(keys):
        body = {
            "path": f"/v{number}",
            "tenant_id": tenant,
            "policy_id": policy,
            "protocols": ["NFS"],
            "create_dir": True,
        }
        made.vast("vastdata_view.x", "views", body, key, f"module.m[{json.dumps('##[x]<b>')}]")
    stays = {"path": "/stays", "tenant_id": tenant, "policy_id": policy, "protocols": ["NFS"], "create_dir": True}
    made.vast("vastdata_view.x", "views", stays, "stays", f"module.m[{json.dumps('##[x]<b>')}]")
    name = "st\u202e<b>.tfstate"
    (tmp_path / name).write_bytes(made.state())
    ran = vastplan("import", ".", "--terraform", f"iad={name}", "--except", "iad/view//stays", "--report", "import.md")
    assert ran.code == 0, ran
    assert all(inert(line, None) == line for line in ran.out.splitlines())
    comment = (tmp_path / "import.md").read_text()
    assert comment.count("<!--") == 1 and "`st\\u202e<b>.tfstate`" in comment
    assert "\n1\\. Adopt them:\n\n    vastplan apply . --adopt\n" in comment
    for text in (ran.out, comment):
        modules, names = zip(*(each.split(".vastdata_view.x", 1) for each in _removed(text)), strict=True)
        (module,) = {parse_module(each)[0].key for each in modules}
        assert module == "##[x]<b>"
        # what stands behind a resource is read as what stands behind a module
        assert sorted(str(parse_module(f"module.x{each}")[0].key) for each in names) == sorted(keys)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["missing.tfstate"], "missing.tfstate cannot be read: No such file or directory"),
        (["."], ". cannot be read: Is a directory"),
        (["pipe"], "pipe cannot be read: it is not a regular file"),
        (["large"], "large cannot be read: it is larger than 1 KiB"),
        (["half"], "half is not complete JSON"),
        (["iad="], "--terraform iad=: the file is missing"),
        ([""], "--terraform : the file is missing"),
        (["lhr=state"], "--terraform lhr=state: lhr is not a site of this import (iad, pdx)"),
        (["iad=state", "pdx=./state"], "--terraform pdx=./state: state is given twice"),
    ],
)
def test_what_is_no_state_is_refused_before_anything_is_read(
    lab: Lab, vastplan: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: list[str], told: str
) -> None:
    monkeypatch.setattr(terraform, "STATE_BYTES", 1024)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b" " * 1025)
    (tmp_path / "half").write_bytes(b'{"version": 4')
    (tmp_path / "state").write_bytes(b'{"version": 4, "resources": []}')
    ran = vastplan("import", ".", *(word for each in typed for word in ("--terraform", each)))
    assert ran.code == 1 and told in ran.err, ran
    assert lab.all_calls() == [] and [file.name for file in tmp_path.glob("*.yaml")] == ["head.yaml"]


def test_a_file_may_have_an_equals_sign(lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    (tmp_path / "a=b").write_bytes(tfstate(resource("vastdata_tenant", "x", instance(id=9, name="x"))))
    ran = vastplan("import", ".", "--terraform", "./a=b")
    assert "Terraform, a=b: 0 resources found on iad, pdx, 0 of them in the document." in ran.out
