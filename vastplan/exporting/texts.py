"""The text of each file of an export: what a name of the document says in it is a value, and nothing else.

The AWS-style files are those of `sky/adaptors/vastdata.py` (SkyPilot 0.14.1), whose places and profile cannot be chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from vastplan.checks.skypilot.cache import in_rclone
from vastplan.checks.tasks import CLAIM, SkyTask, TaskMount
from vastplan.exporting.skypilot import Folder, MountableClaim
from vastplan.model.escaping import inert
from vastplan.model.wording import some

CONFIG = "vastdata.config"
CREDENTIALS = "vastdata.credentials"
TEMPLATE = f"{CREDENTIALS}.template"
IGNORED = ".gitignore"
TASKS, VOLUMES = "tasks", "volumes"
PRIVATE = 0o600
_PROFILE = "vastdata"
_KEY = re.compile(r"[!-~]{1,512}")  # one word: a line break would be a line of the file


class _Dumper(yaml.SafeDumper):
    """Text of several lines as a block, as people write `run`."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def dumped(tree: Mapping[str, Any]) -> str:
    """YAML that every reader takes for the same: plain values in their order, nothing but ASCII."""
    text: str = yaml.dump(dict(tree), Dumper=_Dumper, sort_keys=False, allow_unicode=False, width=1000)
    return text


def config(folder: Folder) -> str:
    """`~/.vastdata/vastdata.config`."""
    return f"[profile {_PROFILE}]\nendpoint_url = {folder.endpoint}\n"


def is_key(text: str) -> bool:
    """Whether a line of the credentials can hold it."""
    return bool(_KEY.fullmatch(text))


def credentials_file(access_key: str, secret_key: str) -> str:
    """`~/.vastdata/vastdata.credentials`, of keys that are words (`is_key`)."""
    return f"[{_PROFILE}]\naws_access_key_id = {access_key}\naws_secret_access_key = {secret_key}\n"


def credentials_template(folder: Folder) -> str:
    """The same with places for a key in it, for `envsubst`; no secret."""
    owners = f" (the buckets belong to {inert(some(folder.owners))})" if folder.owners else ""
    key = credentials_file("${VAST_ACCESS_KEY_ID}", "${VAST_SECRET_ACCESS_KEY}")
    return f"# A key of somebody who may use the buckets{owners}. Filled in it is a secret: mode 0600, and never in git.\n{key}"


def task(folder: Folder, written: SkyTask) -> str:
    """A task that mounts what there is: `setup`, `run` and what it needs of resources are to be added."""
    tree: dict[str, Any] = {}
    if folder.infra:
        tree["resources"] = {"infra": folder.infra}
    buckets = {mount.path: _bucket(mount) for mount in written.mounts if mount.mode != CLAIM}
    claims = {mount.path: mount.name for mount in written.mounts if mount.mode == CLAIM}
    tree |= {"file_mounts": buckets} if buckets else {}
    tree |= {"volumes": claims} if claims else {}
    head = "# What there is to mount. Add run, and under resources what it needs; the same task runs elsewhere with another infra.\n"
    return head + dumped(tree)


def _bucket(mount: TaskMount) -> dict[str, Any]:
    spec: dict[str, Any] = {"source": mount.source, "mode": mount.mode}
    if mount.mode == "MOUNT_CACHED":
        spec["type"] = "MODEL_CHECKPOINT_RW"
        if mount.cache_bytes is not None:
            spec["config"] = {"mount_cached": {"vfs_cache_max_size": in_rclone(mount.cache_bytes)}}
    return spec


def volume(folder: Folder, claim: MountableClaim) -> str:
    """A volume that is a claim which is there."""
    settings = {"namespace": claim.namespace, "access_mode": claim.access_mode}
    settings |= {"storage_class_name": claim.storage_class} if claim.storage_class else {}
    tree = {
        "name": claim.name,
        "type": "k8s-pvc",
        **({"infra": folder.infra} if folder.infra else {}),
        "use_existing": True,
        "config": settings,
    }
    return f"# A claim of the document. SkyPilot's pods have to be in its namespace.\n{dumped(tree)}"


def folder_files(
    folder: Folder, given: Mapping[str, str], keys: tuple[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """The files of a folder by their names in it. `given` are tasks that somebody wrote, by file, instead of those of the export;
    `keys` is the key that goes to the credentials."""
    if folder.endpoint:
        yield CONFIG, config(folder)
        yield (TEMPLATE, credentials_template(folder)) if keys is None else (CREDENTIALS, credentials_file(*keys))
        yield IGNORED, f"{CREDENTIALS}\n"  # an export is kept in git, a key never
    for name, text in (given or {name: task(folder, written) for name, written in folder.tasks.items()}).items():
        yield f"{TASKS}/{name}.yaml", text
    for claim in folder.claims:
        yield f"{VOLUMES}/{claim.name}.yaml", volume(folder, claim)
