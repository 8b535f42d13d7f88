"""The local ledger: atomic, journalled, locked, and refused when it is not ours."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from vastplan.ledger import events
from vastplan.ledger.file import FileLedger
from vastplan.model.errors import Locked, VastplanError
from vastplan.model.state import Intent, Owned

OWNED = Owned("7", "7", {"name": "ab"}, ("iad/tenant/a",), "2026-01-01T00:00:00+00:00")


def test_what_was_recorded_is_read_back(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    session = ledger.open("iad", "me")
    session.record(events.begin("p1", {"iad/view/x": Intent("create")}, "t"), events.own("iad/view/x", OWNED))
    session.close()
    part = ledger.read("iad")
    assert part.entries == {"iad/view/x": OWNED}
    assert part.intents == {}
    assert part.plans == ("p1",)
    assert part.serial == 1


def test_a_crash_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path, "doc")
    session = ledger.open("iad", "me")
    session.record(events.begin("p1", {"iad/view/x": Intent("create"), "iad/view/y": Intent("create")}, "t"))
    session.record(events.own("iad/view/x", OWNED))
    with (tmp_path / "iad.journal").open("ab") as journal:
        journal.write(b'{"event": "own", "address": "iad/vi')  # the crash came in the middle of a line
    part = FileLedger(tmp_path, "doc").read("iad")
    assert set(part.entries) == {"iad/view/x"}
    assert set(part.intents) == {"iad/view/y"}


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
        ('{"version": 99}', "upgrade it"),
    ],
)
def test_what_is_not_a_ledger_is_refused(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "iad.json").write_text(content)
    with pytest.raises(VastplanError, match=says):
        FileLedger(tmp_path, "doc").read("iad")


def test_the_ledger_of_another_document_is_refused(tmp_path: Path) -> None:
    FileLedger(tmp_path, "one").open("iad", "me").close()
    with pytest.raises(VastplanError, match="belongs to the document one"):
        FileLedger(tmp_path, "two").read("iad")
    content = json.loads((tmp_path / "iad.json").read_text())
    (tmp_path / "pdx.json").write_text(json.dumps(content))
    with pytest.raises(VastplanError, match="belongs to the site iad"):
        FileLedger(tmp_path, "one").read("pdx")
