"""SkyPilot's word on task files, volumes and buckets: run by the Python that SkyPilot is installed for, knowing nothing of vastplan.

`judge.py PLAN` reads JSON: `port` for the S3 server, `buckets` and `keys` (the access ones) that are there, `tasks` and `volumes` by path, `cases`, a folder for
`stand_ins`. It prints one line of JSON that begins with `JUDGED`. Nothing but this machine is asked.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_GOOFYS = """#!{python}
# In the place of goofys, which needs FUSE: reads the bucket as goofys would, and puts what is in it where it would be seen.
import os, sys
import boto3
words = sys.argv[1:]
endpoint, (bucket, path) = words[words.index("--endpoint") + 1], words[-2:]
client = boto3.Session(profile_name=os.environ["AWS_PROFILE"]).client("s3", endpoint_url=endpoint, region_name="auto")
for item in client.list_objects_v2(Bucket=bucket).get("Contents", ()):
    client.download_file(bucket, item["Key"], os.path.join(path, item["Key"]))
"""
_RCLONE = """#!{python}
# In the place of rclone, likewise: it reads the key from its own configuration, where SkyPilot puts it.
import configparser, os, sys
import boto3
words = sys.argv[1:]
(remote, bucket), path = words[1].split(":"), words[2]
said = configparser.ConfigParser(strict=False)
said.read(os.path.expanduser("~/.config/rclone/rclone.conf"))
client = boto3.client("s3", endpoint_url=said[remote]["endpoint"], region_name="auto",
    aws_access_key_id=said[remote]["access_key_id"], aws_secret_access_key=said[remote]["secret_access_key"])
for item in client.list_objects_v2(Bucket=bucket).get("Contents", ()):
    client.download_file(bucket, item["Key"], os.path.join(path, item["Key"]))
print(words[words.index("--vfs-cache-max-size") + 1], file=open(os.path.join(path, "cache-size"), "w"))
"""


def only_here() -> None:
    """No connection leaves the machine: SkyPilot asks the metadata servers of clouds, which there are none of."""
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in _LOOPBACK:
            raise ConnectionRefusedError(f"{address[0]} is not this machine")
        connect(self, address)

    socket.socket.connect = refuse  # type: ignore[method-assign,assignment]


def said_of(judge: Callable[[], object]) -> str:
    """ "" for what is taken, else the error and what it says."""
    try:
        judge()
    except Exception as refused:
        return f"{type(refused).__name__}: {refused}"
    return ""


def parsed(config: dict[str, Any]) -> Any:
    """A task that SkyPilot's parser and its storage classes take."""
    import sky
    from sky.data import storage

    task = sky.Task.from_yaml_config(config)
    for one in task.storage_mounts.values():
        one._validate_storage_spec(one.name)
        if isinstance(one.source, str) and "://" in one.source:
            storage.StoreType.get_fields_from_store_url(one.source)
        if storage.StoreType.VASTDATA in one.stores or str(one.source).startswith("vastdata://") or not one.source:
            storage.VastDataStore.validate_name(one.name)
    return task


def made(path: str, plan: dict[str, Any]) -> dict[str, str]:
    """The storage objects of a task against the server: what each mount shows of its bucket, by mount."""
    import sky

    task = sky.Task.from_yaml_config(yaml.safe_load(Path(path).read_text()))  # a storage object is validated once
    seen = {}
    for place, one in task.storage_mounts.items():
        one.construct()
        ((_, store),) = one.stores.items()
        seen[place] = (
            f"{'made' if store.is_sky_managed else 'found'}, {shown(store, one, place, Path(plan['stand_ins']))}"
        )
    return seen


def shown(store: Any, one: Any, place: str, folder: Path) -> str:
    """What can be seen once SkyPilot's own script has mounted it, with stand-ins for what needs FUSE or root."""
    there = folder / "mounted" / store.name
    there.mkdir(parents=True, exist_ok=True)
    if one.mode.value == "MOUNT_CACHED":
        script = store.mount_cached_command(str(there), one.mount_cached_config)
    else:
        script = store.mount_command(str(there))
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    if ran.returncode:
        raise RuntimeError(f"{place}: {ran.stdout[-500:]} {ran.stderr[-500:]}")
    return ", ".join(f"{file.name}={file.read_text().strip()}" for file in sorted(there.iterdir()))


def stand_ins(folder: Path) -> None:
    """Programs that the mount script calls and this machine must not: none of them changes anything of it."""
    for name, text in (
        ("goofys", _GOOFYS.format(python=sys.executable)),
        ("rclone", _RCLONE.format(python=sys.executable)),
    ):
        (folder / name).write_text(text)
    for name, code in (("findmnt", 1), ("fusermount", 0), ("fusermount3", 0), ("umount", 0), ("apt-get", 0), ("ln", 0)):
        (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
    (folder / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (folder / "whoami").write_text("#!/bin/sh\necho somebody\n")
    for file in folder.iterdir():
        if file.is_file():
            file.chmod(0o755)


def known(app: Any, keys: list[str]) -> Any:
    """The S3 server for those alone who have one of the keys: moto takes any, and VAST does not."""

    def answer(environ: dict[str, Any], start: Any) -> Any:
        credential = environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2]
        if credential.partition("/")[0] in keys:
            return app(environ, start)
        start("403 Forbidden", [("Content-Type", "application/xml")])
        return [b"<Error><Code>InvalidAccessKeyId</Code><Message>nobody has this key</Message></Error>"]

    return answer


def served(plan: dict[str, Any]) -> None:
    """The S3 server with the buckets that are there, an object in each."""
    from moto.moto_server import threaded_moto_server
    from moto.server import ThreadedMotoServer

    dispatcher = threaded_moto_server.DomainDispatcherApplication
    threaded_moto_server.DomainDispatcherApplication = lambda make: known(dispatcher(make), plan["keys"])
    ThreadedMotoServer(ip_address="127.0.0.1", port=plan["port"], verbose=False).start()
    from sky.adaptors import vastdata

    client = vastdata.client("s3")
    for bucket in plan["buckets"]:
        client.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "auto"})
        client.put_object(Bucket=bucket, Key="told", Body=f"this is {bucket}".encode())


def stranger(plan: dict[str, Any]) -> None:
    """Somebody with a key that nobody has."""
    import boto3

    told = {"aws_access_key_id": "AKNOBODYS", "aws_secret_access_key": "nobodys"}
    boto3.client("s3", endpoint_url=f"http://127.0.0.1:{plan['port']}", region_name="auto", **told).list_buckets()


def applied(path: str) -> None:
    """A volume that SkyPilot takes."""
    from sky.volumes.volume import Volume

    Volume.from_yaml_config(yaml.safe_load(Path(path).read_text())).validate()


def main(plan: dict[str, Any]) -> dict[str, Any]:
    """All of it."""
    only_here()
    import sky
    from sky.adaptors import vastdata

    stand_ins(Path(plan["stand_ins"]))
    served(plan)
    told: dict[str, Any] = {"version": sky.__version__, "enabled": vastdata.check_storage_credentials()[0]}
    told["endpoint"] = vastdata.get_endpoint()
    told["key"] = vastdata.get_vastdata_credentials(vastdata.session()).access_key
    told["stranger"] = said_of(lambda: stranger(plan))
    for name in ("tasks", "volumes"):
        judge = applied if name == "volumes" else lambda path: parsed(yaml.safe_load(Path(path).read_text()))
        told[name] = {path: said_of(lambda path=path, judge=judge: judge(path)) for path in plan[name]}  # type: ignore[misc]
    cases = yaml.safe_load(Path(plan["cases"]).read_text())
    told["cases"] = {title: said_of(lambda case=case: parsed(case["task"])) for title, case in cases.items()}  # type: ignore[misc]
    told["made"], told["not_made"] = {}, {}
    for path in plan["construct"]:
        problem = said_of(lambda path=path: told["made"].update({path: made(path, plan)}))  # type: ignore[misc]
        if problem:
            told["not_made"][path] = problem
    return told


if __name__ == "__main__":
    print("JUDGED " + json.dumps(main(json.loads(Path(sys.argv[1]).read_text()))), flush=True)
    os._exit(0)  # threads of the server and of SkyPilot
