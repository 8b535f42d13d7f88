"""Who uses the objects that a plan deletes or replaces, as one line for all formats."""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.model.escaping import inert
from vastplan.model.plan import Action


def users_line(*actions: Action) -> str:
    """`2 pods, 1 S3 key; cannot determine jobs: timed out`; each user once. "" where all were read and there are none, or none was
    looked for."""
    ids: dict[str, set[str]] = {}
    unknown: dict[str, dict[str, None]] = {}
    for action in actions:
        for users in action.users:
            ids.setdefault(users.name, set()).update(users.ids)
            if users.unknown:
                unknown.setdefault(users.unknown, {})[users.name] = None
    parts = [_counted(len(those), name) for name, those in ids.items() if those]
    texts = [", ".join(parts)] if parts else []
    texts += [f"cannot determine {_listed(names)}: {inert(why, 200)}" for why, names in unknown.items()]
    return "; ".join(texts)


def kinds_of_users(actions: Iterable[Action]) -> set[str]:
    """The kinds of those users."""
    return {kind for action in actions for users in action.users for kind in users.kinds}


def _counted(count: int, name: str) -> str:
    return f"{count:,} {inert(name.removesuffix('s') if count == 1 else name)}"


def _listed(names: Iterable[str]) -> str:
    *first, last = map(inert, names)
    return f"{', '.join(first)} and {last}" if first else last
