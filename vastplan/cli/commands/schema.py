"""`vastplan schema`."""

from __future__ import annotations

from vastplan.app.schemas import json_schema as schema_of
from vastplan.cli.requests.schema import SchemaRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors


def run(request: SchemaRequest, screen: Screen) -> int:
    """Print a JSON Schema."""
    screen.json(schema_of(request.which))
    return errors.OK
