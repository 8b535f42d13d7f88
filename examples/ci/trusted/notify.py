"""A message about a report of vastplan: python3 -I ci/notify.py SERVICE REPORT.md URL [FROM TO] > message

SERVICE is slack, teams, mail, github or gitlab; REPORT.md is what `vastplan plan` or `vastplan drift` wrote with --report; URL is
where all reports are. A channel gets the verdict, who is let in, what is lost, and how much there is of all else; an issue gets the report.

Names in a report may be anybody's: they mention nobody, link nowhere and are no mark-up. What each service does with text, and takes of it:
  slack    a plain_text object has no mark-up, & < > are escaped; a header has 150 characters, a text 3,000
           https://docs.slack.dev/messaging/formatting-message-text and /reference/block-kit
  teams    a RichTextBlock has no Markdown, a mention needs an entity of its own; a message has 28 KB
           https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features and /connectors/teams
  mail     text/plain; a header is one line (RFC 5322, section 2.2)
  github   in code, which is where the report has each name, nothing is a mention or a link; a body has 65,536 characters
  gitlab   the same; a description has 1,048,576
"""

from __future__ import annotations

import html
import json
import re
import sys
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

LINES, WIDTH, BODY = 18, 240, 60_000
COUNT = r" \([\d,]+\)$"
ON_SITE = r"- On `[^`]*`: \d"


def plain(line: str) -> str:
    """A line of the report without its Markdown, with nothing that a service could take for a link or a date."""
    summary = re.fullmatch(r"<details[^>]*><summary>(.*)</summary>", line)
    if summary:
        text = html.unescape(re.sub(r"<[^>]*>", "", summary[1]))
    else:  # what is between backticks has none
        parts = line.split("`")
        text = "".join(part if number % 2 else part.replace("**", "") for number, part in enumerate(parts))
    text = "".join(char if char.isprintable() else "?" for char in text.strip())
    for mark, broken in (("://", "[:]//"), ("www.", "www[.]"), ("{{", "{ {")):
        text = text.replace(mark, broken)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def summary(report: str) -> tuple[str, str, list[str]]:
    """The title, the verdict, and at most LINES lines: who is let in, what is lost, then the counts of all else."""
    lines = report.splitlines()
    title = next(line[4:] for line in lines if line.startswith("### "))
    verdict = next(line for line in lines if line.startswith("**"))
    access: list[str] = []
    lost: list[str] = []
    counts: list[str] = []
    first = {"who is let in": access, "what is lost": lost}
    if title.startswith("vastplan drift:"):
        first = {"lets somebody in": access}
    section = counts
    for line in lines:
        if line.startswith("#"):
            heading = plain(line.lstrip("#"))
            name = re.sub(COUNT, "", heading).lower().removeprefix("new: ")
            section = first.get(name, counts)
            if name in first or re.search(COUNT, heading):
                section.append(heading)
        elif re.match(ON_SITE, line):
            section = counts
            counts.append(plain(line))
        elif section is not counts and line.startswith(("- ", "<details")) and not line.startswith("- Last applied"):
            section.append("- " + plain(line.removeprefix("- ")))
    return plain(title), plain(verdict), [*some(access, 6), *some(lost, 4), *counts][:LINES]


def some(lines: list[str], most: int) -> list[str]:
    """The first lines, and how many more there are."""
    more = len(lines) - most
    return [*lines[:most], *([f"- and {more} more"] if more > 0 else [])]


def slack(title: str, verdict: str, lines: list[str], url: str) -> dict[str, Any]:
    """What an incoming webhook takes."""

    def text(value: str, most: int) -> str:
        while len(escaped := html.escape(value, quote=False)) > most:
            value = value[: -max(1, (len(escaped) - most) // 5)]
        return escaped

    def block(kind: str, value: str, most: int) -> dict[str, Any]:
        return {"type": kind, "text": {"type": "plain_text", "text": text(value, most), "emoji": False}}

    blocks = [block("header", title, 150), block("section", verdict, 3000)]
    blocks += [block("section", "\n".join(lines), 3000)] if lines else []
    blocks += [{"type": "section", "text": {"type": "mrkdwn", "text": f"<{url}|All reports>"}}]
    return {"text": text(f"{title}: {verdict}", 1000), "mrkdwn": False, "unfurl_links": False, "blocks": blocks}


def teams(title: str, verdict: str, lines: list[str], url: str) -> dict[str, Any]:
    """What a workflow that starts with "When a Teams webhook request is received" takes."""

    def block(value: str, **how: str) -> dict[str, Any]:
        return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": value, **how}]}

    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
        "body": [block(title, size="Large", weight="Bolder"), block(verdict, weight="Bolder"), *map(block, lines)],
        "actions": [{"type": "Action.OpenUrl", "title": "All reports", "url": url}],
    }  # fmt: skip
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def mail(title: str, verdict: str, lines: list[str], url: str, sender: str, to: str) -> bytes:
    """A message as sendmail -t takes it."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = sender, to, f"{title}: {verdict}"[:WIDTH]
    message.set_content("\n".join([verdict, "", *lines, "", f"All reports: {url}", ""]))
    return message.as_bytes()


def body(report: str, url: str) -> str:
    """The report, as much of it as an issue takes, with all of its <details> closed."""
    kept = report
    while len(kept.encode()) > BODY:
        kept = kept[: kept.rindex("\n", 0, min(len(kept), BODY) * 9 // 10)]
    cut = "" if kept == report else "\n\n**Cut**: the rest is in the reports."
    left_open = kept.count("\n<details") - kept.count("\n</details>")
    return f"[All reports]({url})\n\n{kept}" + "\n</details>" * left_open + cut + "\n"


def main(service: str, report: str, url: str, *people: str) -> None:
    """Print the message."""
    if not re.fullmatch(r"https?://[\w.:/?=&%#@~+-]+", url):
        sys.exit(f"{url!r} is not an address")
    whole = Path(report).read_text(encoding="utf-8")
    title, verdict, lines = summary(whole)
    if service == "mail":
        sys.stdout.buffer.write(mail(title, verdict, lines, url, *people))
        return
    if service in ("slack", "teams"):
        message = (slack if service == "slack" else teams)(title, verdict, lines, url)
    elif service == "github":
        message = {"title": title, "body": body(whole, url), "labels": ["vastplan-drift"]}
    elif service == "gitlab":
        message = {"title": title, "description": body(whole, url), "labels": "vastplan-drift"}
    else:
        sys.exit(f"{service!r} is none of slack, teams, mail, github and gitlab")
    json.dump(message, sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
