"""The judge of histories: each promise is seen to be broken when it is, and a history is the same whenever it is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.histories import ledgers
from tests.histories.documents import Document, Entry
from tests.histories.hands import APPS, Hands
from tests.histories.history import History, Step
from tests.histories.look import identity, look
from tests.histories.oracle import Moment, Said, blames, judge
from tests.histories.plant import Plant
from tests.histories.shrink import shrunk
from tests.histories.steps import TABLE, invented

GOLD = "storageclasses.storage.k8s.io"
ALL = Said(True, ("*",), ("*",))


class World:
    """Strangers on one site, and hands that do what a command must not."""

    def __init__(self, folder: Path) -> None:
        self.plant = Plant(folder, ("iad",))
        self.hands = Hands(self.plant, [0])
        self.hands.settle_in("iad", Random(1))
        self.owners = ledgers.Ownership()

    def now(self) -> Moment:
        """This moment."""
        return Moment(look(self.plant), replace(self.owners, owners=dict(self.owners.owners)))

    def codes(self, before: Moment, said: Said = ALL) -> set[str]:
        """What a command that did what was done since would be charged with."""
        return {one.code for one in judge(self.plant, before, self.now(), said, self.hands)}

    def row(self, collection: str, name: str) -> str:
        """The id of an object of VAST."""
        return next(
            str(row["id"])
            for row in self.plant.rows("iad", "vast", collection)
            if name in (row["name"], row.get("path"))
        )

    def owns(self, kind: str, row: str, *names: str) -> None:
        """The ledger says that these addresses own it, and it is no stranger's."""
        self.owners.owners["iad", kind, row] = [f"iad/{kind}/{name}" for name in names]
        self.owners.documents["iad", kind, row] = {"lab"}
        self.hands.strangers.discard(("iad", kind, row))

    def vast(self, method: str, path: str, body: object = None) -> None:
        """A call that must go well."""
        assert self.plant.by_hand("iad", "vast", method, f"/api/v5{path}", body).status < 400


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world, and no command that does anything by itself."""
    world = World(tmp_path)
    with world.plant.running():
        yield world


def test_nothing_done_is_nothing_broken(world: World) -> None:
    assert world.codes(world.now(), Said()) == set()


def test_an_object_with_two_owners(world: World) -> None:
    world.owns("view", world.row("views", "/theirs/data"), "home", "homes")
    assert world.codes(world.now()) == {"two-owners"}


def test_a_strangers_field(world: World) -> None:
    before = world.now()
    world.vast("PATCH", f"/quotas/{world.row('quotas', 'theirs')}/", {"hard_limit": 2**40})
    assert world.codes(before) == {"stranger-changed"}


@pytest.mark.parametrize(("said", "codes"), [(Said(adopt=True), set()), (Said(), {"stranger-changed"})])
def test_a_strangers_field_that_was_being_taken_over(world: World, said: Said, codes: set[str]) -> None:
    """The apply was killed between the write and its note: the intent stands."""
    before, row = world.now(), world.row("quotas", "theirs")
    world.vast("PATCH", f"/quotas/{row}/", {"hard_limit": 2**40})
    world.owners.begun.add(("iad", "quota", row))
    assert world.codes(before, said) == codes


def test_what_nobody_owned_is_gone(world: World) -> None:
    before = world.now()
    world.vast("DELETE", f"/quotas/{world.row('quotas', 'theirs')}/")
    assert world.codes(before) == {"unowned-deleted"}


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        (Said(), {"deleted-unasked"}),
        (Said(delete=("*",)), {"data-unapproved"}),
        (Said(delete=("*",), approvals=("iad/quota/q",)), set()),
    ],
)
def test_what_held_data_is_gone(world: World, said: Said, codes: set[str]) -> None:
    row = world.row("quotas", "theirs")
    world.owns("quota", row, "q")
    before = world.now()
    world.vast("DELETE", f"/quotas/{row}/")
    assert world.codes(before, said) == codes


@pytest.mark.parametrize(("said", "told"), [(Said(), False), (Said(narrow=("iad/view_policy/*",)), True)])
def test_a_client_that_may_not_come_in_any_more(world: World, said: Said, told: bool) -> None:
    row = world.row("viewpolicies", "theirs")
    world.owns("view_policy", row, "theirs")
    before = world.now()
    world.vast("PATCH", f"/viewpolicies/{row}/", {"nfs_read_write": ["10.99.0.1"]})
    assert world.codes(before, said) == (set() if told else {"lost-mount"})


def test_a_class_that_closes(world: World) -> None:
    before = world.now()
    group = "/apis/admissionregistration.k8s.io/v1"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["persistentvolumeclaims"], "operations": ["CREATE"]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]}
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "no"},
        "spec": spec,
    }
    binding = {
        **policy,
        "kind": "ValidatingAdmissionPolicyBinding",
        "spec": {"policyName": "no", "validationActions": ["Deny"]},
    }
    for path, body in (("validatingadmissionpolicies", policy), ("validatingadmissionpolicybindings", binding)):
        assert world.plant.by_hand("iad", "kubernetes", "POST", f"{group}/{path}", body).status < 400
    assert world.codes(before, Said()) == {"lost-claim"}
    assert world.codes(before, Said(narrow=("iad/storage_class/gold",))) == set()


@pytest.mark.parametrize(
    ("said", "told"), [(Said(delete=("*",)), False), (Said(approvals=("iad/vip_pool/theirs",)), True)]
)
def test_a_pool_that_volumes_mount_by(world: World, said: Said, told: bool) -> None:
    row = world.row("vippools", "theirs")
    world.owns("vip_pool", row, "theirs")
    before = world.now()
    world.vast("DELETE", f"/vippools/{row}/")
    world.plant.by_hand("iad", "vast", "GET", "/api/v5/vippools/")
    assert world.codes(before, said) == (
        set() if told else {"lost-class-needs", "lost-volume-mounts-by", "lost-volume-may-come-by"}
    )


def test_a_class_that_is_made_anew_may_name_another_policy(world: World) -> None:
    path, gold = "/apis/storage.k8s.io/v1/storageclasses", world.plant.rows("iad", "kubernetes", GOLD)[0]
    world.owns("storage_class", identity(gold), "gold")
    before = world.now()
    for named, codes in (("default", set()), ("none", {"lost-class-needs"})):
        parameters = {**gold["parameters"], "view_policy": named}
        body = {key: gold[key] for key in ("apiVersion", "kind", "provisioner", "allowVolumeExpansion")}
        body |= {"metadata": {"name": "gold"}, "parameters": parameters}
        assert world.plant.by_hand("iad", "kubernetes", "DELETE", f"{path}/gold").status < 400
        assert world.plant.by_hand("iad", "kubernetes", "POST", path, body).status < 400
        assert world.codes(before, Said(delete=("*",))) == codes


def test_an_access_rule_that_is_gone(world: World) -> None:
    """Run:AI keeps a record of it, which lets nobody in."""
    path = "/api/v1/authorization/access-rules"
    (cluster,) = world.plant.rows("iad", "runai", "cluster")
    role = world.plant.by_hand("iad", "runai", "GET", "/api/v1/authorization/roles").body[0]["id"]
    scope = {"scopeType": "cluster", "scopeId": str(cluster["id"])}
    body = {"subjectType": "group", "subjectId": "g", "roleId": role, **scope}
    made = world.plant.by_hand("iad", "runai", "POST", path, body)
    assert made.status < 400, made.body
    world.owns("access_rule", str(made.body["id"]), "r")
    before = world.now()
    assert world.plant.by_hand("iad", "runai", "DELETE", f"{path}/{made.body['id']}").status < 400
    assert world.codes(before, Said()) == {"deleted-unasked"}


def test_who_is_gone_by_himself_lost_nothing(world: World) -> None:
    claims = list(world.plant.rows("iad", "kubernetes", "persistentvolumeclaims"))
    assert claims
    for row in claims:
        world.owns("persistent_volume_claim", identity(row), row["metadata"]["name"])
    before = world.now()
    for row in claims:
        path = f"/api/v1/namespaces/{APPS}/persistentvolumeclaims/{row['metadata']['name']}"
        world.plant.by_hand("iad", "kubernetes", "DELETE", path)
    approved = tuple(f"iad/persistent_volume_claim/{row['metadata']['name']}" for row in claims)
    assert world.codes(before, Said(approvals=approved)) == set()


def test_a_hand_that_is_blamed_for_nothing(world: World) -> None:
    changes = [{"path": "labels.team", "cause": "system", "before": "x", "after": "y"}]
    action = {"address": "iad/namespace/a", "id": "7", "changes": changes}
    assert [one.code for one in blames([action], world.hands, set())] == ["false-drift:namespace.labels"]
    world.hands.touched["iad", "namespace", "7"] = {"labels"}
    assert list(blames([action], world.hands, set())) == []


def test_an_entry_inside_its_tenant_is_written_there() -> None:
    document = Document("lab", ["iad"])
    document.entries["tenants", "t"] = Entry({})
    document.entries["views", "v"] = Entry({"tenant": "t", "path": "/v"}, inside=True)
    inside = document.written()
    document.entries["views", "v"].inside = False
    assert "views:\n    v:" not in document.written()["00.yaml"]
    assert inside != document.written()
    assert document.rename(("tenants", "t"), "u") == ("tenants", "u")
    assert document.entries["views", "v"].body["tenant"] == "u"
    document.remove(("tenants", "u"))
    assert document.entries == {}


def test_a_history_is_the_same_whenever_it_is_played(tmp_path: Path) -> None:
    stories = []
    for name in ("one", "two"):
        history = History(3, invented(3, 4), tmp_path / name, ignored=("*",), tell=True)
        history.play(TABLE)
        stories.append([line for line in history.story if line.startswith(("  $", "#", "    ->"))])
    assert stories[0] == stories[1]
    assert len(stories[0]) > 8


def test_a_story_is_cut_down_to_what_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.histories import shrink
    from tests.histories.oracle import Violation

    def broken(_: int, steps: list[Step], *__: object) -> Violation | None:
        seeds = [step.seed for step in steps]
        return Violation("x", "") if 3 in seeds and 7 in seeds else None

    monkeypatch.setattr(shrink, "violation", broken)
    steps = [Step("edit", seed) for seed in range(12)]
    assert [step.seed for step in shrunk(1, steps, tmp_path, (), "x")] == [3, 7]
