"""What an entry names by text only: it has to be there before, and it does not go while the entry stays."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.library import Bench, action, entry, ref
from vastplan.model.finding import Severity


def test_what_is_named_and_not_there_is_told_and_what_is_named_stays() -> None:
    bench = Bench()
    shelf = entry("shelf", "s")
    reader = replace(entry("shelf", "r"), named=(("label", ref("shelf", "s", managed=False)),))
    (finding,) = bench.plan(reader).findings
    text = "label names shelf s, and iad does not list it: the system may refuse this"
    assert (finding.code, finding.severity, finding.message) == ("VP304", Severity.WARNING, text)
    bench.done(shelf)
    assert bench.plan(shelf, reader).findings == ()
    bench.done(shelf, reader)
    (block,) = action(bench.plan(reader), "shelf", "s").blocked
    assert (block.guard, block.message) == ("in-use", "iad/shelf/r refers to it as existing")
