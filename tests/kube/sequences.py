"""Random sequences of calls, good and bad, for the resources that vastplan uses: the same ones for the same seed.

A value `$uid PATH`, `$version PATH` or `$first-version PATH` stands for what the server answered about that object
before; `$continue` for its last continue token.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.kube.subjects import SUBJECTS, Subject

JSON, MERGE, PATCH = "application/json", "application/merge-patch+json", "application/json-patch+json"
STEPS = 30
SEEDS = range(5)
FORMS = "forms-0"
SEQUENCES = (*(f"{name}-{seed}" for name in SUBJECTS for seed in SEEDS), FORMS)
_SELECTORS = ("team=a", "team!=a", "team in (a,b)", "!team", "team", "team==b,!other", "team in a", "=", "a b")
_FIELDS = ("metadata.name={a}", "metadata.name!={a}", "metadata.nothing=x", "metadata.name")
_UNKNOWN = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True)
class Step:
    """One call."""

    method: str
    path: str
    body: Any = None
    kind: str = JSON
    query: dict[str, str] = field(default_factory=dict)
    accept: str = JSON


class Author:
    """Writes the sequence of one subject and seed."""

    def __init__(self, name: str, seed: int) -> None:
        self._subject: Subject = SUBJECTS[name]
        self._random = random.Random(f"{name} {seed}")
        self._names = [f"{name.replace('_', '-')}-{seed}-{letter}" for letter in "abc"]
        self._collection = self._subject.path

    def sequence(self) -> list[Step]:
        """All steps, what the subject stands on first."""
        verbs: list[tuple[Callable[[], Step], int]] = [
            (self._create, 7), (self._get, 2), (self._list, 4), (self._put, 4), (self._merge, 7), (self._json_patch, 4),
            (self._delete, 4), (self._odd, 1),
        ]  # fmt: skip
        chosen = self._random.choices([verb for verb, _ in verbs], [weight for _, weight in verbs], k=STEPS)
        first = (
            [Step("POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})] if "/team/" in self._collection else []
        )
        return [*first, self._create(), *(verb() for verb in chosen)]

    def _one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _often(self, usual: Any, *others: Any) -> Any:
        """The usual choice in three of four cases."""
        return usual if self._random.random() < 0.75 else self._random.choice(others)

    def _name(self) -> str:
        return str(self._one(*self._names))

    def _item(self, name: str | None = None) -> str:
        return f"{self._collection}/{name or self._name()}"

    def _options(self) -> dict[str, str]:
        strict = self._one({}, {"fieldValidation": "Strict"}, {"fieldValidation": "Strict", "fieldManager": "vastplan"})
        odd = self._one({"dryRun": "All"}, {"dryRun": "some"}, {"fieldValidation": "Ignore"}, {"fieldValidation": "x"})
        return dict(self._often(strict, odd, {**strict, "fieldManager": "x" * 130}))

    def _body(self, name: str) -> dict[str, Any]:
        body = copy.deepcopy(self._subject.body)
        body = {"apiVersion": self._subject.version, "kind": self._subject.kind, **body}
        body["metadata"] = {"name": name, "labels": {"team": self._one("a", "b")}}
        return body

    def _spoiled(self, body: dict[str, Any]) -> dict[str, Any]:
        """The object with one or two of its subject's variations, or one of those that any object can have."""
        for _ in range(self._one(0, 1, 1, 2)):
            path, value = self._often(self._one(*self._subject.variations), *_ANYWHERE)
            body = placed(body, path, value)
        return body

    def _create(self) -> Step:
        return Step("POST", self._collection, self._spoiled(self._body(self._name())), query=self._options())

    def _get(self) -> Step:
        return Step("GET", self._often(self._item(), self._item("nothing")))

    def _list(self) -> Step:
        query: dict[str, str] = {}
        if self._one(True, False):
            query["limit"] = self._one("1", "2", "500", "0", "x")
        if self._one(True, False):
            query["labelSelector"] = self._one(*_SELECTORS)
        if self._one(True, False, False):
            query["fieldSelector"] = self._one(*_FIELDS).format(a=self._names[0])
        if self._one(True, False, False):
            query = {"limit": "1", "continue": self._often("$continue", "nonsense")}
        return Step("GET", self._collection, query=query)

    def _put(self) -> Step:
        name = self._name()
        body = self._spoiled(self._body(name))
        version = self._often(f"$version {self._item(name)}", None, f"$first-version {self._item(name)}", "nonsense")
        if version is not None:
            body = placed(body, "metadata.resourceVersion", version)
        if self._often(False, True):
            body = placed(body, "metadata.uid", self._one(_UNKNOWN, f"$uid {self._item(name)}"))
        return Step("PUT", self._item(name), body, query=self._options())

    def _merge(self) -> Step:
        item = self._item()
        body: dict[str, Any] = {}
        for _ in range(self._one(1, 1, 2)):
            path, value = self._often(self._one(*self._subject.variations), *_ANYWHERE)
            body = placed(body, path, value)
        version = self._one(None, None, f"$version {item}", f"$first-version {item}")
        if version is not None:
            body = placed(body, "metadata.resourceVersion", version)
        return Step("PATCH", item, self._often(body, [], {}, {"metadata": None}), MERGE, self._options())

    def _json_patch(self) -> Step:
        path, value = self._one(*self._subject.variations, *_ANYWHERE)
        pointer = "/" + "/".join(one.replace("~", "~0").replace("/", "~1") for one in path.split("."))
        verb = self._one("add", "replace", "remove", "test", "replace")
        one = {"op": verb, "path": pointer, **({"value": value} if verb != "remove" else {})}
        guard = {"op": "test", "path": "/metadata/labels/team", "value": self._one("a", "b")}
        body = self._often(
            [one], [guard, one], {}, [{"op": "nothing", "path": "/"}], [{"op": "copy", "from": "/a", "path": "/b"}]
        )
        return Step("PATCH", self._item(), body, PATCH, self._options())

    def _delete(self) -> Step:
        item = self._item()
        body: Any = self._one(
            None, None,
            {"preconditions": {"uid": f"$uid {item}"}},
            {"preconditions": {"uid": f"$uid {item}", "resourceVersion": f"$version {item}"}},
            {"preconditions": {"uid": f"$uid {item}", "resourceVersion": f"$first-version {item}"}},
            {"preconditions": {"uid": _UNKNOWN}}, {"dryRun": ["All"]}, {"dryRun": ["x"]}, {"propagationPolicy": "No"},
            {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}, {"unknown": 1},
        )  # fmt: skip
        return Step("DELETE", item, body, query=self._often({}, {"dryRun": "All"}, {"dryRun": "x"}))

    def _odd(self) -> Step:
        item = self._item()
        return self._one(  # type: ignore[no-any-return]
            Step("POST", item, {}), Step("PATCH", self._collection, {}, MERGE), Step("PUT", self._collection, {}),
            Step("GET", f"{item}/nothing"), Step("PATCH", item, {}, JSON), Step("POST", self._collection, "x"),
            Step("POST", self._collection, [], JSON), Step("POST", self._collection, {}, "text/plain"),
            Step("GET", f"{self._collection}s"), Step("POST", self._collection, None),
        )  # fmt: skip


_ANYWHERE: tuple[tuple[str, Any], ...] = (
    ("metadata.labels.team", "b"), ("metadata.labels.team", None), ("metadata.labels.team", "not a label"),
    ("metadata.labels", {"a b": "c"}), ("metadata.annotations.owner", "a"), ("metadata.annotations", {"A/b/c": "d"}),
    ("metadata.annotations", {"empty": ""}), ("metadata.finalizers", ["example.com/hold"]),
    ("metadata.finalizers", ["short"]), ("metadata.finalizers", None), ("metadata.name", "Not_A_Name"),
    ("metadata.name", "x." + "y" * 260), ("metadata.name", "other"), ("metadata.namespace", "elsewhere"),
    ("metadata.uid", _UNKNOWN), ("metadata.creationTimestamp", "2001-01-01T00:00:00Z"), ("metadata.generation", 7),
    ("metadata.labels", []), ("metadata.labels", "x"), ("metadata.unknown", 1), ("unknown", {"a": 1}), ("unknown", None),
    ("kind", "Other"), ("apiVersion", "v9"), ("apiVersion", None), ("metadata.generateName", "x-"), ("status", {}),
    ("metadata.ownerReferences", [{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": _UNKNOWN}]),
    ("metadata.ownerReferences", [{"kind": "Pod"}]), ("metadata.managedFields", []), ("metadata.labels.n", 1),
)  # fmt: skip


def placed(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The body with a value at a dotted path."""
    changed = copy.deepcopy(body)
    *steps, last = path.split(".")
    inner: Any = changed
    for step in steps:
        if not isinstance(inner.get(step), dict):
            inner[step] = {}
        inner = inner[step]
    inner[last] = value
    return changed


def written(name: str) -> list[Step]:
    """The sequence of a name such as `secrets-3`."""
    if name == FORMS:
        return _forms()
    subject, _, seed = name.rpartition("-")
    return Author(subject, int(seed)).sequence()


def _forms() -> list[Step]:
    """Objects whole, their metadata alone, and forms that there are none of: what `Accept` asks for."""
    secrets, classes = SUBJECTS["secrets"].path, SUBJECTS["volumesnapshotclasses"].path
    one, many = "PartialObjectMetadata", "PartialObjectMetadataList"

    def form(kind: str, version: str = "v1", group: str = "meta.k8s.io") -> str:
        return f"{JSON};as={kind};g={group};v={version}"

    def body(subject: str, name: str) -> dict[str, Any]:
        about = SUBJECTS[subject]
        metadata = {"name": name, "labels": {"team": name}, "annotations": {"note": "x"}}
        return {"apiVersion": about.version, "kind": about.kind, **copy.deepcopy(about.body), "metadata": metadata}

    a, merge = f"{secrets}/forms-a", {"metadata": {"labels": {"team": "z"}}}
    return [
        Step("POST", "/api/v1/namespaces", {"metadata": {"name": "team"}}),
        Step("GET", secrets, accept=form(many)),  # of nothing
        Step("POST", secrets, body("secrets", "forms-a")),
        Step("POST", secrets, body("secrets", "forms-b"), accept=form(one)),
        Step("GET", secrets, accept=form(many)),
        Step("GET", secrets, query={"limit": "1"}, accept=form(many)),
        Step("GET", secrets, query={"limit": "1", "continue": "$continue"}, accept=form(many)),
        Step("GET", secrets, query={"labelSelector": "team=forms-b"}, accept=form(many)),
        Step("GET", secrets, query={"fieldSelector": "type=Opaque"}, accept=form(many, "v1beta1")),
        Step("GET", secrets, query={"limit": "x"}, accept=form(many)),
        Step("GET", secrets, accept=form(one)),
        Step("GET", a, accept=form(one)),
        Step("GET", a, accept=form(many)),
        Step("GET", f"{secrets}/nothing", accept=form(one)),
        *(
            Step("GET", a, accept=accept)
            for accept in (
                form(one, "v2"), form(one, group="example.com"), form("Nothing"), f"{JSON};as={one};g=meta.k8s.io",
                f"{form('Nothing')},{JSON}", f"{form(one)},{JSON}", f"{JSON},{form(one)}", "*/*",
                f"{JSON}; as={one}; g=meta.k8s.io; v=v1",
            )
        ),
        Step("PATCH", a, merge, MERGE, accept=form(one)),
        Step("PATCH", a, merge, MERGE, accept=form("Nothing")),
        Step("POST", classes, body("volumesnapshotclasses", "forms-c"), accept=form(one)),
        Step("GET", classes, accept=form(many)),
        Step("GET", classes, accept=form(one)),
        Step("GET", f"{classes}/forms-c", accept=form(one)),
        Step("DELETE", a, accept=form(one)),
        Step("DELETE", f"{classes}/forms-c", accept=form(one)),
    ]  # fmt: skip


def digest_of(steps: list[Step]) -> str:
    """What tells one sequence from another."""
    import hashlib

    parts = [
        [one.method, one.path, one.body, one.kind, one.query, *([one.accept] if one.accept != JSON else [])]
        for one in steps
    ]
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
