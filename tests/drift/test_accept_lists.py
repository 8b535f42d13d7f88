"""`--accept` of a list: it is written where it is written, and what stays in it keeps its line and its comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.drift.stage import an_hour_ago, stage
from tests.drift.test_accept import nothing_left, touched

HEAD = """\
version: 1
name: hand
sites: {iad: {sim: {systems: [vast]}}}
tenants: {team-a: {}}
view_policies:
"""
TWO_SITES = HEAD.replace("[vast]}}}", "[vast]}}, pdx: {sim: {systems: [vast]}}}")
BLOCK = """\
  p:
    tenant: team-a
    flavor: NFS
    nfs_no_squash:
      # who may be root
      - 10.12.0.0/24  # the login nodes

      # asked for in March
      - '10.13.0.0/24'
      - 10.14.0.0/24   # until June
    # what comes next
    nfs_read_only: []
"""
BEFORE = ["10.12.0.0/24", "10.13.0.0/24", "10.14.0.0/24"]
BRACKETS = "  p: {tenant: team-a, flavor: NFS, nfs_no_squash: [10.12.0.0/24, '10.13.0.0/24', 10.14.0.0/24]}  # all\n"
COMMENTED = """\
  p:
    tenant: team-a
    flavor: NFS
    nfs_no_squash: [
      10.12.0.0/24,  # the login nodes
      10.13.0.0/24, 10.14.0.0/24]
"""
NEXT_LINE = "  p:\n    tenant: team-a\n    flavor: NFS\n    nfs_no_squash:\n    - 10.12.0.0/24 # one\n    - 10.13.0.0/24\n    - 10.14.0.0/24 # end"
ANCHORED = """\
  p: {tenant: team-a, flavor: NFS, nfs_no_squash: &hosts [10.12.0.0/24, 10.13.0.0/24, 10.14.0.0/24]}
  q: {tenant: team-a, flavor: NFS, nfs_no_squash: *hosts}
"""
REUSED = """\
  p: {tenant: team-a, flavor: NFS, nfs_no_squash: [&one 10.12.0.0/24, 10.13.0.0/24, 10.14.0.0/24]}
  q: {tenant: team-a, flavor: NFS, nfs_no_squash: [*one]}
"""


def accepted(folder: Path, vastplan: Run, text: str, live: list[str], code: int = 0) -> str:
    """Apply the document, change the list by hand, accept that; answers what was said."""
    with stage(folder, text) as hands:
        with an_hour_ago():
            ran = vastplan("apply", folder / "hand.yaml", "--auto-approve")
        assert ran.code == 0, ran
        key = hands.row("iad", "viewpolicies", name="p")["id"]
        hands.call("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{key}/", {"nfs_no_squash": live})
        ran = vastplan("drift", folder / "hand.yaml", "--accept", "iad/view_policy/p.nfs_no_squash")
        assert ran.code == code, ran
        if not code:
            nothing_left(vastplan, folder)
        assert "per_site" not in (folder / "hand.yaml").read_text()
        return ran.err if code else ran.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("live", "lines"),
    [
        ([*BEFORE, "10.15.0.0/24"], ["+      - 10.15.0.0/24"]),
        (["10.12.0.0/24", "10.14.0.0/24"], ["-", "-      # asked for in March", "-      - '10.13.0.0/24'"]),
        (["10.13.0.0/24", "10.14.0.0/24"], ["-      - 10.12.0.0/24  # the login nodes"]),
        (["10.15.0.0/24", "10.12.0.0/24", "10.13.0.0/24"], ["-      - 10.14.0.0/24   # until June", "+      - 10.15.0.0/24"]),
    ],
    ids=["one more", "one in the middle goes", "the first goes", "one for another"],
)  # fmt: skip
def test_comments_of_what_stays_stay(live: list[str], lines: list[str], tmp_path: Path, vastplan: Run) -> None:
    accepted(tmp_path, vastplan, HEAD + BLOCK, live)
    assert touched(tmp_path, before=HEAD + BLOCK) == lines


def test_who_was_let_in_by_hand_and_accepted_is_in_the_review(tmp_path: Path, vastplan: Run) -> None:
    with stage(tmp_path, HEAD + BLOCK) as hands:
        with an_hour_ago():
            assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        key = hands.row("iad", "viewpolicies", name="p")["id"]
        hands.call("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{key}/", {"nfs_no_squash": [*BEFORE, "10.99.0.0/16"]})
        assert vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/view_policy/p.nfs_no_squash").code == 0
        text = vastplan("plan", tmp_path / "hand.yaml").out
        assert text.split("\n\n")[1].startswith("Who is let in (1)") and "10.99.0.0/16" in text.split("iad\n")[0], text
        assert "the system does already, and from now on the document too" in " ".join(text.split())
        comment = vastplan("plan", tmp_path / "hand.yaml", "--format", "markdown").out
        assert "1 lets somebody in" in comment and "10.99.0.0/16" in comment.split("#### Who is let in")[1][:600], (
            comment
        )


def test_all_of_it_goes(tmp_path: Path, vastplan: Run) -> None:
    accepted(tmp_path, vastplan, HEAD + BLOCK, [])
    text = (tmp_path / "hand.yaml").read_text()
    assert "      # who may be root\n      []\n    # what comes next\n" in text


@pytest.mark.slow
def test_the_end_of_a_file_stays_as_it_is(tmp_path: Path, vastplan: Run) -> None:
    accepted(tmp_path, vastplan, HEAD + NEXT_LINE, [*BEFORE[:2], "10.15.0.0/24"])
    assert (
        (tmp_path / "hand.yaml")
        .read_text()
        .endswith("    - 10.12.0.0/24 # one\n    - 10.13.0.0/24\n    - 10.15.0.0/24")
    )


@pytest.mark.slow
def test_a_list_in_brackets_stays_in_them(tmp_path: Path, vastplan: Run) -> None:
    accepted(tmp_path, vastplan, HEAD + BRACKETS, BEFORE[1:])
    assert touched(tmp_path, before=HEAD + BRACKETS)[1] == (
        "+  p: {tenant: team-a, flavor: NFS, nfs_no_squash: [10.13.0.0/24, 10.14.0.0/24]}  # all"
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", [COMMENTED, ANCHORED, REUSED], ids=["comments in brackets", "anchor", "anchored item"])
def test_what_cannot_be_edited_is_left_and_said(text: str, tmp_path: Path, vastplan: Run) -> None:
    said = accepted(tmp_path, vastplan, HEAD + text, BEFORE[1:], code=1)
    assert "or the value there has an anchor or comments in brackets" in said and "by hand" in said
    assert (tmp_path / "hand.yaml").read_text() == HEAD + text


@pytest.mark.slow
def test_of_several_sites_the_one_gets_its_own(tmp_path: Path, vastplan: Run) -> None:
    text = TWO_SITES + BLOCK
    with stage(tmp_path, text) as hands:
        with an_hour_ago():
            assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        key = hands.row("iad", "viewpolicies", name="p")["id"]
        hands.call("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{key}/", {"nfs_no_squash": BEFORE[1:]})
        assert vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/view_policy/p").code == 0
        assert touched(tmp_path, before=text) == ["+    per_site: {iad: {nfs_no_squash: [10.13.0.0/24, 10.14.0.0/24]}}"]
        nothing_left(vastplan, tmp_path)


@pytest.mark.slow
def test_an_entry_of_one_of_several_sites_is_edited_where_it_stands(tmp_path: Path, vastplan: Run) -> None:
    text = TWO_SITES + BLOCK + "    sites: [iad]\n"
    accepted(tmp_path, vastplan, text, BEFORE[:2])
    assert touched(tmp_path, before=text) == ["-      - 10.14.0.0/24   # until June"]
