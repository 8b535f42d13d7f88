"""What a channel, a mailbox and an issue get: the lines of the examples, run with curl against servers that look at what arrives."""

from __future__ import annotations

import contextlib
import email
import email.policy
import io
import json
import os
import runpy
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.drift.stage import TIB, Hands, an_hour_ago, stage
from tests.review.hub import applied_and_recorded
from tests.review.pipeline import EXAMPLES, ROOT, WORKFLOWS
from tests.review.test_gitlab import PIPELINE, script
from vastplan.sim.world import World

NOTIFY = EXAMPLES / "trusted" / "notify.py"
SCRIPT = runpy.run_path(str(NOTIFY))
GOLDEN = ROOT / "tests" / "report" / "golden"
URL = "https://ci.example.com/acme/storage/runs/42?a=1"
REPORTS = sorted(GOLDEN.glob("*.md"))
CANARIES = ("://evil", "www.evil", "{{7", "\x1b", "\u202e", "\n#")
"""What the hostile reports have, and no message may: links, dates of cards, control characters, lines of their own."""


def message(service: str, report: Path, *more: str) -> bytes:
    """What the script prints; the lines of the examples run it as they do."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out):
        SCRIPT["main"](service, report, URL, *more)
    return bytes(out.buffer.getvalue())


def slack_texts(value: dict[str, Any]) -> list[str]:
    """The texts of an incoming webhook's message, each within its limit, after Slack's escapes: nothing in them is parsed but one link."""
    assert value.keys() == {"text", "mrkdwn", "unfurl_links", "blocks"} and value["mrkdwn"] is False
    *blocks, link = value["blocks"]
    assert link == {"type": "section", "text": {"type": "mrkdwn", "text": f"<{URL}|All reports>"}}
    assert [block["type"] for block in blocks] == ["header", "section", "section"][: len(blocks)]
    for block in blocks:
        text = block["text"]
        assert (text["type"], text["emoji"]) == ("plain_text", False)
        assert 0 < len(text["text"]) <= (150 if block["type"] == "header" else 3000)
    texts = [value["text"], *(block["text"]["text"] for block in blocks)]
    for text in texts:
        assert "<" not in text and ">" not in text, text
        assert text.count("&") == sum(text.count(entity) for entity in ("&amp;", "&lt;", "&gt;")), text
    return [text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for text in texts[1:]]


def teams_texts(value: dict[str, Any]) -> list[str]:
    """The texts of an Adaptive Card in a message, none of which is Markdown."""
    assert value.keys() == {"type", "attachments"} and value["type"] == "message"
    (attachment,) = value["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive" and attachment["contentUrl"] is None
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4") and card.keys() == {
        "$schema", "type", "version", "body", "actions",
    }  # fmt: skip
    assert card["actions"] == [{"type": "Action.OpenUrl", "title": "All reports", "url": URL}]
    assert all(block["type"] == "RichTextBlock" and len(block["inlines"]) == 1 for block in card["body"])
    runs = [block["inlines"][0] for block in card["body"]]
    assert all(run["type"] == "TextRun" and run.keys() <= {"type", "text", "size", "weight"} for run in runs)
    return [run["text"] for run in runs]


def mail_texts(raw: bytes) -> list[str]:
    """The subject and the lines of a mail, which has no other headers than its own."""
    parsed = email.message_from_bytes(raw, policy=email.policy.default)
    assert parsed.keys() == ["From", "To", "Subject", "Content-Type", "Content-Transfer-Encoding", "MIME-Version"]
    assert parsed.get_content_type() == "text/plain" and parsed["To"] == "storage@example.com"
    content = parsed.get_content().replace("\r\n", "\n")
    assert f"\nAll reports: {URL}\n" in content
    return [parsed["Subject"].strip(), *content.replace(f"All reports: {URL}", "").splitlines()]


def texts_of(service: str, report: Path) -> list[str]:
    if service == "mail":
        return mail_texts(message("mail", report, "vastplan@example.com", "storage@example.com"))
    value = json.loads(message(service, report))
    return slack_texts(value) if service == "slack" else teams_texts(value)


@pytest.mark.parametrize("service", ["slack", "teams", "mail"])
def test_a_message_of_any_report_has_the_shape_of_its_service_and_all_names_are_inert(service: str) -> None:
    assert len(REPORTS) > 10
    for report in REPORTS:
        texts = texts_of(service, report)
        whole = "\n".join(texts)
        assert texts[0].startswith("vastplan") and not [canary for canary in CANARIES if canary in whole], (
            report,
            texts,
        )
        assert "`" not in whole or "hostile" in report.name
        assert len(json.dumps(texts, ensure_ascii=False).encode()) < 28_000


@pytest.mark.parametrize(("service", "key"), [("github", "body"), ("gitlab", "description")])
def test_an_issue_has_the_whole_report_or_as_much_as_fits_with_everything_closed(service: str, key: str) -> None:
    for report in REPORTS:
        value = json.loads(message(service, report))
        text = value[key]
        assert value["title"].startswith("vastplan") and "\n" not in value["title"]
        assert len(text.encode()) < 65_536 and text.startswith(f"[All reports]({URL})\n\n<!-- vastplan:")
        assert text.count("\n<details") == text.count("\n</details>")
        assert report.read_text() in text or text.endswith("\n**Cut**: the rest is in the reports.\n")


def test_a_long_report_is_cut(tmp_path: Path) -> None:
    report = tmp_path / "long.md"
    line = "- `" + "é" * 100 + "`\n"
    report.write_text("<!-- vastplan:plan:a -->\n### vastplan: `a`\n\n**" + "é" * 9000 + ".**\n\n#### Who is let in (150)\n\n"
                      + line * 150 + "\n#### Deletes (1)\n\n<details open><summary>x</summary>\n\n" + line * 900 + "\n</details>\n")  # fmt: skip
    for service in ("slack", "teams", "mail"):
        texts = "\n".join(texts_of(service, report))
        assert "Who is let in (150)" in texts and "\n- and 145 more\nDeletes (1)" in texts
    text = json.loads(message("github", report))["body"]
    assert text.endswith("\n</details>\n\n**Cut**: the rest is in the reports.\n") and len(text.encode()) < 65_536


def test_only_an_address_is_a_link(tmp_path: Path) -> None:
    for url in ("javascript:alert(1)", "https://a|b>", "https://a\n.example.com", 'https://a"'):
        words = [sys.executable, "-I", str(NOTIFY), "slack", str(GOLDEN / "typical.md"), url]
        assert subprocess.run(words, capture_output=True, check=False).returncode == 1


# What is sent


class Arrived:
    """What came to a server: method, path, headers and body."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.answers: dict[str, Any] = {}


@contextmanager
def service() -> Iterator[tuple[str, Arrived]]:
    """A loopback HTTP server that keeps what arrives."""
    arrived = Arrived()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            arrived.requests.append((self.command, self.path, dict(self.headers), body))
            said = json.dumps(arrived.answers.get(self.path, [])).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            return None

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", arrived
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def reports(tmp_path: Path, vastplan: Run) -> dict[str, Path]:
    """Real ones: of a night after somebody let everybody in, made a policy with a hostile name and deleted a view's quota; and of the plan
    that would let somebody else in and delete a view."""
    head = "version: 1\nname: hand\nsites: {iad: {sim: {}}}\n"
    text = head + (
        "tenants: {t: {}}\n"
        "view_policies: {p: {tenant: t, flavor: NFS, nfs_no_squash: [10.12.0.0/24]}}\n"
        "views:\n  v: {tenant: t, path: /v, view_policy: p, create_dir: true}\n  w: {tenant: t, path: /w, view_policy: p, create_dir: true}\n"
    )
    found = {name: tmp_path / f"{name}.md" for name in ("drift", "plan")}
    with stage(tmp_path, text) as hands:
        file = tmp_path / "hand.yaml"
        with an_hour_ago():
            assert vastplan("apply", file, "--auto-approve").code == 0
        file.write_text(
            text.replace("10.12.0.0/24", "10.12.0.0/24, 10.99.0.0/16").replace(
                "  w: {tenant: t, path: /w, view_policy: p, create_dir: true}\n", ""
            )
        )
        assert vastplan("plan", file, "--report", found["plan"]).code in (0, 2, 3)
        file.write_text(text)
        key = hands.row("iad", "viewpolicies", name="p")["id"]
        hands.call("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{key}/", {"nfs_no_squash": ["10.12.0.0/24", "*"]})
        hostile = "<!here> @channel [x](https://evil.example) <b>"
        hands.call("iad", "vast", "POST", "/api/v5/viewpolicies/", {"name": hostile, "flavor": "NFS"})
        assert vastplan("drift", file, "--report", found["drift"]).code == 2
    return found


def step(workflow: str, job: str, name: str) -> str:
    whole = yaml.safe_load((WORKFLOWS / workflow).read_text())
    (run,) = [one["run"] for one in whole["jobs"][job]["steps"] if one.get("name") == name]
    return str(run)


def bash(lines: str, folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Lines of an example as a runner runs them."""
    (folder / "ci").mkdir(exist_ok=True)
    (folder / "ci" / "notify.py").write_bytes(NOTIFY.read_bytes())
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "RUN_URL": URL,
        "CI_JOB_URL": URL,
        **given,
    }
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", lines]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done
    return done


def first_lines(texts: list[str]) -> list[str]:
    return [line for text in texts for line in text.splitlines() if line]


def is_drift(lines: list[str]) -> None:
    """The headline first, then who is let in, then the counts of all else."""
    assert lines[0] == "vastplan drift: hand" and lines[1].startswith("1 object changed outside vastplan."), lines
    assert lines[2] == "Lets somebody in (1)" and lines[3] == "- iad/view_policy/p" and "nfs_no_squash" in lines[4], (
        lines
    )
    assert "*" in lines[4] and any(line.startswith("Nobody manages (") for line in lines[5:]), lines


def is_plan(lines: list[str]) -> None:
    assert lines[0] == "vastplan: hand" and "1 lets somebody in, 1 to delete" in lines[1], lines
    assert lines[2] == "Who is let in (1)" and "10.99.0.0/16" in lines[3], lines
    assert lines[4] == "What is lost (1)" and lines[5].startswith("- delete 1 view: without data"), lines
    assert any(line.startswith("- On iad: ") and "1 to delete" in line for line in lines[6:]), lines


def test_the_workflows_of_github_tell_a_channel_and_keep_one_issue(reports: dict[str, Path], tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    (temp / "drift").mkdir(parents=True)
    (temp / "reviewed").mkdir()
    (temp / "drift" / "drift.md").write_bytes(reports["drift"].read_bytes())
    (temp / "reviewed" / "plan.md").write_bytes(reports["plan"].read_bytes())
    tell = step("vastplan-drift.yml", "tell", "Tell the channel")
    issue = step("vastplan-drift.yml", "tell", "Open the issue, or replace it")
    plan = step("vastplan-apply.yml", "tell", "Tell the channel")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text("#!/bin/sh\nexit 0\n")  # the report is there already
    (tmp_path / "bin" / "gh").chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    with service() as (url, arrived):
        given = {
            "RUNNER_TEMP": str(temp),
            "WEBHOOK": f"{url}/services/T/B/x",
            "API": f"{url}/repos/a/b/issues",
            "TOKEN": "a-token",
        }
        for lines in (tell, plan):
            bash(lines, tmp_path, **{**given, "WEBHOOK": "", "RUN": "42"})
        assert arrived.requests == [], "no channel"
        bash(tell, tmp_path, **given)
        bash(plan, tmp_path, **{**given, "PATH": path, "RUN": "42"})
        bash(issue, tmp_path, **given)
        query = "/repos/a/b/issues?labels=vastplan-drift&state=open"
        arrived.answers[query] = [{"number": 7}]
        bash(issue, tmp_path, **given)
    (drift, planned, listed, opened, again, replaced) = arrived.requests
    for method, where, headers, body in (drift, planned):
        assert (method, where, headers["Content-Type"]) == ("POST", "/services/T/B/x", "application/json")
        texts = first_lines(slack_texts(json.loads(body)))
        is_drift(texts) if "drift" in texts[0] else is_plan(texts)
    assert [(method, where) for method, where, *_ in (listed, opened, again, replaced)] == [
        ("GET", query), ("POST", "/repos/a/b/issues"), ("GET", query), ("PATCH", "/repos/a/b/issues/7"),
    ]  # fmt: skip
    assert {headers["Authorization"] for _, _, headers, _ in (listed, opened, again, replaced)} == {"Bearer a-token"}
    value = json.loads(opened[3])
    assert (
        value.keys() == {"title", "body", "labels"}
        and value["labels"] == ["vastplan-drift"]
        and opened[3] == replaced[3]
    )
    assert "`<!here> @channel [x](https://evil.example) <b>`" in value["body"], "in code"


@pytest.mark.slow
def test_the_whole_drift_workflow_says_nothing_without_drift_and_tells_of_it(tmp_path: Path) -> None:
    hub = applied_and_recorded(tmp_path)
    world = World(hub.trusted / "storage" / ".vastplan" / "sim", {"lab": ("vast", "kubernetes", "runai")})
    with service() as (url, arrived):
        context = {"secrets.SLACK_WEBHOOK": f"{url}/hook", "github.api_url": url}
        code, log = hub.workflow("vastplan-drift.yml", **context)
        assert (code, arrived.requests) == (0, []), log
        hands = Hands(world.start())
        try:
            (row,) = [row for row in hands.call("lab", "vast", "GET", "/api/v5/tenants/") if row["name"] == "team-a"]
            body = {"capacity_rules": {**row["capacity_rules"], "hard_limit": 20 * TIB}}
            hands.call("lab", "vast", "PATCH", f"/api/v5/tenants/{row['id']}/", body)
        finally:
            world.stop()
        code, log = hub.workflow("vastplan-drift.yml", **context)
        assert code == 0, log
    assert [(method, where.partition("?")[0]) for method, where, *_ in arrived.requests] == [
        ("POST", "/hook"), ("GET", "/repos/acme/storage/issues"), ("POST", "/repos/acme/storage/issues"),
    ]  # fmt: skip
    texts = slack_texts(
        json.loads(
            arrived.requests[0][3].replace(b"https://github.example.com/acme/storage/actions/runs/42", URL.encode())
        )
    )
    assert texts[:2] == ["vastplan drift: minimal", "1 object changed outside vastplan."]


def test_the_pipeline_of_gitlab_does_the_same(reports: dict[str, Path], tmp_path: Path) -> None:
    tell = PIPELINE[".tell"]
    assert tell in script("drift")
    with service() as (url, arrived):
        query = "/api/projects/1/issues?labels=vastplan-drift&state=opened"
        given = {"CI_PROJECT_DIR": str(tmp_path), "CI_API_V4_URL": f"{url}/api", "CI_PROJECT_ID": "1"}
        bash(tell, tmp_path, **given)
        assert arrived.requests == []
        given |= {"VASTPLAN_WEBHOOK": f"{url}/x", "VASTPLAN_NOTE_TOKEN": "note-token"}
        bash(tell, tmp_path, **given)
        arrived.answers[query] = [{"iid": 3}]
        bash(tell, tmp_path, **given)
    assert [(method, where) for method, where, *_ in arrived.requests] == [
        ("POST", "/x"), ("GET", query), ("POST", "/api/projects/1/issues"),
        ("POST", "/x"), ("GET", query), ("PUT", "/api/projects/1/issues/3"),
    ]  # fmt: skip
    is_drift(first_lines(slack_texts(json.loads(arrived.requests[0][3]))))
    _, _, headers, body = arrived.requests[2]
    assert (headers["PRIVATE-TOKEN"], headers["Content-Type"]) == (
        "note-token", "application/json",
    )  # fmt: skip
    assert json.loads(body).keys() == {"title", "description", "labels"}


def guide(service_name: str) -> str:
    """The line of the guide for a service."""
    text = (ROOT / "docs" / "guides" / "nightly-drift.md").read_text(encoding="utf-8")
    (block,) = [one.split("```")[0] for one in text.split("```sh\n")[1:] if f"notify.py {service_name} " in one]
    return block


def test_the_lines_of_the_guide_reach_a_teams_channel(reports: dict[str, Path], tmp_path: Path) -> None:
    with service() as (url, arrived):
        bash(guide("teams"), tmp_path, WEBHOOK=f"{url}/workflows/x?api-version=1")
    ((method, where, headers, body),) = arrived.requests
    assert (method, where, headers["Content-Type"]) == ("POST", "/workflows/x?api-version=1", "application/json")
    is_drift(first_lines(teams_texts(json.loads(body))))


class Smtp(socketserver.StreamRequestHandler):
    """As much of a mail server as takes one message."""

    received: list[bytes]

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            if line.upper().startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.received.append(b"".join(one.removeprefix(b".") for one in lines))
            if line.upper().startswith(b"QUIT"):
                self.wfile.write(b"221 bye\r\n")
                return
            self.wfile.write(b"250 fine\r\n")


def test_the_lines_of_the_guide_reach_a_mailbox(reports: dict[str, Path], tmp_path: Path) -> None:
    Smtp.received = []
    with socketserver.TCPServer(("127.0.0.1", 0), Smtp) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        bash(guide("mail"), tmp_path, SMTP=f"smtp://127.0.0.1:{server.server_address[1]}")
        thread.join()
    (raw,) = Smtp.received
    subject, *lines = mail_texts(raw)
    assert subject.startswith("vastplan drift: hand: 1 object changed outside vastplan.")
    is_drift(["vastplan drift: hand", *(line for line in lines if line)])
