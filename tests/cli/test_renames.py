"""Renames as an operator makes them: one line in the document, and what was there goes on under the new name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

HEAD = "version: 1\nname: a\nsites: {iad: {sim: {}}}\n"
DOCUMENT = (
    HEAD
    + """\
departments: {research: {gpus: {default: 8}}}
snapshot_schedules: {hourly: {frames: [{every: 1h, keep_local: 24h}]}}
secrets: {mgmt: {namespace: vast-csi, data: {username: {file: u}, password: {file: u}, endpoint: {file: u}}}}
namespaces: {vast-csi: {}}
tenants:
  t:
    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.3.10 - 10.20.3.25]}
    view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}
    storage_class: {driver: file, storage_path: /t/k8s, secret: mgmt}
    project: {department: research, gpus: {default: 4}, access: {ML engineer: [grp-t]}}
    volumes:
      home: {path: /t/home, size: 5 TiB, mount: /home, project: t,
             qos: {static_limits: {max_writes_bw_mbps: 2 GB/s}}, snapshots: hourly}
      scratch: {storage_class: t, size: 1 TiB, mount: /scratch, project: t}
views:
  v: {tenant: t, path: /v, create_dir: true, quota: {hard_limit: 1 TiB}}
"""
)


class Document:
    """A document that is edited and applied."""

    def __init__(self, folder: Path, run: Run, text: str = DOCUMENT) -> None:
        self.file, self.text, self.run = folder / "a.yaml", text, run
        (folder / "u").write_text("x")
        self.file.write_text(text)

    def edit(self, *pairs: tuple[str, str]) -> None:
        """Replace texts in the document."""
        for old, new in pairs:
            assert old in self.text, old
            self.text = self.text.replace(old, new)
        self.file.write_text(self.text)

    def apply(self) -> None:
        """Apply; all of it must be done."""
        ran = self.run("apply", self.file, "--auto-approve")
        assert ran.code == 0, ran

    def plan(self) -> dict[str, dict[str, object]]:
        """The actions of a plan, by address."""
        ran = self.run("plan", self.file, "--format", "json")
        return {action["address"]: action for action in json.loads(ran.out)["actions"]}

    def owned(self) -> dict[str, str]:
        """The ids in the ledger, by address."""
        ran = self.run("ledger", "list", self.file, "--format", "json")
        return {row["address"]: row["id"] for row in json.loads(ran.out)["owned"]}


@pytest.fixture
def document(tmp_path: Path, vastplan: Run) -> Document:
    made = Document(tmp_path, vastplan)
    made.apply()
    return made


def verbs(plan: dict[str, dict[str, object]]) -> set[object]:
    return {action["verb"] for action in plan.values()}


@pytest.mark.slow
def test_a_volume_that_keeps_its_live_name_changes_nothing_anywhere(document: Document) -> None:
    before = document.owned()
    document.edit(("      home: {", "      homes: {renamed_from: home, name: home, "))
    plan = document.plan()
    assert verbs(plan) == {"release"} and len(plan) == 7
    assert not [change for action in plan.values() for change in action["changes"]]  # type: ignore[attr-defined]
    assert plan["iad/persistent_volume/t-homes"]["renamed_from"] == "iad/persistent_volume/t-home"
    document.apply()
    assert document.owned() == {address.replace("home", "homes"): one for address, one in before.items()}
    assert document.plan() == {}
    document.edit(("renamed_from: home, ", ""))
    assert document.plan() == {}
    drift = document.run("drift", document.file)
    assert drift.code == 0, drift


@pytest.mark.slow
def test_a_view_moves_with_its_quota_whose_live_name_follows(document: Document) -> None:
    before = document.owned()
    document.edit(("  v: {tenant", "  w: {renamed_from: v, tenant"))
    plan = document.plan()
    assert {address: action["verb"] for address, action in plan.items()} == {
        "iad/view/w": "release", "iad/quota/w": "update",
    }  # fmt: skip
    document.apply()
    assert (document.owned()["iad/view/w"], document.owned()["iad/quota/w"]) == (
        before["iad/view/v"], before["iad/quota/v"],
    )  # fmt: skip
    assert document.plan() == {}


@pytest.mark.slow
def test_a_tenant_and_a_project_that_keep_their_names_take_all_that_is_named_after_them_along(
    document: Document,
) -> None:
    before = document.owned()
    document.edit(
        ("  t:\n", "  u:\n    renamed_from: t\n    name: t\n"),
        ("vip_pool: {", "vip_pool: {name: t, "), ("view_policy: {", "view_policy: {name: t, "),
        ("storage_class: {", "storage_class: {name: t, "), ("    project: {", "    project: {name: t, "),
        ("project: t", "project: u"), ("storage_class: t,", "storage_class: u,"), ("tenant: t,", "tenant: u,"),
    )  # fmt: skip
    plan = document.plan()
    assert verbs(plan) == {"release"}, plan
    document.apply()
    now = document.owned()
    assert sorted(now.values()) == sorted(before.values())
    assert {"iad/admission_policy/vastplan-u", "iad/persistent_volume/u-home", "iad/project/u",
            "iad/access_rule/project/u/group/grp-t/ML engineer"} <= now.keys()  # fmt: skip
    assert document.plan() == {} and document.run("drift", document.file).code == 0
    document.edit(("    renamed_from: t\n", ""))
    assert document.plan() == {}


@pytest.mark.slow
def test_what_cannot_be_renamed_is_told_with_its_price(document: Document) -> None:
    document.edit(("      home: {", "      homes: {renamed_from: home, "))
    plan = document.plan()
    claim = plan["iad/persistent_volume_claim/homes"]
    assert (claim["verb"], claim["reason"]) == (
        "replace",
        "renamed from home: name, volume cannot be changed in place; to keep the live object instead: `name: home` in iad/volume/homes",
    )
    assert [block["guard"] for block in claim["blocked"]] == ["approval"]  # type: ignore[attr-defined]
    assert plan["iad/view/homes"]["id"] == document.owned()["iad/view/home"]
    assert not [address for address, action in plan.items() if action["verb"] in ("create", "delete")]


@pytest.mark.slow
def test_a_rename_that_nobody_wrote_is_noticed_and_nothing_collides(document: Document) -> None:
    before = document.owned()
    document.edit(("  v: {tenant", "  w: {tenant"))
    plan = document.plan()
    assert {address: action["blocked"][0]["guard"] for address, action in plan.items()} == {  # type: ignore[index]
        "iad/view/v": "renamed", "iad/quota/v": "renamed", "iad/view/w": "renamed", "iad/quota/w": "renamed",
    }  # fmt: skip
    said = document.run("plan", document.file).out
    assert "warning VP308: iad/view/w: the ledger has its live objects under other addresses" in said
    ran = document.run("apply", document.file, "--auto-approve", "--allow-delete", "*")
    assert ran.code == 3 and document.owned() == before
    assert document.run("ledger", "move", document.file, "iad/view/v", "iad/view/w").code == 0
    document.apply()
    assert document.plan() == {}


BUCKETS = """\
local_providers: {t: {}}
tenants:
  t:
    local_provider: t
    users: {ann: {uid: 1}, bob: {uid: 2}}
    view_policy: {flavor: S3_NATIVE}
    buckets: {x: {bucket: t-x, size: 1 TiB, owner: ann, read: [bob], lifecycle: [{name: old, expiration_days: 7}]}}
"""


def test_a_bucket_under_another_key_is_told_what_to_write_and_to_type(tmp_path: Path, vastplan: Run) -> None:
    document = Document(tmp_path, vastplan, HEAD + BUCKETS)
    document.apply()
    document.edit(("{x: {bucket", "{y: {bucket"))
    ran = document.run("plan", document.file)
    told = f"vastplan ledger move {document.file} iad/bucket/x iad/bucket/y"
    assert f"if it was renamed, write renamed_from: x in it, or: {told})" in ran.out, ran
    assert ran.code == 0 and "VP301" not in ran.out and {a["verb"] for a in document.plan().values()} > {"create"}, ran
    assert all(action["blocked"] for action in document.plan().values())
    assert document.run(*told.split()[1:]).code == 0
    assert document.plan() == {}
    document.edit(("{y: {bucket", "{z: {renamed_from: y, bucket"))
    document.apply()
    assert document.plan() == {}


def test_two_projects_may_each_have_a_claim_of_one_name(tmp_path: Path, vastplan: Run) -> None:
    volume = "{path: /t/%s, size: 1 TiB, name: data, mount: /data, project: %s, snapshots: hourly, qos: {static_limits: {max_writes_iops: 9}}}"
    text = DOCUMENT.replace(
        "    project: {department: research, gpus: {default: 4}, access: {ML engineer: [grp-t]}}\n", ""
    )
    volumes = "".join(f"      {one}-data: {volume % (one, one)}\n" for one in ("p", "q"))
    head, _, rest = text.partition("    volumes:\n")
    projects = "".join(f"  {one}: {{tenant: t, department: research}}\n" for one in ("p", "q"))
    text = f"{head}    volumes:\n{volumes}{rest[rest.index('views:') :]}projects:\n{projects}"
    document = Document(tmp_path, vastplan, text)
    document.apply()
    owned = document.owned()
    assert {"iad/persistent_volume_claim/p-data", "iad/persistent_volume_claim/q-data"} <= owned.keys()
    assert document.plan() == {}


def test_names_that_are_swapped_are_refused(tmp_path: Path, vastplan: Run) -> None:
    document = Document(tmp_path, vastplan, HEAD + "tenants: {a: {renamed_from: b}, b: {renamed_from: a}}\n")
    ran = document.run("validate", document.file)
    assert ran.code == 1
    assert "VP218: iad/tenant/a: a, b are renamed to each other" in ran.err + ran.out
    document = Document(tmp_path, vastplan, HEAD + "tenants: {a: {renamed_from: a}}\n")
    ran = document.run("validate", document.file)
    assert "VP203: renamed_from is the entry's former name, and a is its name now" in ran.err + ran.out


@pytest.mark.slow
def test_a_plan_file_with_a_rename_of_something_else_is_refused(document: Document, tmp_path: Path) -> None:
    from vastplan.app.files import plan as plan_file

    document.edit(("  v: {tenant", "  w: {renamed_from: v, tenant"))
    saved = tmp_path / "plan.json"
    assert document.run("plan", document.file, "--out", saved).code == 0
    for other, code, says in (
        ("iad/quota/v", 1, "does not have a plan's form"),
        ("iad/view/x", 5, "the ledger has nothing to move from iad/view/x"),
    ):
        data = json.loads(saved.read_text())
        for action in data["actions"]:
            if action["address"] == "iad/view/w":
                action["renamed_from"] = other
        data["id"] = plan_file.PLAN_FILE.identity(data)
        edited = tmp_path / "edited.json"
        edited.write_text(json.dumps(data))
        ran = document.run("apply", edited)
        assert (ran.code, says in ran.err) == (code, True), ran
    assert "iad/view/v" in document.owned()


@pytest.mark.slow
def test_a_reference_to_what_was_renamed_is_not_a_change_of_the_document(document: Document) -> None:
    """Once the rename is applied, a hand that moves the reference is blamed alone."""
    document.edit(
        ("view_policy: {", "view_policy: {name: t, "), ("storage_class: {", "storage_class: {view_policy: pol, ")
    )
    document.edit(("    view_policy: {name: t, flavor: NFS, nfs_no_squash: [10.12.0.0/24]}",
                   "    view_policies: {pol: {renamed_from: t, name: t, flavor: NFS, nfs_no_squash: [10.12.0.0/24]}, "
                   "other: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}}"),
                  ("path: /v,", "path: /v, view_policy: pol,"), ("path: /t/home,", "path: /t/home, view_policy: pol,"))  # fmt: skip
    document.apply()
    assert document.plan() == {}
    owned = document.owned()
    from vastplan.app.connect import connected
    from vastplan.app.workspace import open_workspace

    workspace = open_workspace([document.file])
    with connected(workspace.document, sites=("iad",), writable=True) as providers:
        provider, kind = providers["iad", "vast"], workspace.registry.kinds["view"]
        assert not isinstance(provider, Exception)
        row = provider.read(kind, owned["iad/view/v"])
        assert row is not None
        provider.update(kind, owned["iad/view/v"], {"policy_id": int(owned["iad/view_policy/other"])}, row)
    ran = document.run("drift", document.file, "--format", "json")
    (moved,) = json.loads(ran.out)["drift"]
    assert (moved["address"], moved["fields"][0]["path"], moved["fields"][0]["cause"]) == (
        "iad/view/v", "view_policy", "system",
    )  # fmt: skip


@pytest.mark.slow
def test_what_is_to_be_typed_names_the_document(tmp_path: Path, vastplan: Run) -> None:
    folder = tmp_path / "my documents"
    folder.mkdir()
    document = Document(folder, vastplan)
    document.apply()
    document.edit(("  v: {tenant", "  w: {tenant"))
    assert f"vastplan ledger move '{document.file}' iad/view/v iad/view/w" in vastplan("plan", document.file).out
