"""Custom resources: required fields, enumerations and CEL rules of their definition."""

from __future__ import annotations

from typing import Any

from vastplan.sim.kubernetes import expressions
from vastplan.sim.kubernetes.status import StatusCause, not_supported, required_field
from vastplan.sim.tables import Table

UNSET: Any = object()
"""No value: the object, or the field in it, did not exist."""


def definition_causes(
    table: Table, schema: dict[str, Any], new: Any, old: Any = UNSET, path: str = ""
) -> list[StatusCause]:
    """What the definition refuses in `new`; rules about `oldSelf` apply only if a value existed before."""
    while "$ref" in schema:
        schema = table.content["schemas"][schema["$ref"].removeprefix("#/schemas/")]
    faults: list[StatusCause] = []
    if "enum" in schema and new not in schema["enum"]:
        faults.append(not_supported(path, new, schema["enum"]))
    if isinstance(new, dict) and "properties" in schema:
        fields = schema["properties"]
        for name in sorted(set(new) & set(fields) - {"metadata"}):
            before = old.get(name, UNSET) if isinstance(old, dict) else UNSET
            faults += definition_causes(table, fields[name], new[name], before, f"{path}.{name}".lstrip("."))
        faults += [
            required_field(f"{path}.{name}".lstrip(".")) for name in schema.get("required", []) if name not in new
        ]
    for rule in schema.get("x-kubernetes-validations", []):
        faults += _rule(rule, new, old, path)
    return faults


def _rule(rule: dict[str, str], new: Any, old: Any, path: str) -> list[StatusCause]:
    bindings = {"self": new} | ({} if old is UNSET else {"oldSelf": old})
    if "oldSelf" in rule["rule"] and old is UNSET:
        return []
    try:
        holds = expressions.compiled(rule["rule"], frozenset({"self", "oldSelf"})).evaluate(bindings)
    except expressions.EvaluationError:
        holds = False
    if holds is True:
        return []
    kind = {dict: "object", str: "string", list: "array", bool: "boolean", int: "integer"}.get(type(new), "number")
    return [StatusCause("FieldValueInvalid", f'Invalid value: "{kind}": {rule["message"]}', path)]
