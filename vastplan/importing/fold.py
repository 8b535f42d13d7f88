"""The stage that folds what is on several sites into one entry: common values once, the rest under `per_site`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Typed = Mapping[str, Any]


def fold(by_site: Mapping[str, Typed]) -> dict[str, Any]:
    """The values of an entry by site as one mapping; the sites are in the document's order.

    With three sites or more the most frequent value is the common one, and the other sites set their own. A value that one site lacks is
    never common, because a site cannot unset a common value.
    """
    common, rest = _split(by_site)
    per_site = {site: values for site, values in rest.items() if values}
    return {**common, **({"per_site": per_site} if per_site else {})}


def _split(by_site: Mapping[str, Typed]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    common: dict[str, Any] = {}
    rest: dict[str, dict[str, Any]] = {site: {} for site in by_site}
    names = dict.fromkeys(name for values in by_site.values() for name in values)
    for name in names:
        given = {site: values[name] for site, values in by_site.items() if name in values}
        if len(given) < len(by_site):
            for site, value in given.items():
                rest[site][name] = value
        elif all(isinstance(value, Mapping) for value in given.values()) and not all(map(_whole, given.values())):
            inner, differing = _split(given)
            if inner:
                common[name] = inner
            for site, values in differing.items():
                if values:
                    rest[site][name] = values
        else:
            most = _most(list(given.values()))
            if len(given) < 3 and any(value != most for value in given.values()):
                for site, value in given.items():
                    rest[site][name] = value
                continue
            common[name] = most
            for site, value in given.items():
                if value != most:
                    rest[site][name] = value
    return common, rest


def _whole(value: Mapping[str, Any]) -> bool:
    """Whether a mapping counts as one value: a reference to an existing object, or an empty mapping."""
    return not value or value.keys() == {"existing"}


def _most(values: Sequence[Any]) -> Any:
    """The most frequent value, the first of equals."""
    return max(values, key=values.count)
