"""The simulators as subjects: how each is reached, what it is asked about, and how it says what is wrong with a body."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from tests.documented.facts import Place, facts
from tests.documented.used import READ_ONLY, collection, fields, item, kinds, operations
from tests.probes.probes import Probe, probes
from vastplan.schema.endpoint import Asked, AskedMembers, Members, PerUnit, Update
from vastplan.schema.kind import Kind
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Plane, Request

SUBJECTS = (("vast", ""), *(("runai", version) for version in ("2.20", "2.22", "2.23", "2.24")), ("kubernetes", ""))
Said = tuple[Place, str]
Send = Callable[[str, str, Any], tuple[int, Any]]
ANYWHERE: Place = ("*",)
# One of each, so that there is something to change.
MADE = {
    "tenants": {"name": "t"},
    "vippools": {"name": "p", "subnet_cidr": 24, "role": "REPLICATION", "ip_ranges": [["10.9.1.1", "10.9.1.4"]]},
    "viewpolicies": {"name": "vp", "flavor": "NFS"},
    "qospolicies": {"name": "q", "policy_type": "VIEW", "mode": "STATIC"},
    "users": {"name": "u", "uid": 1001, "local_provider_id": 1},
    "views": {"path": "/v", "policy_id": 1, "create_dir": True, "protocols": ["NFS", "S3"], "bucket": "b-1", "bucket_owner": "u"},
    "quotas": {"name": "q", "path": "/v", "tenant_id": 1},
    "nativereplicationremotetargets": {"name": "a-b", "leading_vip": "10.9.2.3", "pool_id": 1},
    "protectionpolicies": {"name": "p", "prefix": "p", "clone_type": "LOCAL", "frames": [{"every": "1h"}]},
    "protectedpaths": {
        "name": "d", "tenant_id": 1, "source_dir": "/v", "target_exported_dir": "/v", "protection_policy_id": "1",
        "capabilities": "ASYNC_REPLICATION",
    },
    "localproviders": {"name": "l"},
    "s3policies": {"name": "p", "tenant_id": 1, "policy": '{"Version": "2012-10-17", "Statement": []}'},
    "groups": {"name": "g", "gid": 1001, "local_provider_id": 1},
    "realms": {"name": "r", "object_types": ["view"]},
    "roles": {"name": "r", "permissions_list": ["view_r"]},
    "s3lifecyclerules": {"name": "r", "view_id": 2, "expiration_days": 30},
    "managers": {"username": "m", "password": "Aa1#Aa1#", "roles": [1]},
}  # fmt: skip

# A life of its own, tried there.
NOT_ASKED = {
    "clone": "it is made by a call of the snapshot, and goes with a task: tests/sim/test_vast_clones.py",
    "snapshot": "a null expiry is taken though the document has none, and it needs time to be complete: tests/sim/test_vast_clones.py",
    "api_token": "a manager has five, and its create answers with what a token is: tests/sim/test_vast_managers.py",
}


def plane(system: str, version: str = "") -> Plane:
    """A new simulator."""
    store = Store()
    if system == "vast":
        return VastPlane(store, password="s3cret", api_tokens={"token": "admin"}, strict=True)
    if system == "kubernetes":
        return KubernetesPlane(store, token="token")
    clusters = {"iad": StandaloneCluster(store)}
    return RunaiPlane(store, client_id="ci", client_secret="s3cret", clusters=clusters, version=version)


def direct(one: Plane) -> Send:
    """Ask a simulator without a network."""
    headers = {"content-type": "application/json"}

    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        path, _, query = path.partition("?")
        named = {name: [value] for name, _, value in (part.partition("=") for part in query.split("&") if part)}
        raw = b"" if body is None else json.dumps(body).encode()
        response = one.handle(Request(method, path, named, headers, raw, "https://sim"))
        return response.status, response.body

    headers["authorization"] = authorised(send, one)
    return send


def authorised(send: Send, one: Plane) -> str:
    """The header that lets us in."""
    if isinstance(one, VastPlane):
        return "Api-Token token"
    if isinstance(one, KubernetesPlane):
        return "Bearer token"
    body = {"grantType": "client_credentials", "clientID": "ci", "clientSecret": "s3cret"}
    return f"Bearer {send('POST', '/api/v1/token', body)[1]['accessToken']}"


@dataclass(frozen=True)
class Question:
    """An operation whose body is asked about."""

    kind: str
    method: str
    template: str
    path: str
    probes: tuple[Probe, ...]
    named_in_body: bool = False
    """Whether the body says which object it is about, which need not be there."""


def named_in_body(kind: Kind) -> bool:
    """Whether an object has no path of its own."""
    return isinstance(kind.endpoint.shape, Members | Asked | AskedMembers)


class Subject:
    """One system in one version."""

    def __init__(self, system: str, version: str = "") -> None:
        self.system, self.version = system, version
        self.facts = facts(system, version)

    def kinds(self) -> Iterator[Kind]:
        """The kinds that can be written, and that the version has."""
        yield from (
            kind
            for kind in kinds()
            if kind.system == self.system
            and kind.name not in READ_ONLY | NOT_ASKED.keys()
            and not (kind.versions and collection(kind) not in self.facts.operations)
        )

    def prepare(self, send: Send) -> None:
        """Make what the updates are sent to."""
        for name, body in MADE.items() if self.system == "vast" else ():
            status, answer = send("POST", f"/api/v5/{name}/", body)
            assert status == 201, (name, answer)

    def questions(self, kind: Kind) -> Iterator[Question]:
        """The operations of a kind that have bodies."""
        if named_in_body(kind):
            yield from (self._question(kind, *one) for one in operations(kind) if one[0] in ("POST", "PATCH"))
            return
        if isinstance(kind.endpoint.shape, PerUnit):
            for step in kind.endpoint.shape.paths.values():
                yield self._question(kind, "PUT", f"{collection(kind)}/{step}")
            return
        yield self._question(kind, "POST", collection(kind))
        if kind.endpoint.update is not Update.NONE and self.system != "kubernetes":  # there a patch is no object
            yield self._question(kind, "PUT" if kind.endpoint.update is Update.PUT else "PATCH", item(kind))

    def _question(self, kind: Kind, method: str, template: str) -> Question:
        shape = self.facts.body(method, template)
        places = {self.facts.known(method, template, place) for place in fields(kind, method)} - {()}
        system_owned: set[str] = set()
        if isinstance(kind.endpoint.shape, PerUnit):
            system_owned |= {*self.facts.operations[template]["GET"].get("answers", ())}
        elif self.system != "kubernetes":
            known = self.facts.operations
            system_owned |= set(known.get(item(kind), {}).get("GET", {}).get("answers", ()))
            for pair in ((collection(kind), "POST"), (item(kind), method)):
                body = known.get(pair[0], {}).get(pair[1], {}).get("body", "any")
                system_owned |= set(self.facts.shape(body).get("fields", ()))
        found = probes(self.facts, shape, places, system_owned, part=method == "PATCH", strange=self._choices(shape))
        wanted = self._asked(kind)
        path = template.replace("{}", "1" if self.system == "vast" else "x")
        if self.system == "vast":
            path = f"/api/v5{path.replace('/tenants/1', '/tenants/2')}"
        if self.system == "kubernetes":
            path = path.replace("/namespaces/x", "/namespaces/default") + "?fieldValidation=Strict&dryRun=All"
        asked = (one for one in found if one.complaint in wanted)
        if self.system == "kubernetes":
            version, name = kind.endpoint.manifest
            head = {"apiVersion": version, "kind": name}
            asked = (
                replace(one, body={**head, **one.body})
                for one in asked
                if one.place not in (("apiVersion",), ("kind",))
            )
        return Question(kind.name, method, template, path, tuple(asked), named_in_body(kind))

    def _choices(self, shape: Any) -> tuple[str, ...]:
        """Every choice that the body lists anywhere: a value is refused where it is not listed."""
        found: set[str] = set()
        seen: set[str] = set()

        def walk(given: Any) -> None:
            if isinstance(given, str) and given in self.facts.types and given not in seen:
                seen.add(given)
                walk(self.facts.types[given])
            if isinstance(given, dict):
                found.update(value for value in given.get("enum", ()) if isinstance(value, str))
                for value in given.values():
                    walk(value)

        walk(shape)
        return tuple(sorted(found))

    def _asked(self, kind: Kind) -> set[str]:
        """What the server judges by its field table."""
        if self.system == "kubernetes":  # the rest are rules, which the table does not have, but of a custom resource
            custom = {"choice", "required"} if kind.endpoint.manifest[0].startswith("snapshot.") else set()
            return {"", "unknown", "type", *custom}
        return {"", "unknown", "type", "choice", "required", "bound", "null"}

    def said(self, answer: Any) -> set[Said]:
        """What an answer says of the body's form; rules of other kinds are passed over."""
        return set({"vast": _vast, "runai": _runai, "kubernetes": _kubernetes}[self.system](answer))


def verdict(probe: Probe, said: set[Said]) -> str:
    """ "" when the answer is what the probe's fact demands; else what it wrongly says, or wrongly does not."""
    at_place = {
        what
        for place, what in said
        if place in (probe.place, ANYWHERE) or (what == "any" and probe.place[: len(place)] == place)
    }
    if not probe.complaint:
        return min(at_place, default="")
    also = {"null": {"type"}, "bound": {"type"}}.get(probe.complaint, set())
    return "" if at_place & {probe.complaint, "any", *also} else probe.complaint


def _place(steps: list[str]) -> Place:
    return tuple(step for step in steps if step and not step.isdecimal())


_VAST_SAYS = (
    (r"This field is required\.", "required"),
    (r"Unknown field\.|This field cannot be changed\.|This field is set by the server\.", "unknown"),
    (r"This field may not be null\.", "null"),
    (r"A valid (integer|number) is required\.|Not a valid string\.|Must be a valid boolean\.", "type"),
    (r"Expected a list of items but got .*|Invalid data\. Expected a dictionary, but got .*", "type"),
    (r'".*" is not a valid choice\.', "choice"),
    (r"Ensure this value is (greater|less) than or equal to .*|.* is too (short|long)|.* does not match .*", "bound"),
)


def _vast(answer: Any) -> Iterator[Said]:
    for name, messages in answer.items() if isinstance(answer, dict) else ():
        for message in messages if isinstance(messages, list) else ():
            inner, _, rest = str(message).partition(": ")
            path, text = (inner, rest) if rest and re.fullmatch(r"[\w.-]+", inner) else ("", str(message))
            for pattern, what in _VAST_SAYS:
                if re.fullmatch(pattern, text):
                    yield _place([name, *path.split(".")]), what


_RUNAI_SAYS = (
    (r"None is not of type", "null"), (r"is not of type", "type"), (r"is not one of", "choice"),
    (r"is not valid under any", "any"), (r"is (less|greater) than|is too (short|long)|non-empty|does not match|is not a '", "bound"),
)  # fmt: skip


def _runai(answer: Any) -> Iterator[Said]:
    text = str(answer.get("details", "")) if isinstance(answer, dict) else ""
    for path, message in re.findall(r"(\$[\w.\[\]-]*): (.*?)(?=; \$|$)", text):
        place = _place(re.split(r"[.\[\]]", path.removeprefix("$")))
        unexpected = re.search(r"not allowed \((.*) w(as|ere) unexpected", message)
        needed = re.match(r"'(\w+)' is a required property", message)
        if unexpected:
            yield from (((*place, name), "unknown") for name in re.findall(r"'([\w-]+)'", unexpected[1]))
        elif needed:
            yield (*place, needed[1]), "required"
        else:
            yield from [(place, what) for pattern, what in _RUNAI_SAYS if re.search(pattern, message)][:1]


def _kubernetes(answer: Any) -> Iterator[Said]:
    if not isinstance(answer, dict) or answer.get("kind") != "Status":
        return
    text = str(answer.get("message", ""))
    for path in re.findall(r'unknown field "([^"]*)"', text):
        yield _place(re.split(r"[.\[\]]", path)), "unknown"
    for path in re.findall(r"cannot unmarshal \w+ into Go struct field \w+\.([\w.\[\]]+) of type", text):
        yield _place(re.split(r"[.\[\]]", path)), "type"
    if "illegal base64" in text or "quantities must match" in text or "into Go value" in text:
        yield ANYWHERE, "type"
    if "snapshot.storage.k8s.io" not in text:
        return  # the rules of built-in kinds are not in the table
    for cause in (answer.get("details") or {}).get("causes") or ():
        what = {"FieldValueTypeInvalid": "type", "FieldValueNotSupported": "choice", "FieldValueRequired": "required"}
        if cause.get("reason") in what and not cause["field"].startswith("metadata"):
            yield _place(re.split(r"[.\[\]]", cause["field"])), what[cause["reason"]]


@lru_cache
def stricter() -> dict[str, str]:
    """Where a simulator is known to differ from the document, with the reason of each."""
    groups = yaml.safe_load((Path(__file__).parent / "stricter.yaml").read_text(encoding="utf-8"))
    return {fact: group["why"] for group in groups for fact in group["facts"]}


def failures(subject: Subject, question: Question, send: Send) -> Iterator[tuple[str, str]]:
    """The facts that the simulator does not hold, by the names of `stricter.yaml`, and how that shows."""
    for probe in question.probes:
        status, answer = send(question.method, question.path, probe.body)
        assert status < 500 and status not in (401, 403, 405, 415), (question, probe, answer)
        assert status != 404 or subject.system == "runai" or question.named_in_body, (question, probe, answer)
        found = verdict(probe, subject.said(answer))
        if found:
            name = f"{subject.system} {question.method} {question.template} {'.'.join(probe.place)} {found}"
            yield name, f"{probe} was answered {status} {str(answer)[:300]}"
