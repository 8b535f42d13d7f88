"""TEN-12: the flavor of a view policy changes while S3 views use it."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts, LiveObject
from vastplan.checks.live_values import items_of
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.model.wording import some


def _run(facts: Facts) -> Iterator[Violation]:
    for (site, kind), rows in facts.seen.items():
        views = facts.seen.get((site, "view"), ())
        for live in rows if kind == "view_policy" else ():
            policy = facts.objects.get(Ref(live.address))
            flavor, wanted = live.values.get("flavor"), policy.values.get("flavor") if policy is not None else None
            if policy is None or wanted is None or flavor == wanted:
                continue
            users = sorted(str(view.values.get("path")) for view in views if _is_bucket_of(view, live))
            if users:
                text = f"flavor cannot change from {flavor} to {wanted}: S3 views use it ({some(users)})"
                yield Violation(policy, text)


def _is_bucket_of(view: LiveObject, policy: LiveObject) -> bool:
    named = view.values.get("view_policy")
    return "S3" in items_of(view.values.get("protocols")) and str(named) == str(policy.attributes.get("id"))


def _wanted(facts: Facts) -> Iterator[str]:
    yield from {policy.address.site for policy in facts.objects.all("view_policy") if policy.values.get("flavor")}


CHECK = Check(
    code="TEN-12",
    title="a flavor that S3 views use",
    severity=Severity.ERROR,
    why="VMS does not change the flavor of a view policy as long as a view with protocol S3 uses it.",
    fix="keep the flavor, and name another view policy for the views that need another flavor",
    source="VMS API 5.5, viewpolicies PATCH flavor",
    run=_run,
    reads=("view", "view_policy"),
    wanted=_wanted,
)
