"""Case files of checks: `CODE.yaml` holds documents that a check says nothing about, and others with what it says.

    check: TEN-01
    base: {tenants: {...}}        laid under every document of the file
    good: {TITLE: {...}}          sections; the check finds nothing
    bad:
      TITLE:
        document: {...}
        weighs: warning                          where that is less than the check weighs at most
        fix: TEXT                                where that is not the check's own
        then: {...}                              what to do, done: laid over the document, and the check finds nothing
        finds: {ADDRESS: MESSAGE} word for word; a list where it finds several things about one address
        live: {SITE: {KIND: {FIGURE: VALUE}}}    what a plan has seen there, for checks that read, figures and values; of
                                                 several objects {NAME: {FIGURE: VALUE}}

`tasks: {NAME: {...}}` are SkyPilot tasks that an export is given for `iad`, `tasks: exported` those that it writes itself;
`skypilot: VERSION` is who reads them.

A good document may also be given as `{document: ..., live: ...}`. `probed: {SITE: {vast_version: TEXT}}` is what a plan
asked the systems. `repeat: {in: [KEY, ...], count: N, entry: {...}}` adds entries named `n001` and on, with `{}` in their
texts filled in by the number. Every document gets a head with one simulated site, `iad`, unless it says `sites`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from vastplan.app import checks
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.checks.facts import Facts, LiveObject
from vastplan.checks.tasks import SkyTask, read_task
from vastplan.document.yaml import load_mapping
from vastplan.exporting.skypilot import ExportSelection, folders
from vastplan.model.address import Address
from vastplan.model.finding import Finding

HERE = Path(__file__).parent
TODAY = date(2026, 6, 15)
Live = dict[str, dict[str, dict[str, Any]]]
_KEYS = {"document", "finds", "live", "repeat", "probed", "weighs", "fix", "then", "tasks", "skypilot"}


@dataclass(frozen=True, slots=True)
class Case:
    """One document, and what the check is to say of it: messages by address."""

    code: str
    title: str
    document: dict[str, Any]
    finds: dict[str, list[str]]
    live: Live
    probed: dict[str, dict[str, str]]
    weighs: str
    fix: str
    then: dict[str, Any]
    tasks: Any
    skypilot: str


def cases() -> Iterator[Case]:
    """All cases of all files."""
    for file in sorted(HERE.glob("*.yaml")):
        tree = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
        assert set(tree) <= {"check", "base", "good", "bad"} and tree["check"] == file.stem, file
        for sort in ("good", "bad"):
            for title, case in tree[sort].items():
                in_full = sort == "bad" or set(case or {}) & {"document", "live", "probed", "tasks"}
                whole = case if in_full else {"document": case}
                assert set(whole) <= _KEYS, (file, title)
                finds = {
                    address: messages if isinstance(messages, list) else [messages]
                    for address, messages in whole.get("finds", {}).items()
                }
                assert bool(finds) == (sort == "bad"), (file, title)
                document = laid(tree.get("base") or {}, whole.get("document") or {})
                if "repeat" in whole:
                    document = laid(document, repeated(**{"within": whole["repeat"].pop("in"), **whole["repeat"]}))
                yield Case(
                    tree["check"],
                    f"{sort}: {title}",
                    document,
                    finds,
                    whole.get("live") or {},
                    whole.get("probed") or {},
                    whole.get("weighs") or "",
                    whole.get("fix") or "",
                    whole.get("then") or {},
                    whole.get("tasks") or {},
                    whole.get("skypilot") or "",
                )


def laid(base: Any, top: Any) -> Any:
    """`top` over `base`, mappings deep; null takes away."""
    if not (isinstance(base, dict) and isinstance(top, dict)):
        return top
    merged = {**base, **{key: laid(base.get(key), value) for key, value in top.items()}}
    return {key: value for key, value in merged.items() if not (key in top and top[key] is None)}


def repeated(within: list[str], count: int, entry: dict[str, Any]) -> dict[str, Any]:
    """Many entries that differ in their number only."""
    tree: dict[str, Any] = {
        f"n{number:03}": {
            key: value.replace("{}", str(number)) if isinstance(value, str) else value for key, value in entry.items()
        }
        for number in range(1, count + 1)
    }
    for key in reversed(within):
        tree = {key: tree}
    return tree


def written(document: dict[str, Any], folder: Path) -> Workspace:
    """The document with a head, in a folder."""
    head = {"version": 1, "name": "case", "sites": {"iad": {"sim": {}}}}
    path = folder / "case.yaml"
    path.write_text(yaml.dump({**head, **document}, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8")
    return open_workspace([path])


def facts_of(workspace: Workspace, live: Live, probed: dict[str, dict[str, str]] | None = None) -> Facts:
    """What the checks may know of it."""
    facts = checks.check_facts(workspace, workspace.composed(), probed)
    seen = {
        (site, kind): tuple(
            LiveObject(Address(site, kind, name), figures, figures, figures, figures.get("delivered_at", ""))
            for name, figures in _by_name(objects).items()
        )
        for site, kinds in live.items()
        for kind, objects in kinds.items()
    }
    return replace(facts, seen=seen, today=TODAY)


def _by_name(objects: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return objects if all(isinstance(figures, dict) for figures in objects.values()) else {"only": objects}


def tasks_of(case: Case, facts: Facts, folder: Path) -> tuple[SkyTask, ...]:
    """The tasks of a case: those of an export, or files that somebody wrote."""
    if case.tasks == "exported":
        exported = folders(facts, {}, ExportSelection(facts.sites), case.skypilot)
        return tuple(task for each in exported for task in each.tasks.values())
    return tuple(_given(name, tree, case.skypilot, folder) for name, tree in case.tasks.items())


def _given(name: str, tree: Any, skypilot: str, folder: Path) -> SkyTask:
    path = folder / f"{name}-of-the-case.yaml"
    path.write_text("# somebody's\n" + yaml.safe_dump(tree, sort_keys=False))
    read = load_mapping(path, str(path))
    return replace(read_task("iad", name, read, read.at), reader=skypilot)


def checked(
    workspace: Workspace,
    live: Live | None = None,
    today: date = TODAY,
    probed: dict[str, dict[str, str]] | None = None,
) -> list[Finding]:
    """What is found in it."""
    return list(checks.check_findings(workspace, facts_of(workspace, live or {}, probed), today))


def found(case: Case, folder: Path, then: dict[str, Any] | None = None) -> list[Finding]:
    """What is found in the document of a case, with `then` laid over it, and in its tasks."""
    workspace = written(laid(case.document, then or {}), folder)
    facts = facts_of(workspace, case.live, case.probed)
    return list(checks.check_findings(workspace, replace(facts, tasks=tasks_of(case, facts, folder)), TODAY))
