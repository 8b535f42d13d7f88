"""The least that any tool must do, each as a process: fetch and load, send calls, or load JSON. Imports nothing of vastplan."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def session(url: str, ca_file: str, username: str, password: str) -> Any:
    """A logged-in session that sends to a cluster."""
    import requests

    opened = requests.Session()
    opened.trust_env = False
    opened.verify = ca_file
    login = {"username": username, "password": password}
    token = opened.post(f"{url}/api/v5/token/", json=login, timeout=60).json()["access"]
    opened.headers["Authorization"] = f"Bearer {token}"
    return opened


def fetch(url: str, ca_file: str, username: str, password: str, folder: str, *collections: str) -> None:
    """Fetch all pages of the collections, parse them, and load the folder's YAML with PyYAML's C loader."""
    import yaml

    opened = session(url, ca_file, username, password)
    rows = 0
    for collection in collections:
        page_url = f"{url}/api/v5/{collection}/?page_size=1000&page=1"
        while page_url:
            page = json.loads(opened.get(page_url, timeout=60).content)
            rows += len(page["results"])
            page_url = page["next"]
    for file in sorted(Path(folder).glob("*.yaml")):
        with file.open("rb") as stream:
            yaml.load(stream, Loader=yaml.CSafeLoader)
    print(rows)


def send(url: str, ca_file: str, username: str, password: str, calls: str) -> None:
    """Send calls that were kept, one after the other, and parse the answers."""
    opened = session(url, ca_file, username, password)
    refused = 0
    for call in json.loads(Path(calls).read_text()):
        body = json.loads(call["body"]) if call["body"] else None
        answer = opened.request(call["method"], url + call["path"], params=call["query"], json=body, timeout=60)
        refused += answer.status_code >= 400
        if answer.content:
            json.loads(answer.content)
    print(refused)


def load(file: str) -> None:
    """Load a JSON file."""
    with open(file, "rb") as stream:
        json.load(stream)


if __name__ == "__main__":
    work: dict[str, Callable[..., None]] = {"fetch": fetch, "send": send, "load": load}
    work[sys.argv[1]](*sys.argv[2:])
