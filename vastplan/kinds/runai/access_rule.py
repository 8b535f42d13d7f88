"""Access rule: one subject with one role in one project, department or cluster. Entries with `access` create them.

There is no update, and Run:AI does not promise to refuse a second, equal rule.
"""

from typing import Annotated, Literal

from vastplan.schema.access import LetsIn
from vastplan.schema.dependents import Dependents
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.live import States
from vastplan.schema.markers import IDENTITY, IMMUTABLE, Refers, Since, Wire
from vastplan.schema.types import EMAIL, ReferenceName, Spec, Text


class AccessRule(Spec):
    """An access rule: one subject with one role in a project, a department or the cluster.

    `access` of a project or a department is shorter; for the whole cluster, write an entry here. Rules of the whole
    control plane (Run:AI's scopes `tenant` and `system`) belong to no site, so no document has them.
    """

    subject: Annotated[Text, EMAIL, Wire("subjectId"), IDENTITY, IMMUTABLE]
    """E-mail address of the user, or name of the group or service account, that gets the role."""
    subject_type: Annotated[
        Literal["user", "group", "service-account", "app"],
        Wire("subjectType"),
        IDENTITY,
        IMMUTABLE,
        Since("runai", "2.24", values=("service-account",), fix="write app for control planes before 2.24"),
    ]
    """Type of the subject; for control planes before 2.24 a service account is an `app`."""
    role: Annotated[ReferenceName, Refers("role"), Wire("roleId"), IDENTITY, IMMUTABLE]
    """Role of Run:AI that the subject gets, by name: `{existing: NAME}`."""
    scope: Annotated[
        ReferenceName,
        Refers("project", "department", "runai_cluster", composed=True),
        Wire("scopeId"),
        IDENTITY,
        IMMUTABLE,
    ]
    """Project or department in which the subject has the role, or the site's cluster as `{existing: NAME}`."""
    scope_type: Annotated[Literal["project", "department", "cluster"], Wire("scopeType"), IDENTITY, IMMUTABLE]
    """Type of the unit that `scope` names."""


KIND = Kind(
    AccessRule,
    name="access_rule",
    system="runai",
    section="access_rules",
    # Lists the rules of all clusters: a rule that others created need not have the cluster of its scope.
    endpoint=Endpoint(
        "/api/v1/authorization/access-rules",
        update=Update.NONE,
        rows="accessRules",
        constants={"clusterId": "{cluster}"},
    ),
    keyed=Keyed(within="scope"),
    lets_in=LetsIn("the subject can no longer manage them", into="scope", who=("subject", "role", "scope")),
    dependents=tuple(
        Dependents(
            "workload", "running workloads in its scope", (("scope", of),), counted="at work", when=("scope_type", of)
        )
        for of in ("project", "department", "cluster")
    ),
    states=States(
        ("status", "phase"),
        well=frozenset({"Ready", None}),  # clusters before 2.22 report nothing
        failed=frozenset({"NotReady"}),
        leaving=frozenset({"Deleting", "Deleted"}),
        message=("status", "message"),
    ),
)
