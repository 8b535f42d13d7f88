"""The rules by which the simulators refuse a request, read from their code: a rule that is added there is found here.

A rule's key is where it is and what it answers, with `{}` for what differs from one request to the next:
`vast.quotas._check: is_user_quota | Cannot be disabled once enabled.`
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from vastplan.sim.vast import errors

SIM = Path(__file__).parents[2] / "vastplan" / "sim"
SYSTEMS = ("vast", "kubernetes", "runai", "csi")
RAISED = frozenset({
    "VmsError", "detail", "denied", "not_found", "RunaiError", "StatusError", "NoSuchCallError", "bad_request", "no_such_path",
    "method_not_allowed", "unsupported_media", "invalid_patch", "forbidden", "forbidden_error", "conflict", "exists", "Abort",
})  # fmt: skip
CAUSES = frozenset({
    "required_field", "forbidden_field", "invalid", "duplicate", "too_long", "not_supported", "immutable", "StatusCause",
})  # fmt: skip
WORDS = {name: value for name, value in vars(errors).items() if isinstance(value, str)}


def rules() -> list[str]:
    """The keys of all rules."""
    found = []
    for system in SYSTEMS:
        for file in sorted((SIM / system).rglob("*.py")):
            module = ".".join(file.relative_to(SIM).with_suffix("").parts)
            found += [f"{module}.{rule}" for rule in _rules(ast.parse(file.read_text(encoding="utf-8")), "", "")]
    return sorted(set(found))


def answer(rule: str) -> re.Pattern[str]:
    """What an answer of the rule contains."""
    text = rule.split(": ", 1)[1].rpartition(" | ")[2].replace("\n", "{}")
    return re.compile(".*".join(re.escape(part) for part in text.split("{}")), re.DOTALL)


def _rules(node: ast.AST, function: str, returned: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield from _rules(child, child.name, ast.unparse(child.returns) if child.returns else "")
            continue
        text = _answered(child, function, returned)
        if text is not None:
            yield f"{function}: {text}"
        if not (text is not None and isinstance(child, ast.Raise)):
            yield from _rules(child, function, returned)


def _answered(node: ast.AST, function: str, returned: str) -> str | None:
    problems = "Problem" in returned or function.startswith("_guard")
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _name(node.exc) in RAISED:
        return _said(node.exc)
    if isinstance(node, ast.Yield) and node.value is not None and problems:
        return _text(node.value)
    if isinstance(node, ast.YieldFrom) and isinstance(node.value, ast.GeneratorExp) and problems:
        return _text(node.value.elt)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in CAUSES:
            return _said(node)
        if node.func.id == "raise_for" and isinstance(node.args[0], ast.List | ast.GeneratorExp):
            part = node.args[0].elt if isinstance(node.args[0], ast.GeneratorExp) else node.args[0].elts[0]
            return _text(part) if isinstance(part, ast.Tuple) else None
    return None


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _said(call: ast.Call) -> str:
    return " | ".join([_name(call), *map(_text, call.args)])


def _text(node: ast.AST) -> str:
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.JoinedStr():
            return "".join(_text(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        case ast.Name():
            return WORDS.get(node.id, "{}")
        case ast.Tuple():
            return " | ".join(map(_text, node.elts))
        case ast.Dict():
            return " ".join(map(_text, node.values))
        case ast.Call(func=ast.Name(id="missing_object")):
            return errors.missing_object("{}")
        case _:
            return "{}"
