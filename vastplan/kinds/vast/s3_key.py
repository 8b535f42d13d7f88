"""S3 key: a pair of keys of a local user. Only the response to its creation contains the secret key.

Source: the vendor's documents of 5.3 and 5.5, and clients that run against live clusters: a key belongs to one tenant, is always
created enabled, and a user may have several; the secret key is neither shown nor changed again.
"""

from typing import Annotated

from pydantic import model_validator

from vastplan.kinds.vast._delivery import DAY, IN_USE, Generation, IntoSecret, MaxAge, Overlap, into_secret
from vastplan.schema.access import LetsIn
from vastplan.schema.endpoint import Endpoint, Members
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute
from vastplan.schema.markers import (
    AFTER_CREATE,
    DOCUMENT,
    IDENTITY,
    IMMUTABLE,
    WITNESS,
    WRITE_ONLY,
    Opens,
    Refers,
    ServerDefault,
    ShownAt,
    Wire,
)
from vastplan.schema.types import MISSING, ReferenceName, SecretKey, Spec

PAIR = tuple(Attribute(name, (name,)) for name in ("access_key", "secret_key", "creation_time"))
"""What a system returns of a pair."""


class S3KeyNames(Spec):
    """Keys of the Secret that hold the pair."""

    access_key: SecretKey = "AWS_ACCESS_KEY_ID"
    """Key of the Secret that holds the access key."""
    secret_key: SecretKey = "AWS_SECRET_ACCESS_KEY"  # noqa: S105  (a name)
    """Key of the Secret that holds the secret key."""

    @model_validator(mode="after")
    def _two_names(self) -> "S3KeyNames":
        if self.access_key == self.secret_key:
            raise ValueError("access_key and secret_key must differ")
        return self


class S3KeyDelivery(IntoSecret):
    """The Secret that gets the pair."""

    keys: S3KeyNames = S3KeyNames()
    """Keys of the Secret that hold the access key and the secret key."""


class S3Key(Spec):
    """A pair of keys by which a local user works with the buckets of a tenant. After a delete, requests with it are refused within minutes.

    The secret key goes to the Secret in `deliver` and nowhere else. A greater `generation` creates a new pair, and the former one works for
    `overlap` more. Each plan reports one that is older than `max_age`.
    """

    tenant: Annotated[ReferenceName, Refers("tenant"), Wire("tenant_id"), ShownAt("tenant", "id"), IDENTITY, IMMUTABLE]
    """Tenant whose buckets the pair opens."""
    user: Annotated[ReferenceName, Refers("user"), Wire("user", "id"), IDENTITY, IMMUTABLE]
    """User who works with the pair: a local one by name, one of AD, LDAP or NIS as {existing: NAME}. Another user gets
    another pair."""
    enabled: Annotated[bool | MISSING, AFTER_CREATE, Opens(True), IN_USE, ServerDefault(True, WITNESS)] = MISSING
    """Whether the pair works; otherwise requests with it are refused."""
    generation: Annotated[Generation, WRITE_ONLY] = 1
    """Number of the pair; a greater number creates another one, a lower one is refused."""
    overlap: Annotated[Overlap, DOCUMENT] = DAY
    """Time for which the former pair works after another one is created; the first apply after that removes it."""
    max_age: Annotated[MaxAge | MISSING, DOCUMENT] = MISSING
    """Age from which each plan reports the pair as too old (IDN-09); vastplan creates no other one by itself."""
    deliver: Annotated[S3KeyDelivery, DOCUMENT]
    """Secret in Kubernetes that gets the pair. The secret key is kept nowhere else."""


KIND = Kind(
    S3Key,
    name="s3_key",
    system="vast",
    section="s3_keys",
    endpoint=Endpoint(
        "/locals3keys/",
        id=("access_key",),
        shape=Members(
            "/users/{owner}/access_keys/",
            owner=("user", "id"),
            key="access_key",
            filter="user_id",
            removed_with=(("tenant_id", ("tenant", "id")),),
        ),
        answered_once=(("secret_key",),),
    ),
    attributes=(*PAIR, Attribute("user_name", ("user", "name"))),
    user_word="S3 keys",
    lets_in=LetsIn("requests with the pair are refused", who=("user", "tenant")),
    delivers=into_secret(),
)
