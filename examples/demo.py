"""The main job as a story: plan, apply, a change by hand, drift, repair, an import, an edit, a guard; then a site is lost, and
returns. Run it with `make demo`.

Every step is a vastplan command that you can type yourself; it is printed before its output. Nothing but this machine is
needed: both sites are simulated, over HTTPS on loopback.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import requests
from demo_two_sites import FOLDER as OTHER_FOLDER
from demo_two_sites import PAGES, two_sites

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("demo")  # a copy of examples/ai-factory that the story may edit
REPORTS = {"plan.html": "The edit of step 8 as a page", "plan.md": "and as a comment under a change request"}
PROGRAM = [sys.executable, "-m", "vastplan"]
BOLD, DIM, END = (
    ("\x1b[1m", "\x1b[2m", "\x1b[0m") if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else ("", "", "")
)


class Story:
    """Tells the steps and keeps count of what was not as it should be."""

    def __init__(self) -> None:
        self.wrong = 0
        self._endpoints: dict[tuple[str, str], dict[str, Any]] = {}

    def tell(self, text: str) -> None:
        print(f"\n{BOLD}{text}{END}", flush=True)

    @staticmethod
    def shell(line: str) -> None:
        """Show a line as it is typed."""
        print(f"{DIM}$ {line}{END}", flush=True)

    @staticmethod
    def change(path: Path, old: str, new: str) -> None:
        """Edit one line, and show it."""
        change(path, old, new)

    def run(self, *words: str, expect: int, last: int = 0, program: Sequence[str] = PROGRAM) -> str:
        """One command, shown and run; its exit code must be the expected one. With `last` only so many lines of it are shown."""
        self.shell(f"vastplan {' '.join(words)}")
        done = subprocess.run([*program, *words], stdout=subprocess.PIPE, text=True)
        lines = done.stdout.splitlines(keepends=True)
        if last and len(lines) > last:
            print(f"{DIM}({len(lines) - last} lines){END}")
        print("".join(lines[-last:]), end="")
        print(f"{DIM}(exit code {done.returncode}){END}", flush=True)
        if done.returncode != expect:
            print(f"the demo expected exit code {expect}", file=sys.stderr)
            self.wrong += 1
        return done.stdout

    def expect(self, text: str, *wanted: str) -> None:
        """What the last output must have said."""
        for one in wanted:
            if one not in text:
                print(f"the demo expected to read: {one}", file=sys.stderr)
                self.wrong += 1

    def serve(self) -> subprocess.Popen[str]:
        """The simulators in the background, as another person's systems would be."""
        print(f"{DIM}$ vastplan sim {FOLDER} &{END}", flush=True)
        server = subprocess.Popen([*PROGRAM, "sim", str(FOLDER)], stdout=subprocess.DEVNULL, text=True)
        file = FOLDER / ".vastplan" / "sim" / "endpoints.json"
        for _ in range(1200):  # a minute: the machine may be busy
            if file.exists():
                break
            time.sleep(0.05)
        found = json.loads(file.read_text())["endpoints"]
        self._endpoints = {(one["site"], one["system"]): one for one in found}
        return server

    def by_hand(
        self, site: str, system: str, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> Any:
        """Somebody uses the system's own API."""
        one = self._endpoints[site, system]
        if method != "GET":
            print(f"  {method} {one['url']}{path} {json.dumps(body) if body is not None else ''}", flush=True)
        headers = {"Authorization": self._authorisation(one), "Content-Type": kind}
        answer = requests.request(
            method,
            one["url"] + path,
            data=json.dumps(body) if body is not None else None,
            headers=headers,
            verify=one["ca_file"],
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None

    @staticmethod
    def _authorisation(one: dict[str, Any]) -> str:
        name, secret = one["username"], one["password"]
        if one["system"] == "kubernetes":
            return f"Bearer {secret}"
        if one["system"] == "vast":
            body = {"username": name, "password": secret}
            return (
                "Bearer "
                + requests.post(one["url"] + "/api/token/", json=body, verify=one["ca_file"], timeout=30).json()[
                    "access"
                ]
            )
        body = {"grantType": "client_credentials", "clientId": name, "clientSecret": secret}
        return (
            "Bearer "
            + requests.post(one["url"] + "/api/v1/token", json=body, verify=one["ca_file"], timeout=30).json()[
                "accessToken"
            ]
        )


def main() -> int:
    """Tell the story; 0 when everything went as told."""
    os.chdir(ROOT)
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    Story.shell(f"cp -r examples/ai-factory {FOLDER}")
    shutil.copytree("examples/ai-factory", FOLDER, ignore=shutil.ignore_patterns(".vastplan"))
    story = Story()
    server = story.serve()
    try:
        build(story)
        by_hand(story)
        taken_over(story)
        edit(story)
    finally:
        server.terminate()
        server.wait(timeout=20)
    two_sites(story)
    story.tell("That was the story." if not story.wrong else f"{story.wrong} thing(s) did not go as told.")
    for file, what in REPORTS.items():
        print(f"{what}: {FOLDER / file}")
    for file, what in PAGES.items():
        print(f"{what}: {OTHER_FOLDER / file}")
    print(f"The documents and the ledger are in {FOLDER}/; type any of the commands above again.")
    return 1 if story.wrong else 0


def build(story: Story) -> None:
    """From nothing to a factory."""
    story.tell("1. Two sites, two teams, nothing there yet. What would be made?")
    told = story.run("plan", str(FOLDER), "--out", str(FOLDER / "plan.json"), expect=0)
    story.expect(told, "to create")
    story.tell("2. Carry out exactly that plan.")
    told = story.run("apply", str(FOLDER / "plan.json"), "--document", str(FOLDER), expect=0)
    story.expect(told, "done.")
    story.tell("3. Is anything left to do?")
    story.expect(story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0), "no changes")


def by_hand(story: Story) -> None:
    """Somebody changes things in three consoles."""
    story.tell("4. Behind our back, somebody uses the systems' own APIs on iad:")
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
        "iad", "kubernetes", "PATCH", "/api/v1/namespaces/vast-csi", label, kind="application/merge-patch+json"
    )
    paths = story.by_hand("iad", "vast", "GET", "/api/v5/protectedpaths/?name=team-b-checkpoints")
    story.by_hand("iad", "vast", "DELETE", f"/api/v5/protectedpaths/{paths[0]['id']}/")
    for _ in range(3):  # the path is removed a little later, as on a real cluster
        story.by_hand("iad", "vast", "GET", "/api/v5/protectedpaths/?name=team-b-checkpoints")
    story.tell("5. The nightly check: which side moved, and in which fields?")
    told = story.run("drift", str(FOLDER), expect=2)
    story.expect(
        told, "max_writes_bw_mbps", "node_pools.default.gpu.deserved", "part-of", "gone", "changed outside vastplan"
    )
    story.tell("6. The document is right: put everything back.")
    story.expect(story.run("apply", str(FOLDER), "--auto-approve", expect=0), "changed outside vastplan", "done.")
    story.expect(story.run("plan", str(FOLDER), "--detailed-exitcode", expect=0), "no changes")


def taken_over(story: Story) -> None:
    """What somebody made in a console becomes lines of the document."""
    story.tell("7. Somebody clicked a tenant together. As lines of the document, taken over as it is:")
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
    change(FOLDER / "team-a.yaml", "max_writes_bw_mbps: 4 GB/s", "max_writes_bw_mbps: 6 GB/s")
    change(FOLDER / "team-b.yaml", "storage_path: /team-b/k8s", "storage_path: /team-b/volumes")
    change(FOLDER / "team-a.yaml", "      team-a-data: {storage_class: team-a, size: 50 TiB, mount: /data}\n", "")
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


def change(path: Path, old: str, new: str) -> None:
    """Edit one line, and show it."""
    text = path.read_text()
    assert old in text, f"{path} does not hold {old!r}"
    path.write_text(text.replace(old, new))
    print(f"  {path}: {old.strip()}  →  {new.strip() or '(removed)'}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
