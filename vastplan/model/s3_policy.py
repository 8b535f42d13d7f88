"""VAST's S3 policies: what a document says, whether two say the same, and what they decide about a request. Pure.

Sources: the pages "Identity and Bucket Policy Reference", "Overview of S3 Access Management", "Managing S3 Access" and
"Supported S3 Requests" of VAST's knowledge base, and the description of `POST /s3policies/`. VAST takes a subset of Amazon's
policy language; where its pages are silent (`?`, letters of actions) Amazon's reference counts. Which page says what is
beside each case of `tests/model/s3_policies.yaml`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from vastplan.model.value import json_text
from vastplan.model.wording import quoted

_ARN = "arn:aws:s3:::"
_VERSIONS = ("2012-10-17", "2008-10-17")
_ELEMENTS = frozenset({"Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "NotResource", "Condition"})
_LISTS = frozenset({"Action", "NotAction", "Resource", "NotResource"})
EVERYBODY = "*"


class Verdict(Enum):
    """What policies decide."""

    DENIED = "denied"
    ALLOWED = "allowed"
    CONDITIONAL = "conditional"  # allowed where a condition holds, or where one does not
    UNCOVERED = "uncovered"  # none allows it: the access lists decide, by which the owner may do everything


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. `principals` is `None` in an identity policy, which speaks of those to whom it is attached."""

    allows: bool
    actions: tuple[str, ...]
    but_actions: bool
    resources: tuple[str, ...]
    but_resources: bool
    principals: Principals | None
    conditional: bool
    sid: str = ""

    def has_action(self, action: str) -> bool:
        """Whether it speaks of an action, `s3:GetObject` say; letters are the same in either case."""
        return any(matches(pattern.lower(), action.lower()) for pattern in self.actions) != self.but_actions

    def has_resource(self, resource: str) -> bool:
        """Whether it speaks of `BUCKET` or `BUCKET/KEY`."""
        return any(matches(pattern, resource) for pattern in self.resources) != self.but_resources

    def reaches(self, bucket: str) -> bool:
        """Whether it speaks of a bucket, or of anything that there may be in it."""
        inside = f"{bucket}/"
        if self.but_resources:
            whole = any(matches(pattern, bucket) for pattern in self.resources)
            return not (whole and any(takes_all(pattern, inside) for pattern in self.resources))
        return any(matches(pattern, bucket) or goes_on(pattern, inside) for pattern in self.resources)


@dataclass(frozen=True, slots=True)
class Principals:
    """Whom a statement of a bucket policy is about: `NAME@DOMAIN`, or everybody."""

    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    everybody: bool = False

    def has(self, request: Request) -> bool:
        """Whether it is about who makes a request."""
        return self.everybody or request.user in self.users or not self.groups.isdisjoint(request.groups)


@dataclass(frozen=True, slots=True)
class Policy:
    """The statements of a policy."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """Who (`NAME@DOMAIN`, and the groups in the same form) wants to do what, with what: `BUCKET` or `BUCKET/KEY`."""

    action: str
    resource: str
    user: str = ""
    groups: frozenset[str] = frozenset()


def decide(request: Request, identity: Iterable[Policy] = (), bucket: Policy | None = None) -> Verdict:
    """What the identity policies of who asks, and the policy of the bucket, decide together.

    What one denies no other allows. Conditions are not looked at: with one a statement may count or not.
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
        return Verdict.DENIED
    if not denying and any(not statement.conditional for statement in allowing):
        return Verdict.ALLOWED
    return Verdict.CONDITIONAL if allowing else Verdict.UNCOVERED


def allowed_in(policy: Policy, buckets: Collection[str]) -> Iterator[str]:
    """The buckets of which a policy allows something; only patterns are held against all of them."""
    for statement in policy.statements:
        if statement.allows:
            named = [resource.partition("/")[0] for resource in statement.resources]
            exact = not statement.but_resources and not any("*" in name or "?" in name for name in named)
            yield from (name for name in (named if exact else buckets) if name in buckets and statement.reaches(name))


def applies(flavor: str | None) -> bool:
    """Whether policies count at all for the views of a view policy of that flavor; others skip them."""
    return flavor == "S3_NATIVE"


def parse(document: Any, *, of_bucket: bool = False) -> Policy:
    """What a policy says; raises `ValueError` for what VAST's syntax does not have."""
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
        tuple(plain(resource) for resource in resources),
        but_resources,
        _principals(written["Principal"], where) if of_bucket else None,
        bool(condition),
        written.get("Sid", ""),
    )


def _one_of(written: Mapping[str, Any], name: str, where: str) -> tuple[tuple[str, ...], bool]:
    """What stands at an element or at its opposite, of which there is one."""
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


def canonical(document: Any) -> Any:
    """The same for documents that say the same: one value as a list of one, lists and statements in one order."""
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


def plain(resource: str) -> str:
    """A resource without the prefix that names Amazon's service, which may be left out."""
    return resource.removeprefix(_ARN)


def matches(pattern: str, text: str) -> bool:
    """Whether a text is as a pattern says, where `*` stands for any text, `?` for one character; takes their product at most."""
    return len(pattern) in _after(pattern, text)


def goes_on(pattern: str, start: str) -> bool:
    """Whether some text that begins so, and is longer, is as a pattern says."""
    return any(place < len(pattern) for place in _after(pattern, start))


def takes_all(pattern: str, start: str) -> bool:
    """Whether every text that begins so, and is longer, is as a pattern says; false also where only several of its parts say so."""
    return any(place < len(pattern) and set(pattern[place:]) == {"*"} for place in _after(pattern, start))


def _after(pattern: str, text: str) -> set[int]:
    """The places in a pattern that may be next after a text; past its end where that is all of it."""
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
    """The places, and those behind stars that stand for nothing."""
    reached = set(places)
    for place in places:
        while place < len(pattern) and pattern[place] == "*":
            place += 1
            reached.add(place)
    return reached
