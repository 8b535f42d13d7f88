"""What an entry names by text only: it has to be there before, and it does not go while the entry stays."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.library import Bench, action, entry, ref


def test_what_is_named_and_not_there_is_told_and_what_is_named_stays() -> None:
    bench = Bench()
    shelf = entry("shelf", "s")
    reader = replace(entry("shelf", "r"), named=(("label", ref("shelf", "s", managed=False)),))
    (block,) = action(bench.plan(reader), "shelf", "r").blocked
    assert (block.guard, block.message) == ("missing", "label speaks of shelf s, and iad has none")
    bench.done(shelf)
    assert action(bench.plan(shelf, reader), "shelf", "r").blocked == ()
    bench.done(shelf, reader)
    (block,) = action(bench.plan(reader), "shelf", "s").blocked
    assert (block.guard, block.message) == ("in-use", "iad/shelf/r refers to it as existing")
