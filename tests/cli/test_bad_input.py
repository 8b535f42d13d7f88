"""Bad input: one short message with what, where and what to do; exit 1; nothing changed; never a traceback."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml

import vastplan.kinds
from tests.conftest import Run
from vastplan.kinds.vast._common import collection
from vastplan.schema.discover import Registry, discover
from vastplan.schema.entries import entry_type
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

HEAD = (
    "version: 1\nname: bad\nsites: {iad: {sim: {systems: [vast]}}, pdx: {sim: {systems: [vast, runai, kubernetes]}}}\n"
)

DOCUMENTS = {
    "unknown section": ("tenats: {}\n", "4:1", "unknown key tenats (did you mean tenants?)"),
    "unknown key": ("tenants: {a: {max_view: 1}}\n", "4:15", "unknown key max_view (did you mean max_views?)"),
    "unknown reference": ("tenants: {team-a: {}}\nqos_policies: {q: {tenant: team-b}}\n", "5:20", "no tenant team-b (did you mean team-a?)"),
    "duplicate key": ("tenants: {a: {}, a: {}}\n", "4:18", "a is given twice"),
    "wrong unit": ("tenants: {a: {capacity_rules: {hard_limit: 5 Tb}}}\n", "4:32", "is not a size"),
    "value out of range": ("tenants: {a: {max_views: -4}}\n", "4:15", "max_views: is negative; write 0 or more"),
    "text for a number": ('tenants: {a: {max_views: "4"}}\n', "4:15", "max_views: is text; write a whole number, without quotes"),
    "unknown site": ("tenants: {a: {sites: [iat]}}\n", "4:15", "no site iat (did you mean iad?)"),
    "unknown site in per_site": ("tenants: {a: {per_site: {lhr: {}}}}\n", "4:26", "no site lhr"),
    "entry where its system is not": ("departments: {d: {sites: [iad], gpus: {default: 1}}}\n", "4:15", "site iad has no runai"),
    "reference to another site's entry": (
        "tenants: {a: {sites: [pdx]}}\nqos_policies: {q: {tenant: a, sites: [iad]}}\n", "5:20", "tenant a is on pdx, not on iad",
    ),
    "two entries with one identity": ("tenants: {a: {}, b: {name: a}}\n", "4:18", "is the same tenant as a"),
    "a required field": ("qos_policies: {q: {}}\n", "4:19", "tenant is missing"),
    "a list for a mapping": ("tenants: [a]\n", "4:1", "tenants is a list (write tenants: {a: {...}})"),
    "tenant given inside a tenant": ("tenants: {a: {qos_policy: {tenant: b}}}\n", "4:28", "tenant is already set: the entry is inside tenant"),
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_bad_document(name: str, tmp_path: Path, vastplan: Run) -> None:
    body, place, says = DOCUMENTS[name]
    file = tmp_path / "bad.yaml"
    file.write_text(HEAD + body)
    for command in ("validate", "plan"):
        ran = vastplan(command, file)
        assert ran.code == 1, ran
        assert f"{file}:{place}: " in ran.err, ran
        assert says in ran.err, ran
    assert not (tmp_path / ".vastplan").exists()


HEADS = {
    "no version": ("name: a\nsites: {iad: {sim: {}}}\n", "version is missing"),
    "a version of the future": ("version: 2\nname: a\nsites: {iad: {sim: {}}}\n", "version"),
    "no sites": ("version: 1\nname: a\n", "sites is missing"),
    "a site of nothing": ("version: 1\nname: a\nsites: {iad: {}}\n", "site iad has no system"),
    "plain http": ("version: 1\nname: a\nsites: {iad: {vast: {url: http://x, token: {env: X}}}}\n", "sites.iad.vast.url"),
    "a literal secret": ("version: 1\nname: a\nsites: {iad: {vast: {url: https://x, token: hunter2}}}\n", "sites.iad.vast.token"),
    "two credentials": (
        "version: 1\nname: a\nsites: {iad: {vast: {url: https://x, token: {env: X}, username: u, password: {env: Y}}}}\n", "either token, or username",
    ),
    "a command that would run": ("version: 1\nname: a\nsites: {iad: {vast: {url: https://x, token: {comand: [ls]}}}}\n", "sites.iad.vast.token"),
    "a command": (
        "version: 1\nname: a\nsites: {iad: {vast: {url: https://x, token: {command: [touch, hunter2]}}}}\n", "a command, which a document must not run",
    ),
    "a client's command": (
        "version: 1\nname: a\nsites: {iad: {runai: {url: https://x, cluster: c, client_id: v, client_secret: {command: [ls]}}}}\n",
        "a command, which a document must not run",
    ),
    "simulated and real": ("version: 1\nname: a\nsites: {iad: {sim: {}, kubernetes: {}}}\n", "a site is simulated or real"),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADS)
def test_a_bad_head(name: str, tmp_path: Path, vastplan: Run) -> None:
    text, says = HEADS[name]
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    ran = vastplan("validate", file)
    assert ran.code == 1
    assert says in ran.err, ran
    assert "hunter2" not in ran.err + ran.out


def test_all_problems_are_told_at_once(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(HEAD + "tenants: {a: {max_view: 1, max_views: x}}\nqos_polices: {}\n")
    ran = vastplan("validate", file)
    assert ran.err.count("error VP") == 3, ran


def test_a_name_given_in_two_files(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "1.yaml").write_text(HEAD + "tenants: {a: {}}\n")
    (tmp_path / "2.yaml").write_text("tenants: {a: {}, b: {}}\n")
    ran = vastplan("validate", tmp_path)
    assert ran.code == 1
    assert "2.yaml:1:11: error VP114: tenants.a is given twice (the first is at" in ran.err


def test_no_such_file(tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("plan", tmp_path / "nothing.yaml")
    assert ran.code == 1
    assert "cannot read" in ran.err


def _good(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text("version: 1\nname: good\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {max_views: 3}}\n")
    return file


def test_a_plan_file_that_was_cut_short(tmp_path: Path, vastplan: Run) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    vastplan("plan", file, "--out", saved)
    saved.write_bytes(saved.read_bytes()[:200])
    ran = vastplan("apply", saved)
    assert ran.code == 1
    assert "cut short" in ran.err


def test_a_plan_file_that_was_edited(tmp_path: Path, vastplan: Run) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    vastplan("plan", file, "--out", saved)
    saved.write_text(saved.read_text().replace('"max_views": 3', '"max_views": 4'))
    ran = vastplan("apply", saved)
    assert ran.code == 1
    assert "edited or damaged" in ran.err


def test_a_plan_file_of_a_newer_major_version(tmp_path: Path, vastplan: Run) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    vastplan("plan", file, "--out", saved)
    saved.write_text(json.dumps({**json.loads(saved.read_text()), "format_version": "2.0"}))
    ran = vastplan("apply", saved)
    assert ran.code == 1
    assert "has format 2.0" in ran.err


@pytest.mark.parametrize(
    "url", ["https://[::1", "https://\u2488\uff0fx", "https://a:b/", "https://a:99999", "https://:443"]
)
def test_an_address_that_cannot_be_taken_apart(url: str, tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    site = {"vast": {"url": url, "token": {"env": "T"}}}
    file.write_text(yaml.safe_dump({"version": 1, "name": "d", "sites": {"iad": site}}, allow_unicode=True))
    ran = vastplan("validate", file)
    assert ran.code == 1
    assert "the host or the port cannot be read" in ran.out + ran.err, ran


@pytest.mark.parametrize("gpus", [10**16, 1e300, float("9" * 308 + ".5")])
def test_gpus_that_nobody_has(gpus: float, tmp_path: Path, vastplan: Run) -> None:
    file, amount = tmp_path / "doc.yaml", f"{gpus:.1f}"
    sites = "{iad: {sim: {systems: [runai]}, capability: {gpus: {default: 1}}}}"
    file.write_text(
        f"version: 1\nname: d\nsites: {sites}\ndepartments:\n  a: {{gpus: {{default: {amount}}}}}\n  b: {{gpus: {{default: {amount}}}}}\n"
    )
    ran = vastplan("plan", file)
    assert ran.code == 1
    assert "a number of more than 20 digits" in ran.err or "a number of GPUs" in ran.err, ran


@pytest.mark.parametrize("epoch", ["abc", "1e3", "9" * 30, "9" * 5000])
def test_a_time_that_is_none(epoch: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    ran = vastplan("plan", _good(tmp_path))
    assert ran.code == 1
    assert "SOURCE_DATE_EPOCH" in ran.err and "seconds since 1970" in ran.err, ran


def test_a_plan_that_expired(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    vastplan("plan", file, "--out", saved)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    ran = vastplan("apply", saved)
    assert ran.code == 5
    assert "expired" in ran.err


def test_the_plan_of_another_document(tmp_path: Path, vastplan: Run) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    vastplan("plan", file, "--out", saved)
    file.write_text(file.read_text().replace("name: good", "name: other"))
    ran = vastplan("apply", saved)
    assert ran.code == 1
    assert "was made for the document good, and this document is other" in ran.err


def test_a_plan_is_applied_once(tmp_path: Path, vastplan: Run) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    vastplan("plan", file, "--out", saved)
    assert vastplan("apply", saved).code == 0
    ran = vastplan("apply", saved)
    assert ran.code == 5
    assert "applied already" in ran.err


@pytest.mark.parametrize(("content", "says"), [("{oh no", "it is not JSON"), ('{"version": 1}', "it is not a ledger")])
def test_a_ledger_that_is_not_one(content: str, says: str, tmp_path: Path, vastplan: Run) -> None:
    file = _good(tmp_path)
    ledger = tmp_path / ".vastplan" / "ledger"
    ledger.mkdir(parents=True)
    (ledger / "iad.json").write_text(content)
    ran = vastplan("plan", file)
    assert ran.code == 1
    assert says in ran.err


def test_a_document_with_another_name_is_another_one(tmp_path: Path, vastplan: Run) -> None:
    file = _good(tmp_path)
    assert vastplan("apply", file, "--auto-approve").code == 0
    file.write_text(file.read_text().replace("name: good", "name: other"))
    ran = vastplan("plan", file, "--adopt")
    assert "blocked (other-document): owned by document good" in ran.out, ran
    assert vastplan("apply", file, "--adopt", "--auto-approve").code == 3
    assert vastplan("ledger", "list", file).out == "the ledger is empty\n"


def test_nobody_there_to_say_yes(tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan("apply", _good(tmp_path))
    assert ran.code == 1
    assert "not approved" in ran.err
    assert not (tmp_path / ".vastplan" / "ledger" / "iad.json").exists()


def test_a_bad_address(tmp_path: Path, vastplan: Run) -> None:
    file = _good(tmp_path)
    assert "did you mean iad/tenant/a?" in vastplan("show", file, "iad/tenant").err
    assert "did you mean iad/tenant/a?" in vastplan("show", file, "iad/tenant/b").err
    assert "not in the ledger" in vastplan("ledger", "forget", file, "iad/tenant/a").err


@pytest.mark.parametrize("verb", ["forget", "unlock"])
def test_no_json_is_no_sentence_either(verb: str, tmp_path: Path, vastplan: Run) -> None:
    what = {"forget": "iad/tenant/a", "unlock": "iad"}[verb]
    ran = vastplan("ledger", verb, _good(tmp_path), what, "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)["error"] == f"vastplan ledger {verb}: no option --format (see vastplan ledger {verb} -h)"


class Relay(Spec):
    """A throw-away kind whose objects refer to one another, which no kind of ours does."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    next: Annotated[ReferenceName | MISSING, Refers("relay")] = MISSING


def _with_relays(_: object) -> Registry:
    found = discover(vastplan.kinds)
    relay = Kind(Relay, name="relay", system="vast", section="relays", endpoint=collection("dns"))
    sections = {**found.sections, "relays": entry_type(relay)}
    return replace(found, kinds={**found.kinds, "relay": relay}, sections=sections)


@pytest.mark.parametrize(
    ("relays", "place", "path"),
    [
        ("{c: {next: a}, a: {next: b}, b: {next: c}, d: {next: a}}", "4:24", ("a", "b", "c", "a")),
        ("{z: {}, y: {next: y}}", "4:17", ("y", "y")),
    ],
    ids=["three in a ring", "itself"],
)
def test_entries_that_need_one_another(
    relays: str,
    place: str,
    path: tuple[str, ...],
    tmp_path: Path,
    vastplan: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("vastplan.app.workspace.discover", _with_relays)
    file = tmp_path / "ring.yaml"
    file.write_text(f"version: 1\nname: ring\nsites: {{iad: {{sim: {{systems: [vast]}}}}}}\nrelays: {relays}\n")
    for command in (("validate",), ("plan",), ("apply", "--auto-approve")):
        ran = vastplan(*command, file)
        assert ran.code == 1, ran
        ring = " → ".join(f"iad/relay/{one}" for one in path)
        assert (
            f"{file}:{place}: error VP301: these refer to one another in a circle: {ring} (remove one of these ref"
            in ran.err
        ), ran
    assert not (tmp_path / ".vastplan").exists()


@pytest.mark.slow
def test_what_only_looks_like_a_ring(tmp_path: Path, vastplan: Run) -> None:
    """A class may name a secret in the namespace of the very project that lists it: no object needs the list."""
    file = tmp_path / "doc.yaml"
    (tmp_path / "word").write_text("secret")
    file.write_text(
        "version: 1\nname: looks\nsites: {iad: {sim: {}}}\ntenants: {t: {view_policy: {flavor: NFS}}}\n"
        "departments: {d: {gpus: {default: 8}}}\n"
        "projects: {p: {department: d, gpus: {default: 4}, storage_classes: [c]}}\n"
        "secrets: {s: {namespace: p, data: {endpoint: a.example.com, username: u, password: {file: word}}}}\n"
        "storage_classes: {c: {tenant: t, driver: file, storage_path: /k, vip_pool_fqdn: a.example.com, secret: s}}\n"
    )
    assert vastplan("apply", file, "--auto-approve").code == 0
    assert vastplan("plan", file, "--detailed-exitcode").code == 0


VOLUME = """\
version: 1
name: shrink
sites: {iad: {sim: {}}}
departments: {research: {gpus: {default: 8}}}
tenants:
  team-a:
    view_policy: {flavor: NFS}
    storage_class: {driver: file, storage_path: /k, vip_pool_fqdn: a.example.com, allow_volume_expansion: true}
    project: {department: research, gpus: {default: 4}}
    volumes: {scratch: {storage_class: team-a, size: 2 TiB}}
"""


@pytest.mark.slow
def test_a_claim_that_would_shrink(tmp_path: Path, vastplan: Run) -> None:
    file, saved = tmp_path / "doc.yaml", tmp_path / "plan.json"
    file.write_text(VOLUME)
    assert vastplan("apply", file, "--auto-approve").code == 0
    before = vastplan("show", file, "iad/persistent_volume_claim/scratch").out
    assert "size: 2 TiB" in before
    file.write_text(VOLUME.replace("2 TiB", "512 GiB"))
    says = "size cannot shrink from 2 TiB to 512 GiB"
    ran = vastplan("plan", file, "--detailed-exitcode", "--out", saved)
    assert ran.code == 3, ran
    assert "~ persistent_volume_claim scratch" in ran.out, ran
    assert f"blocked (shrink): {says}; to go on: size: 2 TiB or more, or create a new one of that size" in ran.out, ran
    (action,) = json.loads(saved.read_text())["actions"]
    assert action["address"] == "iad/persistent_volume_claim/scratch"
    for words in ((file, "--auto-approve", "--allow-delete", "*"), (saved,)):
        ran = vastplan("apply", *words)
        assert ran.code == 3, ran
        assert says in ran.out, ran
    assert "skipped  iad/persistent_volume_claim/scratch" in ran.out, ran
    file.write_text(VOLUME)
    assert vastplan("plan", file, "--detailed-exitcode").code == 0, "something was changed"
    assert vastplan("show", file, "iad/persistent_volume_claim/scratch").out == before


def test_a_saved_plan_with_errors_is_not_carried_out(
    tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, saved = tmp_path / "doc.yaml", tmp_path / "plan.json"
    head = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {"systems": ["kubernetes"]}}}}
    secret = {"namespace": "n", "data": {"password": {"env": "WORD_OF_A_TEST"}}}
    file.write_text(yaml.safe_dump({**head, "namespaces": {"n": {}}, "secrets": {"s": secret}}))
    monkeypatch.setenv("WORD_OF_A_TEST", "canary")
    assert vastplan("apply", file, "--auto-approve").code == 0
    file.write_text(yaml.safe_dump({**head, "namespaces": {"n": {"labels": {"a": "b"}}}, "secrets": {"s": secret}}))
    monkeypatch.delenv("WORD_OF_A_TEST")
    assert vastplan("plan", file, "--out", saved).code == 1
    ran = vastplan("apply", saved)
    assert ran.code == 1, ran
    assert "iad/secret/s: the environment variable WORD_OF_A_TEST is not set" in ran.err, ran
    monkeypatch.setenv("WORD_OF_A_TEST", "canary")
    assert "1 to update" in vastplan("plan", file).out, "a part of it was carried out"


def test_a_plan_that_cannot_be_written_is_said(tmp_path: Path, vastplan: Run) -> None:
    file, saved = _good(tmp_path), tmp_path / "plan.json"
    (saved / "inside").mkdir(parents=True)
    ran = vastplan("plan", file, "--out", saved)
    assert ran.code == 1 and f"the plan {saved} cannot be written: Is a directory" in ran.err, ran


def test_a_document_whose_path_has_a_comma(tmp_path: Path, vastplan: Run) -> None:
    folder, more = tmp_path / "north, south", tmp_path / "more, of it.yaml"
    folder.mkdir()
    (folder / "site.yaml").write_text("version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}}}\n")
    more.write_text("tenants: {a: {}}\n")
    saved = tmp_path / "plan.json"
    assert vastplan("plan", folder, more, "--out", saved).code == 0
    ran = vastplan("apply", saved)
    assert ran.code == 0, ran
    assert json.loads(saved.read_text())["sources"] == [str(folder), str(more)]


BUCKETS: dict[str, Any] = {
    "local_provider": "a",
    "view_policy": {"flavor": "S3_NATIVE"},
    "users": {"ann": {"uid": 1}},
    "groups": {"team": {"gid": 2}},
}


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (
            {"buckets": {"x": {"size": "1 B", "owner": {"exising": "ann"}}}},
            ["error VP206: owner: unknown key exising (did you mean existing?)"],
        ),
        ({"buckets": {"x": {"siz": 1, "owner": "ann"}}}, ["error VP206: unknown key siz (did you mean size?)"]),
        (
            {"buckets": {"x": {"bukket": 1, "owner": "ann"}}},
            ["error VP206: unknown key bukket (did you mean bucket?)", "error VP211: bucket x: size is missing (write size: SIZE, such as 500 GiB)"],
        ),
        (
            {"buckets": {"x": {"size": "1 B", "owner": "ann", "deliver": {"secret": "Not One"}}}},
            [
                "error VP212: deliver.secret: 'Not One' is not NAMESPACE/NAME of a Secret: lowercase letters and digits, with - between "
                "them, and in the name also ."
            ],
        ),
        (
            {"buckets": {"x": {"size": "1 B", "owner": "ann", "mount": "x/"}}},
            [
                "error VP212: mount: 'x/' is not a path: it starts with /, does not end with /, and has no //, ., .. or control characters"
            ],
        ),
        (
            {"bucket": {"x": {"size": "1 B", "owner": "ann"}, "y": {"size": "1 B", "owner": "ann"}}},
            ["error VP206: bucket is one bucket, named a like its tenant; x, y are not keys of it (did you mean buckets?)"],
        ),
        ({"bucket": {"x": {}}}, ["error VP206: bucket is one bucket, named a like its tenant; x are not keys of it (did you mean buckets?)"]),
        (
            {"bucket": {"per_site": {}}},
            [
                "error VP211: bucket a: owner is missing (write owner: NAME)",
                "error VP211: bucket a: size is missing (write size: SIZE, such as 500 GiB)",
            ],
        ),
        (
            {"buckets": {name: {"size": "1 B", "owner": "ann", "bucket": "same", "read": ["team"]} for name in ("x", "y")}},
            ["error VP230: iad/view/y: iad/bucket/y and iad/bucket/x are the same view (path /a/same, tenant a) (remove one of them, or give it another path)"],
        ),
        (
            {"buckets": {name: {"size": "1 B", "owner": "ann", "bucket": "same"} for name in ("x", "y", "z")}},
            [
                "error VP230: iad/view/y: iad/bucket/y and iad/bucket/x are the same view (path /a/same, tenant a) (remove one of them, or give it another path)",
                "error VP230: iad/view/z: iad/bucket/z and iad/bucket/x are the same view (path /a/same, tenant a) (remove one of them, or give it another path)",
            ],
        ),
        (
            {"users": {"ann": {"uid": 1}, "bob": {"uid": 1}, "eve": {"uid": 2}}},
            ["error VP230: iad/user/bob: uid 1, local_provider a is also that of iad/user/ann, and only one user can have it (write another uid for one of them)"],
        ),
        (
            {"groups": {"team": {"gid": 7}, "crew": {"gid": 7}}},
            ["error VP230: iad/group/team: gid 7, local_provider a is also that of iad/group/crew, and only one group can have it (write another gid for one of them)"],
        ),
    ],
)  # fmt: skip
def test_one_mistake_is_told_once_and_in_words(
    says: dict[str, Any], told: list[str], tmp_path: Path, vastplan: Run
) -> None:
    path = tmp_path / "doc.yaml"
    whole = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {}}}, "local_providers": {"a": {}}}
    path.write_text(yaml.safe_dump({**whole, "tenants": {"a": {**BUCKETS, **says}}}))
    ran = vastplan("validate", path)
    assert ran.code == 1 and sorted(line.split(": ", 1)[1] for line in ran.err.splitlines()) == told, ran


def test_a_path_with_two_dots_is_proposed_as_the_path_that_it_leads_to(tmp_path: Path, vastplan: Run) -> None:
    head = "version: 1\nname: doc\nsites: {lab: {sim: {}}}\n"
    for written, proposed in (
        ("/a/../b", "; write /b"),
        ("/a/./b/", "; write /a/b"),
        ("a//b", "; write /a/b"),
        ("../b", ""),
    ):
        (tmp_path / "doc.yaml").write_text(head + f"tenants: {{a: {{quotas: {{q: {{path: {written}}}}}}}}}\n")
        ran = vastplan("validate", tmp_path / "doc.yaml")
        assert ran.err.strip().endswith(f"has no //, . or ..{proposed}"), ran


def test_a_document_without_objects_has_its_sites(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "doc.yaml").write_text("version: 1\nname: doc\nsites: {lab: {sim: {}}}\n")
    assert "0 objects of 0 kinds on 1 site." in vastplan("validate", tmp_path / "doc.yaml").out
