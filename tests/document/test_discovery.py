"""What a document does not use is not imported; and what is imported declares what its text says."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import vastplan.kinds
from vastplan.schema.discover import INDEX, Registry, check, discover, written
from vastplan.schema.kind_facts import KindFacts, facts


def test_all_that_is_declared_is_found_and_fits_together() -> None:
    registry = discover(vastplan.kinds)
    check(registry)
    for name, kind in registry.kinds.items():
        assert kind.name == name
    for section, type_ in registry.sections.items():
        assert type_.section == section and registry.types[type_.name] is type_


def test_a_module_has_the_name_of_its_kind() -> None:
    for name, kind in discover(vastplan.kinds).kinds.items():
        module = kind.model.__module__.rpartition(".")[2]
        assert module == name or (module, name) == ("cluster", "vms"), f"{name} is in {kind.model.__module__}"


def test_the_index_is_not_stale() -> None:
    assert (Path(*vastplan.kinds.__path__) / INDEX).read_text() == written(vastplan.kinds), "run make schemas"


def test_the_facts_of_the_index_are_those_of_the_kinds() -> None:
    kinds = discover(vastplan.kinds).kinds
    assert facts(kinds) == facts(dict(kinds)) and sum(bool(known.targets) for known in facts(kinds).values()) > 20


USED = """
import sys
import vastplan.kinds
from vastplan.schema.discover import discover
registry = discover(vastplan.kinds)
assert "views" in registry.sections and "quota" in registry.kinds and len(registry.kinds) > 20
assert not any(name.startswith("vastplan.kinds.vast.") for name in sys.modules)
registry.sections["quotas"]
assert sorted(name for name in sys.modules if name.startswith("vastplan.kinds.vast.")) == [
    "vastplan.kinds.vast._common", "vastplan.kinds.vast._subjects", "vastplan.kinds.vast.quota"]
"""


def test_nothing_is_imported_before_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", USED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


KIND = """
    from typing import Annotated
    from vastplan.schema.kind import Kind
    from vastplan.schema.kind import Endpoint
    from vastplan.schema.live import Attribute
    from vastplan.schema.markers import IDENTITY, Refers
    from vastplan.schema.types import Spec


    class Model(Spec):
        name: Annotated[str, IDENTITY]
        other: Annotated[str, Refers("{target}")]


    {declaration}
"""


def package(folder: Path, name: str, *declarations: str, target: str = "lamp") -> Registry:
    """A package of modules with a declaration each."""
    home = folder / name
    home.mkdir()
    (home / "__init__.py").write_text("")
    for number, declaration in enumerate(declarations):
        text = textwrap.dedent(KIND).format(declaration=declaration, target=target)
        (home / f"module{number}.py").write_text(text)
    return discover(__import__(name))


LAMP = 'KIND = Kind(Model, name="lamp", system="vast", section="lamps", endpoint=Endpoint("/lamps/"))'


def test_an_index_of_other_modules_is_not_used(tmp_path: Path) -> None:
    assert [*package(tmp_path, "house_old", LAMP).kinds] == ["lamp"]
    home = tmp_path / "house_old"
    module = __import__("house_old")
    for text in ("{}", '{"house_old.module0": {}}'):
        (home / INDEX).write_text(text)
        discover.cache_clear()
        assert [*discover(module).kinds] == ([] if "module0" in text else ["lamp"])
    (home / INDEX).write_text(written(module))
    (home / "module1.py").write_text((home / "module0.py").read_text().replace("lamp", "bulb"))
    discover.cache_clear()
    kinds = discover(module).kinds
    assert [*kinds] == ["lamp", "bulb"] and facts(kinds)["bulb"] == KindFacts(
        "vast", frozenset({"bulb"}), frozenset({"bulb"})
    )


@pytest.fixture(autouse=True)
def _importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)


def test_contradictions_are_refused(tmp_path: Path) -> None:
    assert package(tmp_path, "house_fine", LAMP).kinds["lamp"].section == "lamps"
    with pytest.raises(TypeError, match="lamp is declared twice"):
        package(tmp_path, "house_twice", LAMP, LAMP)
    hidden = 'NAME = "lamp"\nKIND = Kind(Model, system="vast", endpoint=Endpoint("/l/"), **{"name": NAME})'
    with pytest.raises(TypeError, match="its text says"):
        package(tmp_path, "house_hidden", hidden).kinds[""]
    with pytest.raises(TypeError, match="lamp refers to bulb, which does not exist"):
        package(tmp_path, "house_reference", LAMP, target="bulb").kinds["lamp"]
    for number, of in enumerate(("", ", ('watts',)")):
        told = f"attributes=(Attribute('light', (), str{of}),))"
        with pytest.raises(TypeError, match="light is predicted from no field, or from one that it does not have"):
            package(tmp_path, f"house_dark{number}", LAMP.removesuffix(")") + ", " + told).kinds["lamp"]
    with pytest.raises(TypeError, match="kind lamp: unique names socket, which is not a field of it"):
        package(tmp_path, "house_unique", LAMP.removesuffix(")") + ", unique=(('watts', 'socket'),))").kinds["lamp"]
    with pytest.raises(TypeError, match="kind lamp: data_elsewhere names socket, which is not a field of it"):
        package(tmp_path, "house_elsewhere", LAMP.removesuffix(")") + ", data_elsewhere=('socket', True))").kinds[
            "lamp"
        ]
    with pytest.raises(KeyError, match="lamp has no attribute wattage"):
        check(package(tmp_path, "house_attribute", LAMP, target="lamp.wattage"))
