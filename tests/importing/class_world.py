"""A cluster whose classes somebody made, with claims and pods of people whom no document knows; and who may use what there.

Who may is asked of the policies that are live, in plain CEL, with nothing that vastplan knows of them.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cel
import yaml

from tests.conftest import Ran
from tests.histories.plant import Plant
from vastplan.sim.wire import Request, Response

Run = Callable[..., Ran]
Row = dict[str, Any]
FILE, BLOCK = "csi.vastdata.com", "block.csi.vastdata.com"
_ADMISSION = "admissionregistration.k8s.io"
POLICIES = f"/apis/{_ADMISSION}/v1/validatingadmissionpolicies"
BINDINGS = f"/apis/{_ADMISSION}/v1/validatingadmissionpolicybindings"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"


def team(name: str, octet: int, *, shared: bool = True, **of_class: Any) -> Row:
    """A tenant as a document says it: a pool, a policy, a project and a class of its name."""
    return {
        "vip_pool": {"subnet_cidr": 24, "ip_ranges": [f"10.20.{octet}.10 - 10.20.{octet}.13"]},
        "view_policy": {"flavor": "NFS", "nfs_no_squash": [f"10.12.{octet}.0/24"]},
        "project": {"gpus": {"default": 1}},
        "storage_class": {
            "driver": "file",
            "storage_path": f"/{name}/k8s",
            "secret": {"existing": "vast-csi/vast-mgmt"},
            **({"shared": True} if shared else {}),
            **of_class,
        },
    }


class ClassWorld:
    """One site, `iad`, and a folder with a document of it."""

    def __init__(self, folder: Path, vastplan: Run) -> None:
        self.folder, self._vastplan = folder / "live", vastplan
        self.folder.mkdir()
        self.plant = Plant(folder, ["iad"])
        for name in ("vast-csi", "monitoring", "batch"):
            self.post("/api/v1/namespaces", {"metadata": {"name": name}})
        secret = {"endpoint": "dm1zLmV4YW1wbGUuY29t", "username": "Y3Np", "password": "cGFzcw=="}
        self.post("/api/v1/namespaces/vast-csi/secrets", {"metadata": {"name": "vast-mgmt"}, "data": secret})

    def post(self, path: str, body: Row) -> None:
        """Somebody makes an object of the cluster; the test fails when that is refused."""
        answer = self.plant.by_hand("iad", "kubernetes", "POST", path, body)
        assert answer.status < 300, f"{path}: {answer.status} {answer.body}"

    def patch(self, path: str, body: Row) -> None:
        """Somebody changes one."""
        answer = self.plant.by_hand("iad", "kubernetes", "PATCH", path, body)
        assert answer.status < 300, f"{path}: {answer.status} {answer.body}"

    def delete(self, path: str) -> None:
        """Somebody deletes one."""
        answer = self.plant.by_hand("iad", "kubernetes", "DELETE", path)
        assert answer.status < 300, f"{path}: {answer.status} {answer.body}"

    def storage_class(self, name: str, parameters: Mapping[str, str], provisioner: str = FILE, **more: Any) -> None:
        """A class by hand."""
        self.post(
            CLASSES, {"metadata": {"name": name}, "provisioner": provisioner, "parameters": dict(parameters), **more}
        )

    def claim(self, namespace: str, name: str, storage_class: str) -> None:
        """A claim of a class."""
        spec = {
            "storageClassName": storage_class, "accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}},
        }  # fmt: skip
        path = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
        self.post(path, {"metadata": {"name": name}, "spec": spec})

    def pod(self, namespace: str, name: str, driver: str) -> None:
        """A pod with an inline volume of a driver."""
        self.post(f"/api/v1/namespaces/{namespace}/pods", _pod(name, driver))

    def rows(self, collection: str) -> list[Row]:
        """The objects of a collection, by its path or its plural."""
        api, _, plural = collection.rpartition("/")
        group = api.removeprefix("/apis/").partition("/")[0] if api else ""
        return self.plant.rows("iad", "kubernetes", f"{plural}.{group}" if group else plural)

    def document(self, sections: Mapping[str, Any], **site: Any) -> None:
        """Make this the document, which is all of the folder."""
        for path in self.folder.glob("*.yaml"):
            path.unlink()
        whole = {"version": 1, "name": "factory", "sites": {"iad": {"sim": {}, **site}}, **sections}
        (self.folder / "factory.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))

    def run(self, command: str, *words: str, code: int = 0) -> str:
        """A command on the folder, which ends as it should; what it printed."""
        with self.plant.running():
            ran = self._vastplan(command, self.folder, *words)
        assert ran.code == code, f"{command}: {ran.code}\n{ran.out}\n{ran.err}"
        return ran.out

    def lost(self, sections: Mapping[str, Any], *, policies: bool = False, **site: Any) -> None:
        """A world that somebody made from a document, and lost that and its ledger; without `policies` classes are as by hand."""
        self.document(sections, **site)
        self.run("apply", "--auto-approve")
        shutil.rmtree(self.folder / ".vastplan")
        if not policies:
            for path in (BINDINGS, POLICIES):
                for row in self.rows(path):
                    self.delete(f"{path}/{row['metadata']['name']}")
        self.document({}, **site)

    def imported(self, *words: str, code: int = 0) -> tuple[str, Row]:
        """An import: the text of all new files, and the report."""
        report: Row = json.loads(self.run("import", *words, "--format", "json", code=code))
        files = sorted(self.folder.glob("*.yaml"))
        return "".join(path.read_text() for path in files if path.name != "factory.yaml"), report

    def entry(self, name: str) -> Row:
        """What the new files say of a class."""
        for path in self.folder.glob("*.yaml"):
            whole = yaml.safe_load(path.read_text())
            for holder in (whole, *(whole.get("tenants") or {}).values()):
                holder = holder or {}
                if name in (holder.get("storage_classes") or {}):
                    return dict(holder["storage_classes"][name])
            alone = (whole.get("tenants") or {}).get(name) or {}
            if "storage_class" in alone:
                return dict(alone["storage_class"])
        raise KeyError(name)

    def unreadable(self, plural: str) -> None:
        """From here on nobody may list the objects of a kind."""
        plane = self.plant.planes["iad", "kubernetes"]
        handle = plane.handle

        def refused(request: Request) -> Response:
            if request.method == "GET" and request.path.endswith(f"/{plural}"):
                return Response(403, {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "not allowed"})
            return handle(request)

        self.plant.planes["iad", "kubernetes"] = SimpleNamespace(handle=refused)

    # who may do what

    def may(self) -> dict[tuple[str, str, str], bool]:
        """For each namespace and class whether a claim of it may be made there, by the spec and by the old annotation; and for each pod
        that is there whether it could be made again."""
        rules = list(self._rules())
        found: dict[tuple[str, str, str], bool] = {}
        for namespace in (row["metadata"]["name"] for row in self.rows("namespaces")):
            for name in (row["metadata"]["name"] for row in self.rows(CLASSES)):
                closed = self._closed_by_quota(namespace, name)
                for form, claim in (("spec", _claim(name)), ("annotation", _annotated(name))):
                    admitted = _admitted(rules, namespace, "persistentvolumeclaims", claim)
                    found[namespace, name, form] = admitted and not closed
        for row in self.rows("pods"):
            namespace, name = row["metadata"]["namespace"], row["metadata"]["name"]
            found[namespace, name, "pod"] = _admitted(rules, namespace, "pods", row)
        return found

    def may_bring(self, driver: str) -> set[bool]:
        """Whether a new pod may have an inline volume of a driver, in any namespace."""
        rules, namespaces = list(self._rules()), [row["metadata"]["name"] for row in self.rows("namespaces")]
        return {_admitted(rules, namespace, "pods", _pod("p", driver)) for namespace in namespaces}

    def seen(self) -> set[tuple[str, str, str]]:
        """Those of them who are at it now: the namespaces of claims by their class, and the pods."""
        claims = self.rows("persistentvolumeclaims")
        used = {(row["metadata"]["namespace"], row["spec"]["storageClassName"], "spec") for row in claims}
        return used | {(row["metadata"]["namespace"], row["metadata"]["name"], "pod") for row in self.rows("pods")}

    def isolation(self) -> list[Row]:
        """All that closes something, as it is."""
        return [row for path in (POLICIES, BINDINGS, "resourcequotas") for row in self.rows(path)]

    def _rules(self) -> Iterator[Row]:
        """The specs that a binding puts in force."""
        bound = {
            row["spec"]["policyName"]
            for row in self.rows(BINDINGS)
            if "Deny" in row["spec"]["validationActions"] and not row["spec"].get("matchResources")
        }
        for row in self.rows(POLICIES):
            if row["metadata"]["name"] in bound:
                yield row["spec"]

    def _closed_by_quota(self, namespace: str, name: str) -> bool:
        key = f"{name}.storageclass.storage.k8s.io/persistentvolumeclaims"
        quotas = [row for row in self.rows("resourcequotas") if row["metadata"]["namespace"] == namespace]
        return any(row["spec"]["hard"].get(key) == "0" for row in quotas)


def refused_since(before: Mapping[tuple[str, str, str], bool], after: Mapping[tuple[str, str, str], bool]) -> list[Any]:
    """What was allowed and is no longer blocked."""
    return sorted(what for what, allowed in before.items() if allowed and not after[what])


def _claim(storage_class: str) -> Row:
    return {"metadata": {"name": "c", "annotations": {}}, "spec": {"storageClassName": storage_class}}


def _annotated(storage_class: str) -> Row:
    notes = {"volume.beta.kubernetes.io/storage-class": storage_class}
    return {"metadata": {"name": "c", "annotations": notes}, "spec": {}}


def _pod(name: str, driver: str) -> Row:
    volumes = [{"name": "scratch", "csi": {"driver": driver}}]
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": volumes}}


def _admitted(rules: Sequence[Row], namespace: str, resource: str, body: Row) -> bool:
    """Whether all rules let a new object pass, as Kubernetes evaluates them: what cannot be evaluated is refused."""
    return all(_passes(rule, namespace, resource, body) for rule in rules)


def _passes(rule: Row, namespace: str, resource: str, body: Row) -> bool:
    matched = any(
        resource in one["resources"] and {"CREATE", "*"} & {*one["operations"]}
        for one in rule["matchConstraints"]["resourceRules"]
    )
    if not matched:
        return True
    known: Row = {"object": body, "oldObject": None, "request": {"operation": "CREATE", "namespace": namespace}}
    with contextlib.suppress(Exception):
        if not all(cel.evaluate(one["expression"], known) for one in rule.get("matchConditions") or ()):
            return True
        known["variables"] = {
            one["name"]: cel.evaluate(one["expression"], known) for one in rule.get("variables") or ()
        }
        return all(cel.evaluate(one["expression"], known) is True for one in rule["validations"])
    return False
