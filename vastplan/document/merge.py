"""Merges several files, or a folder of files, into one tree; and lays one mapping over another."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from vastplan.document import other_files
from vastplan.document.yaml import Mapping, load_mapping
from vastplan.model import regular_files
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.shell import word
from vastplan.model.wording import some
from vastplan.model.yaml_text import ENDINGS

_SHOWN = 12


def yaml_files(path: Path) -> list[Path]:
    """The YAML files that `path` names: the file itself, or the files directly in the folder, sorted by name."""
    is_folder = path.is_dir()
    _refuse_linked_folder(path if is_folder else path.parent)
    _refuse_leading_out(path)
    if is_folder:
        documents = sorted(file for file in path.iterdir() if file.suffix in ENDINGS and not file.name.startswith("."))
        if not documents:
            raise Invalid(
                [error("VP101", f"no .yaml file in {path}", fix="write one there, or give a file or another folder")]
            )
        return documents
    return [path]


def read_files(paths: list[Path]) -> Mapping:
    """All files as one tree: sections merge; an entry or a head key in two files is an error."""
    problems: list[Finding] = []
    whole: Mapping | None = None
    files = [file for place in paths for file in yaml_files(place)]
    of_another_sort: dict[str, list[Mapping]] = {}
    for path in files:
        try:
            _refuse_leading_out(path)
            tree = load_mapping(path, str(path))
        except Invalid as invalid:
            problems += invalid.findings
            continue
        if len(files) > 1 and (sort := other_files.sort_of(tree)):
            of_another_sort.setdefault(sort, []).append(tree)
        elif whole is None:
            whole = tree
        else:
            _join(whole, tree, problems, "")
    problems += [_not_parts(sort, trees) for sort, trees in of_another_sort.items()]
    if problems or whole is None:
        raise Invalid(problems)
    return whole


def _not_parts(sort: str, trees: Sequence[Mapping]) -> Finding:
    """VP105 for the files of one sort that are among those of a document."""
    names = some([word(tree.at.file) for tree in trees], _SHOWN)
    text = f"not a part of a document, but {sort}: {names}"
    return error(
        "VP105", text, fix="keep such files in another folder, or give the files of the document", where=trees[0].at
    )


def unread_subfolders(paths: Sequence[Path]) -> list[Finding]:
    """VP117 for the subfolders of a document's folders that have YAML files: they are not read."""
    given = {place.resolve() for path in paths for place in (path, path.parent)}
    names = [
        word(folder)
        for path in paths
        if path.is_dir()
        for folder in sorted(path.iterdir())
        if not folder.name.startswith(".") and not folder.is_symlink() and folder.is_dir()
        if folder.resolve() not in given and _has_yaml(folder)
    ]
    text = f"subfolders are not read, and some have YAML files: {some(names, _SHOWN)}"
    return (
        [Finding("VP117", Severity.NOTE, text, "if one belongs to the document, give it too, after its folder")]
        if names
        else []
    )


def _has_yaml(folder: Path) -> bool:
    try:
        return any(file.suffix in ENDINGS for file in folder.iterdir())
    except OSError:
        return False


def _refuse_linked_folder(folder: Path) -> None:
    """VP229 for a document's folder that is reached through a link: files beside a document belong to it, so a committed link
    would choose which files these are."""
    for place in _of_the_checkout(folder):
        if place.is_symlink():
            text = f"{place} is a link, which vastplan does not follow: it would choose the document's folder"
            raise Invalid([error("VP229", text, fix="give the path that it leads to")])


def _of_the_checkout(folder: Path) -> Sequence[Path]:
    """The folders of a path that the document's author may have created, the innermost first.

    For a relative path that is all of them; for an absolute one those in the working folder or in a repository, else the innermost
    one only: the others belong to the machine.
    """
    places = (folder, *folder.parents)
    if not folder.is_absolute():
        return places
    try:
        working_folder = Path.cwd()
    except OSError:
        working_folder = folder
    roots = [index for index, place in enumerate(places) if place == working_folder or os.path.lexists(place / ".git")]
    return places[: max(1, *roots)] if roots else places[:1]


def _refuse_leading_out(path: Path) -> None:
    """VP229 for a link that leads out of its folder, or to a hidden file: messages about mistakes would quote that file's text."""
    if not path.is_symlink():
        return
    try:
        regular_files.path_within(path.parent, path.name)
    except OSError as problem:
        text, fix = (
            f"{path} is a link, which vastplan does not follow: {problem.strerror}",
            "give the path that it leads to",
        )
        raise Invalid([error("VP229", text, fix=fix)]) from None


def _join(whole: Mapping, more: Mapping, problems: list[Finding], within: str) -> None:
    for key, value in more.items():
        if key not in whole:
            whole[key] = value
            whole.keys_at[key] = more.where(key)
        elif not within and isinstance(whole[key], Mapping) and isinstance(value, Mapping):
            _join(whole[key], value, problems, key)
        elif not (key == "version" and whole[key] == value):
            name = f"{within}.{key}" if within else key
            problems.append(
                error(
                    "VP114", f"{name} is given twice", fix=f"the first is at {whole.where(key)}", where=more.where(key)
                )
            )


def overlay_tree(base: Mapping, top: Mapping) -> Mapping:
    """`top` over `base`: mappings merge at all levels, everything else is replaced; every key keeps its place in the files."""
    merged = base.copy()
    for key, value in top.items():
        current = merged.get(key)
        are_mappings = isinstance(current, Mapping) and isinstance(value, Mapping)
        merged[key] = overlay_tree(current, value) if are_mappings and isinstance(current, Mapping) else value
        merged.keys_at[key] = top.where(key)
    return merged
