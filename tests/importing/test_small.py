"""Worlds of a few objects, imported whole: what is written of them, what is left and why, and what is told of that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.importing.small import HEAD, HEAD_OF_TWO, imported, reasons, seen, text_of, world
from vastplan.app.importer import Imported, write_import
from vastplan.importing.model import Detail, Selection
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.snapshot import SeenObject

LIMIT = 10**12
TENANT = seen("2", "nlp", {"guid": "g"})
POLICY = seen("5", "p", tenant=2, flavor="NFS")
VIEW = seen("7", path="/nlp/data", tenant=2, view_policy=5, protocols=["NFS"])
QUOTA = seen("8", "nlp-data", path="/nlp/data", tenant=2, hard_limit=LIMIT)
NLP = {"tenant": [TENANT], "view_policy": [POLICY], "view": [VIEW], "quota": [QUOTA]}
NLP_TEXT = """\
tenants:
  nlp:
    view_policies: {p: {flavor: NFS}}
    views: {nlp-data: {path: /nlp/data, protocols: [NFS], quota: {hard_limit: 1 TB}}}"""
CLASS: dict[str, Any] = {"driver": "file", "storage_path": "/k8s", "view_policy": "p", "vip_pool": "v"}
BESIDE = {"vip_pool": [seen("90", "v", tenant=2)], "tenant": [TENANT], "view_policy": [POLICY]}


RANGE: dict[str, Any] = {"subnet_cidr": 24, "ip_ranges": ["10.0.0.1 - 10.0.0.9"], "role": "PROTOCOLS"}
POOL = seen("4", "v", tenant=None, **RANGE)


def taken(done: Imported) -> set[str]:
    return {address for entry in done.result.taken for address in entry.objects}


def test_a_tenant_is_taken_with_what_is_in_it(tmp_path: Path) -> None:
    done = imported(tmp_path, world(NLP))
    assert text_of(done) == NLP_TEXT
    assert taken(done) == {"iad/tenant/nlp", "iad/view_policy/p", "iad/view/nlp-data", "iad/quota/nlp-data"}
    result = done.result
    assert (result.adopts, result.creates, result.left, result.rounds, result.waiting) == (4, (), (), 1, 0)
    assert [(each.path, each.entries, each.lines) for each in result.files] == [("tenant-nlp.yaml", 3, 5)]
    assert {(row.kind, row.managed, row.taken, row.left) for row in result.coverage} == {
        (kind, 0, 1, 0) for kind in ("tenant", "view", "view_policy", "quota")
    }
    assert [(each.entry, each.line) for each in result.taken] == [
        ("tenants.nlp", 3), ("nlp.view_policies.p", 4), ("nlp.views.nlp-data", 5),
    ]  # fmt: skip
    assert result.tried and result.document == "small" and result.besides == () and result.values.written == 12


def test_beside_a_document_only_what_is_new_is_taken(tmp_path: Path) -> None:
    text = HEAD + "tenants: {nlp: {}}\n"
    done = imported(tmp_path, world(NLP, owned={"iad/tenant/nlp": "2"}), text)
    assert "tenant: nlp" in text_of(done) and "tenants" not in text_of(done)
    assert taken(done) == {"iad/view_policy/p", "iad/view/nlp-data", "iad/quota/nlp-data"}
    assert reasons(done) == {"iad/tenant/nlp": "MANAGED"} and not any(each.counts for each in done.result.left)
    result = done.result
    assert (result.adopts, result.waiting, result.besides) == (3, 0, ())
    assert ("tenant", 1, 0, 0) in {(row.kind, row.managed, row.taken, row.left) for row in result.coverage}
    waiting = imported(tmp_path, world(NLP), text).result
    assert (waiting.adopts, waiting.waiting, waiting.besides) == (3, 1, ())


def test_what_a_plan_does_besides_is_told(tmp_path: Path) -> None:
    text = HEAD + "tenants: {nlp: {max_views: 7}}\n"
    objects = {**NLP, "quota": [QUOTA, seen("9", "gone", path="/gone", tenant=2, hard_limit=LIMIT)]}
    done = imported(tmp_path, world(objects, owned={"iad/quota/gone": "9"}), text)
    assert {(each.address, each.verb) for each in done.result.besides} == {
        ("iad/tenant/nlp", "adopt"), ("iad/quota/gone", "delete"),
    }  # fmt: skip
    assert done.result.waiting == 0 and done.result.adopts == 3
    assert reasons(done) == {"iad/tenant/nlp": "MANAGED", "iad/quota/gone": "PENDING"}


def test_what_stands_on_what_is_left_is_left(tmp_path: Path) -> None:
    objects = {**NLP, "view_policy": [seen("5", "p", tenant=4711, flavor="NFS")]}
    done = imported(tmp_path, world(objects))
    assert reasons(done) == {"iad/view_policy/p": "REFERENCE"} and "view_policy: {existing: p}" in text_of(done)


def test_what_could_not_be_read_is_told_and_what_stands_on_it_is_left(tmp_path: Path) -> None:
    done = imported(tmp_path, world(NLP, unread={("iad", "view_policy"): "403 Forbidden"}))
    (unread,) = done.result.unread
    assert (unread.site, unread.kind) == ("iad", "view_policy") and "403 Forbidden" in unread.reason
    assert set(reasons(done).values()) == {"UNREAD"} and len(reasons(done)) == 1
    assert taken(done) == {"iad/tenant/nlp", "iad/quota/nlp-data"}


def test_a_site_without_a_system_has_nothing_unread(tmp_path: Path) -> None:
    head = "version: 1\nname: small\nsites: {iad: {sim: {systems: [vast]}}}\n"
    done = imported(tmp_path, world(NLP, unread={("iad", "storage_class"): "403"}), head)
    assert done.result.unread == () and text_of(done) == NLP_TEXT


@pytest.mark.parametrize(
    ("pattern", "left", "kept"),
    [
        ("nlp", {"iad/tenant/cv", "iad/view_policy/q", "iad/vip_pool/shared"}, "nlp"),
        ("c*", {"iad/tenant/nlp", "iad/view_policy/p", "iad/vip_pool/shared", "iad/quota/nlp-data"}, "cv"),
    ],
)
def test_of_a_tenant_all_that_is_placed_in_it(pattern: str, left: set[str], kept: str, tmp_path: Path) -> None:
    objects = {
        **NLP,
        "tenant": [TENANT, seen("3", "cv", {"guid": "h"})],
        "view_policy": [POLICY, seen("6", "q", tenant=3, flavor="NFS")],
        "vip_pool": [seen("4", "shared", tenant=None, **RANGE)],
    }
    done = imported(tmp_path, world(objects), selection=Selection(tenants=(pattern,)))
    said = reasons(done)
    assert left <= said.keys() and {said[each] for each in left} == {"UNSELECTED"}
    assert [text.name for text in done.texts] == [f"tenant-{kept}.yaml"]
    assert f"iad/tenant/{kept}" in taken(done) and not taken(done) & left


def test_what_is_in_a_tenant_of_the_document_is_asked_for_by_its_name(tmp_path: Path) -> None:
    text = HEAD + "tenants: {nlp: {}}\n"
    done = imported(tmp_path, world(NLP), text, selection=Selection(tenants=("nlp",)))
    assert taken(done) == {"iad/view_policy/p", "iad/view/nlp-data", "iad/quota/nlp-data"}
    with pytest.raises(VastplanError, match="nothing has that name"):
        imported(tmp_path, world(NLP), text, selection=Selection(tenants=("cv",)))


def test_a_name_that_nothing_has_is_refused_and_a_pattern_is_told(tmp_path: Path) -> None:
    with pytest.raises(VastplanError, match="--except iad/view/x: nothing has that name"):
        imported(tmp_path, world(NLP), selection=Selection(without=("iad/view/x",)))
    done = imported(tmp_path, world(NLP), selection=Selection(without=("iad/view/x*",)))
    assert done.result.notes == ("--except iad/view/x* matches nothing here.",)
    unread = world(NLP, unread={("iad", "vip_pool"): "403"})
    assert imported(tmp_path, unread, selection=Selection(without=("iad/view/x",))).result.notes
    options: list[dict[str, Any]] = [{"selection": Selection(kinds=("vew",))}, {"detail": Detail(full=("vew",))}]
    for each in options:
        with pytest.raises(VastplanError, match=r"--(kind|full) vew: no kind matches; .*view"):
            imported(tmp_path, world(NLP), **each)
    assert text_of(imported(tmp_path, world(NLP), selection=Selection(kinds=("te*",)))) == "tenants: {nlp: {}}"


def test_of_labels_a_snapshot_has_few(tmp_path: Path) -> None:
    assert "labels" in imported(tmp_path, world(NLP), detail=Detail(labels=("a",))).result.notes[0]
    assert imported(tmp_path, world(NLP)).result.notes == ()
    with pytest.raises(VastplanError, match="--census"):
        imported(tmp_path, world(NLP), census=True)


def test_all_in_one_file(tmp_path: Path) -> None:
    done = imported(tmp_path, world({**NLP, "vip_pool": [POOL]}), single=True)
    assert [text.name for text in done.texts] == ["imported.yaml"]
    assert len(text_of(done).splitlines()) == 5


def test_in_full_every_value_is_written(tmp_path: Path) -> None:
    policy = seen("5", "p", tenant=2, flavor="NFS", atime_frequency=3600, nfs_posix_acl=False)
    objects = {**NLP, "view_policy": [policy]}
    assert "posix" not in text_of(imported(tmp_path, world(objects)))
    full = text_of(imported(tmp_path, world(objects), detail=Detail(full=("view_policy",))))
    assert "nfs_posix_acl: false" in full and "hard_limit_inodes" not in full


def test_twice_the_same_bytes_and_the_second_time_nothing(tmp_path: Path) -> None:
    done = imported(tmp_path, world(NLP))
    result = write_import(done, tmp_path, "the next command")
    assert not result.tried and result.next == "the next command"
    assert [each.path for each in result.files] == [str(tmp_path / "tenant-nlp.yaml")]
    assert {each.file for each in result.taken} == {str(tmp_path / "tenant-nlp.yaml")}
    again = imported(tmp_path, world(NLP, owned={
        "iad/tenant/nlp": "2", "iad/view_policy/p": "5", "iad/view/nlp-data": "7", "iad/quota/nlp-data": "8",
    }))  # fmt: skip
    assert again.texts == () and set(reasons(again).values()) == {"MANAGED"}
    nothing = write_import(again, tmp_path, "the next command")
    assert nothing.next == "" and nothing.files == ()
    waiting = imported(tmp_path, world(NLP))
    assert waiting.texts == () and write_import(waiting, tmp_path, "the next command").next == "the next command"


def test_a_document_that_changed_meanwhile_is_not_written_to(tmp_path: Path) -> None:
    done = imported(tmp_path, world(NLP))
    (tmp_path / "head.yaml").write_text(HEAD + "# more\n", encoding="utf-8")
    with pytest.raises(VastplanError, match="the document changed during the import"):
        write_import(done, tmp_path, "")
    assert [path.name for path in tmp_path.iterdir()] == ["head.yaml"]


def test_what_is_wrong_already_is_not_imported_beside(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        imported(tmp_path, world(NLP), HEAD + "views: {a: {tenant: x, path: /a, protocols: [NFS]}}\n")


def test_a_class_says_who_uses_it(tmp_path: Path) -> None:
    claims = [
        seen("c1", "one", namespace="b", storage_class="fast", access_modes=["ReadWriteMany"], size=LIMIT),
        seen("c2", "two", namespace="a", storage_class="fast", access_modes=["ReadWriteMany"], size=LIMIT),
    ]
    namespaces = [seen("n1", "a"), seen("n2", "b")]
    objects = {
        **BESIDE,
        "storage_class": [seen("s", "fast", **CLASS)],
        "persistent_volume_claim": claims,
        "namespace": namespaces,
    }
    done = imported(tmp_path, world(objects))
    assert "# claims: a 1, b 1; " in text_of(done) and "shared: true" in text_of(done)
    assert "iad/admission_policy/vastplan-fast" in done.result.creates
    assert reasons(done)["iad/persistent_volume_claim/b/one"] == "UNASKED"
    project = {"project": [seen("5", "nlp", {"namespace": "runai-nlp"}, namespace="runai-nlp")]}
    own = [replace(claims[0], values={**claims[0].values, "namespace": "runai-nlp"})]
    alone = world({**objects, **project, "persistent_volume_claim": own})
    assert "shared: true" in text_of(imported(tmp_path, alone))
    assert "shared" not in text_of(imported(tmp_path, alone, close=True))


def test_what_two_sites_have_is_one_entry(tmp_path: Path) -> None:
    both = {
        "iad": NLP,
        "pdx": {**NLP, "quota": [seen("8", "nlp-data", path="/nlp/data", tenant=2, hard_limit=2 * LIMIT)]},
    }
    done = imported(tmp_path, world(there=both), HEAD_OF_TWO)
    assert text_of(done).splitlines()[:3] == NLP_TEXT.splitlines()[:3]
    assert "per_site: {iad: {quota: {hard_limit: 1 TB}}, pdx: {quota: {hard_limit: 2 TB}}}" in " ".join(
        text_of(done).split()
    )
    half = imported(tmp_path, world(there={"iad": NLP, "pdx": {}}), HEAD_OF_TWO)
    assert text_of(half).splitlines()[1:3] == ["  nlp:", "    sites: [iad]"] and text_of(half).count("sites") == 1


def test_what_the_sites_have_in_different_forms_is_told_apart(tmp_path: Path) -> None:
    both = {"iad": NLP, "pdx": {**NLP, "quota": []}}
    done = imported(tmp_path, world(there=both), HEAD_OF_TWO)
    assert "iad/quota/nlp-data" in taken(done) and reasons(done) == {}


def many(number: int) -> list[SeenObject]:
    return [
        seen(
            str(20 + each),
            f"v{each}",
            tenant=None,
            subnet_cidr=24,
            ip_ranges=[f"10.0.{each}.1 - 10.0.{each}.9"],
            role="PROTOCOLS",
        )
        for each in range(number)
    ]


def test_defaults_are_written_where_that_is_less(tmp_path: Path) -> None:
    objects = {"vip_pool": many(6)}
    done = imported(tmp_path, world(objects), defaults=True)
    assert text_of(done).splitlines()[-1] == "defaults: {vip_pools: {tenant: null, subnet_cidr: 24}}"
    assert text_of(done).count("subnet_cidr") == 1 and len(taken(done)) == 6
    assert text_of(imported(tmp_path, world(objects))).count("subnet_cidr") == 6
    known = HEAD + "vip_pools: {own: {tenant: null, subnet_cidr: 24, ip_ranges: [10.9.9.1 - 10.9.9.9]}}\n"
    beside = imported(tmp_path, world(objects), known, defaults=True)
    assert "defaults" not in text_of(beside) and len(taken(beside)) == 6


def test_the_documents_defaults_are_said_over(tmp_path: Path) -> None:
    text = HEAD + "defaults: {vip_pools: {vlan: 7, sites: [iad]}}\n"
    done = imported(tmp_path, world({"vip_pool": [seen("4", "v", tenant=None, vlan=0, **RANGE)]}), text)
    assert text_of(done) == (
        "vip_pools: {v: {sites: [iad], tenant: null, ip_ranges: [10.0.0.1 - 10.0.0.9], subnet_cidr: 24, vlan: 0}}"
    )
    assert taken(done) == {"iad/vip_pool/v"}
