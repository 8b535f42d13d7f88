"""How long a client waits, how often it asks again, and how much it takes in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """Seconds but for `retries` (times) and `head`, `size` and `held` (bytes).

    What a system asks for with Retry-After is cut to `longest`. `held` is what an answer's values may take in memory, where
    many small ones take far more than their text does. Of answers that are larger than `apart` each system's come one after the
    other, so that many at once do not take many times the memory; `refusal` is the most of one that says no.
    """

    connect: float = 10.0
    silence: float = 60.0  # without a byte
    whole: float = 300.0  # for one call: connecting, sending, every part of the answer, and all that is sent again
    retries: int = 3
    backoff: float = 0.2
    longest: float = 60.0  # between two tries
    head: int = 64 * 1024  # of an answer: status and headers, and those of a proxy and of "100 Continue" before it
    size: int = 64 * 1024 * 1024
    held: int = 160 * 1024 * 1024
    apart: int = 4 * 1024 * 1024
    refusal: int = 1024 * 1024


DEFAULT_LIMITS = TransportLimits()
