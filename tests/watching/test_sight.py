"""What a watcher knows, and for how long."""

from __future__ import annotations

import pytest

from vastplan.operations.failover.sight import Others, Sighting, Silence

LASTS = 120.0


def looks(*moments: tuple[float, bool]) -> Silence:
    silence = Silence()
    for moment, answered in moments:
        silence = silence.after("iad", moment, answered=answered, lasts=LASTS)
    return silence


@pytest.mark.parametrize(
    ("moments", "seconds"),
    [
        ([(30, False)], 0.0),
        ([(30, False), (60, False), (150, False)], 120.0),
        ([(30, False), (60, True), (90, False), (120, False)], 30.0),
        (
            [(30, False), (60, False), (700, False), (730, False)],
            30.0,
        ),  # it stood still, and iad may have answered others
    ],
)
def test_silence_is_counted_from_look_to_look(moments: list[tuple[float, bool]], seconds: float) -> None:
    now = moments[-1][0]
    assert looks(*moments).seconds(now, LASTS) == {"iad": seconds}
    assert looks(*moments).seconds(now + LASTS + 1, LASTS) == {}


def hears(*records: tuple[float, str, float]) -> Others:
    others = Others()
    for moment, beat, silent in records:
        others = others.after({"hq": Sighting("hq", beat, {"iad": silent})}, moment)
    return others


def test_a_record_counts_once_it_is_known_how_old_it_is() -> None:
    """The first one may be of any age; the second one was composed by a process that may have stood still before it wrote it."""
    assert hears((30, "a", 600)).agreeing("iad", 120, 30, LASTS) == ()
    assert hears((30, "a", 600), (60, "b", 600)).agreeing("iad", 120, 60, LASTS) == ()
    three = hears((30, "a", 600), (60, "b", 600), (90, "c", 600))
    assert three.agreeing("iad", 120, 90, LASTS) == ("hq",)
    assert three.agreeing("iad", 601, 90, LASTS) == () and three.agreeing("pdx", 120, 90, LASTS) == ()
    assert three.agreeing("iad", 120, 30 + LASTS + 1, LASTS) == ()


def test_a_record_that_does_not_change_becomes_old() -> None:
    same = hears(
        (30, "a", 600), (60, "b", 600), (90, "c", 600), *((moment, "c", 600.0) for moment in range(120, 240, 30))
    )
    assert same.agreeing("iad", 120, 210, LASTS) == ()
