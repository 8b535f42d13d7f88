"""What is asked of whoever takes something away or anew: each consent by itself, and what the output says to type is enough."""

from __future__ import annotations

import base64
import copy
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.force import by_force
from tests.lab import Lab

CLASS = {"driver": "file", "storage_path": "/team-a/k8s", "vip_pool_fqdn": "a.example.com", "view_policy": "files"}
SECOND = {"size": "1 TiB", "owner": "ann", "deliver": {"secret": "work/second"}}
TENANT: dict[str, Any] = {
    "local_provider": "team-a",
    "view_policies": {"files": {"flavor": "NFS"}, "objects": {"flavor": "S3_NATIVE"}},
    "users": {"ann": {"uid": 1}, "bob": {"uid": 2}},
    "groups": {"readers": {"gid": 5}},
    "s3_keys": {"trainer": {"user": "bob", "generation": 1, "deliver": {"secret": "work/trainer"}}},
    "buckets": {
        "sets": {"size": "1 TiB", "owner": "ann", "read": ["readers"], "deliver": {"secret": "work/s3"}},
        "second": SECOND,
    },
    "csi_user": {"endpoint": "vms.example.com"},
    "storage_class": CLASS,
}
DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}},
    "namespaces": {"vast-csi": {}, "work": {}},
    "local_providers": {"team-a": {}},
    "tenants": {"team-a": TENANT},
}
OPTION = re.compile(r"(--(?:allow-delete|allow-narrow|believe-gone|max-changes) (?:'[^']+'|[^\s,;]+))")
APPROVAL = re.compile(
    r"approve (\S+)(?: \(id [^)]+\))? in the file from --approvals-template FILE and pass --approvals FILE"
)


class Site:
    """A site with all of it applied, and what somebody types there."""

    def __init__(self, lab: Lab, vastplan: Run) -> None:
        self.lab, self._vastplan = lab, vastplan
        self.document, self.approvals = lab.folder / "doc.yaml", lab.folder.parent / f"{lab.folder.name}-approvals.yaml"

    def write(self, change: Callable[[dict[str, Any]], None]) -> None:
        """The document, changed."""
        whole = copy.deepcopy(DOCUMENT)
        change(whole["tenants"]["team-a"])
        self.document.write_text(yaml.safe_dump(whole, sort_keys=False))

    def run(self, word: str, *more: str | Path) -> Ran:
        """A command on the document."""
        return self._vastplan(word, self.document, *more)

    def approve(self) -> None:
        """Have the file of approvals written, and give a reason for each."""
        ran = self.run("plan", "--approvals-template", self.approvals)
        assert ran.code == 0, ran
        self.approvals.write_text(self.approvals.read_text().replace('reason: ""', 'reason: "they are done with it"'))


@pytest.fixture
def site(tmp_path: Path, vastplan: Run) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    with Lab(folder, {"iad": ["vast", "kubernetes"]}) as lab:
        one = Site(lab, vastplan)
        one.write(lambda tenant: None)
        ran = one.run("apply", "--auto-approve")
        assert ran.code == 0 and one.run("plan", "--detailed-exitcode").code == 0, ran
        yield one


def without(*path: str) -> Callable[[dict[str, Any]], None]:
    """Take something out."""

    def change(tenant: dict[str, Any]) -> None:
        inner = tenant
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    return change


def together(*changes: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Several of them."""

    def change(tenant: dict[str, Any]) -> None:
        for each in changes:
            each(tenant)

    return change


def another_generation(tenant: dict[str, Any]) -> None:
    tenant["s3_keys"]["trainer"]["generation"] = 2


ADMISSION = [
    f"iad/admission_{part}/vastplan-{name}" for part in ("binding", "policy") for name in ("inline-volumes", "team-a")
]
REALMS = [
    f"iad/realm/team-a-csi-{may}"
    for may in ("create-delete-edit-view", "create-delete-view", "delete", "delete-edit-view", "view")
]
CSI = ["iad/secret/vast-csi/team-a-csi", "iad/manager/team-a-csi", "iad/manager_role/team-a-csi", *REALMS]


@dataclass(frozen=True)
class Story:
    """What somebody edits, and what is asked of him: deletes, approvals, and how much at once.

    `whole` is the entry whose name may be typed for all its parts that hold no data.
    """

    change: Callable[[dict[str, Any]], None]
    deletes: list[str]
    approvals: tuple[str, ...] = ()
    changes: str = ""
    whole: str = ""
    parts: tuple[str, ...] = ()


KEY = ["iad/s3_key/trainer", "iad/secret/work/trainer"]
STORIES = {
    "a key goes": Story(without("s3_keys"), KEY),
    "another generation of a key": Story(another_generation, []),
    "a user goes with his key": Story(together(without("s3_keys"), without("users", "bob")), [*KEY, "iad/user/bob"]),
    "a bucket goes": Story(
        without("buckets", "second"),
        ["iad/s3_key/work/second", "iad/secret/work/second"],
        ("iad/view/second", "iad/quota/second"),
        whole="iad/bucket/second",
        parts=("iad/s3_key/work/second", "iad/secret/work/second"),
    ),
    "the CSI user goes with its class": Story(
        together(without("csi_user"), without("storage_class")),
        [*CSI, *ADMISSION, "iad/storage_class/team-a"],
        changes="--max-changes 5",
        whole="iad/csi_user/team-a",
        parts=tuple(CSI),
    ),
}  # fmt: skip
EACH_AND_WHOLE = [
    (name, how) for name, story in STORIES.items() for how in (["each", "whole"] if story.whole else ["each"])
]


@pytest.mark.parametrize(("story", "how"), by_force(EACH_AND_WHOLE, several=True))
def test_what_is_asked_for_is_told_and_typing_just_that_is_enough(site: Site, story: str, how: str) -> None:
    told = STORIES[story]
    site.write(told.change)
    ran = site.run("plan")
    asked = {option for option in OPTION.findall(ran.out) if option != f"--allow-delete {told.whole}"}
    assert asked == {*(f"--allow-delete {one}" for one in told.deletes), *([told.changes] if told.changes else [])}, ran
    assert sorted(APPROVAL.findall(ran.out)) == sorted(told.approvals), ran
    assert (f"--allow-delete {told.whole} for all its objects" in ran.out) == bool(told.whole), ran
    held = site.run("apply", "--auto-approve")
    assert held.code == (3 if asked else 0), held
    if asked:
        assert site.run("plan").out == ran.out, "something was done without consent"
    typed = asked
    if how == "whole":
        typed = {f"--allow-delete {told.whole}", *(asked - {f"--allow-delete {one}" for one in told.parts})}
    options = [word for option in sorted(typed) for word in shlex.split(option)]
    if told.approvals:
        site.approve()
        options += ["--approvals", str(site.approvals)]
    if asked:
        ran = site.run("apply", "--auto-approve", *options)
        assert ran.code == 0 and "blocked" not in ran.out, ran
    ran = site.run("plan", "--detailed-exitcode")
    assert ran.code == 0, ran


@pytest.mark.slow
@pytest.mark.parametrize("left_out", STORIES["a user goes with his key"].deletes)
def test_what_is_not_consented_to_stays(site: Site, left_out: str) -> None:
    told = STORIES["a user goes with his key"]
    site.write(told.change)
    given = [word for one in told.deletes if one != left_out for word in ("--allow-delete", one)]
    ran = site.run("apply", "--auto-approve", *given)
    assert ran.code == 3 and f"--allow-delete {left_out}" in ran.out, ran
    assert f"delete {left_out}: done" not in ran.err, ran
    assert site.run("apply", "--auto-approve", "--allow-delete", "iad/*", "--max-changes", "9").code == 0
    assert site.run("plan", "--detailed-exitcode").code == 0


def theirs(**values: str) -> dict[str, str]:
    """Values of somebody's, as a Secret holds them."""
    return {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}


OCCUPIED = {
    "a key": ("work", "late", {"AWS_ACCESS_KEY_ID": "THEIRS", "AWS_SECRET_ACCESS_KEY": "of-theirs"}, "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"),
    "one value of a key": ("work", "late", {"AWS_SECRET_ACCESS_KEY": "of-theirs"}, "AWS_SECRET_ACCESS_KEY"),
    "a log-in": ("vast-csi", "team-a-csi", {"username": "them", "password": "of-theirs"}, "password, username"),
    "a password": ("vast-csi", "team-a-csi", {"username": "team-a-csi", "password": "of-theirs"}, "password"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", OCCUPIED)
def test_values_of_somebody_else_are_not_written_over_also_where_their_secret_is_taken_over(
    tmp_path: Path, vastplan: Run, what: str
) -> None:
    namespace, name, values, keys = OCCUPIED[what]
    late = {"user": "bob", "deliver": {"secret": "work/late"}}
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        site = Site(lab, vastplan)
        site.write(together(without("csi_user"), without("storage_class"), without("s3_keys"), without("buckets")))
        assert site.run("apply", "--auto-approve").code == 0
        path = f"/api/v1/namespaces/{namespace}/secrets"
        made = lab.by_hand("iad", "kubernetes", "POST", path, {"metadata": {"name": name}, "data": theirs(**values)})
        site.write(lambda tenant: tenant["s3_keys"].update(late=late))
        secret = f"iad/secret/{namespace}/{name}"
        told = f"blocked (occupied): {secret} has {keys}, which vastplan did not write"
        for consent in ((), ("--adopt",), ("--adopt", "--allow-delete", "*")):
            ran = site.run("plan", *consent)
            assert told in ran.out and f"--allow-delete {secret}" in ran.out, ran
            ran = site.run("apply", "--auto-approve", *consent)
            assert ran.code == 3 and told in ran.out, ran
            assert made["data"].items() <= lab.by_hand("iad", "kubernetes", "GET", f"{path}/{name}")["data"].items()
        ran = site.run("apply", "--auto-approve", "--adopt", "--allow-delete", secret)
        assert ran.code == 0, ran
        after = lab.by_hand("iad", "kubernetes", "GET", f"{path}/{name}")["data"]
        assert not set(theirs(secret="of-theirs").values()) & set(after.values())
        assert site.run("plan", "--detailed-exitcode").code == 0, "what is there is ours now"


def moved_to(site: Site, provider: str) -> None:
    """The document, with two providers, and the tenant's users in one of them."""
    site.write(lambda tenant: None)
    whole = yaml.safe_load(site.document.read_text())
    whole["local_providers"] |= {"team-b": {}}
    whole["tenants"]["team-a"]["local_provider"] = provider
    site.document.write_text(yaml.safe_dump(whole, sort_keys=False))


def provider_of(site: Site) -> Any:
    """Where the tenant's users are kept."""
    rows = site.lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/?name=team-a")
    (row,) = rows["results"] if isinstance(rows, dict) else rows
    return row["local_provider_id"]


def test_another_provider_of_a_tenant_is_asked_for_and_goes_no_further_than_its_users(site: Site) -> None:
    moved_to(site, "team-a")
    assert site.run("apply", "--auto-approve").code == 0
    moved_to(site, "team-b")
    before = provider_of(site)
    ran = site.run("plan")
    assert (
        "the tenant loses the users and groups of the former provider" in ran.out
        and "--allow-narrow iad/tenant/team-a" in ran.out
    ), ran
    ran = site.run("apply", "--auto-approve", "--allow-narrow", "iad/tenant/team-a")
    assert ran.code == 3, ran
    assert "is applied together with iad/group/readers" in ran.out and provider_of(site) == before, ran


def test_a_key_that_is_switched_off_is_asked_for(site: Site) -> None:
    site.write(lambda tenant: tenant["s3_keys"]["trainer"].update(enabled=False))
    ran = site.run("apply", "--auto-approve")
    assert ran.code == 3 and "enabled would lose true: requests with the key are refused at once" in ran.out, ran
    assert site.run("apply", "--auto-approve", "--allow-narrow", "iad/s3_key/trainer").code == 0
    assert site.run("plan", "--detailed-exitcode").code == 0
