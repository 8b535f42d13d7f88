"""ValidatingAdmissionPolicyBinding: puts an admission policy in force, for the whole cluster."""

from typing import Annotated, Any, Literal

from pydantic import model_validator

from vastplan.kinds.kubernetes._common import Labelled, ObjectName, manifest
from vastplan.kinds.kubernetes.admission_policy import GROUP
from vastplan.model.value import Ref
from vastplan.schema.access import Enforces
from vastplan.schema.kind import Kind
from vastplan.schema.markers import SET, FollowsFrom, Opens, Refers, Wire
from vastplan.schema.types import MISSING, ReferenceName

_NOTE = ("metadata", "annotations", "vastplan.io/storage-class")


class AdmissionBinding(Labelled):
    """A binding that puts an admission policy in force, in the whole cluster."""

    name: ObjectName = MISSING
    """Name of the ValidatingAdmissionPolicyBinding in Kubernetes."""
    policy: Annotated[
        ReferenceName,
        Refers("admission_policy.name", blocks_delete=False),
        Wire("spec", "policyName"),
        Opens(at_create=False),
        FollowsFrom(),
    ]
    """Admission policy that the binding puts in force; without a binding a policy does nothing."""
    storage_class: Annotated[
        ReferenceName | MISSING, Refers("storage_class.name", blocks_delete=False, shields=True), Wire(*_NOTE)
    ] = MISSING
    """Storage class that the binding keeps closed, noted in an annotation: without the binding the class is open."""
    validation_actions: Annotated[
        list[Literal["Deny", "Warn", "Audit"]] | MISSING,
        Wire("spec", "validationActions"),
        SET,
        Opens("Deny", lost=True),
        FollowsFrom("isolation: audit on the site, which then refuses nobody"),
    ] = MISSING
    """`Deny` refuses a breach of the policy, `Warn` (never with `Deny`) warns of it, `Audit` logs it."""
    only: Annotated[None, Wire("spec", "matchResources"), FollowsFrom()] = None
    """Part of the cluster that the binding is limited to; always null, as it holds everywhere."""

    @model_validator(mode="after")
    def _deny_or_warn(self) -> "AdmissionBinding":
        if isinstance(self.validation_actions, list) and {"Deny", "Warn"} <= {*self.validation_actions}:
            raise ValueError("give either Deny or Warn: Kubernetes takes only one of them")
        return self


def in_force(name: str, policy: Ref, storage_class: Ref | None = None, *, audit: bool = False) -> dict[str, Any]:
    """The values of a binding that denies requests that the policy does not allow, or with `audit` only reports them."""
    shielded = {} if storage_class is None else {"storage_class": storage_class}
    actions = ["Audit", "Warn"] if audit else ["Deny"]
    return {"name": name, "policy": policy, "validation_actions": actions, "only": None, **shielded}


KIND = Kind(
    AdmissionBinding,
    name="admission_binding",
    system="kubernetes",
    endpoint=manifest(f"{GROUP}/v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
    enforces=Enforces("policy", by=("policy", "validation_actions", "only"), when=("validation_actions", "Deny")),
)
