"""What is said of objects that two documents own: all of the finding, in the order of their addresses."""

from __future__ import annotations

from tests.guards.stage import planned
from vastplan.model.finding import Finding, Severity


def test_two_owners_are_told_by_address_and_who_wrote_since_by_document() -> None:
    rows = [{"id": 1, "name": "u"}, {"id": 2, "name": "t"}, {"id": 3, "name": "v", "wrote": "fourth"}]
    named = {f"tenant/{row['name']}": row["id"] for row in rows}
    claims = [
        {"kind": "tenant", "id": str(one), "document": document, "address": f"pdx/tenant/{document}"}
        for one, document in ((1, "other"), (2, "third"))
    ]
    plan, _ = planned(
        {
            "rows": {"tenant": rows},
            "owned": named,
            "desired": {name: {"name": name.partition("/")[2]} for name in named},
            "claims": {"claims": claims},
        }
    )
    once = "keep it in one document; remove it from the other and release it there (vastplan ledger forget)"
    apart = (
        "keep each in one document: remove it from the other and release it there (vastplan ledger forget), then "
        "remove its mark (docs/ledger.md, Several documents)"
    )
    text = "also owned by document %s, as pdx/tenant/%s"
    assert plan.findings == (
        Finding("VP311", Severity.WARNING, text % ("third", "third"), once, "iad/tenant/t"),
        Finding("VP311", Severity.WARNING, text % ("other", "other"), once, "iad/tenant/u"),
        Finding(
            "VP311",
            Severity.NOTE,
            "document fourth has written these since they were last applied here: iad/tenant/v",
            apart,
        ),
    )
