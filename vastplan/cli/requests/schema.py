"""What `vastplan schema` takes."""

from __future__ import annotations

from vastplan.cli.request import Request, choice

_SCHEMAS = (
    "desired-state", "plan", "snapshot", "ledger", "approvals", "connections", "validate", "apply", "drift", "import", "export", "show",
    "budget", "ledger-list", "ledger-log", "rights", "problems", "checks",
)  # fmt: skip


class SchemaRequest(Request):
    command = "schema"
    summary = "print a JSON Schema"
    example = "desired-state > schemas/desired-state.schema.json"
    which = choice("", _SCHEMAS, None, default=_SCHEMAS[0])
