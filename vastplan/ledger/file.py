"""The ledger in a local folder: one file per site, replaced atomically, with an append-only journal between replacements."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from vastplan.ledger.events import Book, Event, new_part
from vastplan.model import strict
from vastplan.model.errors import Locked, VastplanError
from vastplan.model.state import LEDGER_VERSION, Intent, LedgerPart, Owned


class FileLedger:
    """Parts as `SITE.json`, with `SITE.journal` while an apply runs and `SITE.lock` beside it."""

    def __init__(self, folder: Path, document: str) -> None:
        self._folder = folder
        self._document = document

    def describe(self) -> str:
        """The folder."""
        return f"file:{self._folder}"

    def read(self, site: str) -> LedgerPart:
        """The file with the journal's events applied."""
        file, journal = self._folder / f"{site}.json", self._folder / f"{site}.journal"
        try:
            raw = file.read_bytes()
        except FileNotFoundError:
            return new_part(self._document, site)
        except OSError as problem:
            raise VastplanError(f"the ledger {file} cannot be read: {problem.strerror}") from None
        part = load(raw, str(file))
        if part.document != self._document:
            raise VastplanError(f"the ledger {file} belongs to the document {part.document}, not to {self._document}")
        if part.site != site:
            raise VastplanError(f"the ledger {file} belongs to the site {part.site}, not to {site}")
        return _replayed(part, journal)

    def open(self, site: str, holder: str) -> FileSession:
        """Lock, recover the journal of a run that died, and write a first file where there is none."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._folder / f"{site}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            by = _holder(self._folder / f"{site}.holder")
            raise Locked(f"the ledger of {site} is in use by {by}; wait for it to end") from None
        try:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            (self._folder / f"{site}.holder").write_text(f"{holder} since {now}\n", encoding="utf-8")
            return FileSession(self._folder, site, self.read(site), lock)
        except BaseException:
            lock.release()
            raise

    def unlock(self, site: str) -> str:
        """Who is noted as the holder. The operating system frees the lock of a process that ended; a running one keeps it."""
        lock = FileLock(self._folder / f"{site}.lock", timeout=0)
        held = _holder(self._folder / f"{site}.holder")
        try:
            with lock:
                (self._folder / f"{site}.holder").unlink(missing_ok=True)
                return ""
        except Timeout:
            raise Locked(f"the ledger of {site} is held by a running process: {held}; stop that first") from None


class FileSession:
    """A locked part; events go to the journal, and the file is replaced at the end."""

    def __init__(self, folder: Path, site: str, part: LedgerPart, lock: FileLock) -> None:
        self._book = Book(part)
        self._file = folder / f"{site}.json"
        self._journal = folder / f"{site}.journal"
        self._holder = folder / f"{site}.holder"
        self._lock = lock
        self._compact()
        self._open = self._journal.open("ab")

    @property
    def part(self) -> LedgerPart:
        """The part as it is now."""
        return self._book.part()

    def record(self, *events: Event) -> None:
        """Append and fsync, then change the part."""
        self._open.write(b"".join(json.dumps(event).encode() + b"\n" for event in events))
        self._open.flush()
        os.fsync(self._open.fileno())
        for event in events:
            self._book.add(event)

    def close(self) -> None:
        """Fold the journal into the file and unlock."""
        self._open.close()
        self._compact()
        self._holder.unlink(missing_ok=True)
        self._lock.release()

    def _compact(self) -> None:
        write_atomically(self._file, dump(self.part))
        self._journal.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file so that a crash leaves the old or the new one, never a part; readable by the owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def dump(part: LedgerPart) -> bytes:
    """A part as canonical JSON."""
    return json.dumps(asdict(part), sort_keys=True, indent=1).encode() + b"\n"


def load(raw: bytes, shown: str) -> LedgerPart:
    """A part from JSON; raises `VastplanError` that says what is wrong with it."""
    try:
        found = strict.parse(raw)
        version = found["version"]
        if not isinstance(version, int) or version > LEDGER_VERSION:
            raise VastplanError(
                f"the ledger {shown} has version {version}; this vastplan reads up to {LEDGER_VERSION}: upgrade it"
            )
        found["entries"] = {
            address: Owned(**{**one, "refers": tuple(one["refers"])}) for address, one in found["entries"].items()
        }
        found["intents"] = {address: Intent(**one) for address, one in found["intents"].items()}
        found["plans"] = tuple(found["plans"])
        part = LedgerPart(**found)
        bytes.fromhex(part.key)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        reason = "it is not JSON" if isinstance(problem, json.JSONDecodeError) else "it is not a ledger"
        raise VastplanError(
            f"the ledger {shown} cannot be used: {reason}; restore it from a copy, or move it away to adopt anew"
        ) from None
    return part


def _replayed(part: LedgerPart, journal: Path) -> LedgerPart:
    try:
        lines = journal.read_bytes().split(b"\n")
    except FileNotFoundError:
        return part
    book = Book(part)
    for index, line in enumerate(lines):
        if not line:
            continue
        try:
            book.add(strict.parse(line))
        except (ValueError, KeyError, TypeError):
            if index < len(lines) - 1:
                raise VastplanError(f"the ledger journal {journal} is damaged in line {index + 1}") from None
            break  # the last line was cut short by the crash: its event never became true
    return book.part()


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() or "another process"
    except OSError:
        return "another process"
