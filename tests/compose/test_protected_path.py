"""Protected paths: whose the copy is, and where, by the schedule; and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compose.short import LEAVE_OUT, Said, back, entry, made, pieces, without
from vastplan.kinds.compose.protected_path import COMPOSITION

LINK = {"between": {"iad": {"vip_pool": "r"}, "pdx": {"vip_pool": "r"}}}
PATH = {"tenant": "@tenant/nlp", "source_dir": "/nlp", "protection_policy": "@protection_policy/s"}
LOCAL: Said = {}
FAR = {"replicate_to": "@peering/link"}
STRANGE = {"peer": "@?replication_peer/strange"}
WORLD: dict[str, Said | None] = {
    "peering/link": LINK,
    "pdx:peering/link": LINK,
    **{f"{site}tenant/{name}": {} for name in ("nlp", "cv") for site in ("", "pdx:")},
}


def composed(
    schedule: Said | None, site: str = "", world: dict[str, Any] | None = None, **more: Any
) -> tuple[Said, list[Any]]:
    """What a path is composed to, and what is wrong with it."""
    there = {**WORLD, f"{site}protection_policy/s": schedule, **(world or {})}
    found, wrong = made(COMPOSITION, entry(f"{site}protected_path/p", {**PATH, **more}), there)
    assert list(found) == [f"{site}protected_path/p"]
    return found[f"{site}protected_path/p"], wrong


@pytest.mark.parametrize("schedule", [LOCAL, None])
def test_without_a_copy_elsewhere_it_is_itself_that_it_protects(schedule: Said | None) -> None:
    assert composed(schedule) == ({**PATH, "target_exported_dir": "/nlp"}, [])
    same: Said = {"target_exported_dir": "/nlp", "capabilities": "ASYNC_REPLICATION"}
    assert composed(schedule, **same) == ({**PATH, **same}, [])


@pytest.mark.parametrize(
    ("schedule", "more", "message", "fix"),
    [
        (LOCAL, {"target_exported_dir": "/copy"}, "s does not replicate, so the target is the source_dir",
         "remove target_exported_dir"),
        (LOCAL, {"capabilities": "GLOBAL_ACCESS"}, "GLOBAL_ACCESS needs a schedule that replicates",
         "name a snapshot schedule with replicate_to"),
        (LOCAL, {"remote_tenant": "nlp"}, "s does not replicate, and remote_tenant has no effect", "remove it"),
        (LOCAL, {"remote_tenant_guid": "g"}, "s does not replicate, and remote_tenant_guid has no effect", "remove it"),
        (STRANGE, {"remote_tenant": "nlp"},
         "s does not replicate to a site of this document, and remote_tenant has no effect", "write remote_tenant_guid"),
        (None, {"remote_tenant": "nlp"},
         "s does not replicate to a site of this document, and remote_tenant has no effect", "write remote_tenant_guid"),
        (STRANGE, {}, "s replicates to a peer outside this document, and the tenant there is not known",
         "write it in protected_paths, with remote_tenant_guid"),
        (FAR, {"remote_tenant_guid": "g"}, "it replicates to pdx, a site of this document: its tenants are written by name",
         "write remote_tenant: NAME"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_its_schedule_is_refused(
    schedule: Said | None, more: Said, message: str, fix: str
) -> None:
    found, wrong = composed(schedule, **more)
    assert wrong == [("VP247", message, fix)]
    assert "remote_tenant" not in found


@pytest.mark.parametrize("schedule", [STRANGE, None])
def test_to_a_site_of_nobody_it_says_whose_the_copy_is_itself(schedule: Said | None) -> None:
    says: Said = {"remote_tenant_guid": "g", "target_exported_dir": "/copy"}
    assert composed(schedule, **says) == ({**PATH, **says}, [])


@pytest.mark.parametrize(
    ("written", "remote"),
    [
        (LEAVE_OUT, "@pdx:tenant/nlp"),
        ("cv", "@pdx:tenant/cv"),
        ({"existing": "cv"}, "@pdx:tenant/cv"),
        ({"existing": "strange"}, "@?pdx:tenant/strange"),
    ],
)
def test_the_copy_is_of_the_tenant_of_that_name_on_the_other_site(written: Any, remote: str) -> None:
    found, wrong = composed(FAR, remote_tenant=written)
    assert (found, wrong) == ({**PATH, "target_exported_dir": "/nlp", "remote_tenant": remote}, [])
    assert composed(FAR, remote_tenant=written, target_exported_dir="/copy")[0]["target_exported_dir"] == "/copy"


GLOBAL: Said = {"capabilities": "STARED_GLOBAL_NAMESPACE"}


@pytest.mark.parametrize("written", ["link", {"existing": "link"}, "@replication_peer/link"])
def test_without_a_schedule_it_goes_to_the_other_end_of_its_peer(written: Any) -> None:
    found, wrong = composed(None, protection_policy=LEAVE_OUT, peer=written, **GLOBAL)
    says = {**without(PATH, "protection_policy"), "target_exported_dir": "/nlp", **GLOBAL}
    assert (found, wrong) == ({**says, "peer": "@replication_peer/link", "remote_tenant": "@pdx:tenant/nlp"}, [])


def test_at_the_second_site_the_peer_is_created_at_the_first_before() -> None:
    there: Said = {"tenant": "@pdx:tenant/nlp", "protection_policy": LEAVE_OUT, "peer": "link", **GLOBAL}
    found, wrong = composed(None, "pdx:", **there)
    assert (found["peer"], found["(after)"]) == ("@?pdx:replication_peer/link", ["replication_peer/link"])
    assert found["remote_tenant"] == "@tenant/nlp" and not wrong


@pytest.mark.parametrize(
    ("more", "code", "message", "fix"),
    [
        ({"peer": "lnk"}, "VP209", "no replication_peer lnk", "did you mean link?"),
        ({"peer": "away"}, "VP209", "no replication_peer away", "for one outside this document write {existing: away}"),
        ({"peer": {"existing": "away"}}, "VP247", "away is not a link to a site of this document, and the tenant there is not known",
         "write remote_tenant_guid"),
    ],
)  # fmt: skip
def test_a_peer_that_leads_nowhere_is_refused(more: Said, code: str, message: str, fix: str) -> None:
    _, wrong = composed(None, protection_policy=LEAVE_OUT, **more, **GLOBAL)
    assert wrong == [(code, message, fix)]


def test_a_peer_outside_the_document_needs_the_tenant_there() -> None:
    found, wrong = composed(
        None, protection_policy=LEAVE_OUT, peer={"existing": "away"}, remote_tenant_guid="g", **GLOBAL
    )
    assert (found["peer"], found["remote_tenant_guid"], wrong) == ("@?replication_peer/away", "g", [])


def test_from_the_second_site_it_goes_to_the_first() -> None:
    there: Said = {"tenant": "@pdx:tenant/nlp", "protection_policy": "@pdx:protection_policy/s"}
    found, wrong = composed({"replicate_to": "@pdx:peering/link"}, "pdx:", **there)
    assert found["remote_tenant"] == "@tenant/nlp" and not wrong


def test_a_tenant_of_somebody_else_is_one_there_too() -> None:
    found, wrong = composed(FAR, tenant="@?tenant/strange")
    assert found["remote_tenant"] == "@?pdx:tenant/strange" and not wrong
    found, wrong = composed(FAR, tenant=LEAVE_OUT)
    assert "remote_tenant" not in found and not wrong


@pytest.mark.parametrize(
    ("more", "message", "fix"),
    [
        ({}, "it replicates to pdx, and tenant nlp is not on that site", "add pdx to its sites"),
        ({"remote_tenant": "other"}, "it replicates to pdx, and tenant other is not on that site",
         "for one outside this document write {existing: other}"),
    ],
)  # fmt: skip
def test_a_tenant_that_is_not_there_is_refused(more: Said, message: str, fix: str) -> None:
    _, wrong = composed(FAR, world={"pdx:tenant/nlp": None}, **more)
    assert wrong == [("VP237", message, fix)]


@pytest.mark.parametrize(
    ("more", "gone"),
    [
        ({"target_exported_dir": "/nlp"}, ["target_exported_dir"]),
        ({"target_exported_dir": "/copy"}, []),
        ({}, []),
        ({"remote_tenant": "@pdx:tenant/nlp"}, ["remote_tenant"]),
        ({"remote_tenant": "@pdx:tenant/cv"}, []),
        ({"remote_tenant": "@pdx:tenant/nlp", "tenant": "nlp"}, []),
        ({"remote_tenant": "nlp"}, []),
        ({"remote_tenant": "@pdx:tenant/cv", "remote_tenant_guid": "g"}, ["remote_tenant_guid"]),
        ({"remote_tenant_guid": "g"}, []),
        ({"remote_tenant": "@pdx:tenant/nlp", "remote_tenant_guid": "g", "target_exported_dir": "/nlp"},
         ["remote_tenant", "remote_tenant_guid", "target_exported_dir"]),
    ],
)  # fmt: skip
def test_what_follows_from_its_schedule_is_not_written(more: Said, gone: list[str]) -> None:
    live = {**PATH, **more}
    found = back(COMPOSITION, pieces({"protected_path/p": live}))
    expected = {"entry": "protected_path/p", "says": without(live, *gone), "of": ["protected_path/p"]}
    assert found == ([expected] if gone else [])
