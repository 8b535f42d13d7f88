"""Reads the YAML files that people write: documents, connections, approvals. Their text is not secret (`allow_in_texts`)."""

from __future__ import annotations

from errno import EFBIG, ENOENT
from pathlib import Path

from vastplan.document import other_files
from vastplan.model import regular_files
from vastplan.model.errors import Invalid
from vastplan.model.finding import Where, error
from vastplan.model.nearest import closest, suggestion
from vastplan.model.sensitive import allow_in_texts
from vastplan.schema import located_yaml
from vastplan.schema.located_yaml import MAX_BYTES, MAX_PROBLEMS, Mapping, Rounded, Sequence, too_many
from vastplan.schema.problem_words import written_value

__all__ = ["MAX_BYTES", "MAX_PROBLEMS", "Mapping", "Rounded", "Sequence", "load_mapping", "parse_mapping", "too_many"]


def load_mapping(path: Path, shown: str) -> Mapping:
    """Reads one file as a mapping; `shown` is its name in messages. Raises `Invalid`."""
    try:
        raw = regular_files.read_regular(path, MAX_BYTES)
    except OSError as problem:
        if problem.errno == EFBIG:
            raise Invalid([located_yaml.too_large(shown)]) from None
        fix = _near(path) if problem.errno == ENOENT else ""
        raise Invalid([error("VP101", f"cannot read {shown}: {problem.strerror or problem}", fix=fix)]) from None
    return parse_mapping(raw, shown)


def _near(path: Path) -> str:
    """The hint for a file that does not exist: a file in its folder with a similar name; else ""."""
    try:
        names = [file.name for file in path.parent.iterdir() if not file.name.startswith(".")]
    except OSError:
        return ""
    by_stem = {Path(name).stem: name for name in sorted(names)}  # the ending is the same for nearly all
    return suggestion(by_stem.get(closest(path.stem, by_stem), ""))


def parse_mapping(raw: bytes, shown: str) -> Mapping:
    """Parses YAML text as a mapping. Raises `Invalid` with the place of each problem."""
    text = located_yaml.decoded(raw, shown)
    allow_in_texts(text)
    tree = located_yaml.parsed(text, shown)
    if tree is None:
        return Mapping(Where(shown, 1, 1))
    if not isinstance(tree, Mapping):
        description, fix = other_files.of_text(text)
        raise Invalid(
            [
                error(
                    "VP105",
                    description or f"this is {written_value(tree)}, and a document is a mapping of sections",
                    fix=fix,
                    where=Where(shown, 1, 1),
                )
            ]
        )
    return tree
