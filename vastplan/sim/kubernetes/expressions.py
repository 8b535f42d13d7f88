"""CEL expressions as the API server compiles and evaluates them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import cel
from cel.stdlib import add_stdlib_to_context

from vastplan.sim.kubernetes import optionals, quantity

_MACRO = re.compile(r"\.(?:all|exists|exists_one|map|filter)\(\s*([A-Za-z_]\w*)\s*,")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_NATIVE = {
    "size", "contains", "startsWith", "endsWith", "matches", "string", "int", "uint", "double", "bool", "bytes", "type",
    "dyn", "duration", "timestamp", "has", "all", "exists", "exists_one", "map", "filter", "max", "min",
    "of", "none", "ofNonZeroValue", "hasValue", "value", "or", "orValue",
}  # fmt: skip
_TYPES = {"int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type", "optional"}
# Kubernetes escapes fields that are named like a reserved word; this compiler takes such names unescaped.
_ESCAPED = re.compile(
    r"\.__(as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)__\b"
)
_NAMES = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    dict: "map",
    type(None): "null_type",
}


class CompileError(ValueError):
    """The expression cannot be compiled; the text is the server's."""


class EvaluationError(ValueError):
    """The expression has no value; the text is the server's."""


def _is_quantity(text: str) -> bool:
    try:
        quantity.parse_quantity(text)
    except ValueError:
        return False
    return True


def _compare(first: dict[str, str], second: dict[str, str]) -> int:
    left, right = Fraction(first["quantity"]), Fraction(second["quantity"])
    return (left > right) - (left < right)


# Functions that Kubernetes adds to the language, except the string functions, which the library has.
_ADDED: dict[str, Callable[..., Any]] = {
    "quantity": lambda text: {"quantity": str(quantity.parse_quantity(text))},
    "isQuantity": _is_quantity,
    "compareTo": _compare,
    "isGreaterThan": lambda left, right: _compare(left, right) > 0,
    "isLessThan": lambda left, right: _compare(left, right) < 0,
    "find": lambda text, pattern: (re.search(pattern, text) or [""])[0],
    "findAll": lambda text, pattern: [match.group(0) for match in re.finditer(pattern, text)],
    "isSorted": lambda items: items == sorted(items),
    optionals.FUNCTION: optionals.select_optional,
}


def _context(bindings: Mapping[str, Any]) -> cel.Context:
    context = cel.Context(variables=dict(bindings))
    add_stdlib_to_context(context)
    for name, function in _ADDED.items():
        context.add_function(name, function)
    return context


@lru_cache
def _functions() -> frozenset[str]:
    return frozenset(_context({}).functions) | _NATIVE


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression."""

    text: str
    program: cel.Program

    def evaluate(self, bindings: Mapping[str, Any]) -> Any:
        """The value; raises `EvaluationError`."""
        try:
            return self.program.execute(_context(bindings))
        except KeyError as error:
            why = f"no such key: {error.args[0].strip(chr(39))}"
        except (TypeError, RuntimeError) as error:
            why = f"no such overload: {str(error).partition('.')[0]}"
        except (ValueError, ArithmeticError, IndexError) as error:
            why = str(error)
        raise EvaluationError(f"expression '{self.text}' resulted in error: {why}")


def _undeclared(text: str, name: str, function: bool = False) -> str:
    masked = _STRING.sub(lambda match: " " * len(match[0]), text)
    match = re.search(rf"(?<![\w.]){re.escape(name)}\b", masked) or re.search(rf"\b{re.escape(name)}\b", masked)
    offset = (match.end() if function else match.start()) if match else 0  # the server points to a call's parenthesis
    return f"ERROR: <input>:1:{offset + 1}: undeclared reference to '{name}' (in container '')\n | {text}\n | {'.' * offset}^"


@lru_cache(maxsize=1024)
def compiled(text: str, variables: frozenset[str]) -> Expression:
    """Compile an expression that may use `variables`; raises `CompileError`."""
    try:
        program = cel.compile(_ESCAPED.sub(r".\1", optionals.rewritten(text)))
    except ValueError as error:
        why = str(error)
        raise CompileError("compilation failed: " + why[why.find("ERROR") :].replace("\n| ", "\n | ")) from None
    declared = variables | set(_MACRO.findall(text)) | _TYPES
    faults = [_undeclared(text, name) for name in program.variables() if name not in declared]
    called = [name for name in program.functions() if name[0].isalpha() and name not in _functions()]
    faults += [_undeclared(text, name, function=True) for name in called]
    if faults:
        raise CompileError("compilation failed: " + "\n".join(faults))
    return Expression(text, program)


def must_be(expression: Expression, wanted: type) -> None:
    """Raise `CompileError` if an expression without variables has a value of another type."""
    if expression.program.variables():
        return
    try:
        value = expression.evaluate({})
    except EvaluationError:
        return
    if not isinstance(value, wanted):
        raise CompileError(f"must evaluate to {_NAMES[wanted]} but got {_NAMES.get(type(value), 'dyn')}")
