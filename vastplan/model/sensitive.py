"""Registers the secrets that this process used, and removes them from text.

A server may answer with what it was sent: the header, the body, an encoding of either, or parts of either. Code that reads a
secret from its source registers it here. Secrets are removed from every text from outside before it becomes part of a message,
and from every report, plan and snapshot before it is written.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from vastplan.model.disguises import DisguiseSet, bare, disguises, encodings, replace_disguises

INSTEAD = "(sensitive)"
MOST = 500  # remembered tokens: far more than are in use at once, so a token is still known when an answer has it
_SHORTEST = 4  # characters; shorter secrets occur in ordinary words, so that hiding them would hide the message


class KnownSecrets:
    """The secrets that this process used, and the texts of its documents."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lasting: dict[str, tuple[str, ...]] = {}  # secrets for the whole process, each with its forms
        self.passing: OrderedDict[str, tuple[str, ...]] = OrderedDict()  # tokens and forms; the last used at the end
        self.open: set[bytes] = set()  # bare texts of documents
        self.sought = DisguiseSet()

    def forms(self) -> Iterator[str]:
        """All forms of all secrets."""
        for forms in (*self.lasting.values(), *self.passing.values()):
            yield from forms


_kept = KnownSecrets()


def keep_secret(value: str) -> None:
    """Register a secret for the life of the process: it is removed from texts, with its forms in JSON, URLs, HTML and base64."""
    if len(value) < _SHORTEST:
        return
    with _kept.lock:
        if value not in _kept.lasting:
            _kept.lasting[value] = _forms(value)
            _kept.sought.add(disguises(value))


def keep_token(value: str) -> None:
    """Register a token that is renewed, or another secret of which new ones keep coming.

    At least the last `MOST` are remembered, no unlimited number: every text is searched for all of them.
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
        if len(_kept.passing) > 2 * MOST:  # many at once, because the search index is rebuilt then
            while len(_kept.passing) > MOST:
                _kept.passing.popitem(last=False)
            _kept.sought = DisguiseSet()
            for token in (*_kept.lasting, *_kept.passing):
                _kept.sought.add(disguises(token))


def keep_credential(header: str) -> None:
    """Register the token in the value of an Authorization header; the scheme in front of it is not secret."""
    keep_token(header.rpartition(" ")[2])


def _forms(value: str) -> tuple[str, ...]:
    return tuple({form for text in {value, value.strip()} for form in encodings(text) if len(form) >= _SHORTEST})


def allow_in_texts(text: str) -> None:
    """Register a document's text as not secret in reports: a password that equals a name there would hide the name everywhere."""
    with _kept.lock:
        _kept.open.add(bare(text))


def without_secrets(text: str) -> str:
    """A message with "(sensitive)" in place of each secret, also a short one."""
    with _kept.lock:
        contained = [form for form in _kept.forms() if form in text]
    for form in sorted(contained, key=len, reverse=True):  # the longest first: a shorter one may be a part of it
        text = text.replace(form, INSTEAD)
    return guarded(text)


def guarded(text: str) -> str:
    """A text of any length with "(sensitive)" in place of each secret, or disguise of one.

    Applies only to secrets of at least eight letters and digits that are not words: shorter ones may be names. A text without
    secrets takes one pass, however many secrets there are.
    """
    for form in _forms_in(text):
        text = replace_disguises(text, form, INSTEAD, one_value=False)
    return text


def guarded_data(data: Any) -> Any:
    """Does the same as `guarded` for JSON data: for each text and each key in it."""
    if isinstance(data, str):
        for form in _forms_in(data):
            data = replace_disguises(data, form, INSTEAD, one_value=True)
        return data
    if isinstance(data, list):
        return [guarded_data(item) for item in data]
    if isinstance(data, dict):
        return {guarded_data(key): guarded_data(value) for key, value in data.items()}
    return data


def holds_secret(text: str) -> bool:
    """Whether `guarded` would change the text."""
    return bool(_forms_in(text))


def _forms_in(text: str) -> list[bytes]:
    """The disguises in a text, the longest first."""
    with _kept.lock:
        sought, open_texts = _kept.sought, tuple(_kept.open)
    forms = sought.matches(text)
    return sorted((form for form in forms if not any(form in text for text in open_texts)), key=len, reverse=True)
