"""SkyPilot tasks as checks see them: what each mounts and how; and the facts about SkyPilot that decide this.

Read in SkyPilot 0.14.1: `sky/data/storage.py`, `sky/data/mounting_utils.py`, `sky/adaptors/vastdata.py`,
`sky/task.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Where
from vastplan.schema.entries import Entry

SCHEME = "vastdata"
STORE = "VASTDATA"
MODES = ("MOUNT", "MOUNT_CACHED", "COPY")
CLAIM = "CLAIM"
"""The mode of a claim, which is under `volumes` in a task."""
LONGEST_VOLUME = (
    63  # characters: a volume's name is that of a container's volume too (`Kubernetes.is_volume_name_valid`)
)
CACHE_BYTES = 10 * 2**30
"""The default size of the cache of `MOUNT_CACHED` (`get_mount_cached_cmd`)."""
TASK = "task"
"""The kind in the address of a task file, which is not an object of the document."""

# Of `get_task_schema` (`sky/utils/schemas.py`), without keys that other files have, too (`name`, `config`).
_OF_A_TASK = {"workdir", "num_nodes", "resources", "file_mounts", "setup", "run", "envs", "service"}

# `S3CompatibleStore.validate_name`, which also refuses what a URL cannot contain.
_BUCKET = re.compile(r"[a-z0-9][-a-z0-9.]*[a-z0-9]")
_IP = re.compile(r"\d+\.\d+\.\d+\.\d+")
# Mount paths become words of shell commands on every node.
_PATH = re.compile(r"~?(/[A-Za-z0-9._-]+)*/?")
# SkyPilot empties the folder that it mounts on (`get_mounting_script`: rm -rf of all that is in it), as root.
_SYSTEM = re.compile(
    r"/(bin|boot|dev|etc|lib\w*|proc|sbin|sys|usr)(/.*)?|/(home|media|mnt|opt|root|run|srv|tmp|var)|~|"
)
_SIZE = re.compile(r"([0-9]+)([bkmgtp]?)", re.IGNORECASE)  # rclone: powers of 1024, and KiB without a unit
_POWERS = {"b": 0, "": 1, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SECRET_NAME = re.compile(r"SECRET|PASSWORD|PASSPHRASE|TOKEN|ACCESS_KEY", re.IGNORECASE)
# A literal value, also in `aws configure set`; a reference to a variable, a command or a placeholder does not count.
_SHELL_WORDS = re.compile(
    r"(?:aws_secret_access_key[ \t]*=|configure[ \t]+set[ \t]+\S*aws_secret_access_key(?=[ \t]))[ \t]*[\"']?(?![\s\"'$<=`]|$)",
    re.IGNORECASE | re.MULTILINE,
)


# `_fill_in_env_vars` (`sky/task.py`).
_VARIABLE = re.compile(r"\$\{?\b([a-zA-Z_][a-zA-Z0-9_]*)\b\}?")


@dataclass(frozen=True, slots=True)
class TaskMount:
    """One entry of a task's `file_mounts`, or of its `volumes`: then its mode is `CLAIM` and its name that of the
    claim.

    A finding about it is about `entry`; "" stands for a field that the task does not have.
    """

    entry: Entry
    path: str
    name: str = ""
    source: str = ""
    store: str = ""
    mode: str = "MOUNT"
    persistent: bool = True
    cache_bytes: int | None = None

    @property
    def of_vast(self) -> bool:
        """Whether it is a bucket of VAST, or was meant to be one."""
        return self.store == STORE or self.scheme in (SCHEME, "vast")

    @property
    def scheme(self) -> str:
        """The part before `://` in its source."""
        return self.source.partition("://")[0] if "://" in self.source else ""

    @property
    def bucket(self) -> str:
        """The bucket that it names, "" for none."""
        if self.scheme == SCHEME:
            return self.source.partition("://")[2].partition("/")[0]
        return self.name

    @property
    def key(self) -> str:
        """The part of the bucket that is mounted, "" for all of it."""
        return self.source.partition("://")[2].partition("/")[2].strip("/") if self.scheme == SCHEME else ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables in its path, name and source, each once."""
        return tuple(dict.fromkeys(_VARIABLE.findall(f"{self.path} {self.name} {self.source}")))

    @property
    def makes_its_bucket(self) -> bool:
        """Whether SkyPilot creates the bucket if it does not exist."""
        return self.of_vast and "://" not in self.source and bool(self.name)


@dataclass(frozen=True, slots=True)
class SkyTask:
    """A task on one site, with the identity of one tenant. `secrets` names the places that contain one; `reader` is the version of
    SkyPilot that reads the task.

    `given` is true if somebody wrote the task, and false for an export. `open` are mounts with variables that only a launch gives a
    value.
    """

    entry: Entry
    tenant: Address | None
    mounts: tuple[TaskMount, ...] = ()
    secrets: tuple[str, ...] = ()
    reader: str = ""
    given: bool = False
    open: tuple[TaskMount, ...] = ()

    @property
    def site(self) -> str:
        """The site that it is for."""
        return self.entry.address.site


def is_bucket_name(name: str) -> bool:
    """Whether SkyPilot accepts it as the name of a bucket."""
    return 3 <= len(name) <= 63 and bool(_BUCKET.fullmatch(name)) and ".." not in name and not _IP.fullmatch(name)


def is_mount_path(path: str) -> bool:
    """Whether it is one word for every shell."""
    return bool(_PATH.fullmatch(path)) and not {".", ".."} & set(path.split("/"))


def is_of_the_system(path: str) -> bool:
    """Whether it is a folder that a node needs: SkyPilot empties the folder that it mounts on."""
    return bool(_SYSTEM.fullmatch(path.rstrip("/")))


def cache_size(text: object) -> int | None:
    """The bytes of `vfs_cache_max_size` as rclone reads it; `None` if it cannot."""
    match = _SIZE.fullmatch(str(text))
    return int(match[1]) * 1024 ** _POWERS[match[2].lower()] if match else None


def read_task(site: str, name: str, tree: Mapping[str, Any], where: Where) -> SkyTask:
    """A task file for a site, the values of its `envs` put into its mounts as SkyPilot does.

    A file that is not a task mounts nothing: SkyPilot reports that itself.
    """
    entry = Entry(Address(site, TASK, name), {}, where)
    mounts = tree.get("file_mounts")
    places, values = _places(mounts), _values(tree.get("envs"))
    mounts_found = [
        _mount(
            Entry(entry.address, {}, places.get(str(path), where)), _filled(str(path), values), _filled(source, values)
        )
        for path, source in (mounts.items() if isinstance(mounts, Mapping) else ())
    ]
    return SkyTask(
        entry,
        None,
        tuple(mount for mount in mounts_found if not mount.variables),
        tuple(_secrets(tree)),
        given=True,
        open=tuple(mount for mount in mounts_found if mount.variables),
    )


def _values(envs: Any) -> Mapping[str, str]:
    """The values of a task's variables, without those that only a launch gives a value, and without secrets."""
    pairs = envs.items() if isinstance(envs, Mapping) else ()
    return {
        str(name): str(value)
        for name, value in pairs
        if isinstance(value, str | int | float) and not _SECRET_NAME.search(str(name))
    }


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(item, values) for key, item in value.items()}
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), value)
    return value


def is_task(tree: Mapping[str, Any]) -> bool:
    """Whether a file has any key that only a task has."""
    return not tree or bool(_OF_A_TASK & tree.keys())


def _places(mounts: Any) -> Mapping[str, Where]:
    places: Mapping[str, Where] = getattr(mounts, "keys_at", {})
    return places


def _mount(entry: Entry, path: str, value: Any) -> TaskMount:
    if not isinstance(value, Mapping):  # the short form: a copy
        return TaskMount(entry, path, source=_text(value), mode="COPY")
    config = value.get("config")
    cached = config.get("mount_cached") if isinstance(config, Mapping) else None
    size = cached.get("vfs_cache_max_size") if isinstance(cached, Mapping) else None
    return TaskMount(
        entry,
        path,
        name=_text(value.get("name")),
        source=_text(value.get("source")),
        store=_text(value.get("store")).upper(),
        mode=_text(value.get("mode")).upper() or "MOUNT",
        persistent=value.get("persistent") is not False,
        cache_bytes=None if size is None else cache_size(size),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _secrets(tree: Mapping[str, Any]) -> Iterator[str]:
    """Where a task contains a secret, never the secret itself."""
    for part in ("envs", "secrets"):
        variables = tree.get(part)
        for name, value in variables.items() if isinstance(variables, Mapping) else ():
            if _SECRET_NAME.search(str(name)) and isinstance(value, str | int) and str(value) and "$" not in str(value):
                yield f"{part}.{name}"
    for part in ("setup", "run"):
        script = tree.get(part)
        lines = script if isinstance(script, list) else [script]
        if any(_SHELL_WORDS.search(line) for line in lines if isinstance(line, str)):
            yield part
