"""What must not be said: the secrets this process has used, and text without them.

A server may answer with what it was sent: the header, the body, an encoding of either, or either taken apart. Whoever takes a
secret out of its source says so here. Every text from outside loses it before it becomes part of a message, and every report,
plan and snapshot before it leaves.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from vastplan.model.disguises import Sought, bare, disguises, encodings, without

INSTEAD = "(sensitive)"
MOST = 500  # tokens remembered: far more than can be in flight at once, so that an echo always meets its original
_SHORTEST = 4  # characters; shorter ones are in every other word, so that hiding them would hide the message


class Kept:
    """What this process has used, and what its documents say."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lasting: dict[str, tuple[str, ...]] = {}  # what each value becomes
        self.passing: OrderedDict[str, tuple[str, ...]] = OrderedDict()  # the same; the last used at the end
        self.open: set[bytes] = set()  # bare
        self.sought = Sought()

    def forms(self) -> Iterator[str]:
        """All that any value becomes."""
        for forms in (*self.lasting.values(), *self.passing.values()):
            yield from forms


_kept = Kept()


def keep_secret(value: str) -> None:
    """From now on this value is left out, and what it becomes in JSON, URLs, HTML and base64: for as long as the process lives."""
    if len(value) < _SHORTEST:
        return
    with _kept.lock:
        if value not in _kept.lasting:
            _kept.lasting[value] = _forms(value)
            _kept.sought.add(disguises(value))


def keep_token(value: str) -> None:
    """The same for a token that is renewed, and whatever else there is ever more of.

    At least the `MOST` that were used last are remembered: what every text is searched for must not grow with them.
    """
    if len(value) < _SHORTEST:
        return
    with _kept.lock:
        if value in _kept.lasting:
            return
        if value in _kept.passing:
            _kept.passing.move_to_end(value)
            return
        _kept.passing[value] = _forms(value)
        _kept.sought.add(disguises(value))
        if len(_kept.passing) > 2 * MOST:  # many at once: what is looked for is made anew then
            while len(_kept.passing) > MOST:
                _kept.passing.popitem(last=False)
            _kept.sought = Sought()
            for known in (*_kept.lasting, *_kept.passing):
                _kept.sought.add(disguises(known))


def keep_credential(header: str) -> None:
    """The same for the value of an Authorization header: the scheme in front of it is no secret."""
    keep_token(header.rpartition(" ")[2])


def _forms(value: str) -> tuple[str, ...]:
    return tuple({form for text in {value, value.strip()} for form in encodings(text) if len(form) >= _SHORTEST})


def said_openly(text: str) -> None:
    """What a document says is no secret in a report: a password that is a name there would hide that name everywhere."""
    with _kept.lock:
        _kept.open.add(bare(text))


def without_secrets(text: str) -> str:
    """A message with "(sensitive)" where a secret stood, also a short one."""
    with _kept.lock:
        contained = [form for form in _kept.forms() if form in text]
    for form in sorted(contained, key=len, reverse=True):  # the longest first: a shorter one may be a part of it
        text = text.replace(form, INSTEAD)
    return guarded(text)


def guarded(text: str) -> str:
    """A text of any length with "(sensitive)" where a secret stood, or a disguise of one.

    Only secrets of eight letters and digits or more that are no words: what is shorter may be a name. One pass over a text
    without any, however many secrets there are.
    """
    for form in _found(text):
        text = without(text, form, INSTEAD, one_value=False)
    return text


def guarded_data(data: Any) -> Any:
    """The same for JSON data: for each text in it, and each key."""
    if isinstance(data, str):
        for form in _found(data):
            data = without(data, form, INSTEAD, one_value=True)
        return data
    if isinstance(data, list):
        return [guarded_data(item) for item in data]
    if isinstance(data, dict):
        return {guarded_data(key): guarded_data(value) for key, value in data.items()}
    return data


def holds_secret(text: str) -> bool:
    """Whether `guarded` would change it."""
    return bool(_found(text))


def _found(text: str) -> list[bytes]:
    """The disguises in a text, the longest first."""
    with _kept.lock:
        sought, said = _kept.sought, tuple(_kept.open)
    found = sought.found(text)
    return sorted((form for form in found if not any(form in text for text in said)), key=len, reverse=True)
