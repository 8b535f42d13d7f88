"""The options for the review of a change: record a snapshot, plan against it and a base, apply the reviewed plan."""

from __future__ import annotations

import argparse
from pathlib import Path


def of_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options of `plan`."""
    parser.add_argument(
        "--snapshot",
        type=Path,
        metavar="FILE",
        help="plan against a snapshot of vastplan record, without credentials or network; the plan can be reviewed, not applied",
    )
    parser.add_argument(
        "--base",
        type=Path,
        metavar="PATH",
        help="the document before the change: the plan separates this change from pending changes and drift",
    )

    parser.add_argument(
        "--approvals-template",
        type=Path,
        metavar="FILE",
        help="write a new approvals file for what this plan needs approved, with the evidence; you add the reasons",
    )
    _review_key(parser)


def _review_key(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--review-key",
        type=Path,
        metavar="FILE",
        help="a key of the runner: the plan gets a keyed digest of each secret value, for --reviewed to compare",
    )


def sign(parser: argparse.ArgumentParser) -> None:
    """Add `--sign`."""
    parser.add_argument(
        "--sign",
        type=Path,
        metavar="KEYFILE",
        help="sign the plan of --out with this Ed25519 key, in FILE.sig beside it, for apply --require-signature",
    )


def of_apply(parser: argparse.ArgumentParser) -> None:
    """Add the options of `apply PATH`."""
    parser.add_argument(
        "--reviewed",
        type=Path,
        metavar="FILE",
        help="plan again, and apply only if the plan does no more than this reviewed plan",
    )
    _review_key(parser)
    parser.add_argument(
        "--allow-difference", action="store_true", help="apply although the plan differs from the reviewed one"
    )
    parser.add_argument(
        "--allow-secret-values",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="update rotated secret values of this object whose source is unchanged, which no review can see; "
        "repeatable",
    )


def require_signature(parser: argparse.ArgumentParser) -> None:
    """Add `--require-signature`."""
    parser.add_argument(
        "--require-signature",
        type=Path,
        metavar="PUBKEY",
        help="accept only a plan, also for --reviewed, signed with one of the keys in this file (plan --sign)",
    )


def of_record(parser: argparse.ArgumentParser) -> None:
    """Add the options of `record`."""
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="where to write the snapshot")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="KIND",
        help="leave out a kind with too many objects (snapshot, workload); plans report it as not read; repeatable",
    )
