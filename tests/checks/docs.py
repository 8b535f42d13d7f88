"""docs/checks.md from the catalogue: `make checks-doc`."""

from __future__ import annotations

from vastplan.app.checks import catalogue

HEAD = """\
# Checks

Generated from `vastplan/checks/` by `make checks-doc`. A check finds what is wrong, risky or worth knowing about a document as
a whole; what single fields may hold is the kinds' own business. `vastplan validate` runs all of them without a network,
`plan` and `drift` run them again on what was observed: those marked *live* then also look at what the site says.

An error makes `validate` exit with 1, and `plan`, `apply` and `drift` with 3; apply does nothing then. The document has a word:

```yaml
checks:
  raise: {CSI-09: error}                  # weighs more here; nothing else lowers a finding than
  waive:                                  # somebody's word, which stays visible as a note, and ends
    - {code: ISO-02, address: "*/secret/vast-mgmt", reason: one log-in until we are on 5.5, until: 2027-01-31}
```

What a site can do stands with the site, for the checks and for [budgets of checkpoints](checkpoints.md) alike: how much is there
where its cluster does not say, how much of it may be promised, and what no API tells.

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

After its day a waiver is an error (VP261); one that waives nothing is a warning (VP262). `until` is the last day.

`--isolation` shows the proof behind ISO-01 to ISO-03, and exits with 3 unless every two projects of a site meet in nothing or a
waiver says why they may; with `drift` it is the proof of the live state, which takes more reading. `--commitments` shows the
sums behind CAP-01, QOS-07 and RAI-04. Both are in `--format json` of `validate` and `plan` always.
"""

ELSEWHERE = """\
## Held elsewhere

| rule | held by |
|---|---|
| CSI-01 names of view and QoS policies unique on a cluster | VP207 and VP230; live, a name that fits two objects stops what refers by it |
| CSI-03 both or neither of vip_pool and vip_pool_fqdn | VP212; what is left out is taken from the tenant (VP231, VP232) |
| CSI-04 parameters of a class are immutable | the plan: a replacement, with how many volumes it does not touch |
| CSI-05 versions of the CSI drivers and of VAST | VP251, by the site's `csi` and `versions`, or as the systems answer |
| QTA-03 a quota below what is used | a guard at plan and at apply |
| QOS-01 numbers and units | VP212: bits, MiB that do not come out whole and what is out of range are refused |
| QOS-08 minimums of tenants | VP206: tenants have no such field |
| QOS-15 name, type or tenant of a QoS policy | the plan: a replacement that lets go of views first |
| REP-04, REP-10 create-only fields of protected paths | the plan: a replacement, which needs approval |
| REP-05, REP-15 pools for replication | VP209 and VP234 |
| REP-07 version gates of replication | VP251: global access of its own is since VAST 5.1 |
| REP-09 transfer longer than the schedule | CKP-15 of a volume that says what its checkpoints are, by `wan_bw_mbps`; REP-17 live |
| REP-16 two owners of one path | VP230 and VP233: one protected path of a name; REP-02: a directory is replicated once |
| RAI-01 the project's cluster | the site's own is sent, always |
| RAI-02 fields of data sources | the plan: a replacement, which needs approval |
| RAI-03 shared data sources | each names its project or its department, or says `scope: cluster`; RAI-07 what crosses tenants |

## Not held

| rule | why |
|---|---|
| QOS-16 data sets and checkpoints in one view | the document does not say what a volume is for |
| REP-13 renames across a protected path | what programs do inside a volume is not seen |
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
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
