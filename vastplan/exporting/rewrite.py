"""A task that somebody wrote, for one of the places where it may run: the same but for `infra`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.exporting.texts import dumped

_WHERE = ("infra", "cloud", "region", "zone")
"""What says in `resources` where a task runs (SkyPilot 0.14.1, `sky/utils/schemas.py`): `infra` stands for all of these."""


def for_infra(tree: Mapping[str, Any], infra: str) -> str:
    """The task as text; its comments are left behind. What says several places to choose from (`any_of`, `ordered`) stays."""
    resources = tree.get("resources")
    own = dict(resources) if isinstance(resources, Mapping) else {}
    if infra and not {"any_of", "ordered"} & own.keys():
        own = {"infra": infra, **{name: value for name, value in own.items() if name not in _WHERE}}
    head = {name: plain_yaml(value) for name, value in tree.items() if name == "name"}
    rest = {name: plain_yaml(value) for name, value in tree.items() if name not in ("name", "resources")}
    return dumped({**head, **({"resources": plain_yaml(own)} if own or "resources" in tree else {}), **rest})


def plain_yaml(value: Any) -> Any:
    """What was read, as the types of YAML alone."""
    if isinstance(value, Mapping):
        return {str(key): plain_yaml(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_yaml(item) for item in value]
    for kind in (bool, str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value
