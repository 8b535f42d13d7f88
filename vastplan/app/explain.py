"""`vastplan explain`: describes what may be written at a place of the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vastplan.app.reference import text
from vastplan.app.reference.read import document_sections
from vastplan.app.reference.structure import DocumentField, DocumentSection
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.nearest import nearest

_DEFAULTS = "defaults"
_LONGEST = 100


def explain_path(path: str, width: int, *, recursive: bool = False) -> str:
    """The section or field at a path such as `quotas.hard_limit`; all sections for ""; for a word that is no section, what has it in
    its name or description. Raises `VastplanError`, with the nearest name."""
    sections = document_sections()
    if path in ("", "."):
        return text.all_sections(sections, width)
    names = path.removesuffix(".").split(".")
    if "" in names:
        raise VastplanError(
            f"{inert(path, _LONGEST)}: a name is missing; write SECTION.FIELD, such as quotas.hard_limit"
        )
    holder = ""
    if names[0] == _DEFAULTS and len(names) > 1:  # it has, for each section, the fields of its entries
        holder, names = f"{_DEFAULTS} has ", names[1:]
    section = sections.get(names[0])
    if (
        section is None
        and len(names) == 1
        and not holder
        and (found := text.having(names[0], sections.values(), width))
    ):
        return found
    if section is None:
        problem = f"{holder}no section {inert(names[0], _LONGEST)}"
        raise _nothing(names[0], problem, sections, "vastplan explain lists the sections")
    section, names = _entered(section, names, sections)
    described: DocumentSection | DocumentField = section
    for place, name in enumerate(names[1:], 1):
        below = {field.name: field for field in described.fields}
        if name not in below:
            above = ".".join(names[:place])
            fix = f"vastplan explain {inert(above, _LONGEST)} lists what it has"
            problem = f"{inert(above, _LONGEST)} has no field {inert(name, _LONGEST)}"
            raise _nothing(name, problem, [*below, *(section.within if described is section else ())], fix)
        described = below[name]
    if isinstance(described, DocumentSection):
        return text.of_section(described, width, recursive=recursive)
    return text.of_field(section, described, width, recursive=recursive)


def _entered(
    section: DocumentSection, names: list[str], sections: Mapping[str, DocumentSection]
) -> tuple[DocumentSection, list[str]]:
    """The innermost section, and what is below it without the names of entries (`tenants.team-a.volumes.data.size`)."""
    while len(names) > 1:
        known = {field.name for field in section.fields} | section.within.keys()
        if names[1] in section.within:
            section, names = sections[section.within[names[1]]], names[1:]
        elif names[1] not in known and (names[1] == "NAME" or (len(names) > 2 and names[2] in known)):
            names = [names[0], *names[2:]]
        else:
            break
    return section, names


def _nothing(name: str, problem: str, names: Iterable[str], fix: str) -> VastplanError:
    near = nearest(name, [*names])
    return VastplanError(f"{problem}: {near or fix}")
