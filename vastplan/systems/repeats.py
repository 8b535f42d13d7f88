"""Which requests are sent again, and after how long."""

from __future__ import annotations

from collections.abc import Mapping

import urllib3
from urllib3.util.retry import Retry

from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.bounds import TooMuch
from vastplan.systems.failures import Failure, causes, failure_of

_LATER = frozenset({500, 502, 503, 504})
_TURNED_AWAY = 429
_UNSENT = (Failure.UNCONNECTED, Failure.CONNECT_TIMEOUT)
_DATES = Retry()


def turned_away(status: int, harmless: bool) -> bool:
    """Whether a request with this answer may be sent again: it changes nothing, or it was rejected unread."""
    return status == _TURNED_AWAY or (harmless and status in _LATER)


def repeated_after(problem: BaseException, harmless: bool) -> bool:
    """Whether a request without an answer may be sent again: it changes nothing, or it was never sent.

    A call that exceeded a limit would do so again; a certificate does not change.
    """
    if any(isinstance(cause, TooMuch) for cause in causes(problem)):
        return False
    failure = failure_of(problem)
    return harmless if failure is Failure.UNANSWERED else failure in _UNSENT


def retry_pause(number: int, headers: Mapping[str, str] | None, limits: TransportLimits) -> float:
    """Seconds before the try after the `number`-th (from 1): what the answer asks for, within limits, or a growing pause."""
    requested = retry_after((headers or {}).get("Retry-After", ""), limits)
    if requested:
        return requested
    return 0.0 if number <= 1 else min(limits.longest, limits.backoff * 2 ** (number - 1))


def retry_after(text: str, limits: TransportLimits) -> float:
    """The value of Retry-After, seconds or an HTTP date, as seconds from now within limits; 0 if it is neither."""
    try:
        return min(_DATES.parse_retry_after(text), limits.longest)
    except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        return 0.0
