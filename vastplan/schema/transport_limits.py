"""How long a client waits, how often it asks again, and how much it takes in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """Seconds but for `retries` (times) and `size` (bytes). What a system asks for with Retry-After is cut to `longest`."""

    connect: float = 10.0
    silence: float = 60.0  # without a byte
    whole: float = 300.0  # for one answer, however steadily it comes
    retries: int = 3
    backoff: float = 0.2
    longest: float = 60.0  # between two tries
    size: int = 64 * 1024 * 1024


DEFAULT_LIMITS = TransportLimits()
