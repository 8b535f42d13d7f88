"""The result of an import as one comment with a marker of its own, within the limit of a code host."""

from __future__ import annotations

import re

from vastplan.model.import_result import Import, ImportCoverage, TakenEntry
from vastplan.model.wording import counted, some
from vastplan.report.handover import handover_text
from vastplan.report.import_result import (
    MEANINGS,
    LeftGroup,
    beyond_text,
    by_code,
    coverage_text,
    group_left_objects,
    is_listed,
    kind_counts,
    values_text,
    verb_counts,
    waiver,
)
from vastplan.report.markdown_escape import code_span, prose
from vastplan.report.markdown_page import LIMIT, Page, bullets, findings_list, fix, marker, section

_FOOT = 2_000  # characters kept free for the end
_SHOWN = 60
_NUMBER = re.compile(r"^(\d+)\.")


def import_comment(result: Import) -> str:
    """The whole result, as far as it fits; never longer than `LIMIT`."""
    page = Page(LIMIT - _FOOT, "`vastplan import --format json`")
    page.add(
        f"{marker(result.document, 'import')}\n### Import: {code_span(result.document, 100)}\n\n**{_verdict(result)}**\n"
    )
    page.add_lines(findings_list(result.findings, "Blocks every apply"))
    if result.findings:
        waivers = bullets(result.findings, lambda finding: code_span(waiver(finding), 500), _SHOWN)
        page.add_lines(f"\nCorrect it, or complete its line under `checks: {{waive: []}}`:\n\n{waivers}")
    for part in (
        section("Entries", result.taken, _taken, _SHOWN),
        section("An apply creates, because isolation needs it", result.creates, code_span, _SHOWN),
        f"An apply also does what was pending before: {verb_counts(result.besides)}.\n" if result.besides else "",
        *_left(result),
        section("Could not be read", result.unread, lambda unread: _unread(unread.site, unread.kind, unread.reason)),
        section("No kind here, so never read", list(beyond_text(result.beyond)), prose),
        section("Coverage", result.coverage, _coverage, _SHOWN),
        section("Notes", result.notes, prose),
        _terraform(result),
    ):
        page.add_lines(part)
    return page.text() + (f"\nNext: {code_span(result.next, 1_000)}\n" if result.next else "")


def _verdict(result: Import) -> str:
    if not result.files:
        return prose(f"Nothing new. {coverage_text(result)}")
    taken = counted(sum(len(entry.objects) for entry in result.taken), "object")
    did = "would be written" if result.tried else "written"
    lines = sum(file.lines for file in result.files)
    return prose(
        f"{taken} in {counted(lines, 'line')} {did}; the plan adopts {result.adopts} and changes no field. "
        f"{coverage_text(result)} Values: {values_text(result.values)}."
    )


def _taken(entry: TakenEntry) -> str:
    return (
        f"{code_span(f'{entry.file}:{entry.line}')} {code_span(entry.entry)}: {counted(len(entry.objects), 'object')}"
    )


def _left(result: Import) -> list[str]:
    parts = []
    for reason, group in by_code(result.left).items():
        if reason == "MANAGED":
            continue
        title = "Fields left out" if reason == "FIELD" else f"Left, {code_span(reason, 20)}: {MEANINGS.get(reason, '')}"
        listed = is_listed(reason, group)
        parts.append(
            section(title, group_left_objects(group), _listed, _SHOWN)
            if listed
            else f"\n#### {title}\n\n{prose(kind_counts(group), 2_000)}\n"
        )
    return parts


def _listed(each: LeftGroup) -> str:
    field = f", its {code_span(each.field)}" if each.field else ""
    return f"{code_span(each.kind)} {code_span(each.name)}{field} ({prose(some(each.sites))}): {prose(each.why)}{fix(each.fix)}"


def _terraform(result: Import) -> str:
    """How to remove objects from Terraform; commands are indented, as a code block that nothing inside it can end."""
    text = handover_text(result.terraform, result.next, tried=result.tried and not result.next, name=code_span)
    # An unescaped number would begin a list that takes in the code below it. Terraform reads `\u0021` in a key as `!`.
    lines = [_NUMBER.sub(r"\1\\.", line).replace("<!--", "<\\u0021--") for line in text]
    return "\n".join(["\n#### Terraform\n", *lines, ""]) if lines else ""


def _unread(site: str, kind: str, reason: str) -> str:
    return f"{code_span(f'{site}/{kind}')}: {prose(reason)}"


def _coverage(row: ImportCoverage) -> str:
    return f"{code_span(row.kind)}: {row.managed} before, {row.taken} new, {row.left} left"
