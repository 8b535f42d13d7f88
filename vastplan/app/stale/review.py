"""Checks whether a live plan matches the reviewed one: the same actions with the same changes; evidence may vary in a band. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from vastplan.app.endpoints import LEDGER
from vastplan.engine.deciding.staleness import grown
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, DocumentHead, FieldChange, Plan, UnknownCollection, Verb, only_noted
from vastplan.model.shell import word
from vastplan.model.site_ledger import path_text
from vastplan.report.values import plain_value, sensitive

_NAMED = 12
_WRITING = (Verb.CREATE, Verb.UPDATE, Verb.REPLACE, Verb.ADOPT)


def differences(reviewed: Plan, live: Plan, secret_values: Collection[str] = ()) -> list[str]:
    """The differences of the live plan from the reviewed one, a line each; empty if it would do the same.

    A reviewed action that is no longer needed, or is blocked now, is no difference: nothing unreviewed is done. Compares every
    desired value; for secrets the sources. Objects in `secret_values` may have other values from the same sources.
    """
    if reviewed.document != live.document:
        return [
            f"the reviewed plan is of the document {inert(reviewed.document, 80)}, not of {inert(live.document, 80)}"
        ]
    reviewed_actions = {action.address: action for action in reviewed.actions}
    allowed = frozenset(secret_values)
    unknown = {(collection.site, collection.kind): collection for collection in reviewed.unknown}
    return [
        *_elsewhere(reviewed, live),
        *_settings(reviewed.head, live.head),
        *(
            f"{inert(action.address, 200)}: {difference}"
            for action in live.actions
            if not action.blocked
            for difference in _differences(
                reviewed_actions.get(action.address),
                action,
                unknown,
                keyed=_keyed(reviewed, live),
                any_values=str(action.address) in allowed,
            )
        ),
    ]


def _elsewhere(reviewed: Plan, live: Plan) -> Iterator[str]:
    """The systems with another address than in the review. Skips the ledger, because a local path differs in every checkout."""
    before = {part.site: part.endpoints for part in reviewed.parts}
    for part in live.parts:
        for system, now in sorted(part.endpoints.items()):
            was = before.get(part.site, {}).get(system, "")
            if system != LEDGER and was and now and was != now:
                yield f"the {inert(system, 40)} of {inert(part.site, 80)} is {inert(now, 120)}, and was {inert(was, 120)}"


def _settings(reviewed: DocumentHead | None, live: DocumentHead | None) -> Iterator[str]:
    """The document's settings that differ from those in the review."""
    now = live.settings if live is not None else {}
    if reviewed is None:
        if now:
            yield "the reviewed plan does not say what the settings of the document were: it was made by an older vastplan"
        return
    for path in sorted(reviewed.settings.keys() | now.keys()):
        before, after = reviewed.settings.get(path), now.get(path)
        if before != after:
            values = (inert(plain_value(side), 200) for side in (after, before))
            yield f"the document's {inert(path, 120)} is {' and was '.join(values)} in the review"


def incomparable_secrets(reviewed: Plan, live: Plan) -> list[str]:
    """The secrets to write whose values cannot be compared with the reviewed ones, because the plans lack a common review key."""
    if _keyed(reviewed, live):
        return []
    return [
        f"{inert(action.address, 200)} {inert(path, 80)}"
        for action in live.actions
        if not action.blocked and action.verb in _WRITING
        for path in _written_secrets(action)
    ]


def _keyed(reviewed: Plan, live: Plan) -> bool:
    return bool(live.review_key) and reviewed.review_key == live.review_key


def _written_secrets(action: Action) -> Iterator[str]:
    """The paths of the secrets that an action writes: all for a replace, otherwise those among its changes, which for a create are all of its fields."""
    changed = {change.path for change in action.changes}
    for path in _secret_paths(dict(action.desired)):
        if action.verb is Verb.REPLACE or path in changed:
            yield path


def _secret_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The paths in a plan's values that stand for secrets."""
    if _is_secret(value):
        yield path_text(path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _secret_paths(item, (*path, key))
    elif isinstance(value, list) and any(True for item in value for _ in _secret_paths(item)):
        yield path_text(path)


def _differences(
    reviewed: Action | None,
    live: Action,
    unknown: dict[tuple[str, str], UnknownCollection],
    *,
    keyed: bool,
    any_values: bool,
) -> Iterator[str]:
    values = {change.path: change for change in live.changes if _value_alone(change)}
    if reviewed is None and live.verb is Verb.UPDATE and len(values) == len(live.changes) and not live.released:
        if values and not any_values:
            yield _other_values(live, values.values())
        if values:
            return
    if reviewed is None:
        unread = unknown.get((live.address.site, live.address.kind))
        yield f"{live.verb.value} was not in the reviewed plan" + (
            f" (it was unknown: {inert(unread.reason, 200)})" if unread else ""
        )
        return
    if only_noted(live) and reviewed.verb is not live.verb:
        return  # only the ledger is updated now
    if reviewed.verb is not live.verb:
        yield f"was to {reviewed.verb.value} and is to {live.verb.value}"
        return
    if reviewed.blocked:
        yield f"was blocked ({inert(reviewed.blocked[0].guard, 40)}) and is no longer blocked"
    if reviewed.id != live.id:
        yield "is another object of that name now"
    if reviewed.renamed_from != live.renamed_from:
        yield "is renamed from something else"
    reported: set[str] = set()
    secret = {change.path.partition(".")[0] for change in (*reviewed.changes, *live.changes) if change.sensitive}
    remaining = {change.path: change for change in reviewed.changes}
    unseen = [
        change
        for path, change in values.items()
        if path not in remaining and not (keyed and _same_value(path, reviewed, live))
    ]
    if unseen and not any_values:
        yield _other_values(live, unseen)
    for change in live.changes:
        old = remaining.pop(change.path, None)
        if old is None and change.path in values:
            continue
        if old is None or _does(old) != _does(change):
            reported.add(change.path.partition(".")[0])
            yield f"{inert(change.path, 80)} is another change than the reviewed one"
    for path in remaining:
        yield f"{inert(path, 80)} would no longer be changed"
    for name in sorted(reviewed.desired.keys() | live.desired.keys()):
        before, after = reviewed.desired.get(name, _UNSAID), live.desired.get(name, _UNSAID)
        if before != after and name not in reported:
            yield from _described_otherwise(name, before, after, name in secret)
    if reviewed.released != live.released:
        yield "releases other fields"
    if keyed:
        for path in _written_secrets(live):
            if path not in reviewed.secrets or path not in live.secrets:
                yield f"{inert(path, 80)} had no value that could be read when it was reviewed, or has none now"
            elif reviewed.secrets[path] != live.secrets[path]:
                yield f"{inert(path, 80)} is another secret than the reviewed one"
    weighed = {evidence.name: evidence.value for evidence in reviewed.evidence}
    for evidence in live.evidence:
        if grown(weighed.get(evidence.name, 0), evidence.value):
            yield f"{inert(evidence.name, 80)} has grown since the review"


def _value_alone(change: FieldChange) -> bool:
    """Whether a change is only a new value of a secret from the source that was last applied, which a snapshot cannot show."""
    return change.sensitive and not change.replaces and change.source_before == change.source_after != ""


def _same_value(path: str, reviewed: Action, live: Action) -> bool:
    return path in live.secrets and reviewed.secrets.get(path) == live.secrets[path]


def _other_values(live: Action, changes: Iterable[FieldChange]) -> str:
    named = ", ".join(f"{inert(change.path, 80)} from {inert(change.source_after, 120)}" for change in changes)
    return (
        f"writes another value of {named}, which the review did not see; "
        f"if it was rotated, or is to be restored: --allow-secret-values {inert(word(str(live.address)), 200)}"
    )


_UNSAID = object()


def _does(change: FieldChange) -> tuple[Any, ...]:
    return change.before, change.after, change.replaces, change.sensitive, change.source_after


def _described_otherwise(path: str, before: Any, after: Any, secret: bool) -> Iterator[str]:
    """The differences of the document's values; secrets, and values beside them, are not shown."""
    if (
        isinstance(before, dict)
        and isinstance(after, dict)
        and not {"$secret", "$ref", "$existing"} & {*before, *after}
    ):
        beside = secret or any(_is_secret(side) for side in (*before.values(), *after.values()))
        for key in sorted(before.keys() | after.keys()):
            old, new = before.get(key, _UNSAID), after.get(key, _UNSAID)
            if old != new:
                yield from _described_otherwise(f"{path}.{key}", old, new, beside)
        return
    was, now = (sensitive() if secret and not _is_secret(side) else _described(side) for side in (before, after))
    yield f"the document says another {inert(path, 120)} than in the review: {now}, and it was {was}"


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"$secret"}


def _described(value: Any) -> str:
    return "nothing" if value is _UNSAID else inert(plain_value(value), 200)


def check_keys(reviewed: Plan, live: Plan) -> None:
    """Raises `VastplanError` if the plans do not have the same review key: a plan that was reviewed with its secrets is not applied
    without comparing them."""
    if reviewed.review_key == live.review_key:
        return
    if not live.review_key:
        raise VastplanError("the reviewed plan has digests of its secrets: give their key with --review-key FILE")
    if not reviewed.review_key:
        raise VastplanError("the reviewed plan has no digests of its secrets: plan it with --review-key FILE as well")
    raise VastplanError("the reviewed plan has digests of its secrets made with another review key; plan it again")


def refusal_message(differences: list[str], *, signed: bool = False) -> str:
    """The message that nothing is applied. It suggests `--allow-difference` unless the reviewed plan had to be `signed`."""
    listed = "".join(f"\n  {difference}" for difference in differences[:_NAMED])
    more = f"\n  and {len(differences) - _NAMED} more" if len(differences) > _NAMED else ""
    return f"the live plan is not the reviewed one, so nothing was done:{listed}{more}\n" + (
        "have the live plan reviewed and signed"
        if signed
        else "have the live plan reviewed, or give --allow-difference"
    )
