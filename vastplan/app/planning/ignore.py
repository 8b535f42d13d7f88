"""The rules for changes that a plan ignores: those in the document, and those of this run."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date

from vastplan.app.planning.known_addresses import Known, names_a_field, targeted_objects
from vastplan.app.workspace import Workspace
from vastplan.document.specs import DriftSpec
from vastplan.engine.deciding.ignore import IgnoreRule
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.nearest import closest, known_ones, nearest_address, suggestion
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.shapes.struct import STRUCT

_WILDCARDS = re.compile(r"[*?\[]")


def ignore_rules(
    workspace: Workspace,
    keep_drift: Iterable[str],
    existing_of: Callable[[], Known],
    today: date,
    *,
    everywhere: bool,
) -> tuple[tuple[IgnoreRule, ...], tuple[Finding, ...]]:
    """The rules in force, with a warning for each rule of the document that has expired, or (`everywhere`) matches no object, and an
    error for each field that none of its objects can have. A rule with the address of a composite entry is for all its objects.

    The rules of this run come first: they apply even to fields that the document changed.
    """
    of_run = [IgnoreRule(pattern, "left as it is this time (--keep-drift)") for pattern in keep_drift]
    spec = workspace.document.head.drift
    rule_specs = spec.ignore if isinstance(spec, DriftSpec) and isinstance(spec.ignore, list) else []
    existing = existing_of() if rule_specs else Known(frozenset(), {}, frozenset())
    of_document, findings = [], []
    for rule_spec in rule_specs:
        until = rule_spec.until if isinstance(rule_spec.until, str) else ""
        fields = tuple(rule_spec.fields) if isinstance(rule_spec.fields, list) else ()
        rules = [
            IgnoreRule(pattern, rule_spec.reason, fields, document=True, until=until)
            for pattern in targeted_objects((rule_spec.address,), existing)
        ]
        if until and date.fromisoformat(until) < today:
            text = f"the rule to ignore drift of {rule_spec.address} ended on {until}: it is reported as drift again"
            findings.append(Finding("VP306", Severity.WARNING, text, "renew it, or remove it from drift.ignore"))
            continue
        addresses = map(Address.parse, existing.addresses)
        matched = {address.kind for address in addresses if any(rule.matches(address) for rule in rules)}
        findings += _unknown_fields(rules[0], matched, workspace.registry.kinds)
        if everywhere and not matched and not names_a_field(rule_spec.address, existing.addresses):
            text = f"the rule to ignore drift of {rule_spec.address} matches no object"
            near = nearest_address(rule_spec.address, {*existing.addresses, *existing.parts})
            findings.append(Finding("VP307", Severity.WARNING, text, near or "an address is site/kind/name"))
        of_document += rules
    return (*of_run, *of_document), tuple(findings)


def _unknown_fields(rule: IgnoreRule, names: Collection[str], kinds: Mapping[str, Kind]) -> Iterator[Finding]:
    """VP358 for each field of a rule that no kind of its objects has."""
    paths = sorted({path for name in names for path in _paths(kinds[name].fields, "")})
    for field in rule.fields if paths else ():
        if not any(_may_mean(field, path) for path in paths):
            which = " or ".join(sorted(names)) if len(names) < 3 else "of its objects"
            text = f"the rule to ignore drift of {inert(rule.address, 200)}: no {which} has a field {inert(field, 200)}"
            yield error("VP358", text, fix=suggestion(closest(field, paths)) or known_ones(paths))


def _paths(fields: Iterable[Field], before: str) -> Iterator[str]:
    """The paths of fields, down to those whose parts have keys of their own."""
    for field in fields:
        path = f"{before}{field.name}"
        if field.shape is STRUCT:
            yield from _paths(field.fields, f"{path}.")
        else:
            yield path


def _may_mean(field: str, path: str) -> bool:
    """Whether a field of a rule may be the field at a path, a part of it, or a struct around it."""
    begin = _WILDCARDS.split(field)[0]
    if begin != field:
        return path.startswith(begin) or begin.startswith(f"{path}.")
    return f"{field}.".startswith(f"{path}.") or path.startswith(f"{field}.")
