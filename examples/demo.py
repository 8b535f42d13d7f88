"""What vastplan does, in a quarter of a minute: plan, apply, changes by somebody else, drift, repair, and a site that is lost.

Run it with `make demo`; `make demo-full` has the rest. Every step is a command that you can type yourself, shown before what
it prints. Both sites are simulated, over HTTPS on loopback.
"""

from __future__ import annotations

import sys

from demo_story import FOLDER, Story, end

WORLD = FOLDER / "world.py"
# The same command. A move reads a site three times over half a minute before it says that the site does not answer; here the
# pauses are a hundredth of that.
WITHOUT_PAUSES = [sys.executable, str(FOLDER / "hurried.py")]
BINDING = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/vastplan-team-a"
TIB = 2**40


def main() -> int:
    """Tell the story; 0 when everything went as told."""
    story = Story()
    print("One document, two simulated sites (VAST, Kubernetes and Run:AI each), one team that trains at iad.")
    story.copy("examples/two-sites", FOLDER)
    server = story.serve(str(WORLD), "serve")
    try:
        create(story)
        change_outside(story)
        repair(story)
        lose(story)
    finally:
        end(server)
    story.tell(
        "That was the story."
        if not story.wrong
        else f"{story.wrong} outputs or exit codes were not as expected (`the demo expected ...` above)."
    )
    print("The document and the plans are in demo/. More: `make demo-full`, and the first steps in README.md.")
    return 1 if story.wrong else 0


def create(story: Story) -> None:
    """From nothing to two sites."""
    story.look(FOLDER / "team-a.yaml", "team-a-checkpoints:", 6)
    story.tell("1. Nothing exists yet. What would an apply do?")
    story.run(
        "plan", str(FOLDER), "--out", str(FOLDER / "plan.json"),
        expect=0,
        first=5,
        show=("Creates (", "Plan: 48 to create", "Saved to"),
    )  # fmt: skip
    story.tell("2. Carry out that plan, and nothing else.")
    story.run("apply", str(FOLDER / "plan.json"), "--document", str(FOLDER), expect=0, last=2)
    story.world(WORLD, "train", "iad")
    story.next_second()


def change_outside(story: Story) -> None:
    """Somebody changes three systems with their own tools."""
    story.tell(
        "3. Dana changes three objects at iad without vastplan; the last one opens team-a's StorageClass to every namespace."
    )
    (quota,) = story.by_hand("iad", "vast", "GET", "/api/v5/quotas/?name=team-a-checkpoints")
    story.by_hand("iad", "vast", "PATCH", f"/api/v5/quotas/{quota['id']}/", {"hard_limit": 50 * TIB})
    listed = story.by_hand("iad", "runai", "GET", "/api/v1/org-unit/projects")["projects"]
    project = next(one for one in listed if one["name"] == "team-a")
    pools = [{"nodePool": {"id": one["nodePool"]["id"]}, "gpu": {"deserved": 128}} for one in project["resources"]]
    story.by_hand("iad", "runai", "PATCH", f"/api/v1/org-unit/projects/{project['id']}/resources", pools)
    story.by_hand(
        "iad", "kubernetes", "PATCH", f"{BINDING}?fieldManager=kubectl-edit",
        {"spec": {"validationActions": ["Audit"]}}, kind="application/merge-patch+json",
    )  # fmt: skip
    story.tell("4. What changed, when, and who did it?")
    story.run(
        "drift", str(FOLDER),
        expect=2,
        show=("changed  ", "changed outside vastplan]", "  by kubectl-edit at", "  by dana at", "Drift: 3 objects"),
    )  # fmt: skip


def repair(story: Story) -> None:
    """The document is right."""
    story.tell(
        "5. The document is right: put it back. (`drift --accept` would write a value into the document instead.)"
    )
    story.run(
        "apply", str(FOLDER), "--auto-approve",
        expect=0,
        show=("  ~ ", "hard_limit  50 TiB → 100 TiB  [", "node_pools.default.gpu.deserved  128 → 64  [", "Plan: 3 to update"),
        last=2,
    )  # fmt: skip
    story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0, last=1)


def lose(story: Story) -> None:
    """A site fails."""
    story.tell(
        "6. An hour later iad is lost. What cannot be read is unknown, not absent: the plan deletes and recreates nothing."
    )
    story.world(WORLD, "pass", "70m")
    story.world(WORLD, "lose", "iad")
    story.run(
        "plan", str(FOLDER),
        expect=6,
        show=("Unknown (", "? iad vast ", "would lose what was written since", "Plan: no changes"),
    )  # fmt: skip
    story.tell(
        "7. What would it take to go on at pdx, and what is lost? Only a person gives up a site: this is a plan."
    )
    story.run(
        "move", "plan", str(FOLDER), "iad/project/team-a", "--to", "pdx", "--unplanned", "--out", str(FOLDER / "move.json"),
        expect=0,
        show=("loses: ", "goes back to: ", "work done again: ", "3. detach:", "point of no return", "4. take over:", "to do it:"),
        first=2,
        program=WITHOUT_PAUSES,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
