"""A view, or a bucket, on two sites: made on both by one entry, and kept through a change of roles, as a volume is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.test_two_sites import BASE, blocks, lead, refused, roles
from tests.kinds.two_sites import BOTH, on_two_sites, stands
from tests.lab import Lab
from vastplan.model.address import Address
from vastplan.model.plan import Plan, Verb
from vastplan.operations.plan.pair import pair_of

TENANT: dict[str, Any] = {
    **BASE["tenants"]["a"],
    "local_provider": "people",
    "view_policy": {"flavor": "S3_NATIVE"},
    "users": {"ana": {"uid": 1}},
    "groups": {"readers": {"gid": 10}},
}
SHARED: dict[str, Any] = {"sites": ["iad", "pdx"], "active": "iad", "replicate": "protected"}
QOS = {"static_limits": {"max_reads_bw_mbps": 1000}}
ENTRIES: dict[str, dict[str, Any]] = {
    "views": {**SHARED, "path": "/a/v", "quota": {"hard_limit": "1 TiB"}, "qos": QOS, "owner": "ana"},
    "buckets": {
        **SHARED, "bucket": "sets", "path": "/a/v", "size": "1 TiB", "qos": QOS, "owner": "ana", "read": ["readers"], "mount": "/sets",
        "lifecycle": [{"name": "scratch", "prefix": "tmp/", "expiration_days": 7}], "protocols": ["S3", "NFS"], "secret": "vast-mgmt",
    },
}  # fmt: skip
LARGER: dict[str, dict[str, Any]] = {
    "views": {"quota": {"hard_limit": "2 TiB", "hard_limit_inodes": 1000}},
    "buckets": {"size": "2 TiB", "max_inodes": 1000},
}
SECTIONS = pytest.mark.parametrize("section", ["views", "buckets"])


def document(section: str, *, flat: bool = False, **changes: Any) -> dict[str, Any]:
    """The base with the view or the bucket, changed; what is `None` is left out."""
    entry = {name: value for name, value in {**ENTRIES[section], **changes}.items() if value is not None}
    base = {**BASE, "local_providers": {"people": {}}, "tenants": {"a": TENANT}}
    if flat:
        return {**base, section: {"v": {"tenant": "a", **entry}}}
    return {**base, "tenants": {"a": {**TENANT, section: {"v": entry}}}}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with on_two_sites(tmp_path) as one:
        yield one


def made(lab: Lab, section: str) -> None:
    """It stands on both sites, its first copy complete."""
    stands(lab, document(section))


def verbs(plan: Plan) -> dict[str, Verb]:
    """What a plan does to each."""
    return {str(action.address): action.verb for action in plan.actions}


def of_it(lab: Lab) -> set[str]:
    """The addresses of what the document makes of it and of its schedule."""
    return {
        str(entry.address)
        for entry in lab.workspace().entries()[0]
        if entry.address.name.split("/")[0] in ("v", "v-read", "a-v", "protected") and entry.address.kind != "tenant"
    }


def test_what_one_entry_makes_on_both(lab: Lab) -> None:
    of_a_view = {"view/v", "quota/v", "qos_policy/v"}
    of_a_bucket = {
        *of_a_view,
        "s3_policy/v-read",
        "s3_lifecycle_rule/v/scratch",
        "persistent_volume/a-v",
        "persistent_volume_claim/v",
    }
    path = {"iad/protected_path/v", "iad/protection_policy/protected"}
    cases = {"views": (of_a_view, path), "buckets": (of_a_bucket, {*path, "iad/data_source/v"})}
    for section, (both, active) in cases.items():
        for flat in (True, False):
            lab.write(document(section, flat=flat))
            assert of_it(lab) == {f"{site}/{one}" for site in BOTH for one in both} | active


@SECTIONS
def test_a_move_holds_all_that_stands_on_it(lab: Lab, section: str) -> None:
    lab.write(document(section))
    address = Address("iad", "view" if section == "views" else "bucket", "v")
    pair = pair_of(lab.workspace().entries()[0], address, "pdx")
    schedule = {"iad/protection_policy/protected"}
    assert set(pair.covers) == {*of_it(lab), "pdx/protected_path/v"} - schedule | {
        str(address._replace(site=site)) for site in BOTH
    }
    assert (pair.source_directory, pair.target_directory) == ("/a/v", "/a/v")


@pytest.mark.slow
@SECTIONS
def test_it_is_made_kept_repaired_changed_and_let_go(lab: Lab, section: str) -> None:
    made(lab, section)
    assert roles(lab) == ["SOURCE", "DESTINATION"]
    assert {call.path for call in lab.calls()} == set()
    for site in BOTH:  # drift by hand, on either side
        (quota,) = lab.rows(site, "quota")
        lab.by_hand(site, "vast", "PATCH", f"/api/v5/quotas/{quota['id']}/", {"hard_limit": 7 << 40})
        assert verbs(lab.plan()) == {f"{site}/quota/v": Verb.UPDATE}
        lab.converge()
    lab.write(document(section, **LARGER[section]))
    assert {one: verb for one, verb in verbs(lab.converge()).items() if "quota" in one} == {
        f"{site}/quota/v": Verb.UPDATE for site in BOTH
    }
    assert [row["hard_limit_inodes"] for site in BOTH for row in lab.rows(site, "quota")] == [1000, 1000]
    lab.write(document(section))  # a limit that nobody says any more is let go
    lab.converge()
    assert [row["hard_limit_inodes"] for site in BOTH for row in lab.rows(site, "quota")] == [1000, 1000]
    lab.write(document(section, qos=None))
    released = {f"{site}/qos_policy/v": Verb.DELETE for site in BOTH}
    assert {one: verb for one, verb in verbs(lab.plan()).items() if "qos_policy" in one} == released
    if section == "buckets":
        lab.write(document(section, read=[]))
        lab.converge()
    lab.write({**BASE, "local_providers": {"people": {}}, "tenants": {"a": TENANT}})
    held = blocks(lab.plan())
    assert held["iad/protected_path/v"] and held["iad/view/v"] and held["pdx/view/v"]
    both = ("view/v", "quota/v", "persistent_volume/a-v", "persistent_volume_claim/v")
    gone = [f"{site}/{one}" for site in BOTH for one in both]
    lab.converge(lab.consent_to_loss("iad/protected_path/v", "iad/data_source/v", *gone))
    assert [len(lab.rows(site, kind)) for site in BOTH for kind in ("protected_path", "quota")] == [0] * 4
    assert lab.plan().actions == ()


@pytest.mark.slow
@SECTIONS
def test_a_move_by_hand_is_told_and_the_edit_takes_over_what_is_there(lab: Lab, section: str) -> None:
    made(lab, section)
    before = {site: lab.rows(site, "protected_path")[0]["guid"] for site in BOTH}
    lead(lab, "pdx")
    lab.world.pass_time(60)
    plan = lab.plan()
    (finding,) = [one for one in plan.findings if one.code == "VP345"]
    assert plan.actions == () and finding.fix.startswith("write active: pdx, or ")
    lab.write(document(section, active="pdx"))
    consent = lab.consent_to_loss("iad/data_source/v")
    asked = lab.plan(replace(consent, adopt=False))
    of_mounts = {"iad/data_source/v": Verb.DELETE, "pdx/data_source/v": Verb.CREATE} if section == "buckets" else {}
    assert blocks(asked) == {}
    assert verbs(asked) == of_mounts | {
        "pdx/protected_path/v": Verb.ADOPT, "iad/protected_path/v": Verb.RELEASE,
        "pdx/protection_policy/protected": Verb.ADOPT, "iad/protection_policy/protected": Verb.RELEASE,
    }  # fmt: skip
    lab.clear_calls()
    lab.converge(consent)
    assert not [call for call in lab.calls() if "protect" in call.path or "view" in call.path]
    assert lab.plan().actions == () and roles(lab) == ["DESTINATION", "SOURCE"]
    assert before == {site: lab.rows(site, "protected_path")[0]["guid"] for site in BOTH}


@pytest.mark.slow
@SECTIONS
def test_two_writers_stop_it_on_both_sites(lab: Lab, section: str) -> None:
    made(lab, section)
    lead(lab, "pdx", graceful=False)
    lab.world.pass_time(60)
    lab.write(document(section, **LARGER[section], s3_versioning=True if section == "buckets" else None))
    held = blocks(lab.plan())
    assert {one: guards for one, guards in held.items() if "split" not in guards} == {}
    assert {"iad/quota/v", "pdx/quota/v"} <= held.keys()
    if section == "buckets":
        assert {"iad/view/v", "pdx/view/v"} <= held.keys()


@pytest.mark.slow
@SECTIONS
def test_what_somebody_made_so_is_taken_over(lab: Lab, section: str) -> None:
    made(lab, section)
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    plan = lab.converge()
    found = verbs(plan)
    assert {f"{site}/{one}" for site in BOTH for one in ("view/v", "quota/v", "qos_policy/v")} <= found.keys()
    assert set(found.values()) == {Verb.ADOPT} and not [action for action in plan.actions if action.changes]
    assert found["iad/protected_path/v"] is Verb.ADOPT and "pdx/protected_path/v" not in found
    assert lab.calls() == [] and lab.plan().actions == ()


@SECTIONS
def test_what_is_wrong_with_it(lab: Lab, section: str) -> None:
    there = {"lease": "5m", "at": ["pdx"]}
    cases = {
        "active is fra": document(section, active="fra"),
        "replicates between iad and pdx, and it is on iad": document(section, sites=["iad"]),
        "give either snapshots or replicate": document(section, snapshots="protected"),
        "replicate needs active": document(section, active=None),
        "active needs replicate or global_access": document(section, replicate=None),
        "give only one of replicate and global_access": document(section, global_access=there),
        "to replicate each write of a bucket, write synchronous_replication: {disconnect_after: TIME}": document(
            section, replicate={"mode": "sync"}
        ),
        "names.protected_path needs": document(section, replicate=None, active=None, names={"protected_path": "p"}),
    }
    for text, sections in cases.items():
        assert text in refused(lab, sections), text


@pytest.mark.slow
def test_a_bucket_is_read_on_the_other_site_where_it_says_so(lab: Lab) -> None:
    lab.write(document("buckets", access={"pdx": "read"}))
    lab.converge()
    assert [lab.rows(site, "persistent_volume")[0]["spec"]["accessModes"] for site in BOTH] == [
        ["ReadWriteMany"], ["ReadWriteMany"]
    ]  # fmt: skip
    assert [len(lab.rows(site, "data_source")) for site in BOTH] == [1, 1]
    assert "access says how it is mounted" in refused(
        lab, document("buckets", access={"pdx": "read"}, mount=None, secret=None)
    )
    assert "access" in refused(lab, document("views", access={"pdx": "read"}))


@pytest.mark.slow
def test_keys_of_a_bucket_are_those_of_each_site(lab: Lab) -> None:
    """VMS makes each its own, and the pair of each is delivered there; by S3 it is mounted where it is active."""
    pool = {**TENANT["vip_pool"], "s3_endpoint": "https://s3.example.com"}
    tenant = {**TENANT, "vip_pool": pool}
    bucket = {**SHARED, "size": "1 TiB", "owner": "ana", "mount": "/sets", "deliver": {"secret": "runai-a/s3"}}
    sections = {**BASE, "local_providers": {"people": {}}, "tenants": {"a": {**tenant, "buckets": {"sets": bucket}}}}
    lab.write(sections)
    lab.converge()
    secrets = [row for site in BOTH for row in lab.rows(site, "secret") if row["metadata"]["name"] == "s3"]
    assert len({row["data"]["AccessKeyId"] for row in secrets}) == 2
    assert [len(lab.rows(site, "access_key_credential")) for site in BOTH] == [1, 1]
    assert [len(lab.rows(site, "s3_data_source")) for site in BOTH] == [1, 0]
    (path,) = lab.rows("iad", "protected_path")
    assert (path["source_dir"], path["target_exported_dir"]) == ("/a/sets", "/a/sets")
    lab.write({**sections, "tenants": {"a": {**tenant, "buckets": {"sets": {**bucket, "access": {"pdx": "read"}}}}}})
    lab.converge()
    assert [len(lab.rows(site, "s3_data_source")) for site in BOTH] == [1, 1]
    assert lab.plan().actions == ()


@pytest.mark.slow
@SECTIONS
def test_global_access_makes_it_readable_on_the_other_site(lab: Lab, section: str) -> None:
    reads: dict[str, Any] = {"access": {"pdx": "read"}} if section == "buckets" else {}
    lab.write(document(section, replicate=None, global_access={"lease": "5m", "at": ["pdx"]}, **reads))
    lab.converge()
    lab.world.pass_time(60)
    assert lab.plan().actions == () and roles(lab) == ["SOURCE", "DESTINATION"]
    (path,) = lab.rows("iad", "protected_path")
    assert (path["capabilities"], path["lease_expiry_time"]) == ("STARED_GLOBAL_NAMESPACE", 300)
    sources = [row["spec"].get("readOnly", False) for site in BOTH for row in lab.rows(site, "data_source")]
    assert sources == ([False, True] if section == "buckets" else [])
