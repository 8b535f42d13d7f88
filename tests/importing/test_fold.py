"""What is on several sites as one entry: what all say once, the rest under `per_site`."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.importing.fold import fold

EXISTING, OTHER = {"existing": "default"}, {"existing": "other"}


@pytest.mark.parametrize(
    ("by_site", "entry"),
    [
        ({"a": {"x": 1}}, {"x": 1}),
        ({"a": {"x": 1}, "b": {"x": 1}}, {"x": 1}),
        # of two sites neither is most
        ({"a": {"x": 1}, "b": {"x": 2}}, {"per_site": {"a": {"x": 1}, "b": {"x": 2}}}),
        ({"a": {"x": 1, "y": 3}, "b": {"x": 2, "y": 3}}, {"y": 3, "per_site": {"a": {"x": 1}, "b": {"x": 2}}}),
        # of three it is what most have, and of all that differ the first
        ({"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 2}}, {"x": 2, "per_site": {"a": {"x": 1}}}),
        ({"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}, {"x": 1}),
        ({"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 3}}, {"x": 1, "per_site": {"b": {"x": 2}, "c": {"x": 3}}}),
        # what one site does not say stands for none of the others
        ({"a": {"x": 1}, "b": {"x": 1}, "c": {}}, {"per_site": {"a": {"x": 1}, "b": {"x": 1}}}),
        # a mapping is folded by its parts
        ({"a": {"m": {"x": 1, "y": 2}}, "b": {"m": {"x": 1, "y": 3}}},
         {"m": {"x": 1}, "per_site": {"a": {"m": {"y": 2}}, "b": {"m": {"y": 3}}}}),
        ({"a": {"m": {"x": 1}}, "b": {"m": {"x": 1, "y": 3}}}, {"m": {"x": 1}, "per_site": {"b": {"m": {"y": 3}}}}),
        ({"a": {"m": {"x": 1}}, "b": {"m": {"y": 1}}}, {"per_site": {"a": {"m": {"x": 1}}, "b": {"m": {"y": 1}}}}),
        ({"a": {"m": {"x": 1}}, "b": {"m": 1}}, {"per_site": {"a": {"m": {"x": 1}}, "b": {"m": 1}}}),
        # a reference and an empty mapping are one value each
        ({"a": {"m": EXISTING}, "b": {"m": EXISTING}}, {"m": EXISTING}),
        ({"a": {"m": EXISTING}, "b": {"m": OTHER}}, {"per_site": {"a": {"m": EXISTING}, "b": {"m": OTHER}}}),
        ({"a": {"m": EXISTING}, "b": {"m": OTHER}, "c": {"m": OTHER}}, {"m": OTHER, "per_site": {"a": {"m": EXISTING}}}),
        ({"a": {"m": {}}, "b": {"m": {}}}, {"m": {}}),
        ({"a": {"m": {}}, "b": {"m": {}}, "c": {"m": EXISTING}}, {"m": {}, "per_site": {"c": {"m": EXISTING}}}),
        ({"a": {"m": {"x": 1}}, "b": {"m": {}}, "c": {"m": {}}}, {"per_site": {"a": {"m": {"x": 1}}}}),
        # what most have is told apart from what they have by its parts
        ({"a": {"m": {"x": 1, "y": 1}}, "b": {"m": {"x": 1, "y": 1}}, "c": {"m": {"x": 2, "y": 1}}},
         {"m": {"x": 1, "y": 1}, "per_site": {"c": {"m": {"x": 2}}}}),
    ],
)  # fmt: skip
def test_what_all_sites_say_is_said_once(by_site: dict[str, dict[str, Any]], entry: dict[str, Any]) -> None:
    assert fold(by_site) == entry
