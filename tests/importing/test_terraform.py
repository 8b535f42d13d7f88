"""What a Terraform state says of objects: which there are, which live ones they are, and what they are called."""

from __future__ import annotations

import dataclasses
import itertools
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.importing.terraform_states import (
    CANARY,
    HOSTILE_KEYS,
    KINDS,
    instance,
    kubernetes,
    live,
    observed,
    resource,
    shown,
    tfstate,
)
from vastplan.engine.live.observe import Observed, ObservedCollection
from vastplan.importing.terraform import state as state_module
from vastplan.importing.terraform.address import ModuleCall, ResourceAddress, parse_module, parse_resource, showable
from vastplan.importing.terraform.match import matched, matched_labels
from vastplan.importing.terraform.resource_types import RESOURCE_TYPES, FoundBy
from vastplan.importing.terraform.state import Instance, TerraformState, parse_state
from vastplan.model import strict_json
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.handover import Standing

NESTED = 'module.teams["nlp"].module.storage[1]'
WORLD = tfstate(
    # 1.x: the id is a text, what the provider's schema calls a block is a list
    resource("vastdata_tenant", "nlp", instance(id="4", guid="g-4", name="nlp", client_ip_ranges=[{"name": CANARY}])),
    resource("vastdata_replication_peers", "pdx", instance(id="7", guid="g-7", name="iad-pdx")),
    # 2.x: the id is a number, what was never set is null
    resource("vastdata_replication_peer", "east", instance(id=8, guid="g-8", name="iad-east", password=CANARY)),
    resource(
        "vastdata_view",
        "data",
        instance(0, ["vastdata_tenant.nlp"], id=10, guid="g-10", name=None, path="/nlp/a", tenant_id=4),
        instance(1, ["vastdata_tenant.nlp"], id=11, guid="g-11", name="", path="/nlp/b", tenant_id=4),
    ),
    resource(
        "vastdata_quota",
        "this",
        instance("home", [f"{NESTED}.vastdata_view.x", "data.vastdata_tenant.default"], id="20", name="nlp-home"),
        module=NESTED,
    ),
    resource("kubernetes_storage_class_v1", "fast", kubernetes("nlp-fast")),
    resource("kubernetes_secret", "mgmt", kubernetes("vast-mgmt", "vast-csi", key="iad")),
    resource("random_password", "db", instance(id=CANARY, name=CANARY, path=CANARY, guid=CANARY)),
    resource("vastdata_tenant", "default", instance(id=1, name=CANARY, guid=CANARY), mode="data"),
)


def test_it_says_where_each_instance_is_and_what_it_is_called() -> None:
    tenant = ResourceAddress((), "vastdata_tenant", "nlp")
    view = ResourceAddress((), "vastdata_view", "data")
    called = {each.address: each for each in parse_state(WORLD).instances}
    assert called["vastdata_tenant.nlp"] == Instance(tenant, id="4", guid="g-4", name="nlp")
    assert called["vastdata_view.data[1]"] == Instance(
        view, 1, id="11", guid="g-11", path="/nlp/b", tenant_id="4", dependencies=(tenant,)
    )
    quota = called[f'{NESTED}.vastdata_quota.this["home"]']
    assert quota.resource.module == (ModuleCall("teams", "nlp"), ModuleCall("storage", 1))
    assert [str(each) for each in quota.dependencies] == [
        "module.teams.module.storage.vastdata_view.x",
        "data.vastdata_tenant.default",
    ]
    secret = called['kubernetes_secret.mgmt["iad"]']
    assert (secret.namespace, secret.name) == ("vast-csi", "vast-mgmt")
    assert called["data.vastdata_tenant.default"].resource.data
    assert len(called) == 10


def test_both_forms_say_the_same_in_any_order() -> None:
    state = json.loads(WORLD)
    for rows in (state["resources"][::-1], sorted(state["resources"], key=json.dumps)):
        assert parse_state(tfstate(*rows)) == parse_state(WORLD)
    assert parse_state(shown(WORLD)) == parse_state(WORLD)
    assert parse_state(WORLD.decode()) == parse_state(WORLD)


def test_nothing_else_is_kept() -> None:
    for text in (WORLD, shown(WORLD)):
        assert CANARY.encode() in text
        assert CANARY not in repr(parse_state(text))
    assert [field.name for field in dataclasses.fields(Instance)] == [
        "resource", "key", "id", "guid", "name", "path", "tenant_id", "namespace", "dependencies", "deposed",
    ]  # fmt: skip


def test_the_rest_is_dropped_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def watched(*words: Any) -> Any:
        seen.append(strict_json.parse_json(*words))
        return seen[-1]

    row = {"attributes": {"id": "1", "password": CANARY, "nested": [{"key": CANARY}]}, "private": CANARY}
    monkeypatch.setattr(state_module, "strict_json", SimpleNamespace(parse_json=watched))
    assert parse_state(tfstate(resource("vastdata_view", "x", row))).instances
    assert CANARY not in repr(seen)


def test_an_object_that_is_to_be_destroyed_is_told_from_the_one_that_replaced_it() -> None:
    state = tfstate(resource("vastdata_view", "x", _view(2) | {"deposed": "0badcafe"}, _view(1)))
    assert [(each.id, each.deposed) for each in parse_state(state).instances] == [("1", False), ("2", True)]
    assert parse_state(shown(state)) == parse_state(state)
    seen = observed(live("view", "1", path="/1", tenant=1), live("view", "2", path="/2", tenant=1))
    assert matched_labels(matched(parse_state(state), seen, "iad")) == {("iad", "view", "1"): "x"}


def test_a_state_of_nothing_has_nothing() -> None:
    assert parse_state(tfstate()) == TerraformState()
    assert parse_state(b'{"format_version": "1.0"}') == TerraformState()
    assert parse_state(b'{"format_version": "1.0", "values": {"root_module": {}}}') == TerraformState()


def _with(**changed: Any) -> bytes:
    row = resource("vastdata_view", "x", instance(id="1"))
    return tfstate({**row, **changed})


def _instance(**changed: Any) -> bytes:
    return _with(instances=[{**instance(id="1"), **changed}])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f'{{"version": 4, "{CANARY}'.encode(), "s is not complete JSON"),
        (f'{{"version": 4, "{CANARY}": NaN}}'.encode(), "s is not complete JSON"),
        (b"\xff" + CANARY.encode(), "s is not complete JSON"),
        (b'{"version": 4, "resources": "\\ud800"}', "s is not complete JSON"),
        (b"[" * 100_000, "s is not complete JSON"),
        (b'{"version": ' + b"9" * 5000 + b"}", "s is not complete JSON"),
        (b'{"version": 4, "version": 4, "resources": []}', "s is not complete JSON"),
        (_with().replace(b'"id": "1"', b'"id": "1", "id": "2"'), "s is not complete JSON"),
        (b"[]", "s is not a Terraform state"),
        (b'{"version": 4}', "s is not a Terraform state"),
        (b'{"version": true, "resources": []}', "s is not a Terraform state"),
        (b'{"version": 3, "modules": []}', "s has an unknown format"),
        (b'{"format_version": "2.0"}', "s has an unknown format"),
        (b'{"format_version": "0.2", "values": {}}', "s has an unknown format"),
        (b'{"format_version": "1.2", "planned_values": {}}', "s is a plan"),
        (b'{"serial": 1, "encrypted_data": "eA==", "encryption_version": "v0"}', "s is encrypted"),
        (b'{"version": 4, "resources": {"name": 1}}', "s is damaged: resources are not a list"),
        (b'{"version": 4, "resources": ["x"]}', "s is damaged: one of resources is not an object"),
        (b'{"format_version": "1.0", "values": []}', "s is damaged: its values is not an object"),
        (b'{"format_version": "1.0", "values": {"root_module": 1}}', "s is damaged: the root module is not an object"),
        (_with(mode=CANARY), "s is damaged: resource 1 is neither managed nor a data source"),
        (_with(name=f"x\n{CANARY}"), "s is damaged: resource 1 has a type or a name that Terraform does not accept"),
        (_with(name="-x"), "s is damaged: resource 1 has a type or a name"),
        (_with(type=f'x" {CANARY}'), "s is damaged: resource 1 has a type or a name"),
        (_with(module=f"module.{CANARY}["), "s is damaged: resource 1 is in a module whose address cannot be read"),
        (_with(module=["x"]), "s is damaged: resource 1 is in a module whose address cannot be read"),
        (_with(instances=CANARY), "s is damaged: the instances of resource 1 are not a list"),
        (_instance(attributes=[CANARY]), "s is damaged: the attributes of resource 1 is not an object"),
        (_instance(index_key=[CANARY]), "s is damaged: resource 1 has an instance whose key is neither"),
        (_instance(index_key=True), "s is damaged: resource 1 has an instance whose key is neither"),
        (_instance(index_key=-1), "s is damaged: resource 1 has an instance whose key is neither"),
        (_instance(dependencies=[CANARY]), "s is damaged: resource 1 depends on something that is not an address"),
        (_instance(dependencies=[["x"]]), "s is damaged: resource 1 depends on something that is not an address"),
        (_with(instances=[instance(id="1"), instance(id="2")]), "s is damaged: contains an instance twice"),
    ],
)
def test_what_is_no_state_is_refused_and_nothing_of_it_is_told(text: bytes, told: str) -> None:
    with pytest.raises(VastplanError) as caught:
        parse_state(text, "s")
    assert str(caught.value).startswith(told)
    error: BaseException | None = caught.value
    assert error is not None
    assert error.__context__ is None and error.__cause__ is None
    assert CANARY not in repr((error, error.args, vars(error)))


def test_one_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_module, "STATE_BYTES", len(WORLD))
    assert parse_state(WORLD).instances
    monkeypatch.setattr(state_module, "STATE_BYTES", len(WORLD) - 1)
    with pytest.raises(VastplanError, match="is larger than"):
        parse_state(WORLD)


@pytest.mark.parametrize("key", HOSTILE_KEYS)
def test_a_key_is_written_as_it_is_read_and_seen_as_it_is(key: str) -> None:
    address = ResourceAddress((ModuleCall("m", key), ModuleCall("n", 0)), "vastdata_view", "x")
    text = address.at(key)
    assert showable(text) and inert(text, None) == text and "\n" not in text
    module = text.partition(".vastdata_view")[0]
    assert parse_module(module) == address.module
    assert parse_resource(str(address)) == address
    (found,) = parse_state(tfstate(resource("vastdata_view", "x", instance(key, id="1"), module=module))).instances
    assert (found.resource.module, found.key) == (address.module, key)


def test_numbers_are_in_the_order_of_numbers() -> None:
    rows = [instance(number, id=str(number)) for number in (10, 9, 2)]
    assert [each.key for each in parse_state(tfstate(resource("vastdata_view", "x", *rows))).instances] == [2, 9, 10]


def test_every_type_is_of_a_kind_that_is_there() -> None:
    systems = {FoundBy.ID: ("vast", "vastdata_"), FoundBy.NAME: ("kubernetes", "kubernetes_")}
    for name, meant in RESOURCE_TYPES.items():
        system, prefix = systems[meant.found_by]
        assert KINDS[meant.kind].system == system
        assert name.startswith(prefix)
        # An object is told by its name, or by its path and tenant: both are in the state. Of a user, a group, a rule of a
        # bucket and a token the id and the name are enough: the provider's id in a state of 1.x may be none.
        assert set(KINDS[meant.kind].identity) <= {
            "name",
            "path",
            "tenant",
            "namespace",
            "local_provider",
            "view",
            "owner",
        }


LIVE = (
    live("tenant", "4", guid="g-4", name="nlp"),
    live("replication_peer", "7", name="iad-pdx"),
    live("replication_peer", "8", name="iad-east"),
    live("view", "10", path="/nlp/a", tenant=4),
    live("view", "11", path="/nlp/b", tenant=4),
    live("quota", "20", name="nlp-home", path="/nlp/home", tenant=4),
    live("storage_class", "u-1", name="nlp-fast"),
    live("secret", "u-2", namespace="vast-csi", name="vast-mgmt"),
)


def test_each_resource_stands_for_its_object() -> None:
    found = {each.address: each for each in matched(parse_state(WORLD), observed(*LIVE), "iad")}
    assert {address: each.object for address, each in found.items() if each.object} == {
        "vastdata_tenant.nlp": ("iad", "tenant", "4"),
        "vastdata_replication_peers.pdx": ("iad", "replication_peer", "7"),
        "vastdata_replication_peer.east": ("iad", "replication_peer", "8"),
        "vastdata_view.data[0]": ("iad", "view", "10"),
        "vastdata_view.data[1]": ("iad", "view", "11"),
        f'{NESTED}.vastdata_quota.this["home"]': ("iad", "quota", "20"),
        "kubernetes_storage_class_v1.fast": ("iad", "storage_class", "u-1"),
        'kubernetes_secret.mgmt["iad"]': ("iad", "secret", "u-2"),
    }
    assert {each.standing for each in found.values()} == {Standing.MATCHED, Standing.KINDLESS}
    assert found["random_password.db"].standing is found["data.vastdata_tenant.default"].standing is Standing.KINDLESS


def _one(type_: str, *there: Any, sites: tuple[str, ...] = ("iad",), **said: Any) -> tuple[Standing, str]:
    (match,) = matched(parse_state(tfstate(resource(type_, "x", instance(**said)))), observed(*there), *sites)
    assert (match.object is not None) == (match.standing is Standing.MATCHED) == (not match.why)
    return match.standing, match.why


@pytest.mark.parametrize(
    ("type_", "said", "there", "why"),
    [
        ("vastdata_tenant", {"id": "4", "name": "a"}, live("tenant", "5", name="a"), "iad has no tenant with id 4"),
        ("vastdata_tenant", {"id": "4", "name": "a"}, live("tenant", "4", name="b"), "tenant 4 on iad has name b, but the state has a"),
        ("vastdata_tenant", {"id": "4", "name": "a", "guid": "x"}, live("tenant", "4", guid="y", name="a"), "tenant 4 on iad has guid y, but the state has x"),
        ("vastdata_tenant", {"id": "4", "name": "a", "guid": "x"}, live("tenant", "4", guid="x", name="b"), ""),
        ("vastdata_tenant", {"id": "4", "guid": "x"}, live("tenant", "4", name="a"), "iad has a tenant with id 4, but nothing in the state identifies it"),
        ("vastdata_tenant", {"name": "a"}, live("tenant", "4", name="a"), "the state has no id for it"),
        ("vastdata_view", {"id": 4, "path": "/a", "tenant_id": 1}, live("view", "4", path="/b", tenant=1), "view 4 on iad has path /b, but the state has /a"),
        ("vastdata_view", {"id": 4, "path": "/a", "tenant_id": "1"}, live("view", "4", path="/a", tenant=2), "view 4 on iad has tenant 2, but the state has 1"),
        ("vastdata_view", {"id": 4, "path": "/a", "name": "n"}, live("view", "4", path="/a", tenant=1, name="m"), ""),
        ("vastdata_view", {"id": 4, "tenant_id": 1}, live("view", "4", path="/a", tenant=1), "iad has a view with id 4, but nothing in the state identifies it"),
        ("vastdata_view", {"id": 4, "tenant_id": 1, "name": "n"}, live("view", "4", path="/a", tenant=1, name="m"), "view 4 on iad has name m, but the state has n"),
        ("vastdata_quota", {"id": 4, "name": "n"}, live("quota", "4", path="/a", tenant=1, name="n"), ""),
        ("vastdata_quota", {"id": 4.0, "name": "n"}, live("quota", "4", path="/a", tenant=1, name="n"), ""),
        ("vastdata_quota", {"id": "4\n", "name": "n"}, live("quota", "4", path="/a", tenant=1, name="n"), "iad has no quota with id 4\\x0a"),
        ("kubernetes_secret", {"metadata": [{"name": "s", "namespace": "n"}]}, live("secret", "u", name="s", namespace="m"), "iad has no secret n/s"),
        ("kubernetes_secret", {"metadata": []}, live("secret", "u", name="s", namespace="m"), "the state has no name for it"),
        ("kubernetes_namespace", {"metadata": [{"name": "n"}]}, live("namespace", "u", name="n"), ""),
    ],
)  # fmt: skip
def test_what_is_not_there_as_the_state_has_it_is_stale(type_: str, said: dict[str, Any], there: Any, why: str) -> None:
    assert _one(type_, there, **said) == (Standing.STALE if why else Standing.MATCHED, why)


def test_what_could_not_be_read_is_neither_there_nor_gone() -> None:
    state = parse_state(
        tfstate(
            resource("vastdata_view", "x", instance(id=4, path="/a")),
            resource("kubernetes_secret", "s", kubernetes("s", "n")),
        )
    )
    seen = observed(unread={("iad", "view"): "HTTP 503\n", ("iad", "secret"): "forbidden"})
    assert [(each.standing, each.why) for each in matched(state, seen, "iad")] == [
        (Standing.UNREAD, "secret could not be read (iad: forbidden)"),
        (Standing.UNREAD, "view could not be read (iad: HTTP 503\\x0a)"),
    ]


def test_one_that_was_asked_for_by_name_is_there_or_gone() -> None:
    state = parse_state(
        tfstate(*(resource("kubernetes_secret", name, kubernetes(name, "n")) for name in ("a", "b", "c")))
    )
    unread = {("iad", "secret"): "may not be listed"}
    read = observed(asked=("n/a", "n/b"), unread=unread).collections
    secrets = replace(read["iad", "secret"], objects=[live("secret", "u", namespace="n", name="a")])
    seen = Observed({**read, ("iad", "secret"): secrets})
    assert [each.standing for each in matched(state, seen, "iad")] == [
        Standing.MATCHED,
        Standing.STALE,
        Standing.UNREAD,
    ]


def test_of_several_sites_it_is_on_the_one_that_has_it() -> None:
    here, there = live("view", "4", path="/a", tenant=1), live("view", "4", "pdx", path="/b", tenant=1)
    twin = live("view", "4", "pdx", path="/a", tenant=1)
    both: dict[str, Any] = {"sites": ("iad", "pdx"), "id": 4, "path": "/a", "tenant_id": 1}
    assert _one("vastdata_view", here, there, **both) == (Standing.MATCHED, "")
    assert _one("vastdata_view", here, twin, **both) == (Standing.SEVERAL, "it matches an object on each of iad, pdx")
    why = "iad has no view with id 4; view 4 on pdx has path /b, but the state has /a"
    assert _one("vastdata_view", there, **both) == (Standing.STALE, why)


def test_on_one_site_it_is_not_told_while_another_is_unread() -> None:
    state = parse_state(tfstate(resource("vastdata_view", "x", instance(id=4, path="/a"))))
    seen = observed(live("view", "4", path="/a", tenant=1), unread={("pdx", "view"): "down"})
    assert [each.standing for each in matched(state, seen, "iad")] == [Standing.MATCHED]
    (match,) = matched(state, seen, "iad", "pdx")
    assert (match.standing, match.object) == (Standing.UNREAD, None)


def test_a_site_without_the_system_has_nothing_of_it() -> None:
    row = resource("kubernetes_storage_class", "x", kubernetes("nlp-fast"))
    fast = live("storage_class", "u-1", name="nlp-fast")
    seen = observed(fast)
    without = {key: read for key, read in seen.collections.items() if key != ("pdx", "storage_class")}
    absent = {**without, ("pdx", "storage_class"): ObservedCollection(error="no such system", absent=True)}
    for collections in (without, absent):
        there = Observed(collections)
        (match,) = matched(parse_state(tfstate(row)), there, "iad", "pdx")
        assert (match.standing, match.object) == (Standing.MATCHED, ("iad", "storage_class", "u-1"))
        (match,) = matched(parse_state(tfstate(row)), there, "pdx")
        assert (match.standing, match.why) == (Standing.STALE, "no system on pdx has kind storage_class")


def test_a_state_of_another_cluster_matches_nothing_there() -> None:
    rows = [
        resource("vastdata_tenant", "a", instance(id=4, guid="g-4", name="nlp")),
        resource("vastdata_view", "a", instance(id=10, guid="g-10", path="/nlp/a", tenant_id=4)),
        resource("kubernetes_storage_class", "a", kubernetes("nlp-fast")),
    ]
    mirrored = (live("tenant", "4", "pdx", guid="h-4", name="nlp"), live("view", "10", "pdx", path="/nlp/a", tenant=4))
    seen = observed(*LIVE, *mirrored)
    why = "tenant 4 on pdx has guid h-4, but the state has g-4"
    foreign = f"the state is of another cluster: {why}"
    assert [(each.standing, each.why) for each in matched(parse_state(tfstate(*rows[:2])), seen, "pdx")] == [
        (Standing.STALE, why),
        (Standing.STALE, foreign),
    ]
    assert {each.object and each.object[0] for each in matched(parse_state(tfstate(*rows)), seen, "iad", "pdx")} == {
        "iad"
    }
    # One configuration may be of two clusters.
    both = [*rows[:2], resource("vastdata_tenant", "b", instance(id=4, guid="h-4", name="nlp"))]
    assert [(each.object, each.standing) for each in matched(parse_state(tfstate(*both)), seen, "iad", "pdx")] == [
        (("iad", "tenant", "4"), Standing.MATCHED),
        (("pdx", "tenant", "4"), Standing.MATCHED),
        (None, Standing.SEVERAL),
    ]


def _labels(*rows: dict[str, Any]) -> dict[str, str]:
    """Labels by id, of views whose id is in their path; the same for any order of rows."""
    ids = [str(each["attributes"]["id"]) for row in rows for each in row["instances"]]
    seen = observed(*(live("view", id_, path=f"/{id_}", tenant=1) for id_ in set(ids)))
    told = [
        {key[2]: label for key, label in matched_labels(matched(parse_state(tfstate(*order)), seen, "iad")).items()}
        for order in itertools.permutations(rows)
    ]
    assert all(each == told[0] for each in told)
    return told[0]


def _view(id: int, key: int | str | None = None) -> dict[str, Any]:
    return instance(key, id=id, path=f"/{id}", tenant_id=1)


def test_an_object_is_called_as_its_resource() -> None:
    single = resource("vastdata_view", "scratch", _view(1))
    keyed = resource("vastdata_view", "team", _view(2, "nlp"), _view(3, "a/b"), _view(4, "R&D"))
    counted = resource("vastdata_view", "many", _view(5, 0), _view(6, 1))
    other = resource("aws_instance", "other", _view(7))
    assert _labels(single, keyed, counted, other) == {"1": "scratch", "2": "team-nlp"}


def test_those_that_are_called_alike_are_told_by_their_modules() -> None:
    modules = ("", "module.a", 'module.b["x"]', "module.c[0]", "module.c[1]")
    rows = [resource("vastdata_view", "data", _view(number), module=module) for number, module in enumerate(modules)]
    assert _labels(*rows) == {"0": "data", "1": "a-data", "2": "b-x-data"}
    assert _labels(rows[3]) == {"3": "data"}
    inner = resource("vastdata_view", "b", _view(1), module="module.a")
    outer = resource("vastdata_view", "b", _view(2)), resource("vastdata_view", "a-b", _view(3))
    assert _labels(inner, *outer) == {"2": "b"}


def test_the_only_one_in_a_module_is_called_as_that() -> None:
    modules = ("", "module.a", 'module.b["x"].module.c', 'module.b["y"].module.c')
    rows = [resource("vastdata_view", "this", _view(number), module=module) for number, module in enumerate(modules)]
    assert _labels(*rows) == {"0": "this", "1": "a", "2": "b-x-c", "3": "b-y-c"}
    assert _labels(resource("vastdata_view", "this", _view(1, "home"), module="module.a")) == {"1": "a-home"}


def test_two_resources_of_one_object_name_it_once() -> None:
    assert _labels(resource("vastdata_view", "z", _view(1)), resource("vastdata_view", "a", _view(1))) == {"1": "a"}
