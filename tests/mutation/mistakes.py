"""The mutants of a module: each is the module with one small mistake.

A condition negated, a comparison moved, `and` for `or`, a `not` dropped, a number or a text changed, a `return` that
answers nothing. What makes no mistake is left as it is: documentation, annotations, imports and `__all__`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

FLIPPED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
}  # fmt: skip


SWAPPED = {"MB": "MiB", "MiB": "MB", "GB": "GiB", "GiB": "GB", "TB": "TiB", "TiB": "TB", "kB": "KiB", "MB/s": "MiB/s"}
# kB, MB, ... and KiB, MiB, ...
UNITS: dict[tuple[Any, Any], tuple[int, int]] = {(10, 3 * step): (2, 10 * step) for step in range(1, 7)}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one mistake."""

    module: str
    name: str
    tree: ast.Module


def mutants(source: str, module: str) -> Iterator[Mutant]:
    """All mutants of a module's source; names say where and what, and are unique."""
    tree = ast.parse(source)
    texts = _unmutated(tree)
    seen: dict[str, int] = {}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in texts:
            continue
        for what, change in _changes(node):
            mutated = copy.deepcopy(tree)
            change(next(one for number, one in enumerate(ast.walk(mutated)) if number == index))
            line = ast.unparse(node).splitlines()[0]
            name = f"{_within(tree, node)}: {what} in `{line[:90]}`"
            seen[name] = seen.get(name, 0) + 1
            more = f" ({seen[name]})" if seen[name] > 1 else ""
            yield Mutant(module, f"{module}.{name}{more}", ast.fix_missing_locations(mutated))


def _within(tree: ast.Module, node: ast.AST) -> str:
    """The function or class that a node is in."""
    found = ""
    for one in ast.walk(tree):
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and any(inner is node for inner in ast.walk(one)):
            found = f"{found}.{one.name}".lstrip(".")
    return found or "module"


def _unmutated(tree: ast.Module) -> set[int]:
    """What makes no mistake: documentation, annotations, imports and `__all__`."""
    found: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.append(node)
        elif isinstance(node, ast.AnnAssign | ast.arg):
            parts.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            parts += [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            parts += node.decorator_list
        elif isinstance(node, ast.Import | ast.ImportFrom) or _is_all(node):
            parts.append(node)
        found |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return found


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets
    )


Change = tuple[str, Callable[[Any], None]]


def _changes(node: ast.AST) -> Iterator[Change]:
    """What can go wrong at a node; each change is made to the same node of a copy."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "negated", _negate
    elif isinstance(node, ast.comprehension):
        for index in range(len(node.ifs)):
            yield f"filter {index + 1} negated", partial(_negate_filter, index=index)
    elif isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            for other in FLIPPED[type(operator)]:
                yield other.__name__, partial(_compare, index=index, other=other)
    elif isinstance(node, ast.BoolOp):
        other_op: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield type(other_op).__name__.lower(), lambda one: setattr(one, "op", other_op)
        for index in range(len(node.values)):
            yield f"without part {index + 1}", partial(_without, index=index)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", lambda one: _become(one, ast.Call(ast.Name("bool", ast.Load()), [one.operand], []))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield from _units(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        replaced = ARITHMETIC[type(node.op)]
        yield replaced.__name__, lambda one: setattr(one, "op", replaced())
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "nothing answered", lambda one: setattr(one, "value", ast.Constant(None))
    elif isinstance(node, ast.Continue):
        yield "break", lambda one: _become(one, ast.Break())
    elif isinstance(node, ast.Break):
        yield "continue", lambda one: _become(one, ast.Continue())


def _units(node: ast.BinOp) -> Iterator[Change]:
    """A decimal unit taken for the binary one, or the other way round: 10**6 for 2**20."""
    if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
        pair = (node.left.value, node.right.value)
        other = {**UNITS, **{binary: decimal for decimal, binary in UNITS.items()}}.get(pair)
        if other is not None:
            twin = ast.BinOp(ast.Constant(other[0]), ast.Pow(), ast.Constant(other[1]))
            yield "units swapped", lambda one: _become(one, twin)


def _constants(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield str(not value), lambda one: setattr(one, "value", not value)
    elif isinstance(value, str) and value in SWAPPED:
        yield "units swapped", lambda one: setattr(one, "value", SWAPPED[value])
        yield "another text", lambda one: setattr(one, "value", value + "~")
    elif isinstance(value, int | float):
        yield str(value + 1), lambda one: setattr(one, "value", value + 1)
        yield str(value - 1), lambda one: setattr(one, "value", value - 1)
    elif isinstance(value, str):
        yield "another text", lambda one: setattr(one, "value", value + "~" if value else "~")


def _negate(node: Any) -> None:
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _negate_filter(node: Any, index: int) -> None:
    node.ifs[index] = ast.UnaryOp(ast.Not(), node.ifs[index])


def _compare(node: Any, index: int, other: type[ast.cmpop]) -> None:
    node.ops[index] = other()


def _without(node: Any, index: int) -> None:
    rest = [*node.values[:index], *node.values[index + 1 :]]
    if len(rest) == 1:
        _become(node, rest[0])
    else:
        node.values = rest


def _become(node: Any, other: ast.AST) -> None:
    """Make a node another one, in the place where it stands."""
    fields = {name: getattr(other, name) for name in other._fields}
    node.__class__ = other.__class__
    for name, value in fields.items():
        setattr(node, name, value)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
