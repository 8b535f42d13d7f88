"""Words of docs/style.md in the names of the program: one name for one thing, and no name with a word that texts may not have."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PROGRAM = Path(__file__).parent.parent / "vastplan"
FORBIDDEN = {"told", "tell", "tells", "untold", "there", "ours", "lead", "leads", "leader", "parted", "said"}
# Fields of plans and reports, whose names are a contract with those who read these files.
FIELDS_OF_FILES = {"leads", "parted", "untold", "not_ours", "by_hand"}
# Names that several modules define: each is one function of one protocol, is named by a published schema, or stands beside its namesake
# for another reason. A new name is not added here: it is given a name of its own.
SHARED = {
    # one protocol each: commands, drivers, modes of operations, plugins, rights, scripts
    "run", "create", "delete", "expand", "amiss", "stages", "validate", "right_of", "main",
    # published schemas, and kinds of systems
    "Claim", "Counted", "Node", "Operation", "Outcome", "Stage", "Standing", "Manager", "Unknown",
    # each in two rooms that do not meet: a command, an operation, a kind, a simulator
    "Document", "GlobalAccess", "Place", "Planned", "Request", "Run", "clone", "facts_of", "is_address", "mounted", "named", "path_of",
    "running", "show_plan", "subject_of", "switch", "waiting", "written",
}  # fmt: skip


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PROGRAM.rglob("*.py")):
        yield path.relative_to(PROGRAM).as_posix(), ast.parse(path.read_text())


def names(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[str, int]]:
    """The names that a module defines for others: functions, classes, methods, fields, constants and parameters."""
    for child in ast.iter_child_nodes(node):
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.name, child.lineno
        elif isinstance(child, ast.arg):
            yield child.arg, child.lineno
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store) and not inside:
            yield child.id, child.lineno
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
            yield child.attr, child.lineno
        yield from names(child, inside=inside or function)


def forbidden(name: str) -> bool:
    words = re.findall(r"[a-z]+|[A-Z][a-z]*", name)
    return bool(FORBIDDEN & {word.lower() for word in words}) or "by_hand" in name.lower()


def test_no_name_has_a_word_that_texts_may_not_have() -> None:
    found = [
        f"{path}:{line}: {name}"
        for path, tree in trees()
        for name, line in names(tree)
        if forbidden(name) and name not in FIELDS_OF_FILES
    ]
    found += [path for path, _ in trees() if forbidden(path.removesuffix(".py").replace("/", "_"))]
    assert found == []


def test_a_public_name_is_defined_once() -> None:
    places = defaultdict(set)
    for path, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith(
                "_"
            ):
                places[node.name].add(path)
    assert {name: sorted(paths) for name, paths in places.items() if len(paths) > 1 and name not in SHARED} == {}
    assert {name for name in SHARED if len(places[name]) < 2} == set(), (
        "they are defined once now: take them out of SHARED"
    )
