"""What `vastplan explain` takes."""

from __future__ import annotations

from vastplan.cli.request import Request, optional_positional, switch


class ExplainRequest(Request):
    command = "explain"
    summary = "show what may be written at a place of the document"
    example = "quotas.hard_limit"
    place = optional_positional(
        "PLACE",
        "a section, a field in it (tenants.capacity_rules), or a word to look for in all of them; left out, all sections",
        "",
    )
    recursive = switch("--recursive", "show all fields below it")
