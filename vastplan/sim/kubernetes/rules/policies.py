"""Rules of ValidatingAdmissionPolicy and its binding."""

from __future__ import annotations

import re

from vastplan.sim.kubernetes import expressions, names
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import StatusCause, duplicate, invalid, not_supported, required_field

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


def _expression(path: str, text: str, wanted: type | None, variables: frozenset[str]) -> list[StatusCause]:
    if not text.strip():
        return [required_field(path, "expression is not specified")]
    try:
        expression = expressions.compiled(text, variables)
        if wanted is not None:
            expressions.must_be(expression, wanted)
    except expressions.CompileError as error:
        return [invalid(path, text, str(error))]
    return []


def _check_policy(path: str, match: Object) -> list[StatusCause]:
    policy = match["matchPolicy"]
    return [] if policy in _MATCH else [not_supported(f"{path}.matchPolicy", policy, _MATCH)]


def _check_rules(path: str, rules: list[Object]) -> list[StatusCause]:
    causes = []
    for index, rule in enumerate(rules):
        rule_path = f"{path}[{index}]"
        for operation_index, operation in enumerate(rule.get("operations", [])):
            if operation not in _OPERATIONS:
                causes.append(not_supported(f"{rule_path}.operations[{operation_index}]", operation, _OPERATIONS))
        for field in ("operations", "apiGroups", "apiVersions", "resources"):
            values = rule.get(field, [])
            if not values:
                causes.append(required_field(f"{rule_path}.{field}"))
            elif "*" in values and len(values) > 1 and field != "resources":
                words = {"operations": "operations", "apiGroups": "API groups", "apiVersions": "API versions"}
                why = f"if '*' is present, must not specify other {words[field]}"
                causes.append(invalid(f"{rule_path}.{field}", values, why))
        if rule["scope"] not in _SCOPES:
            causes.append(not_supported(f"{rule_path}.scope", rule["scope"], _SCOPES))
    return causes


def environment(spec: Object) -> frozenset[str]:
    """The variables that a policy's expressions may use."""
    return ENVIRONMENT | ({"params"} if spec.get("paramKind") else frozenset())


def _check(body: Object) -> list[StatusCause]:
    spec = body["spec"]
    declared = environment(spec)
    causes: list[StatusCause] = []
    if spec["failurePolicy"] not in _FAILURE:
        causes.append(not_supported("spec.failurePolicy", spec["failurePolicy"], _FAILURE))
    match = spec.get("matchConstraints")
    if match is None:
        causes.append(required_field("spec.matchConstraints"))
    else:
        causes += _check_policy("spec.matchConstraints", match)
        causes += _check_rules("spec.matchConstraints.resourceRules", match.get("resourceRules", []))
        causes += _check_rules("spec.matchConstraints.excludeResourceRules", match.get("excludeResourceRules", []))
        if not match.get("resourceRules"):
            causes.append(required_field("spec.matchConstraints.resourceRules"))
    conditions = spec.get("matchConditions", [])
    if len(conditions) > _MAX_CONDITIONS:
        many = f"Too many: {len(conditions)}: must have at most {_MAX_CONDITIONS} items"
        causes.append(StatusCause("FieldValueTooMany", many, "spec.matchConditions"))
    for index, condition in enumerate(conditions):
        path = f"spec.matchConditions[{index}]"
        causes += _expression(f"{path}.expression", condition.get("expression", ""), bool, declared - {"variables"})
        causes += names.name_causes(
            f"{path}.name", condition.get("name", ""), names.qualified(condition.get("name", ""))
        )
        if condition.get("name") in [earlier.get("name") for earlier in conditions[:index]]:
            causes.append(duplicate(f"{path}.name", condition.get("name")))
    for index, variable in enumerate(spec.get("variables", [])):
        path = f"spec.variables[{index}]"
        if not re.fullmatch(r"[A-Za-z_]\w*", variable.get("name", "")):
            causes.append(invalid(f"{path}.name", variable.get("name", ""), "must be a valid CEL identifier"))
        causes += _expression(f"{path}.expression", variable.get("expression", ""), None, declared)
    none = "validations or auditAnnotations must contain at least one item"
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        causes += [required_field("spec.validations", none), required_field("spec.auditAnnotations", none)]
    for index, validation in enumerate(spec.get("validations", [])):
        path = f"spec.validations[{index}]"
        causes += _expression(f"{path}.expression", validation.get("expression", ""), bool, declared)
        if "\n" in validation.get("message", ""):
            causes.append(invalid(f"{path}.message", validation["message"], "message must not contain line breaks"))
        if "messageExpression" in validation:
            causes += _expression(f"{path}.messageExpression", validation["messageExpression"], str, declared)
        if "reason" in validation and validation["reason"] not in _REASONS:
            causes.append(not_supported(f"{path}.reason", validation["reason"], _REASONS[:3]))
    return causes


def _binding_defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    if "matchResources" in spec:
        _match_defaults(spec["matchResources"])


def _check_binding(body: Object) -> list[StatusCause]:
    spec = body["spec"]
    name, actions = spec.get("policyName", ""), spec.get("validationActions", [])
    causes = (
        names.name_causes("spec.policyName", name, names.subdomain(name))
        if name
        else [required_field("spec.policyName")]
    )
    if not actions:
        causes.append(required_field("spec.validationActions", "at least one validation action is required"))
    for index, action in enumerate(actions):
        path = f"spec.validationActions[{index}]"
        if action not in _ACTIONS:
            causes.append(not_supported(path, action, _ACTIONS))
        if action in actions[:index]:
            causes.append(duplicate(path, action))
    if "Deny" in actions and "Warn" in actions:
        causes.append(invalid("spec.validationActions", actions, _BOTH))
    return causes


def _create(body: Object) -> None:
    body["status"] = {}


POLICY = Rules(defaults=_defaults, create=_create, check=_check)
BINDING = Rules(defaults=_binding_defaults, check=_check_binding)
