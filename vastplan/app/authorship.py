"""Who runs this, and from which commit of the document: what the history of a ledger says of a run. Nobody has checked it."""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import socket
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from vastplan.app.clock import timestamp
from vastplan.app.workspace import Workspace
from vastplan.document.merge import yaml_files
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.outcome import State
from vastplan.model.site_ledger import TEXT_LIMIT, LoggedChange, LoggedRun
from vastplan.model.yaml_text import ENDINGS

_PEOPLE = {"GITHUB_ACTOR": "GitHub", "GITLAB_USER_LOGIN": "GitLab"}
_COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_GIT_SECONDS = 10


def new_run(workspace: Workspace, command: str, plan: str = "") -> LoggedRun:
    """A run that begins now."""
    return LoggedRun(command, timestamp(), who_runs(), commit_of(workspace.document.paths), plan)


def done_at_once(run: LoggedRun, verb: str, addresses: Iterable[str]) -> LoggedRun:
    """The run of a command whose changes of a part are one event: all or none."""
    return run.ending(run.at, {address: LoggedChange(verb, State.DONE.value) for address in addresses})


def user_at_host() -> str:
    """The user of this process at its machine."""
    try:
        user = getpass.getuser()  # USER where it is set
    except (KeyError, OSError):  # a container's user may have no name
        user = "somebody"
    return f"{user}@{socket.gethostname()}"


def who_runs() -> str:
    """The person whom a pipeline runs for, else the user of this process."""
    for variable, name in _PEOPLE.items():
        if login := os.environ.get(variable):
            return f"{inert(login, TEXT_LIMIT)} ({name})"
    return inert(user_at_host(), TEXT_LIMIT)


def commit_of(paths: Sequence[Path]) -> str:
    """The commit that a document's files are checked out from, with `+edits` where they differ; else that of the pipeline, else ""."""
    try:
        commits = {_checked_out(path) for path in paths}
    except (OSError, VastplanError):  # the files were moved since they were read
        commits = set()
    if len(commits) == 1 and (commit := commits.pop()):
        return commit
    return next((value for name in _COMMITS if _COMMIT.fullmatch(value := os.environ.get(name, ""))), "")


def _checked_out(path: Path) -> str:
    """The commit of the checkout that has the file or folder, and `+edits`; "" where none has it."""
    folder = (path if path.is_dir() else path.parent).absolute()
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        return ""
    commit = _git(folder, "rev-parse", "--verify", "HEAD").decode("ascii", "replace").strip()
    if not _COMMIT.fullmatch(commit):
        return ""
    committed = {}
    for row in _git(folder, "ls-tree", "-z", commit).split(b"\0"):
        kind, _, name = row.partition(b"\t")
        if kind.split()[1:2] == [b"blob"]:
            committed[os.fsdecode(name)] = kind.split()[2].decode()
    if path.is_dir():
        committed = {
            name: blob for name, blob in committed.items() if name.endswith(ENDINGS) and not name.startswith(".")
        }
    else:
        committed = {name: blob for name, blob in committed.items() if name == path.name}
    if not committed:  # a checkout of something else
        return ""
    present = {file.name: _blob(file, commit) for file in yaml_files(path)}
    return commit if present == committed else f"{commit}+edits"


def _blob(file: Path, commit: str) -> str:
    """The id that git gives to the content of a file."""
    try:
        content = os.fsencode(os.readlink(file)) if file.is_symlink() else file.read_bytes()
    except OSError:
        return ""
    digest = hashlib.new("sha1" if len(commit) == 40 else "sha256", usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content) + content)
    return digest.hexdigest()


def _git(folder: Path, *words: str) -> bytes:
    """What a command of git prints, "" where it fails. It reads objects and runs nothing that the checkout names: no filter, hook,
    pager or monitor is part of these commands, and no object is fetched."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    command = ["git", "--no-pager", "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_GIT_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return done.stdout if done.returncode == 0 else b""
