"""What is left alone: by a rule of the document, always; by `--keep-drift`, this time. It is listed wherever it is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.drift.stage import DOCUMENT, TIB, Hands, an_hour_ago

RULE = "drift:\n  ignore:\n    - {address: iad/quota/*, fields: [hard_limit], reason: a load test%s}\n"


def plan(vastplan: Run, folder: Path, *words: str) -> dict[str, Any]:
    ran = vastplan("plan", folder / "hand.yaml", "--format", "json", *words)
    assert ran.code == 0, ran
    found: dict[str, Any] = json.loads(ran.out)
    return found


def drift(vastplan: Run, folder: Path, *words: str | Path) -> tuple[int, dict[str, Any]]:
    ran = vastplan("drift", folder / "hand.yaml", "--format", "json", *words)
    return ran.code, json.loads(ran.out)


def write(folder: Path, text: str) -> None:
    (folder / "hand.yaml").write_text(text)


@pytest.mark.slow
def test_a_rule_of_the_document_ignores_a_field_and_says_so(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    write(tmp_path, DOCUMENT + RULE % ", until: 2999-01-01")
    code, found = drift(vastplan, tmp_path)
    assert (code, found["drift"]) == (0, [])
    (one,) = found["ignored"]
    assert (one["address"], one["path"], one["reason"]) == ("iad/quota/q", "hard_limit", "a load test")
    text = vastplan("drift", tmp_path / "hand.yaml").out
    assert "1 difference ignored" in text
    assert "iad/quota/q hard_limit is 3 TiB, was applied as 2 TiB: a load test (until 2999-01-01)" in text
    made = plan(vastplan, tmp_path)
    assert made["actions"] == [] and made["left"][0]["address"] == "iad/quota/q"


@pytest.mark.slow
def test_a_rule_yields_to_the_document_and_covers_no_other_field(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    write(tmp_path, DOCUMENT.replace("hard_limit: 2 TiB ", "hard_limit: 4 TiB ") + RULE % "")
    (action,) = plan(vastplan, tmp_path)["actions"]
    assert [one["after"] for one in action["changes"]] == [4 * TIB]
    key = hands.row("iad", "quotas", path="/q")["id"]
    hands.call("iad", "vast", "PATCH", f"/api/v5/quotas/{key}/", {"soft_limit": TIB // 2})
    write(tmp_path, DOCUMENT + RULE % "")
    code, found = drift(vastplan, tmp_path)
    assert code == 2 and [one["path"] for one in found["drift"][0]["fields"]] == ["soft_limit"]


def codes(found: dict[str, Any]) -> list[str]:
    """Of the findings that are no check's."""
    return [one["code"] for one in found["findings"] if "-" not in one["code"]]


@pytest.mark.slow
def test_a_rule_that_has_ended_or_fits_nothing_warns(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    write(tmp_path, DOCUMENT + RULE % ", until: 2020-01-31")
    code, found = drift(vastplan, tmp_path)
    assert code == 2 and found["ignored"] == [] and codes(found) == ["VP306"]
    write(tmp_path, DOCUMENT + "drift: {ignore: [{address: iad/quota/nobody, reason: an old story}]}\n")
    code, found = drift(vastplan, tmp_path)
    assert code == 2 and codes(found) == ["VP307"]


@pytest.mark.parametrize(
    ("field", "fix"),
    [
        ("hard_limt", "did you mean hard_limit?"),
        ("default_user_quota.hard_limt", "did you mean default_user_quota.hard_limit?"),
        ("hard_limit", None),
        ("hard_*", None),
        ("*", None),
        ("default_user_quota", None),
        ("default_user_quota.*", None),
        ("hart_limit*", "did you mean hard_limit?"),
    ],
)
def test_a_field_that_its_objects_cannot_have_is_an_error(
    field: str, fix: str | None, vastplan: Run, tmp_path: Path
) -> None:
    write(tmp_path, DOCUMENT + RULE.replace("hard_limit", f"'{field}'") % "")
    for command in ("validate", "plan", "drift"):
        ran = vastplan(command, tmp_path / "hand.yaml")
        text = f"error VP358: the rule to ignore drift of iad/quota/*: no quota has a field {field} ({fix})"
        assert (text in ran.out + ran.err) == (fix is not None), ran
        assert (ran.code == 1) == (fix is not None), ran


@pytest.mark.parametrize(
    "rule",
    ["{address: 'iad/*', reason: ''}", "{address: 'iad/*', reason: abc, until: 2026-02-30}", "{address: 'iad/*'}"],
)
def test_a_rule_says_why_and_until_a_day_that_exists(rule: str, vastplan: Run, tmp_path: Path) -> None:
    write(tmp_path, DOCUMENT + f"drift: {{ignore: [{rule}]}}\n")
    ran = vastplan("validate", tmp_path / "hand.yaml")
    assert ran.code == 1 and "VP21" in ran.err


@pytest.mark.slow
def test_kept_drift_is_listed_and_the_rest_of_the_object_is_applied(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    hands.quota(3 * TIB)
    assert plan(vastplan, tmp_path, "--keep-drift", "*")["actions"] == []
    assert "left as it is this time" in vastplan("plan", tmp_path / "hand.yaml", "--keep-drift", "*").out
    assert len(plan(vastplan, tmp_path, "--keep-drift=pdx/*")["actions"]) == 1
    write(tmp_path, DOCUMENT.replace("1099511627776", "1 GiB"))
    saved = tmp_path / "plan.json"
    with an_hour_ago():
        (action,) = plan(vastplan, tmp_path, "--keep-drift=iad/quota/q", "--out", str(saved))["actions"]
        ran = vastplan("apply", saved)
    assert action["left"] == ["hard_limit"] and [one["path"] for one in action["changes"]] == ["soft_limit"]
    assert ran.code == 0, ran
    row = hands.row("iad", "quotas", path="/q")
    assert (row["hard_limit"], row["soft_limit"]) == (3 * TIB, 2**30)
    code, found = drift(vastplan, tmp_path)  # the ledger still knows what was applied: it is drift, not a new document
    assert code == 2 and [(one["path"], one["cause"]) for one in found["drift"][0]["fields"]] == [
        ("hard_limit", "system")
    ]


@pytest.mark.slow
def test_what_is_gone_and_kept_is_not_made_again_nor_what_stands_on_it(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    key = hands.row("iad", "quotas", path="/q")["id"]
    hands.call("iad", "vast", "DELETE", f"/api/v5/quotas/{key}/")
    made = plan(vastplan, tmp_path, "--keep-drift", "*")
    assert made["actions"] == [] and [one["address"] for one in made["left"]] == ["iad/quota/q"]
    assert len(plan(vastplan, tmp_path)["actions"]) == 1


def test_since_shows_what_is_new_and_what_went_away(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    hands.label("other")
    _, first = drift(vastplan, tmp_path)
    file = tmp_path / "yesterday.json"
    file.write_text(json.dumps(first))
    code, found = drift(vastplan, tmp_path, "--since", file)
    assert code == 2 and [one["new"] for one in found["drift"]] == [False, False]
    code, found = drift(vastplan, tmp_path, "--since", file, "--only-new")
    assert code == 0 and found["only_new"] and len(found["drift"]) == 2
    hands.label("test")
    hands.quota(5 * TIB)  # once more: that is news
    code, found = drift(vastplan, tmp_path, "--since", file)
    assert code == 2 and found["compared_with"] == first["checked"]
    assert [(one["address"], one["new"]) for one in found["drift"]] == [("iad/quota/q", True)]
    assert found["gone"] == [{"address": "iad/namespace/tools", "path": "labels.purpose", "state": "settled"}]
    hands.label("other")
    text = vastplan("drift", tmp_path / "hand.yaml", "--since", file).out
    new, before = (
        text.index("New: changed outside vastplan (1):"),
        text.index("Found before: changed outside vastplan (1):"),
    )
    assert new < text.index("iad/quota/q") < before < text.index("iad/namespace/tools")
    text = vastplan("drift", tmp_path / "hand.yaml", "--since", file, "--only-new").out
    assert "New: changed outside vastplan (1):" in text and "iad/namespace/tools" not in text
    assert "--since FILE" in vastplan("drift", tmp_path / "hand.yaml", "--only-new").err
    hands.label("test")
    text = vastplan("drift", tmp_path / "hand.yaml", "--since", file).out
    assert "1 object changed outside vastplan since" in text and "iad/namespace/tools labels.purpose  settled" in text


@pytest.mark.slow
def test_a_system_that_is_down_is_never_gone_nor_settled(hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    hands.quota(3 * TIB)
    _, first = drift(vastplan, tmp_path)
    file = tmp_path / "yesterday.json"
    file.write_text(json.dumps(first))
    hands.world.sites["iad"].servers["vast"].stop()
    code, found = drift(vastplan, tmp_path, "--since", file)
    assert code == 6 and found["drift"] == [] and found["unknown"]
    assert [one["state"] for one in found["gone"]] == ["cannot be told"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not whole JSON"),
        ('{"format_version": "1.0", "error": "no"}', "not the output of"),
        ('{"format_version": "2.0", "drift": []}', "has format 2.0"),
        ('{"format_version": "1.0", "drift": 7}', "does not have the form"),
        ('{"format_version": "1.0", "drift": [], "coverage": 5}', "does not have the form"),
        ('{"format_version": "1.0", "drift": [], "coverage": ["abc"]}', "does not have the form"),
    ],
)
def test_since_takes_nothing_else(text: str, why: str, hands: Hands, vastplan: Run, tmp_path: Path) -> None:
    file = tmp_path / "yesterday.json"
    file.write_text(text)
    ran = vastplan("drift", tmp_path / "hand.yaml", "--since", file)
    assert ran.code == 1 and why in ran.err


@pytest.mark.slow
def test_what_names_a_pool_that_is_left_with_another_name_is_left_too(
    hands: Hands, vastplan: Run, tmp_path: Path
) -> None:
    (tmp_path / "u").write_text("x")
    secret = "secrets: {s: {namespace: tools, sites: [iad], data: {username: {file: u}, password: {file: u}, endpoint: {file: u}}}}\n"
    pool = "    vip_pool: {subnet_cidr: 24, ip_ranges: [10.20.3.10 - 10.20.3.25], sites: [iad]}\n"
    one = "one: {driver: file, storage_path: /one, secret: s, sites: [iad]%s}"
    two = ", two: {driver: file, storage_path: /two, secret: s, sites: [iad]}"

    def document(classes: str, end: str = "") -> None:
        classes = f"    storage_classes: {{{classes}}}\n"
        write(tmp_path, DOCUMENT.replace("    project:", f"{pool}{classes}    project:") + secret + end)

    document(one % "")
    assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
    row = hands.row("iad", "vippools", name="team-a")
    hands.call("iad", "vast", "PATCH", f"/api/v5/vippools/{row['id']}/", {"name": "x"})
    rule = "drift: {ignore: [{address: iad/vip_pool/team-a, fields: [name], reason: they call it x}]}\n"
    document(one % ", allow_volume_expansion: true" + two, rule)
    made = plan(vastplan, tmp_path)
    left = {one["address"]: (one["changes"][0]["path"], one["reason"]) for one in made["left"]}
    assert left == {
        "iad/vip_pool/team-a": ("name", "they call it x"),
        "iad/storage_class/one": ("vip_pool", "what it refers to keeps its live name"),
    }
    verbs = {one["address"]: one["verb"] for one in made["actions"] if "storage_class" in one["address"]}
    assert verbs == {"iad/storage_class/one": "update", "iad/storage_class/two": "create"}
    assert vastplan("apply", tmp_path / "hand.yaml", "--auto-approve").code == 0
    classes = hands.call("iad", "kubernetes", "GET", "/apis/storage.k8s.io/v1/storageclasses")["items"]
    assert {row["metadata"]["name"]: row["parameters"]["vip_pool_name"] for row in classes} == {
        "one": "team-a", "two": "x",
    }  # fmt: skip
    assert plan(vastplan, tmp_path)["actions"] == [], "what names it by the name that it has is not made again"
    document(one % ", allow_volume_expansion: true" + two)
    ran = vastplan("plan", tmp_path / "hand.yaml", "--format", "json")
    found = {one["address"]: one["verb"] for one in json.loads(ran.out)["actions"]}
    assert found == {"iad/vip_pool/team-a": "update", "iad/storage_class/two": "replace"}, "its name would be another"
