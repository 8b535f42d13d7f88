"""VAST's S3 policies: parsing them, comparing them by meaning, and deciding requests. Pure.

Sources: the pages "Identity and Bucket Policy Reference", "Overview of S3 Access Management", "Managing S3 Access" and
"Supported S3 Requests" of VAST's knowledge base, and the description of `POST /s3policies/`. VAST takes a subset of Amazon's
policy language; where its pages say nothing (`?`, case of actions) Amazon's reference counts. Each case in
`tests/model/s3_policies.yaml` names the page that it comes from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from vastplan.model.dataclass import dataclass
from vastplan.model.value import json_text
from vastplan.model.wording import quoted

_ARN = "arn:aws:s3:::"
_VERSIONS = ("2012-10-17", "2008-10-17")
_ELEMENTS = frozenset({"Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "NotResource", "Condition"})
_LISTS = frozenset({"Action", "NotAction", "Resource", "NotResource"})
EVERYBODY = "*"


class PolicyDecision(Enum):
    """The decision of policies about a request."""

    DENIED = "denied"
    ALLOWED = "allowed"
    CONDITIONAL = "conditional"  # allowed if a condition holds, or if one does not
    UNCOVERED = "uncovered"  # no policy allows it: the access lists decide, which allow the owner everything


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `principals` is `None` in an identity policy, which applies to those to whom it is attached."""

    allows: bool
    actions: tuple[str, ...]
    but_actions: bool
    resources: tuple[str, ...]
    but_resources: bool
    principals: Principals | None
    conditional: bool
    sid: str = ""

    def has_action(self, action: str) -> bool:
        """Whether it applies to an action, such as `s3:GetObject`; case does not matter."""
        return any(matches(pattern.lower(), action.lower()) for pattern in self.actions) != self.but_actions

    def has_resource(self, resource: str) -> bool:
        """Whether it applies to the resource `BUCKET` or `BUCKET/KEY`."""
        return any(matches(pattern, resource) for pattern in self.resources) != self.but_resources

    def reaches(self, bucket: str) -> bool:
        """Whether it applies to a bucket, or to any key that may be in it."""
        inside = f"{bucket}/"
        if self.but_resources:
            whole = any(matches(pattern, bucket) for pattern in self.resources)
            return not (whole and any(takes_all(pattern, inside) for pattern in self.resources))
        return any(matches(pattern, bucket) or goes_on(pattern, inside) for pattern in self.resources)


@dataclass(frozen=True, slots=True)
class Principals:
    """To whom a statement of a bucket policy applies: users and groups as `NAME@DOMAIN`, or everybody."""

    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    everybody: bool = False

    def has(self, request: AccessRequest) -> bool:
        """Whether they include the user of a request, or one of the user's groups."""
        return self.everybody or request.user in self.users or not self.groups.isdisjoint(request.groups)


@dataclass(frozen=True, slots=True)
class Policy:
    """The statements of a policy."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """A request: the user (`NAME@DOMAIN`) and groups in the same form, the action, and the resource: `BUCKET` or `BUCKET/KEY`."""

    action: str
    resource: str
    user: str = ""
    groups: frozenset[str] = frozenset()


def decide_access(
    request: AccessRequest, identity: Iterable[Policy] = (), bucket: Policy | None = None
) -> PolicyDecision:
    """The decision of a user's identity policies and the bucket's policy together.

    A deny overrides every allow. Conditions are not evaluated: a statement with a condition may apply or not.
    """
    spoken = [
        statement
        for policy in (*identity, *((bucket,) if bucket is not None else ()))
        for statement in policy.statements
        if statement.has_action(request.action)
        and statement.has_resource(request.resource)
        and (statement.principals is None or statement.principals.has(request))
    ]
    denying = [statement for statement in spoken if not statement.allows]
    allowing = [statement for statement in spoken if statement.allows]
    if any(not statement.conditional for statement in denying):
        return PolicyDecision.DENIED
    if not denying and any(not statement.conditional for statement in allowing):
        return PolicyDecision.ALLOWED
    return PolicyDecision.CONDITIONAL if allowing else PolicyDecision.UNCOVERED


def allowed_in(policy: Policy, buckets: Collection[str]) -> Iterator[str]:
    """The buckets in which a policy allows something; only patterns are compared with all of them."""
    for statement in policy.statements:
        if statement.allows:
            named = [resource.partition("/")[0] for resource in statement.resources]
            exact = not statement.but_resources and not any("*" in name or "?" in name for name in named)
            yield from (name for name in (named if exact else buckets) if name in buckets and statement.reaches(name))


def applies(flavor: str | None) -> bool:
    """Whether S3 policies apply at all to views with a view policy of that flavor."""
    return flavor == "S3_NATIVE"


def parse_policy(document: Any, *, of_bucket: bool = False) -> Policy:
    """Parses a policy; raises `ValueError` for anything that VAST's syntax does not have."""
    if not isinstance(document, Mapping):
        raise ValueError("a policy is a mapping with Version and Statement")
    _known(document, frozenset({"Version", "Id", "Statement"}), "a policy")
    if document.get("Version", _VERSIONS[0]) not in _VERSIONS:
        raise ValueError(f"Version is {_VERSIONS[0]!r}, in quotes")
    statements = document.get("Statement")
    if isinstance(statements, Mapping):
        statements = [statements]
    if not isinstance(statements, Sequence) or isinstance(statements, str) or not statements:
        raise ValueError("Statement is a list of statements")
    return Policy(tuple(_statement(each, f"Statement {place}", of_bucket) for place, each in enumerate(statements, 1)))


def _statement(written: Any, where: str, of_bucket: bool) -> Statement:
    if not isinstance(written, Mapping):
        raise ValueError(f"{where} is a mapping")
    _known(written, _ELEMENTS, where)
    if written.get("Effect") not in ("Allow", "Deny"):
        raise ValueError(f"{where}: Effect is Allow or Deny")
    if of_bucket != ("Principal" in written):
        text = (
            "a bucket policy says to whom it applies"
            if of_bucket
            else "an identity policy applies to whom it is attached to"
        )
        raise ValueError(f"{where}: {text}: {'write' if of_bucket else 'remove'} Principal")
    actions, but_actions = _one_of(written, "Action", where)
    for action in actions:
        if action != "*" and ":" not in action:
            raise ValueError(f"{where}: {quoted(action)} is not an action: write for example s3:GetObject, or '*'")
    resources, but_resources = _one_of(written, "Resource", where)
    condition = written.get("Condition", {})
    if not isinstance(condition, Mapping) or not all(isinstance(each, Mapping) for each in condition.values()):
        raise ValueError(f"{where}: Condition is a mapping of operators, each with keys and values")
    if not isinstance(written.get("Sid", ""), str):
        raise ValueError(f"{where}: Sid is text")
    return Statement(
        written["Effect"] == "Allow",
        actions,
        but_actions,
        tuple(short_resource(resource) for resource in resources),
        but_resources,
        _principals(written["Principal"], where) if of_bucket else None,
        bool(condition),
        written.get("Sid", ""),
    )


def _one_of(written: Mapping[str, Any], name: str, where: str) -> tuple[tuple[str, ...], bool]:
    """The texts of an element or of its negation (`Action`, `NotAction`), and whether it is negated; exactly one must exist."""
    if (name in written) == (f"Not{name}" in written):
        raise ValueError(f"{where}: give either {name} or Not{name}")
    negated = name not in written
    key = f"Not{name}" if negated else name
    return _texts(written[key], f"{where}: {key}"), negated


def _texts(value: Any, where: str) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [value]
    if not listed or not all(isinstance(each, str) and each for each in listed):
        raise ValueError(f"{where} is text, or a list of texts")
    return tuple(listed)


def _principals(value: Any, where: str) -> Principals:
    if value == EVERYBODY:
        return Principals(everybody=True)
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{where}: Principal is '*', or has User and Group")
    _known(value, frozenset({"User", "Group"}), f"{where}: Principal")
    users, groups = (
        frozenset(_texts(value[name], f"{where}: {name}")) if name in value else frozenset[str]()
        for name in ("User", "Group")
    )
    return Principals(users, groups)


def _known(written: Mapping[str, Any], names: frozenset[str], where: str) -> None:
    unknown = sorted(str(name) for name in written if name not in names)
    if unknown:
        raise ValueError(f"{where} has no {quoted(unknown[0])}; there are {', '.join(sorted(names))}")


def canonical_policy(document: Any) -> Any:
    """Returns equal values for policies with the same meaning: single values become lists; lists and statements are sorted."""
    if not isinstance(document, Mapping):
        return document
    statements = document.get("Statement")
    listed = statements if isinstance(statements, list) else [statements]
    ordered = sorted((_canonical_statement(each) for each in listed), key=json_text)
    return {**document, "Statement": ordered}


def _canonical_statement(statement: Any) -> Any:
    if not isinstance(statement, Mapping):
        return statement
    same: dict[str, Any] = {}
    for name, value in statement.items():
        if name in _LISTS:
            same[name] = _ordered(value)
        elif name == "Principal" and isinstance(value, Mapping):
            same[name] = {kind: _ordered(members) for kind, members in value.items()}
        elif name == "Condition" and isinstance(value, Mapping):
            same[name] = {
                operator: {key: _ordered(inner) for key, inner in keys.items()} if isinstance(keys, Mapping) else keys
                for operator, keys in value.items()
            }
        else:
            same[name] = value
    return same


def _ordered(value: Any) -> list[Any]:
    listed = value if isinstance(value, list) else [value]
    return [each for _, each in sorted({json_text(each): each for each in listed}.items())]


def short_resource(resource: str) -> str:
    """A resource without the optional prefix that names Amazon's service."""
    return resource.removeprefix(_ARN)


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern (`*` is any text, `?` one character); takes time of at most the product of their lengths."""
    return len(pattern) in _after(pattern, text)


def goes_on(pattern: str, start: str) -> bool:
    """Whether a pattern matches some longer text that begins with `start`."""
    return any(place < len(pattern) for place in _after(pattern, start))


def takes_all(pattern: str, start: str) -> bool:
    """Whether a pattern matches every longer text that begins with `start`; false also where only several of its parts together do."""
    return any(place < len(pattern) and set(pattern[place:]) == {"*"} for place in _after(pattern, start))


def _after(pattern: str, text: str) -> set[int]:
    """The positions in a pattern that can follow a text; the pattern's length is among them where the text matches all of it."""
    places = _skipping(pattern, {0})
    for character in text:
        places = _skipping(
            pattern,
            {
                place if pattern[place] == "*" else place + 1
                for place in places
                if place < len(pattern) and pattern[place] in ("*", "?", character)
            },
        )
    return places


def _skipping(pattern: str, places: set[int]) -> set[int]:
    """The positions, and those after stars that match no text."""
    reached = set(places)
    for place in places:
        while place < len(pattern) and pattern[place] == "*":
            place += 1
            reached.add(place)
    return reached
