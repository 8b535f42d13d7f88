"""The stage that overrides the document's own `defaults:` in new entries where they would give another value. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NO_VALUE = ("sites", "per_site")


def over_defaults(typed: Mapping[str, Any], whole: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody would type for an entry of a section with these defaults.

    A value that a default gives and the entry leaves out is written as it is live (`whole`, in the same form), or as null where nothing
    is live.
    """
    written = dict(typed)
    for name, default in defaults.items():
        own, inherited = written.get(name), whole.get(name)
        if name in _NO_VALUE:
            continue
        if name not in written and inherited != default:
            written[name] = _unsaid(inherited, default)
        elif isinstance(own, Mapping) and isinstance(default, Mapping):
            written[name] = over_defaults(own, inherited if isinstance(inherited, Mapping) else {}, default)
    return written


def _unsaid(inherited: Any, default: Any) -> Any:
    """What is written over a default that the entry leaves out: the live value, as far as the default covers it."""
    if isinstance(default, Mapping) and default.keys() != {"existing"}:
        return over_defaults({}, inherited if isinstance(inherited, Mapping) else {}, default)
    return bool(inherited) if isinstance(default, bool) else inherited
