"""docs/checks.md from the catalogue: `make checks-doc`."""

from __future__ import annotations

from vastplan.app.checks import catalogue
from vastplan.checks.proof._ways import WAYS

HEAD = """\
# Checks

Generated from `vastplan/checks/` by `make checks-doc`. A check finds what is wrong, risky or worth knowing about a document as
a whole; what single fields may hold is checked by their kinds. `vastplan validate` runs all checks without a network. `plan` and
`drift` run them again with what they observed: those marked *live* then also read from the site. `vastplan validate --list-checks` lists
all checks, `--explain CODE` shows one.

An error makes `validate`, `plan`, `apply` and `drift` exit with 3; apply then does nothing. The document can raise a severity
and waive a finding:

```yaml
checks:
  raise: {CSI-09: error}                  # raises the severity; only a waiver lowers it
  waive:                                  # the finding stays visible as a note until the waiver ends
    - {code: ISO-02, address: "*/secret/vast-mgmt", reason: one log-in until we are on 5.5, until: 2027-01-31}
```

`capability` of a site says what the site can do, for the checks and for [budgets of checkpoints](checkpoints.md): its capacity where
the cluster does not report it, how much of it may be promised, and what no API returns.

```yaml
sites:
  iad:
    capability:
      usable_capacity: 5 PiB              # instead of what the cluster reports
      promised_percent: 120               # hard limits may add up to 6 PiB
      reads_bw_mbps: 200 GB/s
      writes_bw_mbps: 50 GB/s
      gpus: {default: 512}                # of each node pool
```

`until` is the last day of a waiver. After that day it is an error (VP261); a waiver that waives nothing is a warning (VP262).

`--isolation` follows every project's namespace, classes, secret, tenant, VIP pool, view policy and directories, and shows that every two
projects meet in nothing, or where they do, step by step: the proof behind ISO-01 to ISO-03. It exits with 3 unless every two projects of a site meet in nothing or a
waiver says why they may. With `drift` it is the proof of the live state, which reads more from the systems. `--commitments` shows
the sums behind CAP-01, QOS-07 and RAI-04. `--format json` of `validate` and `plan` always has both.

It also tries the ways around these, each on all that projects reach: a matrix shows who reaches whom (of at most eight projects), and a line what
each way comes to. `closed` names the object that closes it, or the system that does. `assumed` is closed by the network alone, with the
addresses that it has to close, or was not seen: the live proof follows no S3 keys. `shared` is what somebody declared: `open_to` or `shared` of a
class, a data volume, a data source of a wider scope, a clone for another project. `open` has the line to write; with `isolation: audit` it is
"seen, not enforced". An open way is ISO-04, and `--isolation` exits with 3 unless that is waived.

| way | what somebody of another project does | source |
|---|---|---|
"""

ELSEWHERE = """\
## Checked elsewhere

| rule | checked by |
|---|---|
| CSI-01 names of view and QoS policies unique on a cluster | VP207 and VP230; live, a name that fits two objects stops what refers to it |
| CSI-03 both or neither of vip_pool and vip_pool_fqdn | VP212; what is missing is taken from the tenant (VP231, VP232) |
| CSI-04 parameters of a class are immutable | the plan: a replacement, with how many volumes it does not touch |
| CSI-05 versions of the CSI drivers and of VAST | VP251, by the site's `csi` and `versions`, or as the systems answer |
| QTA-03 a quota below what is used | a guard at plan and at apply |
| QOS-01 numbers and units | VP212: bits, MiB that are not whole MB and values out of range are refused |
| QOS-08 minimums of tenants | VP212: VAST has minimums of views only, in 5.3 as in 5.5; QOS-06 and QOS-07 whether the cluster keeps them |
| QOS-15 name, type or tenant of a QoS policy | the plan: a replacement that detaches views first |
| REP-04, REP-10 create-only fields of protected paths | the plan: a replacement, which needs approval |
| REP-05, REP-15 pools for replication | VP209 and VP234 |
| REP-07 version gates of replication | VP251: VAST has global access since 5.1 |
| REP-09 transfer longer than the schedule | CKP-15 of a volume that describes its checkpoints, by `wan_bw_mbps`; REP-17 live |
| REP-16 two owners of one path | VP230 and VP233: one protected path of a name; REP-02: a directory is replicated once |
| RAI-01 the project's cluster | vastplan always sends the site's own |
| RAI-02 fields of data sources | the plan: a replacement, which needs approval |
| RAI-03 shared data sources | each names its project or its department, or says `scope: cluster`; RAI-07 what crosses tenants |

## Not checked

| rule | why |
|---|---|
| QOS-16 data sets and checkpoints in one view | the document does not say what a volume is for |
| REP-13 renames across a protected path | vastplan does not see what programs do inside a volume |
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD + "".join(f"| {way.name} | {way.does} | {way.source} |\n" for way in WAYS)]
    for check in catalogue().values():
        milder = f" or **{check.milder.value}**" if check.milder else ""
        live = " *Live.*" if check.reads else ""
        parts.append(
            f"## {check.code} {check.title}\n\n**{check.severity.value}**{milder}.{live} {check.why}\n\n"
            f"To do: {check.fix}.\n\nSource: {check.source}.\n"
        )
    return "\n".join([*parts, ELSEWHERE])


if __name__ == "__main__":
    print(page(), end="")
