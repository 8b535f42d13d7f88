"""Every page says all that its plan or its check for drift says, each action in its own row; how it is drawn is in three golden pages.

What hostile names may not do to a page is held by `test_hostile.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from tests.report.reading import DRIFT_FORMATS, DRIFTS, FORMATS, PLANS, drift, plan
from vastplan.model.drift import Drift
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Plan, Verb
from vastplan.report import view
from vastplan.report.change import settings_changed, withdrawn
from vastplan.report.commitments import commitment_cells
from vastplan.report.folding import folded
from vastplan.report.isolation import classes_by_namespace, isolation_verdict, meeting_projects, unenforced_classes
from vastplan.report.long_plan import is_large
from vastplan.report.replication import replication_rows
from vastplan.report.values import author_text, kind_words, plain_value, verb_word
from vastplan.report.ways import matrix, way_lines


class _Rows(HTMLParser):
    """The words of a page without their spaces, whole and for each row of the table of changes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words, self.rows = "", list[str]()
        self._tables, self._hidden = 0, False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in ("style", "script")
        self._tables += tag == "table"
        if tag == "tr" and self._tables == 1:
            self.rows.append("")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False
        self._tables -= tag == "table"

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        self.words += _joined(data)
        if self.rows and self._tables:
            self.rows[-1] += _joined(data)


def _joined(text: str) -> str:
    return "".join(inert(text).split())


def _of_action(action: Action) -> Iterator[str]:
    yield from (f"{action.verb.sign}{verb_word(action)}", f"{kind_words(action.address.kind)} on {action.address.site}")
    yield from (f"{action.reason}, {who}" if (who := author_text(action.author)) else action.reason,)
    for block in action.blocked:
        yield f"Blocked ({block.guard}): {block.message}." + (f" To go on: {block.fix}" if block.fix else "")
    yield from (f"Lets in: {opening}" for opening in view.unseen_openings(action))
    yield from (f"{seen.name} {plain_value(seen.value, seen.unit)}" for seen in action.evidence)
    yield from (f"No longer managed: {', '.join(action.released)}" if action.released else "",)
    yield from (f"Chosen: {'; '.join(action.notes)}" if action.notes else "",)
    for field in map(view.of_change, action.changes):
        if action.verb is Verb.CREATE:
            yield f"{field.path}{field.after}"
            continue
        cause = field.cause + (", forces replacement" if field.replaces else "")
        sides = (
            (f"{field.unchanged} unchanged" if field.unchanged else "") if field.parts else field.before + field.after
        )
        yield f"{field.path}{sides}{cause}" + (f", {field.author}" if field.author else "")
        yield from (f"{part.before}{part.after}" for part in field.parts)
    yield "" if action.dependents else "nobody else" if action.users else "nothing else in the plan"


def _of_plan(planned: Plan) -> Iterator[str]:
    summary = view.plan_view(planned)
    yield from (summary.title + ": " + summary.document, summary.verdict, f"{summary.in_sync:,} in sync")
    for finding in folded(summary.findings):
        places = "".join(str(part) for part in (finding.where, finding.address) if part)
        yield f"{finding.severity.value} {finding.code}: {places}{finding.message}"
        yield f". To go on: {finding.fix}" if finding.fix else ""
    yield from (f"{missing.site}/{missing.kind} could not be read: {missing.reason}" for missing in summary.unknown)
    yield from (str(address) for address in withdrawn(planned))
    yield from (change.path for change in settings_changed(planned))
    yield from (f"{left.address}" for left in planned.left)
    for proof in planned.isolation:
        yield f"{proof.site}: {isolation_verdict(proof)}" if proof.namespaces else ""
        yield from ("".join(row) for row in matrix(proof))
        yield from (text for _, text in way_lines(proof))
        classes = classes_by_namespace(proof)
        yield from (f"{project}{namespace}{classes(namespace)}" for project, namespace in proof.namespaces.items())
        yield from (f"class {name} is open to everybody: {state}" for name, state in unenforced_classes(proof))
        for meeting in proof.meetings:
            yield f"meet in {meeting.layer} {meeting.element}: {meeting_projects(meeting)}"
            yield from (" > ".join(chain) for chain in meeting.chains)
        yield from (f"not followed: {end.reason}: {end.address}" for end in proof.open_ends)
    yield from (f"{row.site}{''.join(commitment_cells(row))}" for row in planned.commitments)
    yield from (f"{budget.address}{budget.line}{''.join(budget.changes)}" for budget in planned.budgets)
    yield from ("".join(cells) for row in planned.replications for cells in replication_rows(row))
    yield f"Plan {planned.id[:12]}, created {planned.created}"


@pytest.mark.parametrize("name", [name for name in PLANS if name != "hostile"])
def test_a_page_says_all_that_its_plan_says(name: str) -> None:
    planned = plan(name)
    assert not is_large(planned)
    page = _Rows(FORMATS["html"](planned))
    assert [said for said in _of_plan(planned) if _joined(said) not in page.words] == []
    for action in planned.actions:
        rows = [row for row in page.rows if _joined(action.address.name) in row]
        missed = [[said for said in _of_action(action) if _joined(said) not in row] for row in rows]
        assert [] in missed, (action.address, missed)


def _of_drift(checked: Drift) -> Iterator[str]:
    summary = view.drift_view(checked)
    yield from (summary.title + ": " + summary.document, summary.verdict, f"Checked {checked.checked}.")
    yield from (f"{finding.severity.value} {finding.code}" for finding in folded(summary.findings))
    for moved in checked.reported():
        name = f"{moved.address}" + (f"last applied {moved.since}" if moved.since else "")
        if moved.what in view.AS_A_WHOLE:
            yield f"{name}all of it{moved.what}{view.AS_A_WHOLE[moved.what]}{author_text(moved.author)}"
            continue
        for field in map(view.of_drifted, moved.fields):
            cause = f"{field.cause}: {field.items.found(field.other)}" if field.items else field.cause
            yield f"{name}{field.path}{field.after}{field.applied}{cause}{field.author}"
    yield from (f"{gone.address}" for gone in checked.gone)
    yield from (f"{stranger.name}{stranger.kind}{stranger.site}" for stranger in checked.strangers())
    yield from (
        f"{row.kind}{row.site}{row.managed}{row.unmanaged}{row.percent} %" for row in checked.coverage if row.unmanaged
    )
    yield from (f"{ignored.address} {ignored.path}" for ignored in checked.ignored)
    yield from ("".join(cells) for row in checked.replications for cells in replication_rows(row))


@pytest.mark.parametrize("name", [name for name in DRIFTS if name != "hostile"])
def test_a_page_says_all_that_its_check_for_drift_says(name: str) -> None:
    page = _Rows(DRIFT_FORMATS["html"](drift(name)))
    assert [said for said in _of_drift(drift(name)) if _joined(said) not in page.words] == []
