"""Blocks of the pages in docs/: each `yaml` is valid where its page puts it, each command is one that vastplan takes.

Of docs/document.md all blocks but the last are one document. The blocks of another page are fragments: each is laid over a document that
has what they refer to (`BASE`), or its lines are, one at a time, where they are alternatives to each other. Guides are followed by
test_guides.py, and pages with a test of their own are left to that.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checks.cases import laid
from tests.conftest import Run
from tests.docs.pages import blocks
from vastplan.cli.parser import parser

ROOT = Path(__file__).parents[2]
PAGES = sorted(ROOT.glob("docs/*.md"))
ELSEWHERE = {
    "import.md": "tests/importing/test_page.py",
    "terraform.md": "tests/importing/test_terraform_page.py",
    "skypilot.md": "tests/test_examples.py",
}
BASE = """\
version: 1
name: pages
sites:
  iad: {sim: {}, capability: {writes_bw_mbps: 50 GB/s, reads_bw_mbps: 200 GB/s, wan_bw_mbps: {pdx: 5 GB/s}}}
  pdx: {sim: {}, capability: {writes_bw_mbps: 50 GB/s, reads_bw_mbps: 200 GB/s}}
namespaces: {vast-csi: {}, team-a: {}}
secrets:
  vast-mgmt: {namespace: vast-csi, data: {endpoint: vms.example.com, username: csi, password: {file: csi-password}}}
  s3: {namespace: team-a, data: {endpoint: s3.example.com}}
local_providers: {team-a: {}}
departments: {all: {gpus: {default: 128}}}
tenants:
  team-a:
    local_provider: team-a
    vip_pool: {subnet_cidr: 24, per_site: {iad: {ip_ranges: [10.20.1.10 - 10.20.1.25]}, pdx: {ip_ranges: [10.30.1.10 - 10.30.1.25]}}}
    view_policy: {flavor: NFS, nfs_no_squash: [10.12.0.0/24]}
    users: {alice: {uid: 30109}}
    storage_classes: {fast: {driver: file, storage_path: /team-a/k8s, secret: vast-mgmt}}
    projects: {research: {department: all, gpus: {default: 8}}, serving: {department: all, gpus: {default: 8}}}
"""
PLACES = {
    "checkpoint": {"volumes": {"checkpoints": {"tenant": "team-a", "project": "research", "path": "/team-a/c", "size": "20 TiB", "mount": "/c"}}},
    "deliver": {"s3_keys": {"alice": {"tenant": "team-a", "user": "alice"}}},
}  # fmt: skip
"""Where a fragment of one field belongs: what it is a field of."""
PROJECT = {"clones.md": "research", "checkpoints.md": "research"}
"""Pages whose volumes are of a tenant with several projects: the one that each is of, unless it says."""


def alternatives(text: str) -> list[str]:
    """The block, or each of its lines where they say the same field."""
    lines = text.splitlines()
    keys = [line.partition(":")[0] for line in lines]
    return [text] if len(set(keys)) == len(keys) or any(line.startswith(" ") for line in lines) else lines


def document(fragment: str, page: str) -> Any:
    """The document that a fragment of a page is a part of."""
    part = yaml.safe_load(fragment)
    (first, *_) = part
    if first in PLACES:
        ((section, entries),) = PLACES[first].items()
        ((name, entry),) = entries.items()
        part = {section: {name: {**entry, **part}}}
    for volumes in (part.get("volumes", {}), part.get("tenants", {}).get("team-a", {}).get("volumes", {})):
        for volume in volumes.values():
            if page in PROJECT:
                volume.setdefault("project", PROJECT[page])
    base = yaml.safe_load(BASE)
    for name, site in part.get("sites", {}).items():
        if "vast" in site:  # a real one
            base["sites"][name] = {}
    return laid(base, part)


FRAGMENTS = [
    pytest.param(page.name, one, id=f"{page.stem}-{number}")
    for page in PAGES
    if page.name not in (*ELSEWHERE, "document.md")
    for number, one in enumerate(one for block in blocks(page, "yaml") for one in alternatives(block))
]


@pytest.mark.parametrize(("page", "fragment"), FRAGMENTS)
def test_a_fragment_of_a_page_is_valid(
    page: str, fragment: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "*")
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    (tmp_path / "doc.yaml").write_text(
        yaml.safe_dump(document(fragment.replace("FOLDER", "ledger").replace("NAMESPACE/NAME", "team-a/s3"), page))
    )
    ran = vastplan("validate", tmp_path / "doc.yaml")
    assert ran.code == 0, ran


def test_the_page_of_the_document_is_one_document(tmp_path: Path, vastplan: Run) -> None:
    *parts, versions = blocks(ROOT / "docs" / "document.md", "yaml")
    (tmp_path / "doc").mkdir()
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path / "doc")
    for number, part in enumerate(parts):
        (tmp_path / "doc" / f"{number}.yaml").write_text(part)
    (tmp_path / "versions.yaml").write_text(versions)
    assert vastplan("validate", tmp_path / "doc").code == 0
    assert vastplan("plan", tmp_path / "doc").code == 0
    assert vastplan("validate", tmp_path / "versions.yaml").code == 0


def test_pages_that_are_left_to_others_have_a_test() -> None:
    for page, test in ELSEWHERE.items():
        assert page in (ROOT / test).read_text(), (page, test)


COMMANDS = [
    pytest.param(line[2:], id=f"{page.stem}-{number}")
    for page in PAGES
    for number, line in enumerate(line for block in blocks(page, "console") for line in block.splitlines())
    if line.startswith("$ vastplan ")
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_a_page_is_one_that_is_taken(command: str) -> None:
    parser().parse_args(shlex.split(command, comments=True)[1:])
