"""ValidatingAdmissionPolicy: which policies apply to a write, and what they decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.sim.kubernetes import expressions, selectors
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.cluster import Object
from vastplan.sim.kubernetes.resources import BINDINGS, NAMESPACES, POLICIES
from vastplan.sim.kubernetes.rules.policies import environment
from vastplan.sim.kubernetes.status import StatusError, details

_CODES = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413, "Invalid": 422}
_MAX_MESSAGE = 5 * 1024


def validate(attempt: AdmissionRequest) -> None:
    """Refuse what a bound policy denies; the first denial in order of names is reported, every warning is kept."""
    if attempt.resource in (POLICIES, BINDINGS):  # policies never apply to policies, so nobody can lock themselves out
        return
    denial: StatusError | None = None
    for binding in sorted(attempt.cluster.objects(BINDINGS), key=lambda body: body["metadata"]["name"]):
        policy = attempt.cluster.get(POLICIES, "", binding["spec"]["policyName"])
        if policy is None or not _matches(policy["spec"]["matchConstraints"], attempt):
            continue
        if not _matches(binding["spec"].get("matchResources"), attempt):
            continue
        for message, reason in _decisions(policy["spec"], binding["spec"], attempt):
            subject = (
                f"ValidatingAdmissionPolicy '{policy['metadata']['name']}' with binding '{binding['metadata']['name']}'"
            )
            if "Warn" in binding["spec"]["validationActions"]:
                attempt.warnings.append(f"Validation failed for {subject}: {message}")
            if "Deny" in binding["spec"]["validationActions"] and denial is None:
                denial = _denial(attempt, f"{subject} denied request: {message}", reason)
    if denial is not None:
        raise denial


def _denial(attempt: AdmissionRequest, message: str, reason: str) -> StatusError:
    text = f'{attempt.resource.qualified} "{attempt.name}" is forbidden: {message}'
    body = details(attempt.name, attempt.resource.group, attempt.resource.plural) | {"causes": [{"message": message}]}
    return StatusError(_CODES[reason], reason, text, body)


def _matches(match: Object | None, attempt: AdmissionRequest) -> bool:
    if match is None:
        return True
    rules = match.get("resourceRules")
    if rules is not None and not any(_rule_matches(rule, attempt) for rule in rules):
        return False
    if any(_rule_matches(rule, attempt) for rule in match.get("excludeResourceRules", [])):
        return False
    objects = [body["metadata"].get("labels", {}) for body in (attempt.new, attempt.old) if body is not None]
    if not any(selectors.label_selector(match.get("objectSelector"))(labels) for labels in objects):
        return False
    labels = _namespace_labels(attempt)
    return labels is None or selectors.label_selector(match.get("namespaceSelector"))(labels)


def _namespace_labels(attempt: AdmissionRequest) -> dict[str, str] | None:
    """The labels that a namespaceSelector looks at, `None` for an object without a namespace, which always matches."""
    if attempt.resource is NAMESPACES:
        body = attempt.new or attempt.old
    else:
        body = attempt.cluster.get(NAMESPACES, "", attempt.namespace) if attempt.resource.namespaced else None
    return None if body is None else body["metadata"].get("labels", {})


def _rule_matches(rule: Object, attempt: AdmissionRequest) -> bool:
    resource = attempt.resource
    plural = f"{resource.plural}/{attempt.subresource}" if attempt.subresource else resource.plural
    plurals = (
        {plural, f"*/{attempt.subresource}", f"{resource.plural}/*", "*/*"}
        if attempt.subresource
        else {plural, "*", "*/*"}
    )
    return (
        rule["scope"] in ("*", "Namespaced" if resource.namespaced else "Cluster")
        and bool({attempt.operation, "*"} & set(rule["operations"]))
        and bool({resource.group, "*"} & set(rule["apiGroups"]))
        and bool({resource.version, "*"} & set(rule["apiVersions"]))
        and bool(plurals & set(rule["resources"]))
        and (not rule.get("resourceNames") or attempt.name in rule["resourceNames"])
    )


def _decisions(policy: Object, binding: Object, attempt: AdmissionRequest) -> Iterator[tuple[str, str]]:
    """Message and reason of each validation that fails."""
    fails = policy["failurePolicy"] == "Fail"
    declared = environment(policy)
    bindings = _bindings(attempt)
    try:
        if policy.get("paramKind") or binding.get("paramRef"):
            raise expressions.EvaluationError("failed to configure binding: params are not simulated")
        for condition in policy.get("matchConditions", []):
            if expressions.compiled(condition["expression"], declared).evaluate(bindings) is not True:
                return
    except expressions.EvaluationError as error:
        if fails:
            yield str(error), "Invalid"
        return
    bindings["variables"] = variables = {}
    faults = {}
    for variable in policy.get("variables", []):
        try:
            variables[variable["name"]] = expressions.compiled(variable["expression"], declared).evaluate(bindings)
        except expressions.EvaluationError as error:
            faults[variable["name"]] = str(error)
    for validation in policy.get("validations", []):
        try:
            holds = expressions.compiled(validation["expression"], declared).evaluate(bindings) is True
        except expressions.EvaluationError as error:
            if fails:
                named = [why for name, why in faults.items() if f"no such key: {name}" in str(error)]
                head = f"expression '{validation['expression']}' resulted in error"
                yield (f"{head}: composited variable fails to evaluate: "
                       f"{named[0]}" if named else str(error)), "Invalid"  # fmt: skip
            continue
        if not holds:
            yield _message(validation, declared, bindings), validation.get("reason", "Invalid")


def _message(validation: Object, declared: frozenset[str], bindings: dict[str, Any]) -> str:
    message = ""
    if "messageExpression" in validation:
        try:
            value = expressions.compiled(validation["messageExpression"], declared).evaluate(bindings)
        except expressions.EvaluationError:
            value = ""
        if isinstance(value, str) and "\n" not in value.strip() and len(value) <= _MAX_MESSAGE:
            message = value.strip()
    return message or validation.get("message", "").strip() or f"failed expression: {validation['expression'].strip()}"


def _bindings(attempt: AdmissionRequest) -> dict[str, Any]:
    resource = attempt.resource
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    plural = {"group": resource.group, "version": resource.version, "resource": resource.plural}
    request = {
        "kind": kind, "requestKind": kind, "resource": plural, "requestResource": plural, "name": attempt.name,
        "subResource": attempt.subresource, "requestSubResource": attempt.subresource, "operation": attempt.operation,
        "userInfo": {"username": attempt.user, "groups": ["system:masters", "system:authenticated"]},
        "dryRun": attempt.dry_run,
    }  # fmt: skip
    namespace = None
    if resource.namespaced:
        request["namespace"] = attempt.namespace
        namespace = attempt.cluster.get(NAMESPACES, "", attempt.namespace)
    # managedFields are left out for speed: no rule should look at them.
    return {
        "object": _plain(attempt.new),
        "oldObject": _plain(attempt.old),
        "request": request,
        "namespaceObject": namespace,
    }


def _plain(body: Object | None) -> Object | None:
    if body is None:
        return None
    metadata = {key: value for key, value in body["metadata"].items() if key != "managedFields"}
    return {**body, "metadata": metadata}
