"""What was edited: each line of the document that differs from its base, once, with its place and the objects that it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.files import plan as plan_file
from vastplan.model.plan import DocumentEdit, EditSort, Plan

BOTH = ("iad", "pdx")
TEAM = """\
defaults:
  quotas: {grace_period: 7d}
namespaces: {csi: {}}
secrets:
  key:
    namespace: csi
    data: {token: {file: token}}
tenants:
  team-a:
    max_views: 40
    vip_pool:
      subnet_cidr: 24
      per_site:
        iad: {ip_ranges: [10.20.1.10 - 10.20.1.25]}
        pdx: {ip_ranges: [10.30.1.10 - 10.30.1.25]}
    view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24], nfs_read_write: [10.12.0.0/24]}
    views:
      home: {path: /home}
    quotas:
      home: {path: /home, hard_limit: 1 TiB, grace_period: 7d}
      more: {path: /more, hard_limit: 1 TiB}
  team-b:
    sites: [iad]
    view_policy: {flavor: NFS}
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The team on two sites, applied; `base.yaml` is its document."""
    with Lab(tmp_path_factory.mktemp("edits"), {site: ["vast", "kubernetes"] for site in BOTH}) as one:
        one.write({})
        head = (one.folder / "lab.yaml").read_text()
        (one.folder / "base.yaml").write_text(head + TEAM)
        for name in ("token", "other"):
            (one.folder / name).write_text("x")
        (one.folder / "lab.yaml").write_text(head + TEAM)
        one.converge()
        yield one


def reviewed(lab: Lab, vastplan: Run, edit: Callable[[str], str], *options: str) -> Plan:
    document, base, file = lab.folder / "lab.yaml", lab.folder / "base.yaml", lab.folder / "plan.json"
    edited = edit(base.read_text())
    assert edited != base.read_text()
    document.write_text(edited)
    ran = vastplan("plan", document, "--base", base, "--out", file, *options)
    assert ran.code == 0, ran
    return plan_file.load(file)


def edits(plan: Plan) -> list[DocumentEdit]:
    assert plan.base is not None
    return list(plan.base.edits)


def on_both(kind: str, name: str = "team-a") -> tuple[str, ...]:
    return tuple(f"{site}/{kind}/{name}" for site in BOTH)


T = "tenants.team-a"
NEW_QUOTA = "      more: {path: /more, hard_limit: 1 TiB}\n      new: {path: /new, hard_limit: 2 TiB}"
CASES: dict[str, tuple[str, str, str, EditSort, Any, Any, tuple[str, ...]]] = {
    "a field": ("nfs_no_squash: [10.12.0.0/24]", "nfs_no_squash: ['*']", f"{T}.view_policy.nfs_no_squash", EditSort.CHANGED,
                ["10.12.0.0/24"], ["*"], on_both("view_policy")),
    "of a tenant itself": ("max_views: 40", "max_views: 50", f"{T}.max_views", EditSort.CHANGED, 40, 50, on_both("tenant")),
    "on one site": ("10.30.1.25", "10.30.1.26", f"{T}.vip_pool.per_site.pdx.ip_ranges", EditSort.CHANGED,
                    ["10.30.1.10 - 10.30.1.25"], ["10.30.1.10 - 10.30.1.26"], ("pdx/vip_pool/team-a",)),
    "an entry more": ("      more: {path: /more, hard_limit: 1 TiB}", NEW_QUOTA, f"{T}.quotas.new", EditSort.ADDED, None, None,
                      on_both("quota", "new")),
    "an entry less": ("      more: {path: /more, hard_limit: 1 TiB}\n", "", f"{T}.quotas.more", EditSort.REMOVED, None, None,
                      on_both("quota", "more")),
    "defaults": ("quotas: {grace_period: 7d}", "quotas: {grace_period: 8d}", "defaults.quotas.grace_period", EditSort.CHANGED,
                 "7d", "8d", on_both("quota", "more")),
    "a site more": ("sites: [iad]", "sites: [iad, pdx]", "tenants.team-b.sites", EditSort.CHANGED, ["iad"], ["iad", "pdx"],
                    ("pdx/tenant/team-b", "pdx/view_policy/team-b")),
    "where a secret comes from": ("{file: token}", "{file: other}", "secrets.key.data.token.file", EditSort.CHANGED, None, None,
                                  on_both("secret", "key")),
    "nothing that is not so already": ("{path: /home}", "{path: /home, protocols: [NFS]}", f"{T}.views.home.protocols",
                                       EditSort.ADDED, None, ["NFS"], ()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_edit_is_one_row_with_its_line_and_the_objects_that_it_changes(name: str, lab: Lab, vastplan: Run) -> None:
    before, after, path, sort, was, now, objects = CASES[name]
    plan = reviewed(lab, vastplan, lambda text: text.replace(before, after))
    (edit,) = edits(plan)
    assert (edit.path, edit.sort, edit.before, edit.after) == (path, sort, was, now)
    assert sorted(edit.objects) == sorted(objects)
    assert edit.sensitive == path.startswith("secrets.") and not edit.same
    text = (lab.folder / ("base.yaml" if sort is EditSort.REMOVED else "lab.yaml")).read_text()
    assert edit.where.file == str(lab.folder / "lab.yaml")
    assert path.split(".")[-1] in text.splitlines()[edit.where.line - 1]


def test_a_renamed_entry_is_an_edit_of_its_name_and_of_what_else_changes(lab: Lab, vastplan: Run) -> None:
    renamed = "      house: {renamed_from: home, path: /home, hard_limit: 3 TiB, grace_period: 7d}"
    plan = reviewed(
        lab,
        vastplan,
        lambda text: text.replace("      home: {path: /home, hard_limit: 1 TiB, grace_period: 7d}", renamed),
    )
    name, limit = edits(plan)
    assert (name.path, name.sort, name.before, name.after) == (f"{T}.quotas.house", EditSort.RENAMED, "home", "house")
    assert (limit.path, limit.before, limit.after) == (f"{T}.quotas.house.hard_limit", "1 TiB", "3 TiB")
    assert name.objects == limit.objects == on_both("quota", "house")


def test_of_several_edits_of_an_entry_an_object_belongs_to_those_that_it_shows(lab: Lab, vastplan: Run) -> None:
    plan = reviewed(lab, vastplan, lambda text: text.replace("max_views: 40", "max_views: 50").replace("24}, {", ""). replace(
        "nfs_read_write: [10.12.0.0/24]", "nfs_read_write: []").replace("flavor: NFS, nfs_no", "flavor: MIXED_LAST_WINS, nfs_no"))  # fmt: skip
    found = {edit.path.removeprefix(f"{T}."): edit.objects for edit in edits(plan)}
    assert found == {
        "max_views": on_both("tenant"),
        "view_policy.flavor": on_both("view_policy"),
        "view_policy.nfs_read_write": on_both("view_policy"),
    }


def test_every_action_and_finding_has_a_line_and_what_is_removed_that_of_the_base(lab: Lab, vastplan: Run) -> None:
    markdown, page, sarif = (lab.folder / f"plan.{ending}" for ending in ("md", "html", "sarif"))
    reports = [word for file in (markdown, page, sarif) for word in ("--report", str(file))]
    gone = "      more: {path: /more, hard_limit: 1 TiB}\n"
    plan = reviewed(
        lab, vastplan, lambda text: text.replace(gone, "").replace("max_views: 40", "max_views: 50"), *reports
    )
    assert all(action.where is not None for action in plan.actions)
    assert all(finding.where is not None for finding in plan.findings if finding.address)
    lines = (lab.folder / "base.yaml").read_text().splitlines()
    removed = lines.index(gone.rstrip()) + 1
    ran = vastplan("show", lab.folder / "plan.json")
    for shown in (ran.out, markdown.read_text(), page.read_text()):
        assert f"lab.yaml:{removed}" in shown and "of the base" in shown
        assert f"lab.yaml:{lines.index('  team-a:') + 1}" in shown
    assert f'"startLine": {removed}' in sarif.read_text()


def test_without_a_base_there_are_no_edits_and_each_action_has_its_line(lab: Lab, vastplan: Run) -> None:
    file = lab.folder / "lab.yaml"
    file.write_text((lab.folder / "base.yaml").read_text().replace("max_views: 40", "max_views: 41"))
    ran = vastplan("plan", file)
    assert "What was edited" not in ran.out and "  ~ tenant team-a (" in ran.out, ran.out


def test_a_folder_of_the_base_is_named_as_that_of_the_document(lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    for name, text in (("base", TEAM), ("lab", TEAM.replace("      more: {path: /more, hard_limit: 1 TiB}\n", ""))):
        (tmp_path / name).mkdir()
        head = (lab.folder / "base.yaml").read_text().removesuffix(TEAM)
        (tmp_path / name / "head.yaml").write_text(head)
        (tmp_path / name / "team.yaml").write_text(text)
        (tmp_path / name / "token").write_text("x")
    ran = vastplan("plan", tmp_path / "lab", "--base", tmp_path / "base", "--out", tmp_path / "plan.json")
    (edit,) = edits(plan_file.load(tmp_path / "plan.json"))
    assert edit.where.file == str(tmp_path / "lab" / "team.yaml") and ran.code == 0


def test_another_way_to_write_the_same_is_said_to_be_that(lab: Lab, vastplan: Run) -> None:
    plan = reviewed(lab, vastplan, lambda text: text.replace("hard_limit: 1 TiB}", "hard_limit: 1024 GiB}"))
    assert [edit.same for edit in edits(plan)] == [True] and not plan.actions
    ran = vastplan("show", lab.folder / "plan.json")
    assert "1 TiB → 1024 GiB" in ran.out and "which means the same" in " ".join(ran.out.split()), ran.out


def test_an_object_that_an_edit_makes_is_of_the_edit_that_names_it(lab: Lab, vastplan: Run) -> None:
    home = "{path: /home, share: home, protocols: [NFS, SMB], quota: {hard_limit: 2 TiB, grace_period: 8d}}"
    plan = reviewed(lab, vastplan, lambda text: text.replace("      home: {path: /home}", f"      home: {home}", 1).replace(
        "      home: {path: /home, hard_limit: 1 TiB, grace_period: 7d}\n", ""), "--adopt")  # fmt: skip
    found = {edit.path: edit for edit in edits(plan)}
    assert found[f"{T}.views.home.quota"].after == {"hard_limit": "2 TiB", "grace_period": "8d"}
    assert {*on_both("quota", "home")} <= {*found[f"{T}.views.home.quota"].objects}
    assert {*on_both("view", "home")} <= {*found[f"{T}.views.home.share"].objects}


def test_a_section_that_comes_or_goes_is_an_edit_for_each_entry(lab: Lab, vastplan: Run) -> None:
    quotas = "    quotas:\n      home: {path: /home, hard_limit: 1 TiB, grace_period: 7d}\n      more: {path: /more, hard_limit: 1 TiB}\n"
    plan = reviewed(lab, vastplan, lambda text: text.replace(quotas, "    quotas:\n").replace(
        "tenants:\n", "snapshot_schedules:\n  daily: {frames: [{every: 1d, keep_local: 7d}]}\ntenants:\n", 1))  # fmt: skip
    found = {(edit.path, edit.sort): edit.objects for edit in edits(plan)}
    assert found == {
        ("snapshot_schedules.daily", EditSort.ADDED): on_both("protection_policy", "daily"),
        (f"{T}.quotas.home", EditSort.REMOVED): on_both("quota", "home"),
        (f"{T}.quotas.more", EditSort.REMOVED): on_both("quota", "more"),
    }


def test_defaults_reach_an_entry_that_has_the_name_of_its_tenant(lab: Lab, vastplan: Run) -> None:
    plan = reviewed(
        lab, vastplan, lambda text: text.replace("  quotas: {grace_period: 7d}", "  quotas: {grace_period: 7d}\n  view_policies: {trash_access: [10.1.0.0/16]}")
    )  # fmt: skip
    (edit,) = edits(plan)
    assert (edit.path, edit.after) == ("defaults.view_policies.trash_access", ["10.1.0.0/16"])
    assert set(edit.objects) == {*on_both("view_policy"), "iad/view_policy/team-b"}
