"""What any tool must do at least: fetch the same pages, parse them, and load the YAML with PyYAML's C loader."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import requests
import yaml


def main() -> None:
    """`baseline.py ENDPOINTS DOCUMENT COLLECTION...`."""
    endpoints, document, *collections = sys.argv[1:]
    one = next(e for e in json.loads(Path(endpoints).read_text())["endpoints"] if e["system"] == "vast")
    session = requests.Session()
    session.trust_env = False
    session.verify = one["ca_file"]
    login = {"username": one["username"], "password": one["password"]}
    token = session.post(one["url"] + "/api/v5/token/", json=login, timeout=60).json()["access"]
    session.headers["Authorization"] = f"Bearer {token}"
    rows = 0
    for collection in collections:
        url = f"{one['url']}/api/v5/{collection}/?page_size=1000&page=1"
        while url:
            page = json.loads(session.get(url, timeout=60).content)
            rows += len(page["results"])
            url = page["next"]
    with open(document, "rb") as file:
        yaml.load(file, Loader=yaml.CSafeLoader)
    print(rows)


if __name__ == "__main__":
    main()
