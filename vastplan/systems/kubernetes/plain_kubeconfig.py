"""A kubeconfig in a document's folder: an address, an authority, and a credential that is written in it.

A kubeconfig can do more than a document may: run a command for a credential (`exec`, `auth-provider`), read files of the machine,
use somebody's proxy, or trust any server. So the official client never gets the file, but a new one with the permitted parts.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vastplan.model import regular_files
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.urls import LOGIN_IN_URL, holds_login
from vastplan.schema import located_yaml
from vastplan.schema.connection import is_address

_NOTHING = ("", "false", "null", "~")
_HARMLESS = frozenset(("extensions", "namespace"))
_CLUSTER = frozenset(("server", "certificate-authority-data", "tls-server-name"))
_USER = frozenset(("token", "username", "password", "client-certificate-data", "client-key-data"))
_FILES = frozenset(("certificate-authority", "client-certificate", "client-key"))
_CONTEXT = frozenset(("cluster", "user"))
_Named = Mapping[str, Mapping[str, Any]]


def plain_kubeconfig(folder: Path, name: str) -> dict[str, Any]:
    """The kubeconfig of that name in a document's folder, as the official client takes it; its files become paths in the folder.

    Raises:
        VastplanError: It cannot be read, or contains more than a document may.
    """
    try:
        try:
            content = _parsed(folder, name)
        except FileNotFoundError:
            text = f"kubernetes: kubeconfig {name} does not exist (its path is relative to the file that names it)"
            raise VastplanError(text) from None
        for reason in _beyond(folder, content):
            raise VastplanError(f"kubernetes: the kubeconfig {name} is not used: {reason}")
        return _written_anew(folder, content)
    except (OSError, ValueError, Invalid) as problem:
        raise VastplanError(f"kubernetes: the kubeconfig {name} is not used: {_reason(problem)}") from None


def refusals(folder: Path, name: str) -> list[str]:
    """Why the kubeconfig is not used: entries that a document may not have, or damage; empty if the file does not exist."""
    try:
        reasons = list(_beyond(folder, _parsed(folder, name)))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, Invalid) as problem:
        reasons = [_reason(problem)]
    return [f"the kubeconfig {name} is not used: {reason}" for reason in reasons]


def context_contents(folder: Path, name: str, context: str | None) -> dict[str, str]:
    """What the kubeconfig has for a context (`None` for its current one): the server, its authority, and the source of the
    credential, but not the credential. Empty if the kubeconfig cannot be used.
    """
    try:
        content = _parsed(folder, name)
        fields = _named(content, "contexts", "context").get(context or _text(content.get("current-context")), {})
        cluster = _named(content, "clusters", "cluster").get(_text(fields.get("cluster")), {})
        user = _named(content, "users", "user").get(_text(fields.get("user")), {})
        return {
            part: value
            for part, value in (
                ("server", cluster.get("server")),
                ("tls-server-name", cluster.get("tls-server-name")),
                ("authority", _authority(folder, cluster)),
                ("credential", f"{_text(fields.get('user'))}: {', '.join(_origins(user))}"),
            )
            if isinstance(value, str) and value not in _NOTHING
        }
    except (OSError, ValueError, Invalid):
        return {}


def _authority(folder: Path, cluster: Mapping[str, Any]) -> str:
    """The digest of the authority's certificates, whether they are in the kubeconfig or in a file beside it."""
    inline, file = cluster.get("certificate-authority-data"), cluster.get("certificate-authority")
    if inline and inline not in _NOTHING:
        try:
            return regular_files.digest_of(base64.b64decode(_text(inline)))
        except ValueError:
            return regular_files.digest_of(_text(inline).encode())
    return regular_files.file_digest(regular_files.path_within(folder, file), regular_files.TRUST_BYTES) if file else ""


def _origins(user: Mapping[str, Any]) -> Iterator[str]:
    """Where a credential is from: the fields that hold it, and the files that they name."""
    for field, value in sorted(user.items()):
        if value not in _NOTHING and field in _USER | _FILES:
            yield f"{field} {value}" if field in _FILES else field


def _reason(problem: OSError | ValueError | Invalid) -> str:
    """The problem with its position, without any text of the file, which has credentials in it."""
    if isinstance(problem, OSError):
        return problem.strerror or "cannot be read"
    if isinstance(problem, Invalid) and (where := problem.findings[0].where):
        return f"not a kubeconfig ({problem.findings[0].code} at line {where.line}, column {where.column})"
    return "not a kubeconfig"


def _written_anew(folder: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    current = content.get("current-context")
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": _written(folder, _named(content, "clusters", "cluster"), "cluster", _CLUSTER),
        "users": _written(folder, _named(content, "users", "user"), "user", _USER),
        "contexts": _written(folder, _named(content, "contexts", "context"), "context", _CONTEXT),
        **({"current-context": current} if isinstance(current, str) else {}),
    }


def _beyond(folder: Path, content: Mapping[str, Any]) -> Iterator[str]:
    for part, member, allowed in (("clusters", "cluster", _CLUSTER), ("users", "user", _USER)):
        for name, fields in _named(content, part, member).items():
            subject = f"its {member} {inert(name, 80)}"
            for field, value in fields.items():
                if value in _NOTHING:
                    continue
                if field in _FILES:
                    try:
                        regular_files.path_within(folder, _text(value))
                    except OSError as problem:
                        yield f"{subject} names a file in {field} that cannot be used: {problem.strerror}"
                elif field == "server" and not _text(value).startswith("https://"):
                    yield f"{subject} has a server without https://"
                elif field == "server" and holds_login(_text(value)):
                    yield f"{subject} has a server that is not used: {LOGIN_IN_URL}"
                elif field == "server" and not is_address(_text(value)):
                    yield f"{subject} has a server that is more than a host and a path"
                elif field not in allowed | _HARMLESS:
                    yield f"{subject} has {inert(field, 80)}, which only the runner's own kubeconfig may have"


def _parsed(folder: Path, name: str) -> Mapping[str, Any]:
    """The content of the file, every value as text. Raises `OSError`, `Invalid`, or `ValueError` if it is not a kubeconfig.

    The text is read like a document, with the same limits.
    """
    path = regular_files.path_within(folder, name)
    raw = regular_files.read_regular(path, regular_files.TRUST_BYTES, follow=False)
    content = located_yaml.parsed(located_yaml.decoded(raw, name), name, typed=False)
    if not isinstance(content, dict):
        raise ValueError
    return content


def _named(content: Mapping[str, Any], part: str, member: str) -> _Named:
    """The members of a list by name. Raises `ValueError` for a malformed one."""
    by_name = {}
    for entry in content.get(part) or []:
        if not isinstance(entry, dict):
            raise ValueError
        fields = entry.get(member) or {}
        if (
            not isinstance(fields, dict)
            or not isinstance(entry.get("name"), str)
            or not all(isinstance(field, str) for field in fields)
        ):
            raise ValueError
        by_name[entry["name"]] = fields
    return by_name


def _written(folder: Path, named: _Named, member: str, fields: frozenset[str]) -> list[dict[str, Any]]:
    """The members with only their permitted fields."""
    return [
        {
            "name": name,
            member: {
                field: _value(folder, field, value)
                for field, value in members.items()
                if value not in _NOTHING and field in fields | _FILES
            },
        }
        for name, members in named.items()
    ]


def _value(folder: Path, field: str, value: Any) -> str:
    if field in _FILES:
        path = regular_files.path_within(folder, _text(value))
        regular_files.read_regular(path, regular_files.TRUST_BYTES, follow=False)
        return str(path)
    return _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value
