"""How Terraform lets go of what was taken: which text for what, that it can be pasted, and what else is told."""

from __future__ import annotations

import shlex
from collections.abc import Collection

import pytest

from tests.importing.terraform_states import CANARY, HOSTILE_KEYS, instance, live, observed, resource, tfstate
from vastplan.importing.terraform.address import LONGEST
from vastplan.importing.terraform.handover import handover
from vastplan.importing.terraform.match import Matched, matched
from vastplan.importing.terraform.state import parse_state
from vastplan.model.escaping import inert
from vastplan.model.handover import (
    ByHand,
    Counted,
    Handover,
    LetGo,
    NotFound,
    OtherType,
    Standing,
    StateHandover,
    Staying,
    Unsettled,
)
from vastplan.report.handover import handover_text

APPLY = "vastplan apply env/ --adopt"


def _view(id: int, key: int | str | None = None, depends: Collection[str] = (), **more: object) -> dict[str, object]:
    return instance(key, depends, id=id, path=f"/{id}", tenant_id=1) | more


def _matches(state: bytes, gone: Collection[int] = ()) -> tuple[Matched, ...]:
    there = [live("view", str(id_), path=f"/{id_}", tenant=1) for id_ in range(10) if id_ not in gone]
    return matched(parse_state(state), observed(*there), "iad")


def _handover(state: bytes, taken: Collection[int], gone: Collection[int] = ()) -> Handover:
    return handover(_matches(state, gone), {("iad", "view", str(id_)) for id_ in taken})


def lines(told: Handover, apply: str) -> list[str]:
    """What a report prints of one state, after the line that counts."""
    return handover_text([StateHandover("iad.tfstate", ("iad",), 3, 2, told)], apply)[1:]


def _state(*instances: dict[str, object], module: str = "", name: str = "x") -> bytes:
    return tfstate(resource("vastdata_view", name, *instances, module=module))


BLOCK = "removed {{\n  from = {}\n\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"
ONE, COUNTED, KEYED = (_view(1),), (_view(0, 0), _view(1, 1), _view(2, 2)), (_view(1, "a"), _view(2, "b"))


@pytest.mark.parametrize(
    ("instances", "module", "taken", "blocks", "commands"),
    [
        (ONE, "", [1], ["vastdata_view.x"], []),
        (ONE, "", [], [], []),
        (ONE, "", [2], [], []),
        (ONE, "module.a.module.b", [1], ["module.a.module.b.vastdata_view.x"], []),
        (ONE, "module.a[0]", [1], ["module.a.vastdata_view.x"], []),
        (ONE, 'module.a["k"].module.b', [1], ["module.a.module.b.vastdata_view.x"], []),
        (COUNTED, "", [0, 1, 2], ["vastdata_view.x"], []),
        (COUNTED, "", [2], [], ["'vastdata_view.x[2]'"]),
        (KEYED, "", [1, 2], ["vastdata_view.x"], []),
        (KEYED, "", [2], [], ["'vastdata_view.x[\"b\"]'"]),
        (KEYED, "module.m", [1], [], ["'module.m.vastdata_view.x[\"a\"]'"]),
    ],
)
def test_a_block_lets_go_of_a_whole_resource_and_commands_of_a_part(
    instances: tuple[dict[str, object], ...], module: str, taken: list[int], blocks: list[str], commands: list[str]
) -> None:
    told = _handover(_state(*instances, module=module), taken)
    assert told.blocks == tuple(LetGo(address, BLOCK.format(address)) for address in blocks)
    assert [each.text for each in told.commands] == [f"terraform state rm {words}" for words in commands]
    assert (told.unsettled, told.staying, told.not_found) == ((), (), ())


def test_a_module_with_keys_goes_as_a_whole_or_by_its_instances() -> None:
    modules = ['module.a["k"]', 'module.a["l"]', "module.b"]
    rows = [resource("vastdata_view", "x", _view(number), module=module) for number, module in enumerate(modules)]
    told = _handover(tfstate(*rows), [0, 1, 2])
    assert [each.address for each in told.blocks] == ["module.a.vastdata_view.x", "module.b.vastdata_view.x"]
    assert not told.commands
    told = _handover(tfstate(*rows), [0, 2])
    assert [each.address for each in told.blocks] == ["module.b.vastdata_view.x"]
    assert [each.text for each in told.commands] == ["terraform state rm 'module.a[\"k\"].vastdata_view.x'"]
    earlier = resource("vastdata_view", "x", _view(1), _view(3, deposed="0badcafe"), module=modules[1])
    told = _handover(tfstate(rows[0], earlier), [0, 1])
    assert (told.blocks, [each.address for each in told.commands]) == ((), ['module.a["k"].vastdata_view.x'])
    assert told.unsettled == (Unsettled('module.a["l"].vastdata_view.x', ByHand.DEPOSED),)


def test_an_instance_that_is_not_found_stays() -> None:
    told = _handover(_state(*KEYED), [1], gone=[2])
    assert [each.address for each in told.commands] == ['vastdata_view.x["a"]']
    why = "iad has no view with id 2"
    assert told.not_found == (NotFound('vastdata_view.x["b"]', Standing.STALE, why),)
    assert f'    vastdata_view.x["b"]: {why}' in lines(told, APPLY)
    alone = lines(_handover(_state(*ONE), [], gone=[1]), APPLY)
    assert [line for line in alone if line] == [alone[1], "    vastdata_view.x: iad has no view with id 1"]


@pytest.mark.parametrize(
    ("taken", "staying"), [([2], ()), ([1, 2], ()), ([0, 1, 2], ()), ([0], (1, 2)), ([1], (0, 2)), ([0, 1], (2,))]
)
def test_numbers_that_would_move_are_told(taken: list[int], staying: tuple[int, ...]) -> None:
    told = _handover(_state(*COUNTED), taken)
    assert told.counted == ((Counted("vastdata_view.x", staying),) if staying else ())
    text = f"    vastdata_view.x keeps {', '.join(f'[{number}]' for number in staying)}"
    assert (text in lines(told, APPLY)) == bool(staying)


def test_what_stays_and_depends_on_what_goes_is_told() -> None:
    state = tfstate(
        resource("vastdata_view", "a", _view(1)),
        resource("vastdata_view", "b", _view(2, depends=["vastdata_view.a"])),
        resource("vastdata_view", "c", _view(3, 0, ["vastdata_view.a", "vastdata_view.b", "vastdata_view.d"]), _view(4, 1)),
        resource("vastdata_view", "d", _view(5)),
        resource("vastdata_view", "e", _view(6, 0, ["vastdata_view.e"]), _view(7, 1, ["vastdata_view.e"])),
        resource("aws_instance", "f", instance(depends=["module.m.vastdata_view.g"], id=CANARY), module='module.k["x"]'),
        resource("vastdata_view", "g", _view(8), module="module.m[0]"),
        resource("vastdata_tenant", "h", instance(depends=["vastdata_view.b"], id=1), mode="data"),
    )  # fmt: skip
    told = _handover(state, [1, 2, 6, 8])
    assert told.staying == (
        Staying("vastdata_view.c", ("vastdata_view.a", "vastdata_view.b")),
        Staying("data.vastdata_tenant.h", ("vastdata_view.b",)),
        Staying("module.k.aws_instance.f", ("module.m.vastdata_view.g",)),
    )
    assert "    vastdata_view.c: vastdata_view.a, vastdata_view.b" in lines(told, APPLY)
    assert told.not_found == ()  # what no kind stands for was never looked for
    assert told.other_types == (OtherType("aws_instance", 1),)


def test_what_terraform_means_to_destroy_is_not_forgotten_with_the_rest() -> None:
    for taken in ([1], [1, 2], [2]):
        told = _handover(_state(_view(1), _view(2, deposed="0badcafe")), taken)
        assert not told.blocks and not told.commands
        assert told.unsettled == ((Unsettled("vastdata_view.x", ByHand.DEPOSED),) if 1 in taken else ())
        assert any("has to destroy" in line for line in lines(told, APPLY)) == (1 in taken)


@pytest.mark.parametrize("key", HOSTILE_KEYS)
def test_a_command_is_one_line_and_one_address(key: str) -> None:
    (command,) = _handover(_state(_view(1, key), _view(2, "stays")), [1]).commands
    *words, address = shlex.split(command.text)
    assert (words, address) == (["terraform", "state", "rm"], command.address)
    assert inert(command.text, None) == command.text and "\n" not in command.text


@pytest.mark.parametrize("name", ["vi\u0435w", "\u0430bc"])
def test_a_name_that_is_taken_for_another_is_left_to_people(name: str) -> None:
    told = _handover(_state(_view(1), name=name), [1])
    assert told == Handover(unsettled=(Unsettled(inert(f"vastdata_view.{name}"), ByHand.UNSHOWABLE),))
    assert all(line.isascii() for line in lines(told, APPLY))
    whole = _handover(_state(_view(1), name="größe"), [1])
    assert [each.address for each in whole.blocks] == ["vastdata_view.größe"]


def test_an_address_without_end_is_left_to_people() -> None:
    key = "k" * (LONGEST - len('vastdata_view.x[""]'))
    assert _handover(_state(_view(1, key), _view(2, "b")), [1]).commands
    told = _handover(_state(_view(1, key + "k"), _view(2, "b")), [1])
    assert [each.reason for each in told.unsettled] == [ByHand.UNSHOWABLE]


def test_the_lines_are_in_the_order_of_work() -> None:
    state = tfstate(
        resource("vastdata_view", "a", _view(1)),
        resource("vastdata_view", "b", _view(2, "x"), _view(3, "y", ["vastdata_view.a"])),
    )
    text = lines(_handover(state, [1, 2]), APPLY)
    assert [line.partition(" ")[0] for line in text if line[:1].isdigit()] == ["1.", "2.", "3.", "4.", "5."]
    whole = "\n".join(text)
    places = [whole.index(part) for part in (APPLY, "    removed {", "    terraform state rm", "    vastdata_view.b:")]
    assert places == sorted(places)
    assert "Delete the resource blocks in the same change" in whole
    assert not any(line != line.rstrip() for line in text)
    assert lines(_handover(state, []), APPLY) == []
