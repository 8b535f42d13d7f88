"""What systems take for what nobody says: of which site, of which version, and against which row."""

from __future__ import annotations

from typing import Annotated, Any

from tests.importing.made_up import made_up, one, seen
from vastplan.engine.live.observe import Live
from vastplan.importing.server_defaults import ServerDefaults
from vastplan.schema.live import Witness
from vastplan.schema.markers import IDENTITY, SCHEMA, WITNESS, ServerDefault
from vastplan.schema.types import MISSING, Name, Spec


class Disk(Spec):
    """One default that a row may speak against, and one that only newer systems have."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    speed: Annotated[int | MISSING, ServerDefault(7, WITNESS)] = MISSING
    size: Annotated[int | MISSING, ServerDefault(5, SCHEMA, since="5.4")] = MISSING


DISK = made_up(Disk, witness=Witness(("name",), "built-in"))
MINE: dict[str, Any] = {"name": "x", "speed": 7, "size": 5}


def known(*rows: Live, versions: dict[tuple[str, str], str] | None = None, site: str = "iad") -> dict[str, object]:
    live = one(DISK, "1", site, **MINE)
    defaults = ServerDefaults(seen((DISK,), live, *rows), versions or {})
    first = dict(defaults.known(live))
    assert dict(defaults.known(live)) == first, "asked again it is the same"
    return {".".join(path): evidence for path, evidence in first.items()}


def test_a_row_that_ships_with_the_system_speaks_against_a_default() -> None:
    assert known() == {"speed": WITNESS, "size": WITNESS}
    assert known(one(DISK, "2", name="built-in", speed=7, size=5)) == {"speed": WITNESS, "size": WITNESS}
    assert known(one(DISK, "3", name="other", speed=8, size=6)) == {"speed": WITNESS, "size": WITNESS}
    odd = one(DISK, "2", name="built-in", speed=8, size=6)
    assert known(one(DISK, "3", name="other", speed=7), odd) == {}
    assert known(one(DISK, "2", "pdx", name="built-in", speed=8)) == {"speed": WITNESS, "size": WITNESS}, (
        "of another site"
    )


def test_a_version_says_what_it_takes_itself() -> None:
    odd = one(DISK, "2", name="built-in", speed=8, size=6)
    assert known(odd, versions={("iad", "made-up"): "5.4"}) == {"size": SCHEMA}
    assert known(odd, versions={("iad", "made-up"): "5.3"}) == {}
    assert known(odd, versions={("pdx", "made-up"): "5.4", ("iad", "other"): "5.4"}) == {}


def test_each_site_has_rows_of_its_own() -> None:
    here, there = one(DISK, "1", **MINE), one(DISK, "1", "pdx", **MINE)
    odd = one(DISK, "2", name="built-in", speed=8)
    defaults = ServerDefaults(seen((DISK,), here, there, odd), {})
    assert ("speed",) not in defaults.known(here) and ("speed",) in defaults.known(there)
