"""The ledger in a local folder: one file per site, replaced atomically, with an append-only journal between replacements."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vastplan.ledger.backend import LockOwner, OtherParts, waited_text, waiting_text
from vastplan.ledger.codec import check_part, dump, load_part, refuse_misshapen
from vastplan.ledger.events import NO_EVENT, Event, Reducer, new_part
from vastplan.model import regular_files, strict_json
from vastplan.model.errors import Locked, Lost, VastplanError
from vastplan.model.site_ledger import SiteLedger

if TYPE_CHECKING:
    from filelock import FileLock

_NAME = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_PART = re.compile(rf"({_NAME})(\.{_NAME})?")
_HEAD = re.compile(rb'\{\s*"applied":\s*"[^"\\]*",\s*"document":\s*"([-a-z0-9]+)",')
_HEAD_SIZE = 512  # bytes
_LOOK = 0.25  # seconds between looks at a lock that is waited for
_BASE = "follows"
"""The key of the first line of a journal: the digest of the file to which the journal belongs."""
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class FileLedger:
    """Parts as `SITE.json`, with `SITE.journal` while an apply runs, and `SITE.lock`.

    If another document has a part of that name, this document's is `SITE.DOCUMENT.json`: several documents may share a folder.
    `place` is the name of the folder in plans if that is not its path: the text in the document. A holder is waited for at most
    `timeout` seconds, all parts together; `report` takes that it is.
    """

    def __init__(
        self,
        folder: Path,
        document: str,
        place: str = "",
        *,
        report: Callable[[str], None] = lambda _: None,
        timeout: int = 0,
    ) -> None:
        self._folder = folder
        self._document = document
        self._place = place or str(folder)
        self._report, self._timeout = report, timeout
        self._end = time.monotonic() + timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def describe(self) -> str:
        """The folder."""
        return f"file:{self._place}"

    def read(self, site: str) -> SiteLedger:
        """The file with the journal's events applied."""
        return self._read(self._stem(site), site)

    def _stem(self, site: str) -> str:
        """The name of the part's files without suffix. `SITE.json` belongs to its first document, or to this one if unknown."""
        first, own = self._folder / f"{site}.json", f"{site}.{self._document}"
        if (self._folder / f"{own}.json").exists():
            return own
        return site if not first.exists() or _document_of(first) in ("", self._document) else own

    def _read(self, stem: str, site: str) -> SiteLedger:
        file, journal = self._folder / f"{stem}.json", self._folder / f"{stem}.journal"
        try:
            raw = _content(file)
        except FileNotFoundError:
            return new_part(self._document, site)
        except OSError as problem:
            raise VastplanError(f"the ledger {file} cannot be read: {problem.strerror}") from None
        part = check_part(load_part(raw, str(file)), self._document, site, str(file))
        try:
            return _replayed(part, raw, journal)
        except OSError as problem:
            raise VastplanError(f"the ledger journal {journal} cannot be read: {problem.strerror}") from None

    def holder(self, site: str) -> LockOwner | None:
        """The process of the note, unless it has ended: the operating system frees its lock."""
        stem = self._stem(site)
        owner = _holder(self._folder / f"{stem}.holder")
        return owner if owner is not None and _is_locked(self._folder / f"{stem}.lock") else None

    def sites(self) -> tuple[str, ...]:
        """The sites of the files that name this document."""
        return tuple(dict.fromkeys(_site_of(file) for file in self._files() if _document_of(file) == self._document))

    def others(self) -> OtherParts:
        """The files of other documents in the folder."""
        parts, unread = [], {}
        for file in self._files():
            document = _document_of(file)
            if document not in ("", self._document):
                try:
                    raw = _content(file)
                    part = check_part(load_part(raw, str(file)), document, _site_of(file), str(file))
                    parts.append(_replayed(part, raw, file.with_suffix(".journal")))
                except OSError as problem:
                    unread[document] = f"the ledger {file} cannot be read: {problem.strerror}"
                except VastplanError as problem:
                    unread[document] = str(problem)
        return OtherParts(tuple(parts), unread)

    def _files(self) -> list[Path]:
        return sorted(file for file in self._folder.glob("*.json") if _PART.fullmatch(file.stem))

    def open(self, site: str, holder: str) -> FileSession:
        """Lock, recover the journal of a run that died, and write a first file if none exists."""
        from filelock import FileLock, Timeout

        self._folder.mkdir(parents=True, exist_ok=True)
        stem = self._stem(site)
        lock = FileLock(self._folder / f"{stem}.lock", timeout=0)
        try:
            self._acquire(lock, site, stem)
        except Timeout:
            owner, waited = self._owner(stem), waited_text(self._timeout)
            raise Locked(f"the ledger of {site} is in use by {owner}{waited}; wait for it to end") from None
        except OSError as problem:
            raise VastplanError(
                f"the ledger of {site} cannot be locked: {lock.lock_file}: {problem.strerror}"
            ) from None
        try:
            if self._stem(site) != stem:  # before the lock was taken, another document took the name
                raise Locked(f"another document was creating the ledger of {site}; try again")
            now = datetime.now(UTC).isoformat(timespec="seconds")
            regular_files.write_new(self._folder / f"{stem}.holder", f"{holder} since {now}\n".encode(), 0o644)
            return FileSession(self._folder, stem, self._read(stem, site), lock)
        except BaseException:
            lock.release()
            raise

    def _acquire(self, lock: FileLock, site: str, stem: str) -> None:
        """Take the lock of a part. Raises `Timeout` if its holder has it still when the time is over."""
        from filelock import Timeout

        try:
            lock.acquire()
        except Timeout:
            left = self._end - time.monotonic()
            if left <= 0:
                raise
            self._report(waiting_text(site, self._owner(stem), self._timeout))
            lock.acquire(timeout=left, poll_interval=_LOOK)

    def _owner(self, stem: str) -> LockOwner:
        return _holder(self._folder / f"{stem}.holder") or LockOwner("another process")

    def unlock(self, site: str) -> LockOwner | None:
        """Remove the note about a holder whose process ended: the operating system has freed its lock. Raises `Locked` if it still runs."""
        from filelock import FileLock, Timeout

        stem = self._stem(site)
        note = self._folder / f"{stem}.holder"
        owner_before = _holder(note)
        if not self._folder.is_dir():
            return None
        try:
            with FileLock(self._folder / f"{stem}.lock", timeout=0):
                note.unlink(missing_ok=True)
                return owner_before
        except Timeout:
            owner = owner_before or LockOwner("another process")
            raise Locked(f"the ledger of {site} is held by a running process: {owner}; stop that first") from None


class FileSession:
    """A locked part; events go to the journal, and the file is replaced at the end."""

    def __init__(self, folder: Path, stem: str, part: SiteLedger, lock: FileLock) -> None:
        self._reducer = Reducer(part)
        self._file = folder / f"{stem}.json"
        self._journal = folder / f"{stem}.journal"
        self._holder = folder / f"{stem}.holder"
        self._lock = lock
        self._writing = threading.Lock()
        self._lost = ""
        self._base = self._compact()
        self._journal_file = os.fdopen(os.open(self._journal, _APPEND, 0o600), "ab", buffering=0)

    @property
    def part(self) -> SiteLedger:
        """The part as it is now."""
        return self._reducer.part()

    def holds(self) -> None:
        """Raise `Lost` if a write of the journal failed. The lock itself lasts as long as the process."""
        if self._lost:
            raise Lost(self._lost)

    def record(self, *events: Event) -> None:
        """Append and fsync, then change the part."""
        with self._writing:
            self.holds()
            before = self._journal_file.tell()
            try:
                lines = events if before else ({_BASE: self._base}, *events)
                rest = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
                while rest:  # a disk that is nearly full writes a part, and only the next write fails
                    rest = rest[self._journal_file.write(rest) :]
                os.fsync(self._journal_file.fileno())
            except OSError as problem:
                with contextlib.suppress(OSError):
                    self._journal_file.truncate(before)
                # If truncating fails too, the journal may end in the middle of a line; nothing may be appended to it.
                self._lost = f"the ledger {self._journal} cannot be written: {problem.strerror or problem}"
                raise Lost(self._lost) from None
            for event in events:
                self._reducer.add(event)

    def close(self) -> None:
        """Fold the journal into the file and unlock. If the file cannot be written, the journal stays, and the next run folds it."""
        self._journal_file.close()
        try:
            with contextlib.suppress(OSError):
                if not self._lost:
                    self._compact()
                self._holder.unlink(missing_ok=True)
        finally:
            self._lock.release()

    def _compact(self) -> str:
        """Replace the file and return its digest for the next journal. The journal of the former file is void from then on."""
        whole = dump(self.part)
        write_atomically(self._file, whole)
        self._journal.unlink(missing_ok=True)
        return _distinguished(whole)


def write_atomically(path: Path, content: bytes, mode: int | None = 0o600) -> None:
    """Replace a file so that a crash leaves the old or the new one, never a part. Raises `OSError` with its name.

    By default only its owner can read it; with `mode` None, the umask decides.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with regular_files.replacing(path, 0o666 if mode is None else 0o600) as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _distinguished(raw: bytes) -> str:
    """The digest that a journal has of its file."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def _replayed(part: SiteLedger, raw: bytes, journal: Path) -> SiteLedger:
    """The part with the events of its journal applied; `raw` is the content of the file that the part is from.

    A journal of another file was folded into this one by a run that was interrupted before it could remove the journal. Its events are
    not applied again: after a move, an address may stand for another object.
    """
    try:
        lines = _content(journal).split(b"\n")
    except FileNotFoundError:
        return part
    reducer = Reducer(part)
    for index, line in enumerate(lines):
        if not line:
            continue
        try:
            event = strict_json.parse_json(line)
            if index == 0 and _BASE in event:
                if event[_BASE] != _distinguished(raw):
                    return part
                continue
            reducer.add(event)
        except NO_EVENT:
            if index < len(lines) - 1:
                raise VastplanError(f"the ledger journal {journal} is damaged in line {index + 1}") from None
            break  # the crash cut the last line short: its event was never applied
    replayed = reducer.part()
    try:
        refuse_misshapen(replayed)
    except ValueError:
        raise VastplanError(f"the ledger journal {journal} is damaged: it has values that no ledger has") from None
    return replayed


def _content(file: Path) -> bytes:
    """The content of a file of the ledger. A link is refused: it could lead out of the folder, to where its author chose."""
    return regular_files.read_regular(file, regular_files.DATA_BYTES, follow=False)


def _site_of(file: Path) -> str:
    return file.stem.partition(".")[0]


def _document_of(file: Path) -> str:
    """The document of a part, "" for a file that is not a part: other JSON may be in the folder.

    vastplan writes the document at the beginning of the file, so a part that is damaged further on still counts as one.
    """
    try:
        head = _HEAD.match(regular_files.begins(file, _HEAD_SIZE, follow=False))
        return head[1].decode() if head else load_part(_content(file), str(file)).document
    except OSError as problem:
        raise VastplanError(f"the ledger {file} cannot be read: {problem.strerror}") from None
    except VastplanError:
        return ""


def _is_locked(path: Path) -> bool:
    """Whether a process has the lock; true if that cannot be determined. Creates and changes nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)  # frees the lock, too
    return False


def _holder(path: Path) -> LockOwner | None:
    try:
        raw = regular_files.read_regular(path, _HEAD_SIZE, follow=False)
        name, _, since = raw.decode("utf-8").strip().rpartition(" since ")
    except (OSError, UnicodeDecodeError):
        return None
    return LockOwner(name or since or "another process", since if name else "")
