"""`plan --approvals-template FILE`, signed, is what `--approvals FILE` takes; nothing is written over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.guards.test_approvals_template import signed

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {"systems": ["vast"]}}},
    "tenants": {f"t{number}": {} for number in range(4)},
}


@pytest.fixture
def emptied(tmp_path: Path, vastplan: Run) -> Path:
    """A document two of whose tenants went after an apply."""
    file = tmp_path / "doc.yaml"
    file.write_text(yaml.safe_dump(DOCUMENT))
    assert vastplan("apply", file, "--auto-approve").code == 0
    file.write_text(yaml.safe_dump({**DOCUMENT, "tenants": {"t0": {}, "t1": {}}}))
    return file


def test_there_and_back(emptied: Path, vastplan: Run, tmp_path: Path) -> None:
    file = tmp_path / "signed" / "approvals.yaml"
    file.parent.mkdir()
    ran = vastplan("plan", emptied, "--approvals-template", file)
    assert ran.code == 0 and f"wrote {file}: 2 approvals to give a reason for" in ran.err, ran
    ran = vastplan("plan", emptied, "--approvals", file)
    assert ran.code == 1 and ran.err.count("VP240") == 2, ran
    signed(file)
    ran = vastplan("plan", emptied, "--approvals", file, "--detailed-exitcode")
    assert ran.code == 2 and "2 to delete" in ran.out and "blocked" not in ran.out, ran
    ran = vastplan("plan", emptied, "--approvals", file, "--approvals-template", tmp_path / "more.yml")
    assert "no approval is needed, so none was written" in ran.err and not (tmp_path / "more.yml").exists()


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\u2029"])
def test_a_comment_approves_nothing(end: str, emptied: Path, vastplan: Run, tmp_path: Path) -> None:
    file, one = tmp_path / "approvals.yaml", '{address: iad/tenant/t3, reason: not this week, until: "2999-01-01"}'
    file.write_bytes(f"version: 1\napprovals:\n# for next week{end}  - {one}\n".encode())
    ran = vastplan("plan", emptied, "--approvals", file)
    assert ran.code == 1 and f"{file}:3:16: error VP104: " in ran.err and "to delete" not in ran.out, ran


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\u2029"])
def test_a_comment_connects_nothing(end: str, vastplan: Run, tmp_path: Path) -> None:
    (tmp_path / "doc.yaml").write_text("version: 1\nname: doc\nsites: {iad: {}}\n")
    file = tmp_path / "connections.yaml"
    file.write_bytes(f"version: 1\nsites: {{iad: {{sim: {{}}}}}} # one{end}secrets: {{env: ['*']}}\n".encode())
    ran = vastplan("validate", tmp_path / "doc.yaml", "--connections", file)
    assert ran.code == 1 and f"{file}:2:30: error VP104: " in ran.err, ran


def test_what_is_there_is_not_written_over(emptied: Path, vastplan: Run, tmp_path: Path) -> None:
    there, link = tmp_path / "there.yml", tmp_path / "link.yml"
    there.write_text("signed")
    link.symlink_to(tmp_path / "nowhere")
    for file in (there, link):
        ran = vastplan("plan", emptied, "--approvals-template", file)
        assert ran.code == 1 and ran.out == "" and "it exists already" in ran.err, ran
    assert there.read_text() == "signed"


def test_nor_into_the_document(emptied: Path, vastplan: Run, tmp_path: Path) -> None:
    ran = vastplan("plan", tmp_path, "--approvals-template", tmp_path / "approvals.yaml")
    assert ran.code == 1 and "it would be read as a part of the document" in ran.err, ran
    ran = vastplan("plan", emptied, "--approvals-template", tmp_path / "no" / "a.yml")
    assert ran.code == 1 and "cannot be written: No such file or directory" in ran.err, ran


def test_a_pattern_lists_what_it_matches_by_id(emptied: Path, vastplan: Run, tmp_path: Path) -> None:
    file = tmp_path / "signed" / "approvals.yaml"
    file.parent.mkdir()
    ran = vastplan("plan", emptied, "--approvals-pattern", "iad/tenant/*")
    assert ran.code == 1 and "--approvals-pattern PATTERN needs --approvals-template FILE" in ran.err, ran
    pattern = ("--approvals-pattern", "iad/tenant/t?", "--approvals-pattern", "pdx/*/*")
    ran = vastplan("plan", emptied, "--approvals-template", file, *pattern)
    assert ran.code == 0 and f"wrote {file}: 2 approvals to give a reason for" in ran.err, ran
    (entry,) = yaml.safe_load(file.read_text())["approvals"]
    assert entry["address"] == "iad/tenant/t?" and entry["objects"].keys() == {"iad/tenant/t2", "iad/tenant/t3"}
    signed(file)
    ran = vastplan("plan", emptied, "--approvals", file, "--detailed-exitcode")
    assert ran.code == 2 and "2 to delete" in ran.out and "blocked" not in ran.out, ran
    file.write_text(
        file.read_text().replace(f'"iad/tenant/t3": "{entry["objects"]["iad/tenant/t3"]}"', '"iad/tenant/t3": "99"')
    )
    ran = vastplan("plan", emptied, "--approvals", file, "--detailed-exitcode")
    assert ran.code == 3 and "its approval is of the object with id 99" in ran.out, ran
    file.write_text("".join(line for line in file.read_text().splitlines(True) if 'iad/tenant/t3": ' not in line))
    ran = vastplan("plan", emptied, "--approvals", file, "--detailed-exitcode")
    assert ran.code == 3 and "1 change needs approval, 1 change can be applied" in ran.out, ran


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("address: iad/view/*", "objects is missing: a pattern approves the objects that it lists, each by its id"),
        ("address: iad/view/*, id: 3, objects: {iad/view/a: 3}", "id is for one object; write the ids of a pattern in objects"),
        ("address: iad/view/a, objects: {iad/view/a: 3}", "objects is for a pattern with * or ?; write id"),
        ("address: iad/view/*, objects: {iad/quota/a: 3}", "objects has iad/quota/a, which iad/view/* does not match"),
        ("address: 'iad/view/[ab]*', objects: {iad/view/a: 3}", "objects has iad/view/a, which iad/view/[ab]* does not match"),
        ("address: iad/view/*, objects: {iad/view/*: 3}", "is not the address of one object, SITE/KIND/NAME"),
        ("address: iad/view/*, objects: {}", "objects"),
    ],
)  # fmt: skip
def test_a_pattern_without_its_objects_approves_nothing(
    entry: str, wrong: str, emptied: Path, vastplan: Run, tmp_path: Path
) -> None:
    file = tmp_path / "approvals.yml"
    file.write_text(f"version: 1\napprovals: [{{{entry}, reason: agreed, until: '2999-01-01'}}]\n")
    ran = vastplan("plan", emptied, "--approvals", file)
    assert ran.code == 1 and "VP240" in ran.err and wrong in ran.err, ran
