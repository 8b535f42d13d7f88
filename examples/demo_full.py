"""All that a demo shows: plan, apply, changes by somebody else, drift, repair, an import, an edit, a guard; then a site is lost, and
returns. Run it with `make demo-full`; `make demo` shows the beginning in a quarter of a minute.

Every step is a vastplan command that you can type yourself, shown before what it prints. Nothing but this machine is
needed: both sites are simulated, over HTTPS on loopback.
"""

from __future__ import annotations

import subprocess
import sys

from demo_story import FOLDER, ROOT, Story, end

REPORTS = {"plan.html": "The edit of step 8 as a page", "plan.md": "and as a comment under a change request"}


def main() -> int:
    """Tell the story; 0 when everything went as told."""
    story = Story()
    story.copy("examples/ai-factory", FOLDER)
    server = story.serve("sim", str(FOLDER))
    try:
        build(story)
        by_hand(story)
        taken_over(story)
        edit(story)
    finally:
        end(server)
    story.tell("10. Another document: a site is lost at a random moment, and returns.")
    story.shell("python examples/two-sites/story.py")
    played = subprocess.run([sys.executable, str(ROOT / "examples" / "two-sites" / "story.py"), *sys.argv[1:]])
    story.hold(played.returncode == 0, "exit code 0")
    story.tell(
        "That was the story."
        if not story.wrong
        else f"{story.wrong} outputs or exit codes were not as expected (`the demo expected ...` above)."
    )
    for file, what in REPORTS.items():
        print(f"{what}: {FOLDER / file}")
    print(f"The documents and the ledger are in {FOLDER}/; type any of the commands above again.")
    return 1 if story.wrong else 0


def build(story: Story) -> None:
    """From nothing to a factory."""
    story.tell("1. Two sites, two teams, nothing exists yet. What would an apply do?")
    told = story.run("plan", str(FOLDER), "--out", str(FOLDER / "plan.json"), expect=0, first=40, last=4)
    story.expect(told, "to create")
    story.tell("2. Carry out that plan, and nothing else.")
    told = story.run("apply", str(FOLDER / "plan.json"), "--document", str(FOLDER), expect=0, last=2)
    story.expect(told, "done.")
    story.tell("3. Is anything left to do?")
    story.expect(story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0), "no changes")


def by_hand(story: Story) -> None:
    """Somebody changes three systems with their own tools."""
    story.next_second()
    story.tell("4. Dana changes four objects at iad without vastplan, by the systems' own APIs.")
    policies = story.by_hand("iad", "vast", "GET", "/api/v5/qospolicies/?name=team-a-checkpoints")
    limits = {**policies[0]["static_limits"], "max_writes_bw_mbps": 500}
    story.by_hand("iad", "vast", "PATCH", f"/api/v5/qospolicies/{policies[0]['id']}/", {"static_limits": limits})
    project = next(
        one
        for one in story.by_hand("iad", "runai", "GET", "/api/v1/org-unit/projects")["projects"]
        if one["name"] == "team-b"
    )
    pools = [{"nodePool": {"id": one["nodePool"]["id"]}, "gpu": {"deserved": 128}} for one in project["resources"]]
    story.by_hand("iad", "runai", "PATCH", f"/api/v1/org-unit/projects/{project['id']}/resources", pools)
    label = {"metadata": {"labels": {"app.kubernetes.io/part-of": "something-else"}}}
    story.by_hand(
        "iad",
        "kubernetes",
        "PATCH",
        "/api/v1/namespaces/vast-csi?fieldManager=kubectl-edit",
        label,
        kind="application/merge-patch+json",
    )
    paths = story.by_hand("iad", "vast", "GET", "/api/v5/protectedpaths/?name=team-b-checkpoints")
    story.by_hand("iad", "vast", "DELETE", f"/api/v5/protectedpaths/{paths[0]['id']}/")
    for _ in range(3):  # the path is removed a little later, as on a real cluster
        story.by_hand("iad", "vast", "GET", "/api/v5/protectedpaths/?name=team-b-checkpoints")
    story.tell("5. What changed, when, and who did it?")
    told = story.run("drift", str(FOLDER), expect=2)
    story.expect(
        told,
        "max_writes_bw_mbps",
        "node_pools.default.gpu.deserved",
        "part-of",
        "gone",
        "changed outside vastplan",
        "by dana at",
        "by kubectl-edit at",
    )
    story.tell("6. The document is right: put everything back.")
    story.expect(story.run("apply", str(FOLDER), "--auto-approve", expect=0), "changed outside vastplan", "done.")
    story.expect(story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0), "no changes")


def taken_over(story: Story) -> None:
    """What somebody created outside vastplan becomes lines of the document."""
    story.tell(
        "7. Dana creates a tenant in the web interface. Import writes it into the document; an apply adopts it as it is."
    )
    tenant = story.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "nlp"})["id"]
    policy = {"name": "nlp", "tenant_id": tenant, "flavor": "NFS", "nfs_no_squash": ["10.13.0.0/24"]}
    policy = story.by_hand("iad", "vast", "POST", "/api/v5/viewpolicies/", policy)
    view = {
        "path": "/nlp/home",
        "tenant_id": tenant,
        "policy_id": policy["id"],
        "protocols": ["NFS"],
        "create_dir": True,
    }
    story.by_hand("iad", "vast", "POST", "/api/v5/views/", view)
    told = story.run("import", str(FOLDER), expect=0)
    story.expect(told, "wrote demo/tenant-nlp.yaml", "changes no field")
    print((FOLDER / "tenant-nlp.yaml").read_text(), end="")
    story.expect(story.run("apply", str(FOLDER), "--adopt", "--auto-approve", expect=0), "done.")


def edit(story: Story) -> None:
    """Now the document moves."""
    story.tell("8. An edit of the document: a limit raised, a StorageClass parameter changed, a volume removed.")
    story.edit(FOLDER / "team-a.yaml", "max_writes_bw_mbps: 4 GB/s", "max_writes_bw_mbps: 6 GB/s")
    story.edit(FOLDER / "team-b.yaml", "storage_path: /team-b/k8s", "storage_path: /team-b/volumes")
    story.edit(FOLDER / "team-a.yaml", "      team-a-data: {storage_class: team-a, size: 50 TiB, mount: /data}\n", "")
    reports = [word for file in REPORTS for word in ("--report", str(FOLDER / file))]
    told = story.run("plan", str(FOLDER), "--detailed-exitcode", *reports, expect=3)
    story.expect(
        told,
        "forces replacement",
        "existing persistent_volume_claims left unchanged 1 of 1",
        "blocked (approval)",
        "4 GB/s → 6 GB/s",
    )
    story.expect((FOLDER / "plan.md").read_text(), "<!-- vastplan:plan:ai%2Dfactory -->", "6 changes need approval")
    story.expect((FOLDER / "plan.html").read_text(), "Topology of site iad")
    story.tell("9. The replacement gets its consent; the volume with people's data does not, and stays.")
    told = story.run("apply", str(FOLDER), "--auto-approve", "--allow-delete", "*/storage_class/team-b", expect=3)
    story.expect(told, "skipped")
    story.expect(story.run("plan", str(FOLDER), "--detailed-exitcode", expect=3), "blocked")


if __name__ == "__main__":
    raise SystemExit(main())
