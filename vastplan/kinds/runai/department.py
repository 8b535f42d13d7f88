"""Department: a share of a cluster's node pools that projects draw on.

Every cluster has a department `default`, which Run:AI creates and does not delete. Run:AI itself refuses a quota of a
department below the allocation of its non-preemptible workloads, which the list of departments does not show.
"""

from vastplan.kinds.runai._org_unit import KEEP, OrgUnit, finish_decode, finish_encode
from vastplan.kinds.runai.workload import running
from vastplan.schema.dependents import HeldData, Linked, built_in
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.kind import Kind
from vastplan.schema.live import Metric, Witness


class Department(OrgUnit):
    """A department: a share of the cluster's node pools that its projects draw on."""


KIND = Kind(
    Department,
    name="department",
    system="runai",
    section="departments",
    endpoint=Endpoint(
        "/api/v1/org-unit/departments",
        update=Update.PUT,
        rows="departments",
        query={"filterBy": "clusterId=={cluster}", "verbosity": "verbose"},  # without it the list has no status
        constants={"clusterId": "{cluster}"},
        keep=KEEP,
    ),
    data_bearing=True,
    metrics=(Metric("GPUs allocated", ("status", "quotaStatus", "allocated", "gpu"), absent=0),),
    in_use=("GPUs allocated",),
    held=HeldData(part="Run:AI reports no use of a department"),
    users=(Linked("workload", (("id", "department"),), counted="at work"),),
    dependents=(running("department"),),
    witness=Witness(("name",), "default"),
    refuses_delete=(built_in("Run:AI"),),
    system_owned=((("name",), "default"),),
    finish_encode=finish_encode,
    finish_decode=finish_decode,
)
