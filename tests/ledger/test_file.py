"""The local ledger: atomic, journalled, locked, and refused when it is not ours."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from vastplan.ledger import events
from vastplan.ledger.file import FileLedger, FileSession, write_atomically
from vastplan.model.errors import Locked, Lost, VastplanError
from vastplan.model.site_ledger import Intent, Owned

OWNED = Owned("7", "7", {"name": "ab"}, ("iad/tenant/a",), "2026-01-01T00:00:00+00:00")


def test_what_was_recorded_is_read_back(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    session = ledger.open("iad", "me")
    session.record(
        events.begin_event("p1", {"iad/view/x": Intent("create")}, "t"), events.own_event("iad/view/x", OWNED)
    )
    session.close()
    part = ledger.read("iad")
    assert part.entries == {"iad/view/x": OWNED}
    assert part.intents == {}
    assert part.plans == ("p1",)
    assert part.serial == 1


def test_a_crash_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    session = ledger.open("iad", "me")
    session.record(events.begin_event("p1", {"iad/view/x": Intent("create"), "iad/view/y": Intent("create")}, "t"))
    session.record(events.own_event("iad/view/x", OWNED))
    with (tmp_path / "iad.journal").open("ab") as journal:
        journal.write(b'{"event": "own", "address": "iad/vi')  # the crash came in the middle of a line
    part = FileLedger(tmp_path, "doc").read("iad")
    assert set(part.entries) == {"iad/view/x"}
    assert set(part.intents) == {"iad/view/y"}


def test_what_is_folded_into_the_file_is_not_done_twice_where_the_journal_is_still_there(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    session = ledger.open("iad", "me")
    session.record(events.own_event("iad/s3_key/k", OWNED))
    session.record(
        events.move_event({"iad/s3_key/k": "iad/s3_key/k#7"}), events.own_event("iad/s3_key/k", replace(OWNED, id="8"))
    )
    before, journal = session.part, (tmp_path / "iad.journal").read_bytes()
    session.close()
    (tmp_path / "iad.journal").write_bytes(journal)  # the end came between the one and the other
    assert ledger.read("iad") == before
    assert FileLedger(tmp_path, "other").others().parts == (before,)
    ledger.open("iad", "the next").close()
    assert ledger.read("iad") == before and not (tmp_path / "iad.journal").exists()


def test_a_journal_of_former_versions_that_says_not_what_it_follows_is_read(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    ledger.open("iad", "me").close()
    (tmp_path / "iad.journal").write_text(json.dumps(events.own_event("iad/view/x", OWNED)) + "\n")
    assert ledger.read("iad").entries == {"iad/view/x": OWNED}
    (tmp_path / "iad.journal").write_text(
        json.dumps(events.own_event("iad/view/x", OWNED)) + "\n" + json.dumps({"follows": "it"}) + "\n"
    )
    with pytest.raises(VastplanError, match="damaged in line 2"):
        ledger.read("iad")


def test_a_damaged_journal_is_not_guessed_at(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    ledger.open("iad", "me").close()
    (tmp_path / "iad.journal").write_bytes(
        b'{"event": "nonsense", "address": "a"}\n{"event": "drop", "address": "b"}\n'
    )
    with pytest.raises(VastplanError, match="damaged in line 1"):
        ledger.read("iad")


def test_one_writer_at_a_time_and_readers_never_wait(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    session = ledger.open("iad", "first")
    with pytest.raises(Locked, match="first"):
        ledger.open("iad", "second")
    assert ledger.read("iad").document == "doc"
    ledger.open("pdx", "second").close()  # another site is another lock
    session.close()
    ledger.open("iad", "second").close()


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    assert stat.S_IMODE((tmp_path / "iad.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{not json", "it is not JSON"),
        ("[]", "it is not a ledger"),
        ('{"version": 1}', "it is not a ledger"),
        ('{"version": 99}', "upgrade vastplan"),
    ],
)
def test_what_is_not_a_ledger_is_refused(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "iad.json").write_text(content)
    with pytest.raises(VastplanError, match=says):
        FileLedger(tmp_path, "doc").read("iad")


def test_documents_that_share_a_folder_have_a_file_each(tmp_path: Path) -> None:
    one, two = FileLedger(tmp_path, "one"), FileLedger(tmp_path, "two")
    session = one.open("iad", "me")
    session.record(events.own_event("iad/view/x", OWNED))
    other = two.open("iad", "you")  # while the first is at work
    assert other.part.entries == {} and other.part.document == "two"
    other.record(events.own_event("iad/view/y", OWNED))
    assert {path.name for path in tmp_path.glob("iad.two.*")} == {
        f"iad.two.{one}" for one in ("json", "journal", "lock", "holder")
    }
    with pytest.raises(Locked, match="in use by you"):
        two.open("iad", "third")
    session.close()
    for ledger, address in ((one, "iad/view/x"), (two, "iad/view/y")):
        assert set(ledger.read("iad").entries) == {address} and ledger.sites() == ("iad",)
    (seen,) = one.others().parts
    assert (seen.document, seen.site, set(seen.entries)) == ("two", "iad", {"iad/view/y"})
    other.close()
    assert {path.name for path in tmp_path.glob("*.json")} == {"iad.json", "iad.two.json"}
    (tmp_path / "iad.json").unlink()  # the other name stays as it is
    assert set(two.read("iad").entries) == {"iad/view/y"} and two.sites() == ("iad",)
    assert one.read("iad").entries == {} and two.unlock("iad") is None


def test_whoever_takes_a_name_first_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two, acquire = FileLedger(tmp_path, "two"), FileLock.acquire

    def late(lock: FileLock, *given: Any, **named: Any) -> Any:
        monkeypatch.undo()
        FileLedger(tmp_path, "one").open("iad", "me").close()
        return acquire(lock, *given, **named)

    monkeypatch.setattr(FileLock, "acquire", late)
    with pytest.raises(Locked) as caught:
        two.open("iad", "you")
    assert str(caught.value) == "another document was creating the ledger of iad; try again"
    two.open("iad", "you").close()
    assert {path.name for path in tmp_path.glob("*.json")} == {"iad.json", "iad.two.json"}


def test_what_is_not_of_the_document_or_the_site_that_its_name_says_is_refused(tmp_path: Path) -> None:
    FileLedger(tmp_path, "one").open("iad", "me").close()
    content = (tmp_path / "iad.json").read_text()
    (tmp_path / "iad.two.json").write_text(content)
    with pytest.raises(VastplanError, match="belongs to the document one, not to two"):
        FileLedger(tmp_path, "two").read("iad")
    (tmp_path / "pdx.json").write_text(content)
    with pytest.raises(VastplanError, match="belongs to the site iad"):
        FileLedger(tmp_path, "one").read("pdx")


def recorded(tmp_path: Path) -> FileSession:
    """A session that has recorded something."""
    session = FileLedger(tmp_path, "doc").open("iad", "me")
    session.record(events.own_event("iad/view/x", OWNED))
    return session


def test_a_ledger_says_where_it_is_and_makes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "where"
    with FileLedger(folder, "doc") as ledger:
        assert ledger.describe() == f"file:{folder}"
        assert ledger.unlock("iad") is None and not folder.exists()
        ledger.open("iad", "me").close()
        ledger.open("iad", "me").close()
    assert {one.name for one in folder.iterdir()} == {"iad.json", "iad.lock"}


def test_a_session_leaves_one_file_with_everything_in_it(tmp_path: Path) -> None:
    session = recorded(tmp_path)
    assert re.fullmatch(r"me since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00\n", (tmp_path / "iad.holder").read_text())
    assert json.loads((tmp_path / "iad.json").read_text())["entries"] == {}
    first, own = (tmp_path / "iad.journal").read_text().splitlines()
    follows = hashlib.blake2b((tmp_path / "iad.json").read_bytes(), digest_size=16).hexdigest()
    assert json.loads(first) == {"follows": follows} and json.loads(own)["event"] == "own"
    session.record(events.own_event("iad/view/x", OWNED))
    assert (tmp_path / "iad.journal").read_text().count("follows") == 1
    (tmp_path / "iad.holder").unlink()
    session.close()
    assert not (tmp_path / "iad.journal").exists()
    assert set(json.loads((tmp_path / "iad.json").read_text())["entries"]) == {"iad/view/x"}


def test_a_session_that_could_not_write_leaves_all_as_it_is(tmp_path: Path) -> None:
    session = recorded(tmp_path)
    before = (tmp_path / "iad.journal").read_bytes(), (tmp_path / "iad.json").read_bytes()
    full = OSError(28, "No space left on device")

    class Full:
        def __init__(self, real: Any) -> None:
            self.real = real

        def write(self, whole: bytes) -> int:
            self.real.write(whole[:9])
            raise full

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

    session._journal_file = Full(session._journal_file)  # type: ignore[assignment]
    says = f"the ledger {tmp_path / 'iad.journal'} cannot be written: No space left on device"
    acts: list[Callable[[], None]] = [lambda: session.record(events.drop_event("iad/view/x")), session.holds]
    for act in acts:
        with pytest.raises(Lost) as caught:
            act()
        assert str(caught.value) == says
    assert set(session.part.entries) == {"iad/view/x"}
    session.close()
    assert ((tmp_path / "iad.journal").read_bytes(), (tmp_path / "iad.json").read_bytes()) == before
    assert set(FileLedger(tmp_path, "doc").read("iad").entries) == {"iad/view/x"}
    FileLedger(tmp_path, "doc").open("iad", "the next").close()


def test_half_a_write_is_none(tmp_path: Path) -> None:
    session = recorded(tmp_path)
    before = (tmp_path / "iad.journal").read_bytes()
    real = session._journal_file
    room = [9]

    class Full:
        def write(self, rest: bytes) -> int:
            if not room:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            return real.write(rest[: room.pop()])

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

    session._journal_file = Full()  # type: ignore[assignment]
    with pytest.raises(Lost) as caught:
        session.record(events.drop_event("iad/view/x"))
    assert str(caught.value) == f"the ledger {tmp_path / 'iad.journal'} cannot be written: {os.strerror(ENOSPC)}"
    assert (tmp_path / "iad.journal").read_bytes() == before
    session.close()


def test_a_write_that_takes_several_is_whole(tmp_path: Path) -> None:
    session = recorded(tmp_path)
    real = session._journal_file

    class Slow:
        def write(self, rest: bytes) -> int:
            return real.write(rest[:9])

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

    session._journal_file = Slow()  # type: ignore[assignment]
    session.record(events.drop_event("iad/view/x"))
    assert FileLedger(tmp_path, "doc").read("iad").entries == {}
    session.close()


def test_a_disk_that_is_full_at_the_end_of_a_run_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = recorded(tmp_path)
    whole = session.part
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        session.close()
    assert FileLedger(tmp_path, "doc").read("iad") == whole
    FileLedger(tmp_path, "doc").open("iad", "the next").close()
    assert FileLedger(tmp_path, "doc").read("iad") == whole


def test_a_disk_that_is_full_at_the_beginning_is_said_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match=os.strerror(ENOSPC)) as caught:
        FileLedger(tmp_path, "doc").open("iad", "me")
    assert (caught.value.errno, caught.value.filename) == (ENOSPC, str(tmp_path / "iad.holder"))
    with pytest.raises(OSError, match=os.strerror(ENOSPC)) as caught:
        write_atomically(tmp_path / "iad.json", b"{}")
    assert (caught.value.errno, caught.value.filename) == (ENOSPC, str(tmp_path / "iad.json"))
    assert [file.name for file in tmp_path.iterdir()] == ["iad.lock"]


def full(*_: object) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


@pytest.mark.parametrize(
    ("journal", "line"),
    [
        (b'{"event": "nonsense"}\n', 1),
        (b'{"event": "drop", "address": "b"}\n[]\n', 2),
        (b"\n\n{}\n", 3),
        (b'{"event": "begin", "plan": "p", "intents": [], "at": ""}\n', 1),
        (b'{"event": "end", "limits": "no mapping", "at": ""}\n', 1),
        (b'\n{"event": "drop"\n{"event": "drop", "address": "b"}', 2),
    ],
)
def test_a_whole_line_that_is_no_event_is_damage(tmp_path: Path, journal: bytes, line: int) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    (tmp_path / "iad.journal").write_bytes(journal)
    with pytest.raises(VastplanError) as caught:
        FileLedger(tmp_path, "doc").read("iad")
    assert str(caught.value) == f"the ledger journal {tmp_path / 'iad.journal'} is damaged in line {line}"


def test_an_empty_line_ends_nothing(tmp_path: Path) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    line = json.dumps(events.own_event("iad/view/x", OWNED)).encode()
    (tmp_path / "iad.journal").write_bytes(b"\n" + line + b"\n\n" + line.replace(b"view/x", b"view/y"))
    assert set(FileLedger(tmp_path, "doc").read("iad").entries) == {"iad/view/x", "iad/view/y"}


def test_a_ledger_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "iad.json").mkdir()
    with pytest.raises(VastplanError) as caught:
        FileLedger(tmp_path, "doc").read("iad")
    assert str(caught.value) == f"the ledger {tmp_path / 'iad.json'} cannot be read: Is a directory"
    with pytest.raises(VastplanError, match="cannot be read"):
        FileLedger(tmp_path, "doc").open("iad", "me")
    (tmp_path / "iad.json").rmdir()
    FileLedger(tmp_path, "doc").open("iad", "me").close()  # and the lock was let go of
    (tmp_path / "iad.doc.json").mkdir()  # ours by its name, whatever is in it
    with pytest.raises(VastplanError) as caught:
        FileLedger(tmp_path, "doc").read("iad")
    assert str(caught.value) == f"the ledger {tmp_path / 'iad.doc.json'} cannot be read: Is a directory"


@pytest.mark.parametrize("ending", ["json", "journal", "holder", "lock"])
def test_nothing_is_read_or_written_through_a_link(ending: str, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "ledger"
    FileLedger(folder, "doc").open("iad", "me").close()
    outside.write_text("a secret")
    (folder / f"iad.{ending}").unlink(missing_ok=True)
    (folder / f"iad.{ending}").symlink_to(outside)
    ledger = FileLedger(folder, "doc")
    if ending == "holder":
        ledger.open("iad", "me").close()
    elif ending == "lock":
        with pytest.raises(
            VastplanError, match=f"^the ledger of iad cannot be locked: {folder}/iad.lock: Too many levels"
        ):
            ledger.open("iad", "me")
    else:
        what = "the ledger journal" if ending == "journal" else "the ledger"
        with pytest.raises(VastplanError, match=f"^{what} {folder}/iad.{ending} cannot be read: it is a link"):
            ledger.read("iad")
        with pytest.raises(VastplanError, match="cannot be read: it is a link"):
            ledger.open("iad", "me")
    assert outside.read_text() == "a secret"


def test_a_link_is_no_part_of_others_and_no_holder(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "ledger", tmp_path / "elsewhere"
    FileLedger(folder, "doc").open("iad", "me").close()
    FileLedger(elsewhere, "other").open("pdx", "me").close()
    (folder / "pdx.json").symlink_to(elsewhere / "pdx.json")
    with pytest.raises(VastplanError, match=r"pdx\.json cannot be read: it is a link"):
        FileLedger(folder, "doc").others()
    (elsewhere / "note").write_text("somebody since yesterday")
    (folder / "iad.holder").symlink_to(elsewhere / "note")
    with FileLock(folder / "iad.lock"), pytest.raises(Locked, match="is in use by another process;"):
        FileLedger(folder, "doc").open("iad", "me")


def test_whoever_may_look_sees_the_holder_and_nobody_else_the_journal(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        session = FileLedger(tmp_path, "doc").open("iad", "me")
    finally:
        os.umask(before)
    modes = {ending: stat.S_IMODE((tmp_path / f"iad.{ending}").stat().st_mode) for ending in ("holder", "journal")}
    session.close()
    assert modes == {"holder": 0o644, "journal": 0o600}


def test_a_ledger_is_called_as_the_document_calls_its_folder(tmp_path: Path) -> None:
    assert FileLedger(tmp_path, "doc", "./ledger").describe() == "file:./ledger"


# The folder


def test_other_files_beside_the_parts_are_nobodys(tmp_path: Path) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    for name, content in (("package", "{}"), ("list", "[]"), ("text", "text"), ("~", '{"document": "other"}')):
        (tmp_path / f"{name}.json").write_text(content)
    found = FileLedger(tmp_path, "doc").others()
    assert (found.parts, found.unread) == ((), {})
    assert FileLedger(tmp_path, "doc").sites() == ("iad",) and FileLedger(tmp_path, "other").sites() == ()


def test_a_part_in_another_order_is_one(tmp_path: Path) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    content = json.loads((tmp_path / "iad.json").read_text())
    (tmp_path / "iad.json").write_text(json.dumps(dict(sorted(content.items(), reverse=True))))
    assert FileLedger(tmp_path, "doc").sites() == ("iad",)
    assert [part.site for part in FileLedger(tmp_path, "other").others().parts] == ["iad"]


def test_a_part_that_is_damaged_further_on_is_still_one(tmp_path: Path) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    file = tmp_path / "iad.json"
    file.write_text(file.read_text()[:-20])
    assert FileLedger(tmp_path, "doc").sites() == ("iad",)
    found = FileLedger(tmp_path, "other").others()
    says = f"the ledger {file} cannot be used: it is not JSON; restore it from a copy, or move it away to adopt again"
    assert (found.parts, found.unread) == ((), {"doc": says})


def test_a_file_that_cannot_be_read_may_be_a_part(tmp_path: Path) -> None:
    (tmp_path / "iad.json").mkdir()
    ledger = FileLedger(tmp_path, "doc")
    for act in (ledger.sites, ledger.others):
        with pytest.raises(VastplanError) as caught:
            act()
        assert str(caught.value) == f"the ledger {tmp_path / 'iad.json'} cannot be read: Is a directory"


def test_a_journal_of_others_that_cannot_be_read_says_whose(tmp_path: Path) -> None:
    for document, site in (("doc", "iad"), ("other", "pdx")):
        FileLedger(tmp_path, document).open(site, "me").close()
    (tmp_path / "pdx.journal").mkdir()
    found = FileLedger(tmp_path, "doc").others()
    says = f"the ledger {tmp_path / 'pdx.json'} cannot be read: Is a directory"
    assert (found.parts, found.unread) == ((), {"other": says})


@pytest.mark.parametrize(
    ("note", "by"),
    [
        ("me since nine\n", "me since nine"),
        ("one since then since nine", "one since then since nine"),
        ("somebody", "somebody"),
        ("", "another process"),
        (None, "another process"),
    ],
)
def test_whoever_holds_it_is_named(tmp_path: Path, note: str | None, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = recorded(tmp_path)
    if note is None:
        (tmp_path / "iad.holder").unlink()
    else:
        (tmp_path / "iad.holder").write_text(note)
    waits: list[float] = []

    def lock(path: Path, timeout: float) -> FileLock:
        waits.append(timeout)
        return FileLock(path, timeout=timeout)

    monkeypatch.setattr("filelock.FileLock", lock)
    with pytest.raises(Locked) as caught:
        FileLedger(tmp_path, "doc").open("iad", "another")
    assert str(caught.value) == f"the ledger of iad is in use by {by}; wait for it to end"
    with pytest.raises(Locked) as caught:
        FileLedger(tmp_path, "doc").unlock("iad")
    assert str(caught.value) == f"the ledger of iad is held by a running process: {by}; stop that first"
    assert waits == [0, 0]  # nobody is waited for
    session.close()
    if note:
        (tmp_path / "iad.holder").write_text(note)
        held = FileLedger(tmp_path, "doc").unlock("iad")
        assert held is not None and str(held) == by and not (tmp_path / "iad.holder").exists()


def test_a_crash_before_a_file_is_replaced_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "folder" / "iad.json"
    write_atomically(path, b"old")

    def crash(old: Path, new: Path) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(ZeroDivisionError):
        write_atomically(path, b"new")
    (left,) = path.parent.glob(".iad.json.*.new")
    assert path.read_bytes() == b"old" and left.read_bytes() == b"new"
    assert stat.S_IMODE(left.stat().st_mode) == 0o600
    monkeypatch.undo()
    write_atomically(path, b"!")
    assert path.read_bytes() == b"!" and [*path.parent.glob(".iad.json.*.new")] == [left]


@pytest.mark.parametrize(("mode", "has"), [(0o640, 0o640), (0o400, 0o400), (None, 0o644)])
def test_a_file_gets_the_rights_that_are_asked_for(mode: int | None, has: int, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_atomically(tmp_path / "file", b"new", mode)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == has


def test_nobody_else_can_open_a_file_while_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, modes = os.open, []

    def opening(path: Path, flags: int, mode: int = 0o777) -> int:
        if str(path).endswith(".new"):
            modes.append(mode)
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", opening)
    for mode in (0o640, 0o600, None):
        write_atomically(tmp_path / "file", b"new", mode)
    assert modes == [0o600, 0o600, 0o666]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "there" / "inside").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "there", b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["there"]


def test_a_journal_that_says_what_no_ledger_holds_is_damaged(tmp_path: Path) -> None:
    FileLedger(tmp_path, "doc").open("iad", "me").close()
    owned = {"id": 7, "locator": "7", "fields": {}, "refers": [], "applied": "", "wire": {}}
    line = {"event": "own", "address": "iad/view/x", "owned": owned}
    (tmp_path / "iad.journal").write_text(json.dumps(line) + "\n")
    with pytest.raises(VastplanError) as caught:
        FileLedger(tmp_path, "doc").read("iad")
    assert (
        str(caught.value)
        == f"the ledger journal {tmp_path / 'iad.journal'} is damaged: it has values that no ledger has"
    )
    (tmp_path / "iad.journal").write_text(json.dumps({**line, "owned": {**owned, "id": "7"}}) + "\n")
    assert FileLedger(tmp_path, "doc").read("iad").entries["iad/view/x"].id == "7"


def test_a_reader_sees_who_holds_it_and_that_nobody_does_after_a_crash(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    assert ledger.holder("iad") is None
    session = ledger.open("iad", "ann@host (pid 7)")
    owner = FileLedger(tmp_path, "doc").holder("iad")
    assert owner is not None and owner.name == "ann@host (pid 7)" and owner.since
    note = (tmp_path / "iad.holder").read_bytes()
    session.close()
    assert ledger.holder("iad") is None
    (tmp_path / "iad.holder").write_bytes(note)  # its process died
    assert ledger.holder("iad") is None
    ledger.open("iad", "the next").close()
    (tmp_path / "iad.holder").write_bytes(note)
    (tmp_path / "iad.lock").unlink()
    assert ledger.holder("iad") is None
    (tmp_path / "iad.lock").symlink_to("iad.json")  # not read through a link: cannot be determined
    assert ledger.holder("iad") == owner
