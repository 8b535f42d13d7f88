"""ResourceQuota: limits on the requests of a namespace. With zeros for a class, it is the weaker way to close the class to it."""

from math import ceil
from typing import Annotated

from pydantic import BeforeValidator, StringConstraints

from vastplan.kinds.kubernetes._common import QUANTITY, InNamespace, Labelled, ObjectName, manifest, read_amount
from vastplan.model.wording import quoted
from vastplan.schema.dependents import Dependents
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import DOCUMENT, Codec, Opens, Refers, Shown, Wire
from vastplan.schema.types import MISSING, ReferenceName, Says

_MEBIBYTE = 2**20
_PARTS = {"m": 10**3, "u": 10**6, "n": 10**9}


def canonical(value: object) -> object:
    """The same text for equal quantities, such as `1Ti` for `1024Gi`. Raises `ValueError` for text that is no quantity, or below 0."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return value
    text = str(value)
    try:
        amount = read_amount(text)
    except ValueError:
        raise ValueError(f"{quoted(text)} is not a quantity such as 10Gi or 5") from None
    if amount < 0:
        raise ValueError("a quantity must not be negative")
    if amount.denominator != 1:
        suffix = next((suffix for suffix, parts in _PARTS.items() if (amount * parts).denominator == 1), "n")
        return f"{ceil(amount * _PARTS[suffix])}{suffix}"  # Kubernetes rounds up what is finer
    whole = int(amount)
    return QUANTITY.write(whole) if whole and whole % _MEBIBYTE == 0 else str(whole)


_Resource = Annotated[
    str,
    StringConstraints(min_length=1, max_length=317, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$"),
    Says("a resource, such as requests.storage: letters, digits, -, _, . and /"),
]
_Quantity = Annotated[str, BeforeValidator(canonical, json_schema_input_type=str | int)]


class ResourceQuota(Labelled):
    """A ResourceQuota of a namespace. It limits new claims only, and only after the cluster has counted the existing
    ones.

    `storage_class` is the class that it keeps closed to its namespace: it is created before the class and deleted
    after it.
    """

    name: ObjectName = MISSING
    """Name of the ResourceQuota in Kubernetes."""
    namespace: InNamespace
    """Namespace that the quota limits; the name of a project means its namespace."""
    storage_class: Annotated[
        ReferenceName | MISSING, Refers("storage_class.name", blocks_delete=False, shields=True), DOCUMENT
    ] = MISSING
    """Storage class that the quota keeps closed to its namespace, with zeros for the class in `hard`."""
    hard: Annotated[
        dict[_Resource, _Quantity | None], Wire("spec", "hard"), Codec(str, canonical), Opens(shut=("0",)), Shown()
    ]
    """Limits by resource, such as `requests.storage`; 0 allows no new ones, null removes a limit."""


KIND = Kind(
    ResourceQuota,
    name="resource_quota",
    system="kubernetes",
    endpoint=manifest("v1", "ResourceQuota", "resourcequotas", namespaced=True),
    attributes=(Attribute("used", ("status", "used")),),
    protects=(Dependents("persistent_volume_claim", "claims", (("namespace", "namespace"),)),),
)
