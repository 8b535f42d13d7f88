"""Files with the addresses that one ledger exports for another."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from vastplan.app.files.versioned import Messages, VersionedFile
from vastplan.model import canonical_json
from vastplan.model.address import Address
from vastplan.model.ledger_export import FORMAT_VERSION, LedgerExport

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def export_to_data(export: LedgerExport) -> dict[str, Any]:
    """The export as JSON-able data."""
    data: dict[str, Any] = canonical_json.plain_json(export)
    return data


def export_from_data(data: dict[str, Any]) -> LedgerExport:
    """The inverse of `export_to_data`. Raises `ValueError` for data that is not an export, an object or address twice, or one without id."""
    export = _adapter().validate_python(data)
    addresses = [Address.parse(exported.address) for exported in export.objects]
    ids = {(*address[:2], exported.id) for address, exported in zip(addresses, export.objects, strict=True)}
    if not len(ids) == len(set(addresses)) == len(export.objects) or not all(item.id for item in export.objects):
        raise ValueError("an object or an address twice, or one without an id")
    return export


@cache
def _adapter() -> TypeAdapter[LedgerExport]:
    from pydantic import TypeAdapter

    return TypeAdapter(LedgerExport)


EXPORT_FILE: VersionedFile[LedgerExport] = VersionedFile(
    name="ledger export",
    version=FORMAT_VERSION,
    to_data=export_to_data,
    from_data=export_from_data,
    messages=Messages(
        cut_short=": it was cut short or damaged; export again",
        other_version="has format {version}; this vastplan reads {ours}: export again with this one",
        edited="was edited or damaged after it was made; export again",
        misshapen="does not have an export's form; export again",
    ),
    required="exported",
    compact=False,
)
