"""Label and field selectors of a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from vastplan.sim.kubernetes import names
from vastplan.sim.kubernetes.status import bad_request

Match = Callable[[dict[str, Any]], bool]
_TOKEN = re.compile(r"\s*(!=|==|=|!|>|<|,|\(|\)|[^\s!=<>,()]+)")
_OPERATORS = "in, notin, =, ==, !=, gt, lt"


def parse_label_selector(text: str) -> Match:
    """A predicate over labels from `a=b,c!=d,e in (f,g),h notin (i),j,!k`; raises `StatusError` if it cannot be parsed."""
    tokens = _TOKEN.findall(text)
    requirements: list[Match] = []
    while tokens:
        requirements.append(_requirement(tokens))
        if tokens and tokens.pop(0) != ",":
            raise bad_request("found '" + text.split()[-1] + "', expected: ',' or 'end of string'")
    return lambda labels_or_fields: all(requirement(labels_or_fields) for requirement in requirements)


def _requirement(tokens: list[str]) -> Match:
    absent = tokens[0] == "!"
    if absent:
        tokens.pop(0)
    key = tokens.pop(0) if tokens else ""
    if names.qualified(key):
        raise bad_request(
            f'unable to parse requirement: <nil>: Invalid value: "{key}": {"; ".join(names.qualified(key))}'
        )
    if absent or not tokens or tokens[0] == ",":
        return (
            (lambda object_labels: key not in object_labels) if absent else (lambda object_labels: key in object_labels)
        )
    operator = tokens.pop(0)
    if operator in ("in", "notin"):
        values = _values(tokens)
        return (
            (lambda object_labels: object_labels.get(key) in values)
            if operator == "in"
            else (lambda object_labels: object_labels.get(key) not in values)
        )
    if operator not in ("=", "==", "!=", ">", "<"):
        raise bad_request(f"unable to parse requirement: found '{operator}', expected: {_OPERATORS}")
    value = "" if not tokens or tokens[0] == "," else tokens.pop(0)
    if names.label_value(value):
        raise bad_request(
            f'unable to parse requirement: values[0][{key}]: Invalid value: "{value}": {names.label_value(value)[0]}'
        )
    if operator in (">", "<"):
        bound = _number(value)
        if bound is None:
            raise bad_request(
                "unable to parse requirement: values[0]: for 'Gt', 'Lt' operators, the value must be an integer"
            )
        return lambda object_labels: (
            (at := _number(object_labels.get(key, ""))) is not None and (at > bound if operator == ">" else at < bound)
        )
    return (
        (lambda object_labels: object_labels.get(key) != value)
        if operator == "!="
        else (lambda object_labels: object_labels.get(key) == value)
    )


def _number(value: str) -> int | None:
    return int(value) if re.fullmatch(r"-?\d+", value) else None


def _values(tokens: list[str]) -> set[str]:
    if not tokens or tokens.pop(0) != "(":
        raise bad_request("unable to parse requirement: found '', expected: '('")
    values: set[str] = set()
    while tokens:
        token = tokens.pop(0)
        if token == ")":
            return values or {""}
        if token != ",":
            values.add(token)
    raise bad_request("unable to parse requirement: found '', expected: ',', or ')'")


def label_selector(selector: dict[str, Any] | None) -> Match:
    """A predicate over labels from a LabelSelector object; an empty one matches all."""
    wanted = (selector or {}).get("matchLabels", {})
    expressions = (selector or {}).get("matchExpressions", [])

    def meets(object_labels: dict[str, Any], expression: dict[str, Any]) -> bool:
        name, values = expression["key"], expression.get("values", [])
        return {
            "In": name in object_labels and object_labels[name] in values,
            "NotIn": name not in object_labels or object_labels[name] not in values,
            "Exists": name in object_labels,
            "DoesNotExist": name not in object_labels,
        }[expression["operator"]]

    return lambda object_labels: (
        all(object_labels.get(key) == value for key, value in wanted.items())
        and all(meets(object_labels, expression) for expression in expressions)
    )


def parse_field_selector(text: str, fields: tuple[str, ...]) -> Match:
    """A predicate over objects from `metadata.name=a,metadata.namespace!=b`; raises `StatusError` for another field."""
    requirements: list[tuple[str, bool, str]] = []
    for term in filter(None, text.split(",")):
        match = re.fullmatch(r"([^=!]+)(==|=|!=)(.*)", term)
        if match is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{term}'")
        if match[1] not in fields:
            listed = ", ".join(f'"{name}"' for name in fields)
            raise bad_request(f'"{match[1]}" is not a known field selector: only {listed}')
        requirements.append((match[1], match[2] != "!=", match[3]))

    def value(body: dict[str, Any], path: str) -> str:
        node: Any = body
        for part in path.split("."):
            node = node.get(part, {})
        return node if isinstance(node, str) else ""

    return lambda body: all((value(body, path) == wanted) is same for path, same, wanted in requirements)
