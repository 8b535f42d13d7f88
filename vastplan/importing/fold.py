"""The stage that makes one entry of what is on several sites: what all of them say stands once, the rest under `per_site`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Typed = Mapping[str, Any]


def fold(by_site: Mapping[str, Typed]) -> dict[str, Any]:
    """What an entry says, by site, as one mapping; the sites are in the document's order.

    Of three sites and more the value of most stands for all, and the others say theirs; what a site does not say stands for none of
    the others, for nothing that is written can be unsaid.
    """
    common, rest = _split(by_site)
    per_site = {site: values for site, values in rest.items() if values}
    return {**common, **({"per_site": per_site} if per_site else {})}


def _split(by_site: Mapping[str, Typed]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    common: dict[str, Any] = {}
    rest: dict[str, dict[str, Any]] = {site: {} for site in by_site}
    names = dict.fromkeys(name for values in by_site.values() for name in values)
    for name in names:
        said = {site: values[name] for site, values in by_site.items() if name in values}
        if len(said) < len(by_site):
            for site, value in said.items():
                rest[site][name] = value
        elif all(isinstance(value, Mapping) for value in said.values()) and not all(map(_whole, said.values())):
            inner, differing = _split(said)
            if inner:
                common[name] = inner
            for site, values in differing.items():
                if values:
                    rest[site][name] = values
        else:
            most = _most(list(said.values()))
            if len(said) < 3 and any(value != most for value in said.values()):
                for site, value in said.items():
                    rest[site][name] = value
                continue
            common[name] = most
            for site, value in said.items():
                if value != most:
                    rest[site][name] = value
    return common, rest


def _whole(value: Mapping[str, Any]) -> bool:
    """Whether a mapping stands for one value: a reference to what exists, or nothing at all."""
    return not value or value.keys() == {"existing"}


def _most(values: Sequence[Any]) -> Any:
    """The value that most have, the first of those."""
    return max(values, key=values.count)
