"""The document of the current folder, for commands without a path: all YAML files in it, as for a typed folder."""

from __future__ import annotations

from pathlib import Path

from vastplan.document import merge, yaml
from vastplan.document.specs import ConnectionsFile
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word
from vastplan.model.wording import some

HERE = Path()
_NAME, _NO_PART = "name", ("approvals", "apiVersion")
_SHOWN = 12


def no_document(command: str) -> VastplanError | None:
    """Why the files here are not one document; `None` if they are, or if loading them reports the problem better."""
    try:
        files = merge.yaml_files(HERE)
    except Invalid as problem:
        if problem.findings[0].code != "VP101":
            return None
        return VastplanError(
            f"no document here: this folder has no .yaml file; name one (vastplan {command} PATH), or write one (vastplan init)"
        )
    trees = []
    for file in files:
        try:
            trees.append((file, yaml.load_mapping(file, str(file))))
        except Invalid:
            return None
    heads = [f"{word(file)} ({inert(tree[_NAME], 80)})" for file, tree in trees if _NAME in tree and not _foreign(tree)]
    others = [word(file) for file, tree in trees if _foreign(tree)]
    if len(heads) > 1:
        listed, first = some(heads, _SHOWN), heads[0].partition(" (")[0]
        return VastplanError(f"{len(heads)} documents here: {listed}; say which: vastplan {command} {first}")
    if not heads:
        listed = some([word(file) for file, _ in trees], _SHOWN)
        return VastplanError(
            f"no document here: no file here has the key name ({listed}); name one (vastplan {command} PATH), or write one (vastplan init)"
        )
    if others:
        first = heads[0].partition(" (")[0]
        text = f"beside the document {heads[0]} there are files that are not part of it: {some(others, _SHOWN)}"
        return VastplanError(f"{text}; keep them in another folder, or type: vastplan {command} {first}")
    return None


def heads_and_parts(folder: Path) -> tuple[list[Path], list[Path]]:
    """The YAML files of a folder that are heads of documents (they have `name`), and those that may be parts of one. A file that
    cannot be read counts as a head; a file of another sort as neither."""
    try:
        files = merge.yaml_files(folder)
    except Invalid as problem:
        if problem.findings[0].code != "VP101":
            raise
        return [], []
    heads: list[Path] = []
    parts: list[Path] = []
    for file in files:
        try:
            tree = yaml.load_mapping(file, str(file))
        except Invalid:
            heads.append(file)
            continue
        if not _foreign(tree):
            (heads if _NAME in tree else parts).append(file)
    return heads, parts


def _foreign(tree: yaml.Mapping) -> bool:
    """Whether a file is of another sort: approvals, a Kubernetes manifest, or connections, which have a version and no name."""
    return any(key in tree for key in _NO_PART) or (
        "version" in tree and ConnectionsFile.model_fields.keys() >= tree.keys()
    )
