"""A CSI user by the command line: its log-in is where the tenant's class looks for it, and the driver works with it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from tests.values.forms import forms
from vastplan.sim.store import Row
from vastplan.sim.vast import VastPlane, managers

CLASS = {
    "driver": "file",
    "storage_path": "/team-a/k8s",
    "vip_pool_fqdn": "a.example.com",
    "allow_volume_expansion": True,
}
BLOCK = {"driver": "block", "subsystem": "blocks", "vip_pool_fqdn": "a.example.com"}
SECRET = "/api/v1/namespaces/vast-csi/secrets/team-a-csi"
CLAIMS = "/api/v1/namespaces/work/persistentvolumeclaims"
ALL = ("--auto-approve", "--allow-delete", "*", "--max-changes", "100")


class Site:
    """One site with a tenant, its class and its CSI user, and claims that somebody makes by hand."""

    def __init__(self, lab: Lab, vastplan: Run) -> None:
        self.lab, self._vastplan = lab, vastplan
        self.document = lab.folder / "doc.yaml"
        self.passwords: set[str] = set()

    def write(
        self,
        *,
        user: Any = ...,
        classes: dict[str, Any] | None = None,
        key: str = "team-a",
        secrets: dict[str, Any] | None = None,
        **tenant: Any,
    ) -> None:
        """The document; without a user where that is `None`."""
        user = {"endpoint": "vms.example.com"} if user is ... else user
        named = {"storage_classes": {"of-a": {**CLASS, "open_to": ["work"]}} if classes is None else classes}
        whole = {
            "version": 1,
            "name": "doc",
            "sites": {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}},
            "namespaces": {"vast-csi": {}, "work": {}},
            "secrets": secrets or {},
            "tenants": {
                key: {
                    "view_policy": {"name": "team-a", "flavor": "NFS"},
                    **({} if user is None else {"csi_user": user}),
                    **named,
                    **tenant,
                }
            },
        }
        self.document.write_text(yaml.safe_dump(whole, sort_keys=False))

    def run(self, word: str, *more: str | Path) -> Ran:
        """A command, after which no password that VMS was ever given is in what it printed or wrote."""
        ran = self._vastplan(word, self.document, *more)
        self.passwords |= {row[managers.PASSWORD] for row in self.managers().values() if managers.PASSWORD in row}
        files = [file for file in self.lab.folder.rglob("*") if file.is_file() and "sim" not in file.parts]
        texts = [ran.out, ran.err, *(file.read_text(encoding="utf-8") for file in files)]
        for password in self.passwords:
            assert not any(form in text for text in texts for form in forms(password)), (
                f"a password is in the open: {ran}"
            )
        return ran

    @property
    def plane(self) -> VastPlane:
        """The cluster."""
        plane = self.lab.world.sites["iad"].planes["vast"]
        assert isinstance(plane, VastPlane)
        return plane

    def managers(self) -> dict[str, Row]:
        """The managers that the cluster has, by name."""
        with self.lab.world.lock:
            return {row["username"]: dict(row) for row in self.plane._cluster.store.rows(managers.NAME)}

    def login(self) -> dict[str, str]:
        """What is in the Secret."""
        data = self.lab.by_hand("iad", "kubernetes", "GET", SECRET).get("data") or {}
        return {key: base64.b64decode(value).decode() for key, value in data.items()}

    def claim(self, name: str, of: str = "of-a", size: str = "1Gi") -> Row:
        """A claim of somebody's, as the cluster has it then."""
        spec = {"accessModes": ["ReadWriteMany"], "storageClassName": of, "resources": {"requests": {"storage": size}}}
        body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
        self.lab.by_hand("iad", "kubernetes", "POST", CLAIMS, body)
        found: Row = {}
        for _ in range(5):  # what is asked for comes about by and by
            found = self.lab.by_hand("iad", "kubernetes", "GET", f"{CLAIMS}/{name}")
        return found

    def who_made(self, collection: str) -> set[str]:
        """Who made the objects of a type, by the cluster's own account."""
        with self.lab.world.lock:
            rows = list(self.plane._cluster.store.rows("events"))
        return {row["event_origin"] for row in rows if row["event_name"] == f"{collection.upper()}_CREATED"}

    def roles(self) -> list[str]:
        """The roles that somebody made."""
        with self.lab.world.lock:
            return [row["name"] for row in self.plane._cluster.store.rows("roles") if not row["is_default"]]

    def quotas(self) -> list[str]:
        """The directories that have a quota, once what was asked for has come about."""
        for _ in range(5):
            self.lab.by_hand("iad", "kubernetes", "GET", CLAIMS)
        with self.lab.world.lock:
            return [row["path"] for row in self.plane._cluster.store.rows("quotas")]

    def permissions(self) -> set[str]:
        """What the CSI user may, as the cluster says it."""
        rows = self.lab.by_hand("iad", "vast", "GET", "/api/v5/managers/?username=team-a-csi")
        (row,) = rows["results"] if isinstance(rows, dict) else rows
        return set(row["permissions"]["role"])


@pytest.fixture
def site(tmp_path: Path, vastplan: Run) -> Iterator[Site]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        yield Site(lab, vastplan)


@pytest.fixture
def made(site: Site) -> Site:
    site.write()
    assert site.run("apply", "--auto-approve").code == 0
    return site


@pytest.mark.slow
def test_the_driver_works_with_what_is_in_the_secret_and_nobody_s_else(made: Site) -> None:
    login = made.login()
    row = made.managers()["team-a-csi"]
    password = row[managers.PASSWORD]
    assert login == {"endpoint": "vms.example.com", "tenant": "team-a", "username": "team-a-csi", "password": password}
    assert (row["user_type"], row["password_expiration_disabled"]) == ("TENANT_ADMIN", True)
    assert made.claim("c")["status"]["phase"] == "Bound"
    assert made.who_made("quota") == {"team-a-csi"} and made.who_made("view") == {"team-a-csi"}
    patch = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    merge = {"Content-Type": "application/merge-patch+json"}
    made.lab.by_hand("iad", "kubernetes", "PATCH", f"{CLAIMS}/c", patch, **merge)
    made.lab.by_hand("iad", "kubernetes", "DELETE", f"{CLAIMS}/c")
    assert made.quotas() == []
    assert made.lab.by_hand("iad", "kubernetes", "GET", "/api/v1/persistentvolumes")["items"] == []
    assert made.run("plan", "--detailed-exitcode").code == 0


def test_a_log_in_that_somebody_keeps_under_its_name_stays_until_that_is_named(site: Site) -> None:
    site.write(user=None, classes={})
    assert site.run("apply", "--auto-approve").code == 0
    theirs = {"endpoint": "their-host", "tenant": "theirs", "username": "theirs", "password": "of-them"}
    data = {key: base64.b64encode(value.encode()).decode() for key, value in theirs.items()}
    body = {"metadata": {"name": "team-a-csi"}, "data": data}
    site.lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/vast-csi/secrets", body)
    site.write()
    ran = site.run("apply", "--auto-approve", "--adopt")
    name = "iad/secret/vast-csi/team-a-csi"
    for taken in ("data.endpoint, data.tenant", "password, username"):
        assert f"{name} has {taken}, which vastplan did not write" in ran.out, ran
    assert f"--allow-delete {name}" in ran.out and site.login() == theirs, ran
    assert site.run("apply", "--auto-approve", "--adopt", "--allow-delete", name).code == 0
    assert site.login()["username"] == "team-a-csi" and site.run("plan", "--detailed-exitcode").code == 0
    assert site.claim("c")["status"]["phase"] == "Bound"


@pytest.mark.slow
def test_another_generation_is_another_password_and_the_driver_goes_on(made: Site) -> None:
    first = made.login()["password"]
    assert made.claim("before")["status"]["phase"] == "Bound"
    made.write(user={"endpoint": "vms.example.com", "generation": 2})
    assert made.run("apply", "--auto-approve").code == 0
    second = made.login()["password"]
    assert second != first and second == made.managers()["team-a-csi"][managers.PASSWORD]
    assert made.claim("after")["status"]["phase"] == "Bound"
    assert made.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_a_class_of_another_driver_brings_its_rights_and_takes_none(made: Site) -> None:
    before, first = made.permissions(), made.login()
    made.write(
        classes={"of-a": {**CLASS, "open_to": ["work"]}, "blocks-of-a": {**BLOCK, "open_to": ["work"]}},
        views={"blocks": {"name": "blocks", "path": "/blocks", "protocols": ["BLOCK"]}},
    )
    ran = made.run("apply", "--auto-approve")
    assert ran.code == 0, ran
    assert before < made.permissions() and made.login() == first
    assert made.run("plan", "--detailed-exitcode").code == 0
    assert made.claim("c")["status"]["phase"] == "Bound"


@pytest.mark.slow
def test_one_that_classes_log_in_with_does_not_go(made: Site) -> None:
    made.write(user=None)
    ran = made.run("apply", *ALL)
    assert ran.code == 3, ran
    assert "team-a-csi" in made.managers() and made.login()["username"] == "team-a-csi"


@pytest.mark.slow
def test_nor_where_the_secret_is_the_document_s_own(site: Site) -> None:
    data = {"endpoint": "vms.example.com", "tenant": "team-a"}
    secrets = {"team-a-csi": {"namespace": "vast-csi", "data": data}}
    classes = {"of-a": {**CLASS, "secret": "team-a-csi", "open_to": ["work"]}}
    site.write(secrets=secrets, classes=classes)
    assert site.run("apply", "--auto-approve").code == 0
    assert site.claim("c")["status"]["phase"] == "Bound" and site.who_made("quota") == {"team-a-csi"}
    site.write(user=None, secrets=secrets, classes=classes)
    ran = site.run("plan", *ALL[1:])
    assert "what it delivers to iad/secret/team-a-csi is in use by iad/storage_class/of-a" in ran.out, ran
    assert site.run("apply", *ALL).code == 3 and "team-a-csi" in site.managers()


@pytest.mark.slow
def test_it_goes_with_its_class(made: Site) -> None:
    made.write(user=None, classes={})
    ran = made.run("apply", *ALL)
    assert ran.code == 0, ran
    assert set(made.managers()) == {"admin"} and not made.roles()


def test_one_consent_is_for_all_of_it_once_its_entry_is_gone(made: Site) -> None:
    made.write(user={"endpoint": "vms.example.com", "drivers": ["block"]}, classes={})
    ran = made.run("plan", "--allow-delete", "iad/csi_user/team-a")  # some of it goes, and the others stay
    waiting = [line.split("--allow-delete ")[1] for line in ran.out.splitlines() if "to go on: --allow-delete" in line]
    assert {of.split("/")[1] for of in waiting} == {"storage_class", "admission_policy", "admission_binding"}, ran
    assert "to go on: --allow-delete iad/realm/" in made.run("plan").out
    made.write(user=None, classes={})
    whole = ("--allow-delete", "iad/csi_user/team-a")
    assert f"{' '.join(whole)} for all its objects" in made.run("plan").out
    others = ("--allow-delete", "iad/storage_class/*", "--allow-delete", "iad/admission_*", "--max-changes", "9")
    ran = made.run("apply", "--auto-approve", *whole, *others)
    assert ran.code == 0 and "VP317" not in ran.out and set(made.managers()) == {"admin"}, ran
    assert not made.roles()


def test_a_tenant_that_is_renamed_is_told_what_keeps_its_user_and_nothing_is_done_by_halves(made: Site) -> None:
    first = made.login()
    made.write(key="alpha")
    ran = made.run("plan")
    typed = f"vastplan ledger move {made.document} iad/tenant/team-a iad/tenant/alpha"
    assert f"if it was renamed, write renamed_from: team-a in iad/tenant/alpha, or: {typed})" in ran.out, ran
    made.write(key="alpha", renamed_from="team-a")
    ran = made.run("apply", "--auto-approve")
    for kind in ("secret vast-csi/alpha-csi", "manager_role alpha-csi"):
        (line,) = (line for line in ran.out.splitlines() if line.startswith(f"-/+ {kind} "))
        assert line.endswith("to keep the live object instead: `name: team-a` in iad/tenant/alpha"), ran
    assert "occupied" not in ran.out and ran.code == 3, ran
    assert set(made.managers()) == {"admin", "team-a-csi"} and made.login() == first
    made.write(key="alpha", renamed_from="team-a", name="team-a")
    assert made.run("apply", "--auto-approve").code == 0
    assert made.run("plan", "--detailed-exitcode").code == 0 and made.login() == first
    assert made.claim("c")["status"]["phase"] == "Bound"


@pytest.mark.slow
def test_a_tenant_under_another_key_keeps_its_user(made: Site) -> None:
    first = made.login()
    made.write(key="alpha", renamed_from="team-a", name="team-a")
    assert made.run("apply", "--auto-approve").code == 0
    assert made.run("plan", "--detailed-exitcode").code == 0
    assert made.login() == first


def test_a_secret_elsewhere_gets_another_password_with_the_class_and_not_before(made: Site) -> None:
    first = made.login()
    made.write(user={"endpoint": "vms.example.com", "secret": "work/csi"})
    ran = made.run("apply", "--auto-approve")
    assert ran.code == 3, ran
    said = "another password is created, and the former one stops working at once: it is delivered elsewhere now"
    assert said in " ".join(ran.out.split()), ran
    assert "is applied together with iad/storage_class/of-a" in ran.out, ran
    assert made.login() == first and made.managers()["team-a-csi"][managers.PASSWORD] == first["password"]
    assert made.claim("c")["status"]["phase"] == "Bound"
