"""How long a client waits, how often it retries, and how large an answer it accepts."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """In seconds, except `retries` (times) and `head`, `size`, `held`, `apart` and `refusal` (bytes).

    A wait that a system asks for with Retry-After is cut to `longest`. `held` limits the memory of an answer's values: many small
    values take far more than their text. A system's answers larger than `apart` are read one at a time, so that several at once
    do not take many times the memory. `refusal` limits the size of an answer that is a refusal.
    """

    connect: float = 10.0
    silence: float = 60.0  # without a byte received
    whole: float = 300.0  # for one call: connecting, sending, every part of the answer, and all retries
    retries: int = 3
    backoff: float = 0.2
    longest: float = 60.0  # between two tries
    head: int = 64 * 1024  # status and headers of an answer, including those of a proxy and of "100 Continue" before it
    size: int = 64 * 1024 * 1024
    held: int = 160 * 1024 * 1024
    apart: int = 4 * 1024 * 1024
    refusal: int = 1024 * 1024


DEFAULT_LIMITS = TransportLimits()
