"""Which parts a namespace holds: every part has a small Lease that names its document and its site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from vastplan.ledger.chunks import COMPONENT, Api, PartPlace, Row
from vastplan.model.errors import ObjectNotFound, VastplanError
from vastplan.model.long_lists import Length

_PAGE = 500
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def part_places(api: Api, namespace: str) -> list[PartPlace]:
    """Where the parts of all documents are, in order. Raises what a read raises. A Lease that does not name both is not a part."""
    return sorted(_named(api, namespace), key=lambda place: (place.document, place.site))


def _named(api: Api, namespace: str) -> Iterator[PartPlace]:
    for row in leases(api, namespace):
        metadata = row["metadata"]
        notes = metadata.get("annotations") or {}
        place = PartPlace(namespace, str(notes.get("vastplan/document", "")), str(notes.get("vastplan/site", "")))
        named = all(_NAME.fullmatch(name) for name in (place.document, place.site))
        if named and metadata.get("name") == place.base:  # the name is derived from both: nothing else passes
            yield place


def leases(api: Api, namespace: str, labels: str = COMPONENT) -> Iterator[Row]:
    """The leases of all parts in a namespace, or those with other labels."""
    following, path = "", PartPlace(namespace, "", "").leases
    length = Length(f"the list of {path}")
    while True:
        query = [("labelSelector", labels), ("limit", str(_PAGE))]
        try:
            body = api.call("GET", path, query=query + [("continue", following)] * bool(following))
        except ObjectNotFound:  # the namespace does not exist
            return
        rows = body.get("items") if isinstance(body, dict) else None
        if not isinstance(rows, list) or not all(map(_is_object, rows)):
            raise VastplanError(f"the answer to GET {path} is not a list of leases")
        yield from rows
        following = str((body.get("metadata") or {}).get("continue") or "")
        if not following:
            return
        length.another(len(rows))


def _is_object(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("metadata"), dict)
