"""The ways around the chain: what somebody of another project might do to reach data, as a table.

`rules` are names of functions of `vastplan.checks.proof._rules`, in order: the first that decides has the result, and where none
does, the way is open. A fact in `system` or `otherwise` is that of `source`.
"""

from __future__ import annotations

from functools import partial

from vastplan.kinds.kubernetes._common import BLOCK_DRIVER, FILE_DRIVER, SERVER_DRIVERS
from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """One way: its name, what somebody of another project does, and the layers of the elements that it attacks.

    `needs` are the CSI drivers or types of volumes that an admission policy has to refuse, `system` is what a system itself does
    against it, `otherwise` why it is open where no rule decides, and `fix` the line to write then. `kinds` are those whose objects are
    the way: where they are not read, nothing is known of it.
    """

    name: str
    does: str
    layers: tuple[str, ...]
    rules: tuple[str, ...]
    source: str
    otherwise: str = ""
    fix: str = ""
    system: str = ""
    needs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


ENFORCE = "isolation: admission_policy on the site"
_NO_INLINE = (
    f"{ENFORCE} with a class in storage_classes, and no inline_volumes there; where it is so already: vastplan apply"
)
_UNREFUSED = "no admission policy refuses it in pods"
_of_class = partial(
    Way,
    layers=("storage class",),
    rules=("class_policy", "class_audit", "class_quota"),
    otherwise="no admission policy or resource quota closes the class",
    fix=f"{ENFORCE}, and the class in storage_classes of its project; where it is so already: vastplan apply",
)
_in_pod = partial(Way, rules=("volumes_refused", "volumes_audit"), otherwise=_UNREFUSED, fix=_NO_INLINE)
_MOUNTED = ("storage class", "volume")

WAYS: tuple[Way, ...] = (
    _of_class("claim", "create a claim of the class",
        source="Kubernetes: a StorageClass has no namespace, every namespace may name it in a claim"),
    _of_class("ephemeral volume", "start a pod whose generic ephemeral volume names the class",
        source="Kubernetes: a generic ephemeral volume is a claim in the namespace of its pod"),
    _in_pod("inline CSI", "start a pod with an inline volume of a VAST driver", ("VIP pool",),
        needs=(BLOCK_DRIVER, FILE_DRIVER),
        source="VAST CSI driver 2.4: volumeLifecycleModes has Ephemeral; such a volume names pool, policy and directory itself"),
    _in_pod("inline CSI of others", "start a pod with an inline volume of a driver for any NFS or SMB server", ("VIP pool",),
        needs=SERVER_DRIVERS,
        source="csi-driver-nfs, csi-driver-smb: an inline volume names server and directory itself"),
    _in_pod("nfs", "start a pod, or a workload of Run:AI, with an nfs volume of the VIP pool", ("VIP pool",), needs=("nfs",),
        source="Kubernetes: the node mounts an nfs volume of a pod; Run:AI: storage of type nfs becomes one"),
    Way("iscsi", "start a pod with an iscsi volume", ("VIP pool",), ("volumes_refused", "by_system"),
        needs=("iscsi",), system="VAST serves block volumes by NVMe only",
        source="VAST API 5.3: volumes and blockhosts; VAST CSI block driver: NVMe over TCP or RDMA"),
    _in_pod("flexVolume", "start a pod with a flexVolume, which a program of the node mounts", ("VIP pool",), needs=("flexVolume",),
        source="Kubernetes: FlexVolume is deprecated, and pods can still use it"),
    _in_pod("hostPath", "start a pod, or a workload of Run:AI, with the directory of the node where volumes of others are mounted",
        _MOUNTED, needs=("hostPath",),
        source="Kubernetes: a hostPath shows the node's own file system; Run:AI: storage of type hostPath becomes one"),
    Way("inline CSI, other drivers", "start a pod with an inline volume of another driver of the cluster", ("cluster",), ("unseen",),
        otherwise="no other driver for inline volumes is installed that mounts what a pod names",
        source="Kubernetes: CSIDriver with volumeLifecycleModes Ephemeral"),
    Way("privileged pods", "start a pod that is privileged, or in the network or among the processes of its node", ("cluster",),
        ("pod_security", "unseen"),
        otherwise="Pod Security refuses them in namespaces of projects (label pod-security.kubernetes.io/enforce: baseline)",
        source="Kubernetes: Pod Security Standards, baseline: host namespaces and privileged containers"),
    Way("volumes of others", "claim a volume, class or snapshot content of another driver that an administrator made for the same data",
        ("VIP pool",), ("servers_of_others", "unseen"), fix="another server there, or delete it",
        otherwise="no administrator made a volume, class, snapshot content or Secret for the same data under another name",
        source="Kubernetes: volumes, classes and snapshot contents belong to no namespace, and only administrators make them"),
    Way("other namespaces", "start a pod in a namespace that is no project's", ("cluster",), ("unseen",),
        otherwise="nobody of a project may create pods or claims in a namespace of no project, or take the labels off a namespace",
        source="Kubernetes: RBAC decides who may create pods where; the policy for pods holds namespaces with the label of Run:AI"),
    Way("people", "be let into the project", ("cluster",), ("unseen",),
        otherwise="only its own people have an access rule of Run:AI or a role binding of Kubernetes in a project",
        source="Run:AI API: access rules; Kubernetes: RBAC"),
    Way("volumeName", "create a claim that names the volume", _MOUNTED, ("claim_reference", "by_system"),
        system="Kubernetes binds a volume to one claim", otherwise="the volume is for no claim, so any claim may bind it",
        fix="claim_namespace and claim_name of the volume",
        source="Kubernetes: binding is exclusive; a volume with claimRef binds no other claim"),
    Way("data source", "create a claim that clones the claim or restores its snapshot", ("storage class",), ("by_system",),
        system="Kubernetes: a claim's data source is in its own namespace",
        source="Kubernetes 1.37: dataSourceRef.namespace needs an alpha feature gate and a ReferenceGrant"),
    Way("clone", "get a copy of the directory on VAST", ("clone",), ("cloned_for",), kinds=("clone",),
        source="VAST API: globalsnapstreams create a directory from a snapshot of another one"),
    Way("data volume", "mount a data volume of Run:AI", ("data volume",), ("data_volume_scopes",), kinds=("data_volume",),
        source="Run:AI API: sharedScopes of a data volume; Run:AI creates a claim of the same volume in these projects"),
    Way("data source of Run:AI", "start a workload with a data source of a wider scope", ("data source",),
        ("volumes_refused", "asset_scope"), kinds=("data_source", "nfs_data_source", "s3_data_source", "host_path_data_source"),
        source="Run:AI API: meta.scope of an asset; all projects below that scope may use it"),
    Way("driver's Secret", "mount the Secret with which the CSI driver logs in", ("secret",), ("secret_namespace", "by_system"),
        system="Kubernetes: a pod gets Secrets of its own namespace only", fix="namespace of the secret: one of no project",
        otherwise="the Secret is in the namespace of another project",
        source="Kubernetes: a pod refers to Secrets in its own namespace"),
    Way("VIP of another pool", "reach the views through another VIP pool", ("view policy",), ("pools_listed", "pools_of_tenants"),
        otherwise="the VIP pool serves every tenant", fix="tenant: NAME in the VIP pool, or vip_pools in the view policy",
        source="VAST API: tenant_id null of a VIP pool is all tenants; VAST knowledge base: configuring-s3-multi-tenancy"),
    Way("hosts", "mount the views from a host that is no node of the cluster", ("view policy", "path"), ("hosts_listed",),
        source="VAST API: nfs_read_write of a view policy that is left out is *; knowledge base: views-and-view-policies-6"),
    Way("NFS client in a pod", "speak NFS to the VIP pool from a process in a pod", ("VIP pool",), ("by_network",),
        source="Kubernetes: without a NetworkPolicy a pod may connect to every address"),
    Way("SMB", "log in to the SMB share of the directory", ("path",), ("shares_restricted",),
        otherwise="every user of the tenant's providers may use the share", fix="share_acl: {enabled: true, acl: [...]} in the view",
        source="VAST API: share_acl of a view; default_others_share_level_perm of a tenant is FULL"),
    Way("block host", "connect to the subsystem as a host of that name", ("storage class",), ("block_network",),
        source="VAST API: a blockhost is known by its nqn, within its tenant"),
    Way("S3 key", "use the key of the user", ("S3 user",), ("by_system",), kinds=("s3_key",),
        system="Kubernetes: a pod gets Secrets of its own namespace only",
        source="Kubernetes: a pod refers to Secrets in its own namespace"),
    Way("identity policy", "use a key of another user whom a policy allows the bucket", ("bucket",), ("by_system",), kinds=("s3_key", "s3_policy"),
        system="the identity policies that keys of projects have were followed, and allow no other project",
        source="VAST API: s3_policies of users and groups"),
    Way("anonymous S3", "read the bucket without a key", ("bucket", "path"), ("keys_needed",),
        otherwise="requests without a key are allowed", fix="allow_s3_anonymous_access: false in the view; of a bucket, in VMS",
        source="VAST API: allow_s3_anonymous_access of a view"),
    Way("bucket ACL", "use a grant that the owner gave by S3", ("bucket",), ("unseen",),
        otherwise="ACLs of buckets are set by S3, and VMS shows none",
        source="VAST API: a view has no field for the ACL of its bucket"),
)  # fmt: skip
