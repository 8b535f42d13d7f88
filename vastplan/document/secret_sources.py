"""The allowed sources of a document's secrets: files in its folder, and what the user who runs vastplan allows."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from vastplan.model import regular_files
from vastplan.model.dataclass import dataclass

ALLOW_ENV = "VASTPLAN_ALLOW_ENV"
"""The environment variable with the names, separated by commas or blanks, of the variables that a document may take secrets from."""
_BESIDE_IT = "which is not in the document's folder"


def variable_names(text: str) -> tuple[str, ...]:
    """The names of variables in the value of `VASTPLAN_ALLOW_ENV`."""
    return tuple(re.findall(r"[^,\s]+", text))


@dataclass(frozen=True, slots=True)
class SecretSources:
    """The allowed sources of a document's secrets. Paths are resolved.

    `env` are names of variables, in which `*` matches anything; `folders` are allowed besides the document's own. The
    credentials (`taken_...`) of the connections file, whose name is `connections`, are for that file alone.
    """

    folder: Path
    env: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()
    connections: str = ""
    taken_env: frozenset[str] = frozenset()
    taken_files: frozenset[Path] = frozenset()
    """For a folder among them, all files in it."""
    taken_folder: Path | None = None
    """The folder of the connections file, if it is below the document's folder: a document must not use files in it."""

    def refusal(self, kind: str, where: str) -> str:
        """Why a secret must not come from a source, as a phrase about the document (`reads ...`); "" where it may."""
        if kind not in ("env", "file") or not isinstance(where, str):
            return "reads a secret from neither a file nor a variable"
        if kind == "env":
            if where in self.taken_env:
                return f"reads {where}, which is a credential of {self.connections}"
            if not any(fnmatchcase(where, name) for name in self.env):
                if not self.connections:
                    return f"reads the environment variable {where}, which is not in {ALLOW_ENV}"
                return f"reads the environment variable {where}, which {self.connections} does not allow"
            return ""
        path, reason = self._found(where)
        if path and not self.taken_files.isdisjoint((path, *path.parents)):
            return f"reads the file {where}, which {self.connections} connects with"
        return f"reads the file {where}, {reason}" if reason else ""

    def fix(self, kind: str) -> str:
        """What to do about a refusal."""
        if self.connections:
            return f"allow it in secrets of {self.connections}: with --connections a document may use only its own credentials"
        if kind == "env":
            return f"if you trust the author of the document, add the variable to {ALLOW_ENV}"
        return "put the file beside the document, and write its new path"

    def read(self, where: str) -> bytes:
        """The content of an allowed file. Raises `OSError`, also for a file that is not allowed."""
        path, reason = self._found(where)
        if path is None:
            raise PermissionError(reason)
        return regular_files.read_regular(path, regular_files.SECRET_BYTES, follow=False)  # links are resolved already

    def size(self, where: str) -> int:
        """The size in bytes of an allowed file, which is opened but not read. Raises `OSError` as `read` does."""
        path, reason = self._found(where)
        if path is None:
            raise PermissionError(reason)
        return regular_files.file_size(path, regular_files.SECRET_BYTES, follow=False)

    def _found(self, where: str) -> tuple[Path | None, str]:
        """The resolved path of an allowed file, or `None` and the reason."""
        hidden = False
        for folder in (self.folder, *self.folders):
            try:
                # A relative name is relative to the document, whichever folder it leads to.
                path = regular_files.path_within(folder, str(self.folder / where))
            except regular_files.Hidden:
                hidden = True
            except OSError:
                continue
            else:
                if folder != self.folder or self.taken_folder is None or not path.is_relative_to(self.taken_folder):
                    return path, ""
        return None, "which is hidden: a name in its path begins with a dot" if hidden else _BESIDE_IT
