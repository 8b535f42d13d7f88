"""The reference customer: two ways of writing it are one plan, and no line of it keeps a door shut by being there."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import vastplan.kinds
from tests.conftest import Run
from tests.lab import SYSTEMS
from vastplan.app.apply import apply_plan
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.document.load import load_document
from vastplan.engine.live.consent import Consent
from vastplan.model.errors import Invalid
from vastplan.model.plan import Plan, Verb
from vastplan.schema.discover import discover
from vastplan.sim.world import World

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "ai-factory"
FILES = ("factory.yaml", "team-a.yaml", "team-b.yaml")
# Written out here, not asked of vastplan: the singular and the plural of everything that may stand inside a tenant.
NESTED = {
    "vip_pool": "vip_pools", "view_policy": "view_policies", "qos_policy": "qos_policies", "view": "views", "quota": "quotas",
    "storage_class": "storage_classes", "project": "projects", "volume": "volumes",
}  # fmt: skip
REGISTRY = discover(vastplan.kinds)


def flattened(tree: dict[str, Any]) -> dict[str, Any]:
    """The same document without anything inside a tenant."""
    flat = copy.deepcopy(tree)
    for tenant, entry in flat.get("tenants", {}).items():
        for single, plural in NESTED.items():
            if single in entry:
                flat.setdefault(plural, {})[tenant] = {"tenant": tenant, **entry.pop(single)}
            for name, inner in entry.pop(plural, {}).items():
                flat.setdefault(plural, {})[name] = {"tenant": tenant, **inner}
    return flat


def test_two_forms_one_plan_but_for_the_lines(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    plans = []
    for form in ("nested", "flat"):
        folder = tmp_path / "here"  # a plan says which folder it was made in
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "factory").mkdir(parents=True)
        shutil.copy(EXAMPLE / "csi-password", folder / "factory")
        for name in FILES:
            tree = yaml.safe_load((EXAMPLE / name).read_text())
            (folder / "factory" / name).write_text(
                yaml.safe_dump(tree if form == "nested" else flattened(tree), sort_keys=False)
            )
        monkeypatch.chdir(folder)
        ran = vastplan("plan", "factory", "--format", "json")
        assert ran.code == 0, ran.err
        plan = json.loads(ran.out)
        assert all(
            action.pop("where") or action["address"].endswith("/vastplan-inline-volumes") for action in plan["actions"]
        )
        del plan["id"]
        plans.append({**plan, "findings": [{**finding, "where": None} for finding in plan["findings"]]})
    assert plans[0] == plans[1] and plans[0]["actions"]


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The reference document, applied to a world that is still there."""
    folder = tmp_path_factory.mktemp("reference") / "factory"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".vastplan"))
    workspace = open_workspace([folder])
    systems = {name: site.systems for name, site in workspace.document.sites().items()}
    world = World(folder / ".vastplan" / "sim", systems).start()
    world.publish()
    try:
        import threading

        plan = planned(workspace)
        receipt = apply_plan(workspace, plan, lambda *_: None, threading.Event())
        assert {one.state.value for one in receipt.outcomes} == {"done"}, [
            one for one in receipt.outcomes if one.state.value != "done"
        ]
        assert planned(workspace).actions == ()
        yield folder
    finally:
        world.stop()


def planned(workspace: Workspace) -> Plan:
    return make_plan(workspace, PlanOptions(tuple(workspace.document.head.sites), consent=Consent())).plan


def removals(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every key and every list item of a tree."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield (*path, key)
        yield from removals(value, (*path, key))


def without(tree: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(tree)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return changed


def door_opens(plan: Plan) -> list[str]:
    """What of a plan would open a class to a namespace, or lose data, without anybody's consent."""
    found = []
    for action in plan.actions:
        if action.blocked:
            continue
        kind = REGISTRY.kinds[action.address.kind]
        if action.verb in (Verb.DELETE, Verb.REPLACE) and (
            kind.data_bearing or action.address.kind.startswith("admission")
        ):
            found.append(f"{action.address} {action.verb.value}")
        for change in action.changes:
            if action.address.kind == "admission_policy":
                if change.path == "open" and change.after:
                    found.append(f"{action.address} opens")
                if change.path == "namespaces" and not {str(one) for one in change.after} <= {
                    str(one) for one in change.before
                }:
                    found.append(f"{action.address} lets in {change.after}")
    return found


@pytest.mark.slow
def test_the_watch_itself_sees_an_open_door(applied: Path) -> None:
    text = (applied / "team-a.yaml").read_text()
    (applied / "team-a.yaml").write_text(
        text.replace(
            "{driver: file, storage_path: /team-a/k8s,", "{shared: true, driver: file, storage_path: /team-a/k8s,"
        )
    )
    try:
        assert any(
            "opens" in one
            for one in door_opens(planned(Workspace(load_document([applied], REGISTRY, SYSTEMS), REGISTRY)))
        )
    finally:
        (applied / "team-a.yaml").write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_removing_any_line_or_block_opens_nothing_and_loses_nothing(name: str, applied: Path) -> None:
    original = (applied / name).read_text()
    tree = yaml.safe_load(original)
    tried = valid = 0
    try:
        for path in removals(tree):
            (applied / name).write_text(yaml.safe_dump(without(tree, path), sort_keys=False))
            tried += 1
            try:
                plan = planned(Workspace(load_document([applied], REGISTRY, SYSTEMS), REGISTRY))
            except Invalid:
                continue  # refused: nothing happens
            valid += 1
            assert door_opens(plan) == [], path
        for index, line in enumerate(lines := original.splitlines()):
            (applied / name).write_text("\n".join(lines[:index] + lines[index + 1 :]) + "\n")
            try:
                plan = planned(Workspace(load_document([applied], REGISTRY, SYSTEMS), REGISTRY))
            except Invalid:
                continue
            assert door_opens(plan) == [], line
    finally:
        (applied / name).write_text(original)
    assert tried > 20
    assert valid > 5
