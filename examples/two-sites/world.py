"""The world around this folder's documents, to play with: work that writes checkpoints, time that passes, a site that is lost.

`serve` keeps both simulated sites running, as `vastplan sim` does, and does what the other commands ask of it:

    python world.py serve &        serve the simulators until `python world.py end`
    python world.py train iad      submit a LoRA fine-tuning that writes a checkpoint of 100 steps every 10 minutes
    python world.py infer pdx step-300   submit an inference that serves this checkpoint
    python world.py stop pdx       delete that inference
    python world.py pass 1h        let time pass, which nothing else does but a change that is under way
    python world.py lose iad       take a site's power and network
    python world.py return iad     give it both back
    python world.py look           roles, checkpoints and jobs, as somebody sees them who can see everything

All of it but `look` is what people and accidents do to a real site. vastplan is told nothing of it: it reads the systems.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # they are loaded by who serves: whoever asks need not wait for that
    from vastplan.sim.world import World

HERE = Path(__file__).resolve().parent
SITES = ("iad", "pdx")
TEAM, CLAIM, HOME = "team-a", "team-a-checkpoints", "/team-a/checkpoints"
CHECKPOINT, STEPS, STEP = 11_200_000_000, 100, 6.0  # bytes, steps between two and seconds of one, as team-a.yaml says
MODELS, MODEL, WEIGHTS = "/team-a/models", "llama-70b", 140 * 10**9
MOUNTED = {
    "pvc": [
        {"existingPvc": True, "claimName": "base-models", "path": "/models", "readOnly": True},
        {"existingPvc": True, "claimName": CLAIM, "path": "/checkpoints"},
    ]
}
NOTICED = 60  # seconds, after which the other site has seen that a link carries no more, or again
WAN = 5e9  # bytes a second, as factory.yaml says
PER_LOOK = (
    60.0  # seconds that pass with each look at something that is under way: a move here need not be waited for as long
)
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
DOOR = "world.sock"


class Player:
    """Does what is asked of the world, and answers in lines."""

    def __init__(self, world: World) -> None:
        self._world, self._away = world, set[str]()
        self._endpoints = {(one.site, one.system): one for one in world.endpoints()}

    def do(self, verb: str, words: list[str]) -> str:
        """One command. Raises `ValueError` for what makes no sense now."""
        for site in SITES:
            self._put_to_work(site)
        if verb == "pass":
            return self._pass(words)
        if verb == "look":
            return "\n".join(line for site in SITES for line in self._seen(site))
        acts = {"train": self._train, "lose": self._lose, "return": self._return, "stop": self._stop}
        if verb == "infer" and len(words) == 2 and words[0] in SITES:
            return self._infer(*words)
        if verb not in acts or len(words) != 1 or words[0] not in SITES:
            raise ValueError(
                f"what can be asked is pass TIME, look, infer SITE CHECKPOINT, and {', '.join(acts)} with {' or '.join(SITES)}"
            )
        return acts[verb](words[0])

    def _train(self, site: str) -> str:
        tenant, vast = self._tenant(site), self._world.vast(site)
        with self._world.lock:
            if MODEL not in vast.labels(MODELS, tenant_id=tenant):
                vast.write(MODELS, WEIGHTS, MODEL, tenant_id=tenant)
        args = f"--model /models/{MODEL} --lora-rank 64 --output_dir /checkpoints"
        spec = {"image": "lora:1", "args": args, "compute": {"gpuDevicesRequest": 16}}
        self._submit(site, "trainings", "train", spec)
        return self._job(site)

    def _infer(self, site: str, checkpoint: str) -> str:
        if checkpoint not in self._world.vast(site).labels(HOME, tenant_id=self._tenant(site)):
            raise ValueError(f"there is no {checkpoint} in {HOME} at {site}")
        args = f"--model /models/{MODEL} --lora-modules /checkpoints/{checkpoint}"
        compute, port = {"gpuDevicesRequest": 4}, {"container": 8000}
        spec = {"image": "vllm:1", "args": args, "compute": compute, "servingPort": port}
        self._submit(site, "inferences", "serve", spec)
        return self._serving(site)

    def _stop(self, site: str) -> str:
        for one in self._workloads(site):
            if one["type"] == "Inference":
                self._call(site, "runai", "DELETE", f"/api/v1/workloads/inferences/{one['id']}")
        for _ in range(2):
            self._workloads(site)
        return self._serving(site) or f"{site}: nothing is served"

    def _submit(self, site: str, type_: str, name: str, spec: dict[str, Any]) -> None:
        """A workload of the team, as its user submits it."""
        found = self._call(site, "runai", "GET", "/api/v1/org-unit/projects")["projects"]
        project = next((one for one in found if one["name"] == TEAM), None)
        if project is None:
            raise ValueError(f"there is no project {TEAM} at {site} yet: apply the documents first")
        body = {
            "name": name, "projectId": str(project["id"]), "clusterId": str(project["clusterId"]), "spec": {**spec, "storage": MOUNTED},
        }  # fmt: skip
        self._call(site, "runai", "POST", f"/api/v1/workloads/{type_}", body)
        for _ in range(2):  # it is being made when it is looked at first
            self._put_to_work(site)

    def _pass(self, words: list[str]) -> str:
        found = re.fullmatch(r"(\d{1,6})([smhd])", "".join(words))
        if found is None:
            raise ValueError("say how long: 90s, 15m, 2h or 1d")
        self._world.pass_time(int(found[1]) * UNITS[found[2]])
        return f"{found[0]} later"

    def _lose(self, site: str) -> str:
        vast = self._world.vast(site)
        steps = [f"; {name} was at step {vast.job(key).now}" for name, key in self._running(site)]
        self._world.lose(site, power=True, jobs="stop")
        self._away.add(site)
        self._world.pass_time(NOTICED)
        return f"{site} has neither power nor network: no system of it answers, and nothing runs there{''.join(steps)}"

    def _return(self, site: str) -> str:
        self._world.find(site)
        self._away.discard(site)
        self._world.pass_time(NOTICED)
        return f"{site} has power and network again; what ran there when it was lost starts again, with what it finds"

    def _seen(self, site: str) -> Iterator[str]:
        if site in self._away:
            yield f"{site}  lost: nobody can see it"
            return
        rows = self._call(site, "vast", "GET", f"/api/v5/protectedpaths/?name={CLAIM}")
        role = f"{rows[0]['role']}, {rows[0]['state']}" if rows else "does not replicate"
        labels = self._world.vast(site).labels(HOME, tenant_id=self._tenant(site))
        yield f"{site}  {role}; checkpoints: {' '.join(labels[-4:]) or 'none'}"
        if self._running(site):
            yield f"     {self._job(site)}"
        if serving := self._serving(site):
            yield f"     {serving}"

    def _job(self, site: str) -> str:
        told = []
        for name, key in self._running(site):
            job = self._world.vast(site).job(key) if self._world.vast(site).has_job(key) else None
            since = f"step-{job.resumed}" if job and job.resumed else "the beginning"
            told.append(
                f"{name} {'has failed: ' + job.why if job and job.state == 'failed' else f'goes on from {since}'}"
            )
        return f"{site}: {'; '.join(told) or 'nothing runs'}"

    def _put_to_work(self, site: str) -> None:
        """A workload that runs writes checkpoints, whoever submitted it."""
        if site in self._away:
            return
        vast, running = self._world.vast(site), self._running(site)
        tenant = self._tenant(site) if running else 0
        with self._world.lock:
            for name, key in running:
                if not vast.has_job(key):
                    if MODEL not in vast.labels(MODELS, tenant_id=tenant):
                        raise ValueError(f"{name} cannot start at {site}: there is no {MODEL} in {MODELS}")
                    vast.start_job(key, HOME, every=STEPS * STEP, bytes=CHECKPOINT, steps=STEPS, tenant_id=tenant)

    def _running(self, site: str) -> list[tuple[str, str]]:
        """The trainings that run."""
        rows = self._workloads(site)
        return [(one["name"], one["id"]) for one in rows if one["phase"] == "Running" and one["type"] == "Training"]

    def _serving(self, site: str) -> str:
        """What is served, from the specification of the inference."""
        rows = [one for one in self._workloads(site) if one["type"] == "Inference"]
        specs = [self._call(site, "runai", "GET", f"/api/v1/workloads/inferences/{one['id']}")["spec"] for one in rows]
        return "; ".join(
            f"{site}: {one['name']} is {one['phase']} and serves {spec['args'].split()[-1]} of {spec['storage']['pvc'][-1]['claimName']}"
            for one, spec in zip(rows, specs, strict=True)
        )

    def _workloads(self, site: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._call(site, "runai", "GET", "/api/v1/workloads")["workloads"]
        return rows

    def _tenant(self, site: str) -> int:
        rows = self._call(site, "vast", "GET", f"/api/v5/tenants/?name={TEAM}")
        if not rows:
            raise ValueError(f"there is no tenant {TEAM} at {site} yet: apply the documents first")
        return int(rows[0]["id"])

    def _call(self, site: str, system: str, method: str, path: str, body: object = None) -> Any:
        """The system's own API, as anybody may use it."""
        import requests

        if site in self._away:
            raise ValueError(f"{site} is lost: nobody can ask it anything")
        one = self._endpoints[site, system]
        if system == "vast":
            asked, taken = ("/api/token/", {"username": one.username, "password": one.password}), "access"
        else:
            login = {"grantType": "client_credentials", "clientId": one.username, "clientSecret": one.password}
            asked, taken = ("/api/v1/token", login), "accessToken"
        token = requests.post(one.url + asked[0], json=asked[1], verify=one.ca_file, timeout=30).json()[taken]
        headers = {"Authorization": f"Bearer {token}"}
        answer = requests.request(method, one.url + path, json=body, headers=headers, verify=one.ca_file, timeout=30)
        answer.raise_for_status()
        return answer.json() if answer.content else None


def serve(folder: Path) -> int:
    """Keep the world running, and let others play with it, until somebody says `end`."""
    try:
        from vastplan.sim.vast.assumptions import Assumed
        from vastplan.sim.world import SYSTEMS, World
    except ModuleNotFoundError as missing:
        print(
            f"there is no {missing.name} here; with it, in a checkout of vastplan: pip install '.[sim]'",
            file=sys.stderr,
        )
        return 1

    world = World(folder / ".vastplan" / "sim", dict.fromkeys(SITES, SYSTEMS), assumed=Assumed(per_read=PER_LOOK))
    world.start()
    world.link(*SITES, bandwidth=WAN)
    try:
        door = world.folder / DOOR  # the folder is this user's alone, and so is what is in it
        door.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(_address(door))
            listening.listen()
            world.publish()
            player = Player(world)
            print(f"both sites are there; `python {sys.argv[0]} end` ends it", flush=True)
            while _answered(listening, player):
                pass
        door.unlink()
    finally:
        world.stop()
    return 0


def _address(door: Path) -> str:
    """The shorter of its paths: that of a socket has 107 characters at most."""
    return min(str(door), os.path.relpath(door), key=len)


def _answered(listening: socket.socket, player: Player) -> bool:
    """Answer one who asks; false for the one who says that it is over."""
    asking, _ = listening.accept()
    with asking:
        words = json.loads(asking.makefile().readline())
        if words == ["end"]:
            return False
        try:
            answer = {"said": player.do(words[0], words[1:])}
        except (ValueError, OSError) as problem:  # also what `requests` raises
            answer = {"problem": str(problem)}
        asking.sendall(json.dumps(answer).encode())
    return True


def ask(folder: Path, words: list[str]) -> int:
    """Ask the one that serves."""
    with socket.socket(socket.AF_UNIX) as asking:
        try:
            asking.connect(_address(folder / ".vastplan" / "sim" / DOOR))
        except OSError:
            print(f"nothing serves the sites; first: python {sys.argv[0]} serve &", file=sys.stderr)
            return 1
        asking.sendall(json.dumps(words).encode() + b"\n")
        answer = json.loads(asking.makefile().read() or "{}")
    print(answer.get("said", ""), end="\n" if answer.get("said") else "")
    print(answer["problem"], file=sys.stderr) if "problem" in answer else None
    return 1 if "problem" in answer else 0


def main() -> int:
    """0 when it went as asked."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    return serve(HERE) if words[0] == "serve" else ask(HERE, words)


if __name__ == "__main__":
    raise SystemExit(main())
