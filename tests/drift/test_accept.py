"""`--accept` writes the live value where it stands, touches nothing else, and says so when there is no such place."""

from __future__ import annotations

import difflib
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.conftest import Run
from tests.drift.stage import DOCUMENT, TIB, Hands, an_hour_ago, stage
from tests.report.reading import drift as read_drift
from vastplan.app.drifting import accept, edited_document
from vastplan.app.planning.request import Planned
from vastplan.model.drift import DriftedField, DriftedObject
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Cause


def touched(folder: Path, name: str = "hand.yaml", before: str = DOCUMENT) -> list[str]:
    after = (folder / name).read_text()
    return [
        line
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]


def nothing_left(vastplan: Run, folder: Path) -> None:
    """Nothing is to be written; what was accepted is recorded by the next apply, and that is all."""
    left = json.loads(vastplan("plan", folder / "hand.yaml", "--format", "json").out)["actions"]
    assert {action["verb"] for action in left} == {"release"}
    assert all(
        action["reason"].endswith("the document now has the value of the system; recorded in the ledger")
        for action in left
    )
    assert vastplan("drift", folder / "hand.yaml").code == 0


@pytest.mark.slow
def test_a_value_is_written_where_it_stands_with_its_unit_and_comment(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    hands.quota(3 * TIB)
    ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/q.hard_limit")
    assert ran.code == 0 and "hand.yaml:24:1: iad/quota/q hard_limit is now 3 TiB" in ran.out, ran
    assert touched(tmp_path) == ["-    hard_limit: 2 TiB  # here", "+    hard_limit: 3 TiB  # here"]
    nothing_left(vastplan, tmp_path)


def test_what_was_accepted_and_recorded_is_changed_outside_when_somebody_reverts_it(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    hands.quota(3 * TIB)
    assert vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/q.hard_limit").code == 0
    ran = vastplan("apply", tmp_path / "hand.yaml", "--auto-approve")
    assert ran.code == 0 and "hard_limit: the document now has the value of the system" in ran.out, ran
    assert json.loads(vastplan("plan", tmp_path / "hand.yaml", "--format", "json").out)["actions"] == []
    hands.quota(2 * TIB)
    (action,) = json.loads(vastplan("plan", tmp_path / "hand.yaml", "--format", "json").out)["actions"]
    assert (action["verb"], action["reason"]) == ("update", "changed outside vastplan")


@pytest.mark.slow
def test_a_plain_number_stays_one_and_quotes_stay(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    key = hands.row("iad", "quotas", path="/q")["id"]
    hands.call("iad", "vast", "PATCH", f"/api/v5/quotas/{key}/", {"soft_limit": TIB // 2})
    hands.label("other")
    ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/q", "--accept", "iad/namespace/tools")
    assert ran.code == 0, ran
    assert touched(tmp_path) == [
        "-  tools: {labels: {purpose: 'test'}, sites: [iad]}", "+  tools: {labels: {purpose: 'other'}, sites: [iad]}",
        "-    soft_limit: 1099511627776", "+    soft_limit: 549755813888",
    ]  # fmt: skip
    nothing_left(vastplan, tmp_path)


@pytest.mark.slow
def test_one_site_gets_a_line_of_its_own_where_the_entry_is_of_several(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    key = hands.row("iad", "tenants", name="team-a")["id"]
    rules = {"capacity_rules": {"hard_limit": 20 * TIB}}
    hands.call("iad", "vast", "PATCH", f"/api/v5/tenants/{key}/", rules)
    ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/tenant/team-a")
    assert ran.code == 0, ran
    assert touched(tmp_path) == ["+    per_site: {iad: {capacity_rules: {hard_limit: 20 TiB}}}"]
    nothing_left(vastplan, tmp_path)


@pytest.mark.slow
def test_what_comes_from_defaults_becomes_a_line_of_the_entry(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    key = hands.row("iad", "quotas", path="/q")["id"]
    hands.call("iad", "vast", "PATCH", f"/api/v5/quotas/{key}/", {"enable_alarms": False})
    ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/q")
    assert ran.code == 0, ran
    assert touched(tmp_path) == ["+    enable_alarms: false"]
    nothing_left(vastplan, tmp_path)


@pytest.mark.slow
def test_a_part_of_an_entry_and_a_list_are_found_where_they_stand(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB, "/a")
    ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/a")
    assert ran.code == 0, ran
    assert [line.count("quota: {hard_limit: 3 TiB}") for line in touched(tmp_path)] == [0, 1]
    nothing_left(vastplan, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "lines"),
    [
        ("quota: {hard_limit: 1 TiB}}", ["per_site: {iad: {quota: {hard_limit: 3 TiB}}}"]),
        (
            "quota: {hard_limit: 1 TiB}, per_site: {iad: {create_dir_mode: 755}}}",
            ["per_site: {iad: {create_dir_mode: 755, quota: {hard_limit: 3 TiB}}}"],
        ),
    ],
    ids=["no line for that site", "a line for that site"],
)
def test_a_part_of_an_entry_on_two_sites_gets_a_line_for_the_one(
    shape: str, lines: list[str], vastplan: Run, tmp_path: Path
) -> None:
    text = DOCUMENT.replace("quota: {hard_limit: 1 TiB}, sites: [iad]}", shape)
    with stage(tmp_path, text) as hands:
        assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        hands.quota(3 * TIB, "/a")
        ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/a")
        assert ran.code == 0, ran
        after = [line for line in touched(tmp_path, before=text) if line.startswith("+")]
        assert len(after) == 1 and all(line in after[0] for line in (*lines, "quota: {hard_limit: 1 TiB}")), after
        nothing_left(vastplan, tmp_path)


@pytest.mark.slow
def test_a_default_of_a_part_becomes_a_line_of_that_part(vastplan: Run, tmp_path: Path) -> None:
    text = DOCUMENT.replace(
        "  quotas: {enable_alarms: true}", "  quotas: {enable_alarms: true}\n  views: {quota: {soft_limit: 1 GiB}}"
    )
    with stage(tmp_path, text) as hands:
        assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        key = hands.row("iad", "quotas", path="/a")["id"]
        hands.call("iad", "vast", "PATCH", f"/api/v5/quotas/{key}/", {"soft_limit": 2**31})
        ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/a")
        assert ran.code == 0, ran
        (line,) = (line for line in touched(tmp_path, before=text) if line.startswith("+"))
        assert "quota: {hard_limit: 1 TiB, soft_limit: 2 GiB}" in line
        nothing_left(vastplan, tmp_path)


SYNCHRONOUS = """\
version: 1
name: hand
sites: {iad: {sim: {}}, pdx: {sim: {}}}
vip_pools:
  r: {role: REPLICATION, subnet_cidr: 24, per_site: {iad: {ip_ranges: [10.9.1.1]}, pdx: {ip_ranges: [10.9.2.1]}}}
replication_peers: {link: {between: {iad: {vip_pool: r}, pdx: {vip_pool: r}}}}
local_providers: {people: {}}
tenants:
  a:
    local_provider: people
    vip_pool: {subnet_cidr: 24, per_site: {iad: {ip_ranges: [10.8.1.1]}, pdx: {ip_ranges: [10.8.2.1]}}}
    view_policy: {flavor: S3_NATIVE}
    users: {ana: {uid: 7}}
buckets:
  sets:
    tenant: a
    active: iad
    synchronous_replication: {disconnect_after: TIME}
    size: 10 TiB
    owner: ana
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "after"),
    [("30s", "45s"), ("30", "45"), ("'30s'", "'45s'"), ("30s  # as agreed\n     ", "45s  # as agreed\n     ")],
)
def test_what_an_entry_calls_otherwise_is_written_where_it_stands(
    typed: str, after: str, vastplan: Run, tmp_path: Path
) -> None:
    text = SYNCHRONOUS.replace("TIME", typed)
    with stage(tmp_path, text) as hands:
        assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        key = hands.row("iad", "protectedpaths", name="sets")["id"]
        hands.call("iad", "vast", "PATCH", f"/api/v5/protectedpaths/{key}/", {"sync_disconnect_time": 45})
        ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/protected_path/sets")
        assert ran.code == 0 and "iad/protected_path/sets sync_disconnect_time is now 45s" in ran.out, ran
        assert (tmp_path / "hand.yaml").read_text() == SYNCHRONOUS.replace("TIME", after)
        nothing_left(vastplan, tmp_path)


@pytest.mark.slow
def test_what_is_as_large_and_means_something_else_is_left(vastplan: Run, tmp_path: Path) -> None:
    """The size is that of the limit on both sites: another one of one site is not said by it."""
    text = SYNCHRONOUS.replace("TIME", "30s")
    with stage(tmp_path, text) as hands:
        assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        hands.quota(11 * TIB, "/a/sets")
        ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/sets")
        assert ran.code == 1 and "cannot make the document say 11 TiB there and all else as before" in ran.err, ran
        assert (tmp_path / "hand.yaml").read_text() == text


@pytest.mark.slow
def test_what_cannot_be_accepted_leaves_the_file_and_says_what_to_do(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    hands.quota(3 * TIB)
    key = hands.row("iad", "quotas", path="/a")["id"]
    hands.call("iad", "vast", "DELETE", f"/api/v5/quotas/{key}/")
    for wanted, why in (
        ("iad/quota/a", "ledger forget"),
        ("iad/quota/none", "no object or field of that address was changed outside vastplan"),
        ("iad/quota/q.soft_limit", "that field was not changed outside vastplan"),
    ):
        ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/quota/q", "--accept", wanted)
        assert ran.code == 1 and why in ran.err, ran
        assert touched(tmp_path) == []


def test_a_file_that_is_gone_when_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(VastplanError, match="cannot be read: No such file"):
        edited_document.write_text(tmp_path / "gone.yaml", "after", "before")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_edited_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "edited.yaml"
    file.write_text("edited")
    with pytest.raises(VastplanError, match="changed while it was read"):
        edited_document.write_text(file, "after", "before")
    assert file.read_text() == "edited"


@pytest.mark.slow
def test_a_secret_is_never_accepted(tmp_path: Path, vastplan: Run) -> None:
    text = DOCUMENT + "secrets: {s: {namespace: tools, data: {password: {file: word}}, sites: [iad]}}\n"
    (tmp_path / "word").write_text("hunter2-canary")
    with stage(tmp_path, text) as hands:
        assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        hands.call(
            "iad", "kubernetes", "PATCH", "/api/v1/namespaces/tools/secrets/s", {"data": {"password": "Y2FuYXJ5LTI="}},
            **{"Content-Type": "application/merge-patch+json"},
        )  # fmt: skip
        ran = vastplan("drift", tmp_path / "hand.yaml", "--accept", "iad/secret/s")
    assert ran.code == 1 and "a secret is never written" in ran.err
    assert "canary" not in ran.err + ran.out and (tmp_path / "hand.yaml").read_text() == text


def suggested(told: str) -> list[str]:
    """What the report says to type with `--accept`."""
    return [line.partition("--accept ")[2].split()[0] for line in told.splitlines() if "--accept" in line]


@pytest.mark.slow
def test_what_is_said_to_be_accepted_can_be(vastplan: Run, tmp_path: Path) -> None:
    """The size of a volume is that of its claim too: it cannot be taken from the quota alone, and nobody is told to."""
    team = "    csi_user: {endpoint: vms.example.com, sites: [iad]}\n"
    team += "    vip_pool: {ip_ranges: [10.9.1.1 - 10.9.1.4], subnet_cidr: 24, sites: [iad]}\nnamespaces:\n  vast-csi: {sites: [iad]}\n"
    text = DOCUMENT.replace("namespaces:\n", team)
    text += "volumes:\n  home: {tenant: team-a, path: /home, size: 1 TiB, sites: [iad]}\n"
    with stage(tmp_path, text) as hands:
        with an_hour_ago():
            assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
        hands.quota(3 * TIB, "/home")
        assert suggested(vastplan("drift", tmp_path / "hand.yaml").out) == []
        hands.quota(3 * TIB, "/a")  # of a view, which says its limit itself
        assert suggested(vastplan("drift", tmp_path / "hand.yaml").out) == ["iad/quota/a.hard_limit"]
        hands.quota(3 * TIB)
        (wanted,) = suggested(vastplan("drift", tmp_path / "hand.yaml").out)
        assert vastplan("drift", tmp_path / "hand.yaml", "--accept", wanted).code == 0


def test_a_secret_is_not_said_to_be_acceptable() -> None:
    secret = DriftedField("data.password", None, None, Cause.SYSTEM, "", sensitive=True)
    drifted = replace(read_drift("empty"), drift=(DriftedObject("iad/secret/s", "changed", (secret,)),))
    planned = cast(Planned, SimpleNamespace(entries=()))
    assert accept.first_acceptable([], None, planned, drifted) == ""


@pytest.mark.slow
def test_a_lost_ledger_is_found_at_night(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    (tmp_path / ".vastplan" / "ledger").rename(tmp_path / "lost")
    ran = vastplan("drift", tmp_path / "hand.yaml")
    assert ran.code == 2 and "the ledger is empty" in ran.out and "not applied yet" not in ran.out, ran
