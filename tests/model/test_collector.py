"""The collector is back as it was, whatever happened in between."""

from __future__ import annotations

import gc

import pytest

from vastplan.model import gc_pause


def test_it_is_paused_inside_and_back_after_an_error() -> None:
    states = []

    @gc_pause.paused()
    def reads() -> None:
        with gc_pause.paused():
            pass
        states.append(gc.isenabled())
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        reads()
    assert (states, gc.isenabled()) == ([False], True)
