"""The new files: all of them or none, never over what is there, whatever happens while they are written."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.importing.recorded import HEAD, documents, imported
from vastplan.app.importer import ImportOptions, import_live, write_import
from vastplan.app.importing import files
from vastplan.app.importing.files import take_back, unfinished, write_import_files
from vastplan.app.workspace import open_workspace
from vastplan.model.errors import VastplanError
from vastplan.model.snapshot import RecordedSnapshot

FILES = [("shared.yaml", "a: 1\n"), ("tenant-a.yaml", "b: 2\n"), ("tenant-b.yaml", "c: 3\n")]


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_a_name_that_is_taken_gets_another(tmp_path: Path) -> None:
    (tmp_path / "tenant-a.yaml").write_text("theirs\n")
    (tmp_path / "tenant-a-2.yaml").symlink_to("nowhere")
    (tmp_path / "shared.yaml").mkdir()
    paths = write_import_files(tmp_path, FILES)
    assert [path.name for path in paths] == ["shared-2.yaml", "tenant-a-3.yaml", "tenant-b.yaml"]
    assert [path.read_text() for path in paths] == [text for _, text in FILES]
    assert (tmp_path / "tenant-a.yaml").read_text() == "theirs\n"
    assert (tmp_path / "tenant-a-2.yaml").is_symlink() and not (tmp_path / "nowhere").exists()


def test_write_all_leaves_files_that_others_may_read(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        (path,) = write_import_files(tmp_path, FILES[:1])
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o644


def test_write_all_has_an_end_where_every_name_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST", 3)
    names = [write_import_files(tmp_path, FILES[:1])[0].name for _ in range(2)]
    assert names == ["shared.yaml", "shared-2.yaml"]
    with pytest.raises(VastplanError) as raised:
        write_import_files(tmp_path, FILES)
    assert str(raised.value) == f"{tmp_path} has 3 files named shared.yaml; nothing was written"
    assert len(_texts(tmp_path)) == 2


def test_write_all_waits_for_nobody(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(VastplanError) as raised:
            write_import_files(tmp_path, FILES)
    finally:
        os.close(descriptor)
    text = f"another import is writing to {tmp_path}; nothing was written: import again"
    assert str(raised.value) == text and _texts(tmp_path) == {}


def test_write_all_writes_nothing_beside_a_document_that_changed(tmp_path: Path) -> None:
    with pytest.raises(VastplanError) as raised:
        write_import_files(tmp_path, FILES, lambda: False)
    text = "the document changed during the import; nothing was written: import again"
    assert str(raised.value) == text
    assert _texts(tmp_path) == {}


class Killed(BaseException):
    """The process is gone."""


def _failing(monkeypatch: pytest.MonkeyPatch, at: int, problem: BaseException) -> Callable[[], int]:
    """The N-th call that changes the folder or the disk fails; the answer tells how many there were."""
    count = 0

    def wrapped(name: str) -> None:
        original: Callable[..., Any] = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += 1
            if count == at:
                raise problem
            return original(*args, **kwargs)

        monkeypatch.setattr(os, name, call)

    for name in ("open", "fsync", "link"):
        wrapped(name)
    return lambda: count


STEPS = 11  # the folder; each of three files opened, synced and linked; the mark that this is not done yet


@pytest.mark.parametrize(
    "problem", [OSError(errno.ENOSPC, "No space left on device"), Killed()], ids=["full", "interrupted"]
)
@pytest.mark.parametrize("at", range(1, STEPS + 1))
def test_none_is_there_when_one_cannot_be_written(
    at: int, problem: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text("mine\n")
    with monkeypatch.context() as patched:
        _failing(patched, at, problem)
        with pytest.raises((VastplanError, Killed)) as raised:
            write_import_files(tmp_path, FILES)
    assert _texts(tmp_path) == {"mine.yaml": "mine\n"}
    if isinstance(problem, OSError):
        assert str(raised.value) == f"{tmp_path} cannot be written to: No space left on device; nothing was written"


def test_every_step_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        counted = _failing(patched, -1, Killed())
        write_import_files(tmp_path, FILES)
    assert counted() == STEPS


def test_of_two_imports_at_once_one_writes_all_and_the_other_nothing(factory: RecordedSnapshot, tmp_path: Path) -> None:
    documents(tmp_path, {"head.yaml": HEAD})
    both = [
        import_live(open_workspace([tmp_path], None, factory), ImportOptions(("iad", "pdx"), factory)) for _ in range(2)
    ]
    problems: list[VastplanError] = []

    def run(number: int) -> None:
        try:
            write_import(both[number], tmp_path, "")
        except VastplanError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(problems) == 1 and str(problems[0]).endswith("; nothing was written: import again")
    new = {text.name for text in both[0].texts}
    assert set(_texts(tmp_path)) == {"head.yaml", "csi-password", *new}
    assert imported(tmp_path, factory).imported.texts == ()


def test_a_document_that_somebody_edits_meanwhile_is_not_added_to(factory: RecordedSnapshot, tmp_path: Path) -> None:
    documents(tmp_path, {"head.yaml": HEAD})
    done = import_live(open_workspace([tmp_path], None, factory), ImportOptions(("iad", "pdx"), factory))
    (tmp_path / "more.yaml").write_text("departments: {research: {}}\n")
    with pytest.raises(VastplanError, match="changed during the import"):
        write_import(done, tmp_path, "")
    assert set(_texts(tmp_path)) == {"head.yaml", "csi-password", "more.yaml"}


def _killed(folder: Path, monkeypatch: pytest.MonkeyPatch, at: int, unlinked: int = 0) -> None:
    """A process is gone at its N-th call, or after it has taken so many names away: nothing is undone."""

    def gone(path: Path, missing_ok: bool = False) -> None:
        nonlocal unlinked
        unlinked -= 1
        if unlinked < 0:
            raise Killed
        os.unlink(path)

    with monkeypatch.context() as patched:
        _failing(patched, at, Killed())
        patched.setattr(Path, "unlink", gone)
        with pytest.raises(Killed):
            write_import_files(folder, FILES)


@pytest.mark.parametrize(("at", "linked"), [(4, 0), (8, 0), (9, 0), (10, 1), (12, 2), (-1, 3)])
def test_write_all_leaves_nothing_half_done_that_take_back_does_not_find(
    at: int, linked: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tenant-a.yaml").write_text("mine\n")
    _killed(tmp_path, monkeypatch, at)
    written = ["shared.yaml", "tenant-a-2.yaml", "tenant-b.yaml"][:linked]
    assert sorted(name for name in _texts(tmp_path) if name[0] != ".") == sorted([*written, "tenant-a.yaml"])
    assert unfinished(tmp_path) is (at not in (4, 8))
    assert take_back(tmp_path) == written
    assert _texts(tmp_path) == {"tenant-a.yaml": "mine\n"}
    assert take_back(tmp_path) == [] and not unfinished(tmp_path)


def test_write_all_is_done_once_all_have_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _killed(tmp_path, monkeypatch, -1, unlinked=1)
    assert take_back(tmp_path) == []
    assert _texts(tmp_path) == dict(FILES)


def test_write_all_of_a_run_that_was_killed_stays_where_somebody_edited_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _killed(tmp_path, monkeypatch, 11)
    with (tmp_path / "shared.yaml").open("a") as file:
        file.write("# mine\n")
    with pytest.raises(VastplanError) as raised:
        take_back(tmp_path)
    fix = f"delete {tmp_path / '.vastplan-import.unfinished'} to keep the file, or delete the file"
    text = f"{tmp_path / 'shared.yaml'}: an interrupted import wrote it, and it was edited since: {fix}"
    assert str(raised.value) == text
    assert {name for name in _texts(tmp_path) if name[0] != "."} == {"shared.yaml", "tenant-a.yaml"}
    (tmp_path / ".vastplan-import.unfinished").unlink()
    assert take_back(tmp_path) == []
    assert _texts(tmp_path) == {"shared.yaml": "a: 1\n# mine\n", "tenant-a.yaml": "b: 2\n"}


def test_what_write_all_left_and_nobody_can_take_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _killed(tmp_path, monkeypatch, 11)

    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        with pytest.raises(VastplanError) as raised:
            take_back(tmp_path)
    text = "an earlier import was interrupted while it wrote, and what it wrote cannot be removed: Permission denied"
    assert str(raised.value) == f"{tmp_path}: {text}"


def test_what_write_all_left_may_be_taken_away_by_others_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _killed(tmp_path, monkeypatch, 11)
    real = files._unlinked

    def unlinked(folder: Path, left: Any) -> list[str]:
        for temporary, _ in left:
            os.unlink(temporary)
        (folder / ".vastplan-import.unfinished").rename(folder / "elsewhere")
        return real(folder, [])

    monkeypatch.setattr(files, "_unlinked", unlinked)
    assert take_back(tmp_path) == []


def test_a_mark_that_was_left_alone_stops_no_later_import(tmp_path: Path) -> None:
    (tmp_path / ".vastplan-import.unfinished").touch()
    assert take_back(tmp_path) == [] and not unfinished(tmp_path)
    assert [path.name for path in write_import_files(tmp_path, FILES)]


def test_write_all_takes_no_mark_of_another_for_its_own(tmp_path: Path) -> None:
    (tmp_path / ".vastplan-import.unfinished").touch()
    with pytest.raises(VastplanError) as raised:
        write_import_files(tmp_path, FILES)
    assert str(raised.value) == f"{tmp_path} cannot be written to: File exists; nothing was written"


def test_an_import_that_was_cut_off_is_done_by_the_next(
    factory_folder: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(factory_folder, tmp_path / "mine")
    before = set(_texts_of(folder))
    _killed(folder, monkeypatch, 11)
    ran = vastplan("import", folder, "--dry-run")
    assert ran.code == 1 and "run without --dry-run to remove what it wrote" in ran.err
    ran = vastplan("import", folder)
    assert ran.code == 0 and "removed what it wrote: shared.yaml, tenant-a.yaml" in ran.err
    new = set(_texts_of(folder)) - before
    assert new and not any(name.startswith(".") for name in new)
    assert vastplan("import", folder).code == 0
    assert set(_texts_of(folder)) - before == new


def _texts_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}


def test_write_all_never_stands_beside_files_that_are_not_read(
    factory_folder: Path, tmp_path: Path, vastplan: Run
) -> None:
    out = tmp_path / "new" / "out"
    assert vastplan("import", factory_folder, "--out", out.parent, "--dry-run").code == 0 and not out.parent.exists()
    ran = vastplan("import", factory_folder, "--out", out)
    assert ran.code == 1 and f"--out {out}: its folder does not exist: mkdir -p {out.parent}" in ran.err
    out.parent.write_text("")
    ran = vastplan("import", factory_folder, "--out", out.parent)
    assert ran.code == 1 and "is a file: give a folder; vastplan creates it if it does not exist" in ran.err
    out = tmp_path / "out"
    assert vastplan("import", factory_folder, "--out", out).code == 0  # which is created
    for file in out.iterdir():
        file.unlink()
    (out / "connections.yaml").write_text("version: 1\nsites: {}\n")  # what is no part of a document may stand there
    assert vastplan("import", factory_folder, "--out", out).code == 0
    (out / "connections.yaml").unlink()
    told = _texts(out)
    ran = vastplan("import", factory_folder, "--out", out)
    assert ran.code == 1 and f"vastplan import {factory_folder} {out} --out {out}" in ran.err, ran
    assert _texts(out) == told
    ran = vastplan("import", factory_folder, out, "--out", out)
    assert ran.code == 0 and _texts(out) == told


def test_a_folder_that_cannot_be_written_to_is_told(
    factory_folder: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (out := tmp_path / "out").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(os, "link", refused)
        ran = vastplan("import", factory_folder, "--out", out)
    assert ran.code == 1 and "cannot be written to: Permission denied; nothing was written" in ran.err
    assert _texts(out) == {}
