"""What is written first under another name is nowhere that somebody else could have put a link: the name cannot be told before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vastplan.ledger.file import write_atomically
from vastplan.model import regular_files
from vastplan.sim import private_files

WRITERS: dict[str, Callable[[Path, bytes], object]] = {
    "what commands write": write_atomically,
    "who holds a ledger": regular_files.write_new,
    "what simulators keep": private_files.write_private,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_link_under_a_likely_name_is_not_written_through(name: str, tmp_path: Path) -> None:
    mine, folder = tmp_path / "mine", tmp_path / "folder"
    mine.write_text("mine")
    folder.mkdir()
    for likely in (
        ".it.json.new",
        "it.json.new",
        ".it.json.tmp",
        f".it.json.{os.getpid()}.new",
        f"it.json.{os.getpid()}",
    ):
        (folder / likely).symlink_to(mine)
    WRITERS[name](folder / "it.json", b"{}")
    assert mine.read_text() == "mine"
    assert (folder / "it.json").read_bytes() == b"{}" and not (folder / "it.json").is_symlink()


@pytest.mark.parametrize("name", WRITERS)
def test_the_other_name_is_a_new_file_and_another_one_each_time(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    flags: list[int] = []
    really = os.open

    def opened(path: str | Path, how: int, mode: int = 0o777) -> int:
        if how & os.O_CREAT:  # a folder is opened too
            names.append(Path(path).name)
            flags.append(how)
        return really(path, how, mode)

    monkeypatch.setattr(os, "open", opened)
    for _ in range(3):
        WRITERS[name](tmp_path / "it.json", b"{}")
    assert len(set(names)) == 3
    assert all(how & os.O_EXCL and how & os.O_NOFOLLOW for how in flags)
    assert not any(str(os.getpid()) == part for each in names for part in each.split("."))


@pytest.mark.parametrize("name", WRITERS)
def test_what_cannot_be_put_in_its_place_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    (tmp_path / "it.json").mkdir()
    with pytest.raises(IsADirectoryError):
        WRITERS[name](tmp_path / "it.json", b"{}")
    assert [file.name for file in tmp_path.iterdir()] == ["it.json"]
