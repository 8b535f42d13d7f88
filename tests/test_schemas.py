"""The published JSON Schemas are those of the models, and what vastplan writes and reads fits them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from vastplan.app.schemas import PRINTED, json_schema
from vastplan.sim.faults import Effect, Fault

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("desired-state", "plan", "snapshot", "ledger", "approvals", "connections", *PRINTED)
EXAMPLES = [one for one in sorted(ROOT.glob("examples/**/*.yaml")) if "ci" not in one.relative_to(ROOT).parts]


def published(name: str) -> Any:
    return json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(published(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_not_stale(name: str) -> None:
    assert published(name) == json_schema(name), "run make schemas"


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(published(name))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda one: str(one.relative_to(ROOT)))
def test_the_examples_fit(file: Path) -> None:
    tree = yaml.safe_load(file.read_text())
    which = (
        "approvals" if "approvals" in tree else "connections" if set(tree) == {"version", "sites"} else "desired-state"
    )
    problems = [f"{'.'.join(map(str, one.absolute_path))}: {one.message}" for one in validator(which).iter_errors(tree)]
    assert problems == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"tenats": {}},
        {"tenants": {"a": {"max_view": 1}}},
        {"tenants": {"a": {"max_views": "one"}}},
        {"tenants": {"a": {"vip_pool": {"vlann": 3}}}},
        {"qos_policies": {"q": {"policy_type": "BOTH"}}},
        {"sites": {"iad": {"vast": {"url": "http://plain"}}}},
    ],
    ids=json.dumps,
)
def test_mistakes_do_not_fit(wrong: Any) -> None:
    assert not validator("desired-state").is_valid(wrong)


@pytest.mark.slow
def test_what_is_written_fits(tmp_path: Path, vastplan: Run) -> None:
    shutil.copy(ROOT / "examples" / "minimal.yaml", tmp_path / "doc.yaml")
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    saved = tmp_path / "plan.json"
    assert vastplan("plan", tmp_path / "doc.yaml", "--out", saved).code == 0
    validator("plan").validate(json.loads(saved.read_text()))
    assert vastplan("apply", saved).code == 0
    ledger = tmp_path / ".vastplan" / "ledger" / "lab.json"
    validator("ledger").validate(json.loads(ledger.read_text()))


def fits(name: str, ran: Ran) -> Any:
    """What was printed, when all of it is one JSON value that fits the schema and says nothing beside it."""
    found = json.loads(ran.out)
    validator(name).validate(found)
    known = published(name)["properties"]
    assert set(found) <= set(known), f"{set(found) - set(known)} is not in the schema"
    return found


@pytest.fixture
def document(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "examples" / "minimal.yaml", tmp_path / "doc.yaml")
    shutil.copy(ROOT / "examples" / "csi-password", tmp_path)
    return tmp_path / "doc.yaml"


JSON = ("--format", "json")


@pytest.mark.slow
def test_what_commands_print_fits(document: Path, vastplan: Run) -> None:
    assert fits("validate", vastplan("validate", document, *JSON))["findings"] == []
    assert fits("ledger-list", vastplan("ledger", "list", document, *JSON))["owned"] == []
    unmade = fits("show", vastplan("show", document, "lab/tenant/team-a", *JSON))
    assert (unmade["id"], unmade["state"]) == ("", "does not exist yet")
    planned = fits("plan", vastplan("plan", document, *JSON))
    gone = fits("drift", vastplan("drift", document, *JSON))
    assert gone["drift"] == [] and gone["pending"] == len(planned["actions"])
    ended = fits("apply", vastplan("apply", document, "--auto-approve", *JSON))
    assert {one["state"] for one in ended["outcomes"]} == {"done"}
    owned = fits("ledger-list", vastplan("ledger", "list", document, *JSON))["owned"]
    assert len(owned) == len(ended["outcomes"])
    nothing = fits("apply", vastplan("apply", document, "--auto-approve", *JSON))
    assert nothing["outcomes"] == []
    assert fits("plan", vastplan("plan", document, *JSON))["actions"] == []
    made = fits("show", vastplan("show", document, "lab/storage_class/team-a", *JSON))
    assert made["id"] and made["state"] == "in sync" and not any(one["differs"] for one in made["fields"])


@pytest.mark.slow
def test_what_was_moved_by_hand_is_printed_as_it_should_be(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": {"a": {"max_views": 3}, "b": {}}})
        file = tmp_path / "lab.yaml"
        assert vastplan("apply", file, "--auto-approve").code == 0
        rows = {row["name"]: row["id"] for row in lab.rows("iad", "tenant")}
        lab.by_hand("iad", "vast", "PATCH", f"/api/v5/tenants/{rows['a']}/", {"max_views": 7})
        lab.by_hand("iad", "vast", "DELETE", f"/api/v5/tenants/{rows['b']}/")
        lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "somebody-elses"})
        ran = vastplan("drift", file, *JSON)
        assert ran.code == 2, ran
        found = fits("drift", ran)
        field = {"path": "max_views", "live": 7, "applied": 3, "cause": "system", "unit": ""}
        changed, gone = sorted(found["drift"], key=lambda one: str(one["address"]))
        assert (changed["address"], changed["what"], len(changed["fields"])) == ("iad/tenant/a", "changed", 1)
        assert field.items() <= changed["fields"][0].items() and changed["fields"][0]["units"] == {}
        assert (gone["address"], gone["what"], gone["fields"]) == ("iad/tenant/b", "gone", [])
        assert changed["since"] and gone["since"] and changed["new"] and gone["new"]
        stranger = {"site": "iad", "kind": "tenant", "name": "somebody-elses", "new": True, "opens": False, "take": ""}
        assert stranger in found["unmanaged"]
        shown = fits("show", vastplan("show", file, "iad/tenant/a", *JSON))
        assert [one for one in shown["fields"] if one["differs"]] == [
            {
                "path": "max_views",
                "desired": 3,
                "live": 7,
                "differs": True,
                "cause": "system",
                "unit": "",
                "unordered": False,
            }
        ]
        lab.write({})
        ran = vastplan("apply", file, "--auto-approve", *JSON)
        assert ran.code == 3, ran
        ended = {one["address"]: one["state"] for one in fits("apply", ran)["outcomes"]}
        assert ended == {"iad/tenant/a": "skipped", "iad/tenant/b": "done"}
        ran = vastplan("apply", file, "--auto-approve", *JSON)  # and now there is nothing that may be done
        assert ran.code == 3, ran
        assert [(one["address"], one["state"]) for one in fits("apply", ran)["outcomes"]] == [
            ("iad/tenant/a", "skipped")
        ]
        lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.STATUS, path="/tenants/", times=500, status=500))
        ran = vastplan("drift", file, *JSON)
        assert ran.code == 6, ran
        assert fits("drift", ran)["unknown"][0]["kind"] == "tenant"


def test_warnings_are_printed_as_findings(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    url = "{url: 'https://127.0.0.1:9', token: {file: nobody}, insecure_skip_verify: true}"
    file.write_text(f"version: 1\nname: doc\nsites: {{iad: {{vast: {url}}}}}\ntenants: {{a: {{}}}}\n")
    ran = vastplan("plan", file, *JSON)
    assert ran.code == 6, ran
    assert [one["code"] for one in fits("plan", ran)["findings"]] == ["VP320"]


BAD = "version: 1\nname: bad\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {max_view: 1, max_views: x}}\n"


@pytest.mark.parametrize(
    "words",
    [("validate",), ("plan",), ("apply", "--auto-approve"), ("drift",), ("ledger", "list")],
    ids=lambda words: words[0],
)
def test_problems_are_printed_with_their_places(words: tuple[str, ...], tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(BAD)
    ran = vastplan(*words, file, *JSON)
    assert ran.code == 1, ran
    found = fits("problems", ran)
    assert [(one["code"], one["severity"]) for one in found["findings"]] == [("VP206", "error"), ("VP212", "error")]
    assert found["findings"][0]["where"] == {"file": str(file), "line": 4, "column": 15}
    assert "did you mean max_views?" in found["findings"][0]["fix"]
    assert found["error"].splitlines() == ran.err.splitlines()


@pytest.mark.slow
def test_other_problems_are_printed_too(document: Path, vastplan: Run) -> None:
    saved = document.parent / "plan.json"
    assert vastplan("plan", document, "--out", saved).code == 0
    ran = vastplan("apply", document, *JSON)
    assert ran.code == 1
    assert "not approved" in fits("problems", ran)["error"]
    ran = vastplan("show", document, "lab/tenant/nobody", *JSON)
    assert ran.code == 1
    assert "has no lab/tenant/nobody" in fits("problems", ran)["error"]
    assert vastplan("apply", saved).code == 0
    ran = vastplan("apply", saved, *JSON)
    assert ran.code == 5
    assert "applied already" in fits("problems", ran)["error"]
    ran = vastplan("plan", document, "--target", "lab/tenant/nobody", *JSON)
    assert ran.code == 1
    assert [one["code"] for one in fits("plan", ran)["findings"]] == ["VP303"]
    ran = vastplan("apply", document, "--auto-approve", "--target", "lab/tenant/nobody", *JSON)
    assert ran.code == 1
    assert [one["code"] for one in fits("problems", ran)["findings"]] == ["VP303"]


@pytest.mark.parametrize(
    ("part", "field", "said"),
    [
        ("vip_pool", "enabled", "Left out, the system takes true (the vendor's schema says so)."),
        ("view_policy", "atime_frequency", "Left out, the system takes 1h (the vendor's documentation says so)."),
        ("tenant", "domain_name", "Left out, the system takes its name (as far as is known; no vendor says so)."),
        ("tenant", "trash_gid", "Left out, it is unset (as far as is known; no vendor says so)."),
        (
            "project",
            "enforce_runai_scheduler",
            "Left out, the system takes true (the vendor's schema says so since 2.22).",
        ),
        ("view", "protocols", None),
    ],
)
def test_a_field_says_what_its_system_takes_where_nobody_writes_it(part: str, field: str, said: str | None) -> None:
    properties = published("desired-state")["$defs"][f"{part}.entry"]["properties"]
    description = properties[field].get("description", "")
    assert description.endswith(said) if said else "Left out, the system" not in description


def test_what_must_be_written_tells_of_no_default() -> None:
    deserved = published("desired-state")["$defs"]["GpuQuota"]["properties"]["deserved"]
    assert "Left out" not in deserved.get("description", "")


def test_every_key_of_the_document_says_what_it_holds() -> None:
    document = json_schema("desired-state")
    site = document["$defs"]["SiteSpec"]["properties"]
    tenant = document["$defs"]["tenant.entry"]["properties"]
    within = {name: tenant[name] for name in ("volume", "volumes", "bucket", "buckets")}
    unsaid = [
        name
        for name, one in {**document["properties"], **site, **within}.items()
        if not one.get("description", "").endswith(".")
    ]
    assert unsaid == []
    assert document["properties"]["volumes"]["description"].startswith("A volume of a project: ")
    assert site["vast"]["description"].startswith("The management service (VMS) of a VAST cluster")
    assert "\n" not in site["isolation"]["description"]
    assert document["$defs"]["ChecksSpec"]["properties"]["raise"]["description"].startswith("Severity, by code")
