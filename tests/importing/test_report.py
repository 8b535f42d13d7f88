"""What an import tells: text, Markdown and JSON of one result, and of names that want to be more than names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import Run
from tests.report.test_hostile import check_inert
from vastplan.app.reports import of_import
from vastplan.app.schemas import json_schema
from vastplan.document.waivers import ChecksSpec
from vastplan.importing.model import LeftReason
from vastplan.model.finding import Finding, Severity, Where
from vastplan.model.import_result import (
    Import,
    ImportCoverage,
    ImportedValues,
    LeftObject,
    TakenEntry,
    UncountedCollection,
    UnreadCollection,
    WrittenFile,
)
from vastplan.report.import_result import MEANINGS, import_text, waiver
from vastplan.report.markdown_page import LIMIT

PLAIN = Import(
    document="factory",
    tried=False,
    files=(WrittenFile("site/tenant-nlp.yaml", 2, 14),),
    taken=(
        TakenEntry("tenants.nlp", "site/tenant-nlp.yaml", 3, ("iad/tenant/nlp", "pdx/tenant/nlp")),
        TakenEntry("nlp.views.home", "site/tenant-nlp.yaml", 12, ("iad/quota/home", "iad/view/home")),
    ),
    left=(
        LeftObject("iad", "tenant", "1", "default", "SYSTEM", "it ships with the product", counts=False),
        LeftObject("iad", "secret", "", "mgmt", "UNASKED", "a secret is taken on request", "--take '*/secret/a/mgmt'"),
        LeftObject("pdx", "secret", "", "mgmt", "UNASKED", "a secret is taken on request", "--take '*/secret/a/mgmt'"),
        LeftObject("iad", "view", "7", "x", "VALUE", "RDMA9 is none of NFS, SMB", field="protocols", counts=False),
        LeftObject("iad", "view", "8", "scratch", "UNSELECTED", "--tenant leaves it out"),
        LeftObject("iad", "view", "9", "old", "MANAGED", "the document has it", counts=False),
    ),
    coverage=(ImportCoverage("secret", 0, 0, 2), ImportCoverage("view", 1, 1, 1)),
    adopts=4,
    creates=("iad/admission_policy/vastplan-nlp",),
    unread=(UnreadCollection("pdx", "quota", "https://pdx answered 503"),),
    findings=(
        Finding("TEN-01", Severity.ERROR, "its ranges overlap", address="iad/tenant/nlp", where=Where("a.yaml", 3, 1)),
    ),
    next="vastplan apply site --adopt",
    values=ImportedValues(40, 12, 7, 1, 1),
    beyond=(
        UncountedCollection("iad", "vast", "users", 12),
        UncountedCollection("iad", "vast", "groups", 0),
        UncountedCollection("iad", "vast", "roles", error="GET /roles/ answered 403"),
    ),
    notes=("--except */view/none matches nothing here.",),
)
TEXT = """\
error TEN-01: iad/tenant/nlp: its ranges overlap
These errors exist in the live systems and block every apply: correct them, or accept them with a reason and a last day:
  checks:
    waive:
      - {code: TEN-01, address: iad/tenant/nlp, reason: "", until: ""}
wrote site/tenant-nlp.yaml: 2 entries in 14 lines
Imported 4 objects as 2 entries; the plan adopts them and changes no field of them.
Values: 40 in the document, 12 left to defaults of the systems, 7 left to defaults that no vendor's document confirms \
(--full writes them), 1 withheld, 1 that no entry can express.
An apply creates 1 object, which isolation needs:
  + iad/admission_policy/vastplan-nlp
Left, SYSTEM (ships with the product): 1 tenant
Left, UNASKED (imported only on request): 2 secrets
  secret mgmt (iad, pdx): a secret is taken on request; --take '*/secret/a/mgmt'
Left, UNSELECTED (excluded by an option of this run): 1 view
Fields left out: 1 view
  view x, its protocols (iad): RDMA9 is none of NFS, SMB
  ? pdx quota: https://pdx answered 503
1 collection could not be read: import again when they can.
No kind here, so never read:
  iad vast: users 12 (not counted: roles)
Of what could be read, the document has 40 % of what could be managed.
--except */view/none matches nothing here.
Next: vastplan apply site --adopt"""


def test_the_text_says_first_what_holds_up_an_apply_and_last_what_to_type() -> None:
    assert import_text(PLAIN) == TEXT


def test_a_trial_would_write_and_nothing_new_is_said() -> None:
    assert "would write site/tenant-nlp.yaml" in import_text(replace(PLAIN, tried=True))
    nothing = import_text(replace(PLAIN, files=(), taken=(), findings=(), creates=(), next=""))
    assert nothing.startswith("Nothing new: no file was written.\n") and "Values" not in nothing


def test_collections_that_nobody_counted_are_named_once() -> None:
    beyond = tuple(
        UncountedCollection(site, "vast", f"kind{number}") for site in ("iad", "pdx") for number in range(10)
    )
    text = import_text(replace(PLAIN, beyond=beyond))
    assert "never read (--census counts):\n  vast: kind0, kind1, kind2" in text and text.count("kind1,") == 1
    assert "kind7 and 2 more" in text


def test_a_waiver_is_one_that_a_person_has_to_complete() -> None:
    finding = replace(PLAIN.findings[0], address="iad/view/a: {b} #1")
    said: Any = yaml.safe_load(waiver(finding))
    assert said == {"code": "TEN-01", "address": finding.address, "reason": "", "until": ""}
    with pytest.raises(ValueError, match="reason"):
        ChecksSpec.model_validate({"waive": [said]})
    ChecksSpec.model_validate({"waive": [{**said, "reason": "known", "until": "2999-01-01"}]})


def test_every_reason_has_its_words() -> None:
    assert set(MEANINGS) == {reason.value for reason in LeftReason}


def test_the_json_is_by_the_published_schema() -> None:
    data = json.loads(of_import(PLAIN)[".json"]())
    jsonschema.Draft202012Validator(json_schema("import")).validate(data)
    assert data["values"] == {"written": 40, "defaults": 12, "unconfirmed": 7, "withheld": 1, "unsaid": 1}
    assert data["format_version"] == "1.0"


def test_the_comment_says_the_same_under_a_marker_of_its_own() -> None:
    text = of_import(PLAIN)[".md"]()
    assert text.startswith("<!-- vastplan:import:factory -->\n### Import: `factory`\n")
    for said in (
        "#### Blocks every apply (1)",
        '`{code: TEN-01, address: iad/tenant/nlp, reason: "", until: ""}`',
        "`site/tenant-nlp.yaml:12` `nlp.views.home`: 2 objects",
        "- `iad/admission_policy/vastplan-nlp`",
        "- `secret` `mgmt` (iad, pdx): a secret is taken on request",
        "#### Fields left out (1)",
        "- `pdx/quota`: ",
        "iad vast: users 12 (not counted: roles)",
        "- `view`: 1 before, 1 new, 1 left",
        "Next: `vastplan apply site --adopt`",
    ):
        assert said in text, said
    assert "MANAGED" not in text and "40 `%`" in text
    check_inert(text)


NASTY = "<script>`|**x**[a](b)\n# <!-- vastplan:import:y -->\x1b[31m\u202e::error::"


def test_names_are_text_and_nothing_but_text() -> None:
    hostile = replace(
        PLAIN,
        document=NASTY,
        files=(WrittenFile(NASTY, 1, 1),),
        taken=(TakenEntry(NASTY, NASTY, 1, (NASTY,)),),
        left=tuple(LeftObject("iad", NASTY, NASTY, NASTY, code, NASTY, NASTY) for code in ("FORM", "SYSTEM", NASTY)),
        coverage=(ImportCoverage(NASTY, 1, 1, 1),),
        creates=(NASTY,),
        unread=(UnreadCollection(NASTY, NASTY, NASTY),),
        findings=(Finding("TEN-01", Severity.ERROR, NASTY, NASTY, NASTY),),
        beyond=(UncountedCollection(NASTY, NASTY, NASTY, 3),),
        notes=(NASTY,),
        next=NASTY,
    )
    check_inert(of_import(hostile)[".md"]())
    text = import_text(replace(hostile, next=""))
    assert "\x1b" not in text and "\u202e" not in text
    assert not any(line.startswith(("# ", "::")) for line in text.splitlines())


def test_a_comment_has_room_for_everything_or_says_what_it_left_out() -> None:
    many = tuple(LeftObject("iad", "view", str(n), f"view {n} " + "中" * 200, "FORM", "w" * 400) for n in range(2000))
    taken = tuple(TakenEntry("e" * 300, "f" * 300, 1, ()) for _ in range(2000))
    text = of_import(replace(PLAIN, left=many, taken=taken))[".md"]()
    assert len(text) <= LIMIT and "more" in text


def test_what_one_failure_hides_is_told_once() -> None:
    unread = tuple(UnreadCollection("pdx", kind, "it does not answer") for kind in ("quota", "tenant", "view"))
    text = import_text(replace(PLAIN, unread=unread))
    assert "  ? pdx quota, tenant, view: it does not answer\n3 collections could not be read" in text


@pytest.mark.slow
def test_a_system_that_does_not_answer_is_told_with_its_own_reason(tmp_path: Path, vastplan: Run) -> None:
    (tmp_path / "d.yaml").write_text(
        "version: 1\nname: d\nsites: {iad: {vast: {url: 'https://127.0.0.1:9', token: {file: token}}}}\n"
    )
    (tmp_path / "token").write_text("t")
    ran = vastplan("import", tmp_path)
    assert ran.code == 6 and "https://127.0.0.1:9" in ran.out and "snapshot" not in ran.out, ran
    assert "Nothing new: no file was written." in ran.out and "is unknown: nothing could be read" in ran.out
