"""The files that the runner's kubeconfig names: keys, certificates, tokens, authorities, and arguments of its commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from vastplan.model import regular_files
from vastplan.schema.connection import word_paths

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_PARTS = (("clusters", "cluster"), ("users", "user"))


def kubeconfigs(named: str) -> list[Path]:
    """The kubeconfigs of a name as the official client reads it, split like `KUBECONFIG`; for "" its defaults."""
    paths = named or os.environ.get("KUBECONFIG", "~/.kube/config")
    return [Path(os.path.expanduser(name)) for name in paths.split(os.pathsep) if name]


def named_files(kubeconfig: Path) -> list[Path]:
    """All texts about its clusters and users, as paths of files; none for a kubeconfig that cannot be read."""
    try:
        text = regular_files.read_regular(kubeconfig, regular_files.DATA_BYTES).decode()
        content = yaml.load(text, Loader=_LOADER)  # nosec B506  # noqa: S506 - it makes text of everything, and nothing else
        values = [member.get(key) for part, key in _PARTS for member in content.get(part) or ()]
    except (OSError, ValueError, yaml.YAMLError, AttributeError, TypeError, RecursionError):
        return []  # connecting reports that
    return [path for text in _texts(values) for path in word_paths(text, kubeconfig.parent)]


def _texts(value: Any) -> Iterator[str]:
    seen, waiting = set(), [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif id(item) not in seen:  # a value with an alias occurs in many places
            seen.add(id(item))
            waiting += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
