"""ValidatingAdmissionPolicy and its binding."""

from __future__ import annotations

import re

from vastplan.sim.kubernetes import expressions, names
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import Cause, duplicate, invalid, not_supported, required

ENVIRONMENT = frozenset({"object", "oldObject", "request", "namespaceObject", "authorizer", "variables"})
_FAILURE = ("Fail", "Ignore")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized")
_MATCH = ("Equivalent", "Exact")
_ACTIONS = ("Audit", "Deny", "Warn")
_BOTH = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response "
    "and headers serves no purpose)"
)
_MAX_CONDITIONS = 64


def _match_defaults(match: Object) -> None:
    match.setdefault("namespaceSelector", {})
    match.setdefault("objectSelector", {})
    match.setdefault("matchPolicy", "Equivalent")
    for rule in match.get("resourceRules", []) + match.get("excludeResourceRules", []):
        rule.setdefault("scope", "*")


def _defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    spec.setdefault("failurePolicy", "Fail")
    if "matchConstraints" in spec:
        _match_defaults(spec["matchConstraints"])


def _expression(path: str, text: str, wanted: type | None, variables: frozenset[str]) -> list[Cause]:
    if not text.strip():
        return [required(path, "expression is not specified")]
    try:
        expression = expressions.compiled(text, variables)
        if wanted is not None:
            expressions.must_be(expression, wanted)
    except expressions.CompileError as error:
        return [invalid(path, text, str(error))]
    return []


def _check_policy(path: str, match: Object) -> list[Cause]:
    given = match["matchPolicy"]
    return [] if given in _MATCH else [not_supported(f"{path}.matchPolicy", given, _MATCH)]


def _check_rules(path: str, rules: list[Object]) -> list[Cause]:
    found = []
    for index, rule in enumerate(rules):
        at = f"{path}[{index}]"
        for place, operation in enumerate(rule.get("operations", [])):
            if operation not in _OPERATIONS:
                found.append(not_supported(f"{at}.operations[{place}]", operation, _OPERATIONS))
        for field in ("operations", "apiGroups", "apiVersions", "resources"):
            values = rule.get(field, [])
            if not values:
                found.append(required(f"{at}.{field}"))
            elif "*" in values and len(values) > 1 and field != "resources":
                words = {"operations": "operations", "apiGroups": "API groups", "apiVersions": "API versions"}
                why = f"if '*' is present, must not specify other {words[field]}"
                found.append(invalid(f"{at}.{field}", values, why))
        if rule["scope"] not in _SCOPES:
            found.append(not_supported(f"{at}.scope", rule["scope"], _SCOPES))
    return found


def environment(spec: Object) -> frozenset[str]:
    """The variables that a policy's expressions may use."""
    return ENVIRONMENT | ({"params"} if spec.get("paramKind") else frozenset())


def _check(body: Object) -> list[Cause]:
    spec = body["spec"]
    known = environment(spec)
    found: list[Cause] = []
    if spec["failurePolicy"] not in _FAILURE:
        found.append(not_supported("spec.failurePolicy", spec["failurePolicy"], _FAILURE))
    match = spec.get("matchConstraints")
    if match is None:
        found.append(required("spec.matchConstraints"))
    else:
        found += _check_policy("spec.matchConstraints", match)
        found += _check_rules("spec.matchConstraints.resourceRules", match.get("resourceRules", []))
        found += _check_rules("spec.matchConstraints.excludeResourceRules", match.get("excludeResourceRules", []))
        if not match.get("resourceRules"):
            found.append(required("spec.matchConstraints.resourceRules"))
    conditions = spec.get("matchConditions", [])
    if len(conditions) > _MAX_CONDITIONS:
        many = f"Too many: {len(conditions)}: must have at most {_MAX_CONDITIONS} items"
        found.append(Cause("FieldValueTooMany", many, "spec.matchConditions"))
    for index, condition in enumerate(conditions):
        path = f"spec.matchConditions[{index}]"
        found += _expression(f"{path}.expression", condition.get("expression", ""), bool, known - {"variables"})
        found += names.causes(f"{path}.name", condition.get("name", ""), names.qualified(condition.get("name", "")))
        if condition.get("name") in [one.get("name") for one in conditions[:index]]:
            found.append(duplicate(f"{path}.name", condition.get("name")))
    for index, variable in enumerate(spec.get("variables", [])):
        path = f"spec.variables[{index}]"
        if not re.fullmatch(r"[A-Za-z_]\w*", variable.get("name", "")):
            found.append(invalid(f"{path}.name", variable.get("name", ""), "must be a valid CEL identifier"))
        found += _expression(f"{path}.expression", variable.get("expression", ""), None, known)
    none = "validations or auditAnnotations must contain at least one item"
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        found += [required("spec.validations", none), required("spec.auditAnnotations", none)]
    for index, validation in enumerate(spec.get("validations", [])):
        path = f"spec.validations[{index}]"
        found += _expression(f"{path}.expression", validation.get("expression", ""), bool, known)
        if "\n" in validation.get("message", ""):
            found.append(invalid(f"{path}.message", validation["message"], "message must not contain line breaks"))
        if "messageExpression" in validation:
            found += _expression(f"{path}.messageExpression", validation["messageExpression"], str, known)
        if "reason" in validation and validation["reason"] not in _REASONS:
            found.append(not_supported(f"{path}.reason", validation["reason"], _REASONS[:3]))
    return found


def _binding_defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    if "matchResources" in spec:
        _match_defaults(spec["matchResources"])


def _check_binding(body: Object) -> list[Cause]:
    spec = body["spec"]
    name, actions = spec.get("policyName", ""), spec.get("validationActions", [])
    found = names.causes("spec.policyName", name, names.subdomain(name)) if name else [required("spec.policyName")]
    if not actions:
        found.append(required("spec.validationActions", "at least one validation action is required"))
    for index, action in enumerate(actions):
        path = f"spec.validationActions[{index}]"
        if action not in _ACTIONS:
            found.append(not_supported(path, action, _ACTIONS))
        if action in actions[:index]:
            found.append(duplicate(path, action))
    if "Deny" in actions and "Warn" in actions:
        found.append(invalid("spec.validationActions", actions, _BOTH))
    return found


def _create(body: Object) -> None:
    body["status"] = {}


POLICY = Rules(defaults=_defaults, create=_create, check=_check)
BINDING = Rules(defaults=_binding_defaults, check=_check_binding)
