"""A new shape is one file: a throw-away shape goes through everything that walks field tables."""

from __future__ import annotations

from typing import Annotated, Any

from tests.throwaway.comma_separated import COMMA_SEPARATED
from vastplan.document.document_form import document_form
from vastplan.engine.live.body import create_body, update_body
from vastplan.engine.live.diff import diff
from vastplan.schema.codec import Encoder, decode_row
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY, Wire
from vastplan.schema.types import MISSING, Name, Spec
from vastplan.schema.walk import canonical_values, leaves, redacted, wire


class _Zone(Spec):
    """A part with the shape in it."""

    domains: Annotated[list[str] | MISSING, COMMA_SEPARATED, Wire("domainList")] = MISSING


class _Server(Spec):
    name: Annotated[Name, IDENTITY]
    aliases: Annotated[list[str] | None | MISSING, COMMA_SEPARATED] = MISSING
    zone: _Zone | MISSING = MISSING


SERVER = Kind(_Server, name="server", system="vast", endpoint=Endpoint("/servers/"))
ROW = {"id": 1, "name": "s", "aliases": "b,a", "zone": {"domainList": "y,x", "serial": 4}}


def encoder() -> Encoder:
    return Encoder("iad", lambda ref, attribute: None, lambda secret: "")


def desired(**values: Any) -> dict[str, Any]:
    return canonical_values(SERVER.fields, {"name": "s", **values})


def test_it_is_read_and_compared() -> None:
    live = decode_row(SERVER, ROW)
    assert live == {"name": "s", "aliases": ["a", "b"], "zone": {"domains": ["x", "y"]}}
    assert diff(SERVER, desired(aliases=["b", "a", "b"], zone={"domains": ["y", "x"]}), live, None, "00").changes == ()
    changed = diff(SERVER, desired(aliases=["c"], zone={"domains": ["x"]}), live, None, "00")
    assert changed.paths == {("aliases",), ("zone", "domains")}
    assert decode_row(SERVER, {**ROW, "aliases": 7})["aliases"] == 7  # not in its form: shown as it is


def test_it_is_written() -> None:
    assert create_body(SERVER, desired(aliases=["b", "a"]), encoder()) == {"name": "s", "aliases": "a,b"}
    values = desired(aliases=["c", "b"], zone={"domains": ["z"]})
    body = update_body(SERVER, values, {("aliases",), ("zone", "domains")}, ROW, encoder())
    assert body == {"aliases": "b,c", "zone": {"domainList": "z"}}


def test_it_is_typed() -> None:
    values = desired(aliases=["b", "a"], zone={"domains": ["y", "x"]})
    assert document_form(SERVER.fields, values, key="s") == {"aliases": ["a", "b"], "zone": {"domains": ["x", "y"]}}


def test_it_is_walked() -> None:
    values = desired(zone={"domains": ["x"]})
    assert [leaf.path for leaf in leaves(SERVER.fields, values)] == [("name",), ("zone", "domains")]
    assert wire(SERVER.fields, ("zone", "domains")) == ("zone", "domainList")
    assert redacted(SERVER.fields, values, frozenset()) == (values, [])
    assert SERVER.field("aliases").nullable and SERVER.field("aliases").shape.name == "comma-separated"
