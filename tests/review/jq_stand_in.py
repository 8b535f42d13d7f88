"""`jq` as the GitLab pipeline uses it, for machines that have the library and not the program."""

from __future__ import annotations

import argparse
import json
import sys

import jq


def main() -> None:
    top = argparse.ArgumentParser()
    top.add_argument("-r", action="store_true")
    top.add_argument("--arg", nargs=2, action="append", default=[])
    top.add_argument("expression")
    words = top.parse_args()
    for one in jq.compile(words.expression, args=dict(words.arg)).input_value(json.load(sys.stdin)).all():
        print(one)


main()
