"""Recognises files that were given as documents but are something else, so that nobody looks for a mistake in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vastplan.model.shell import word

BEGINS = "a document begins with version: 1, name: NAME and sites: {SITE: {...}}"
_TERRAFORM = re.compile(
    r"\s*(?:#[^\n]*\n\s*)*(?:resource|provider|terraform|variable|module|data|output|locals)\b[^\n:]{0,200}\{"
)
_DOCUMENT = ("name", "sites")
_OPERATIONS = ("move", "restore")


def of_text(text: str) -> tuple[str, str]:
    """What a text is that is not a mapping, and what to do; the first is "" where it is not recognised."""
    if _TERRAFORM.match(text):
        return (
            "this is Terraform configuration, not a document",
            "to adopt what it created: vastplan import DOCUMENT --out FOLDER --terraform STATE_FILE",
        )
    return "", BEGINS


def of_tree(tree: Mapping[str, Any], file: str) -> tuple[str, str]:
    """What a mapping is that is not a document, and what to do; the first is "" where it may be a document."""
    if not tree:
        return "the file is empty", BEGINS
    if "apiVersion" in tree and "kind" in tree:
        kind = tree["kind"]
        kind_text = f" ({kind})" if isinstance(kind, str) and kind.isalnum() and len(kind) < 64 else ""
        return f"this is a Kubernetes manifest{kind_text}, not a vastplan document", BEGINS
    if "terraform_version" in tree:
        return (
            "this is a Terraform state, not a document",
            f"to adopt what it created: vastplan import DOCUMENT --out FOLDER --terraform {word(file)}",
        )
    written, command = of_vastplan(tree, file)
    if written:
        return f"this is {written}, not a document", command
    if "format_version" in tree and "version" not in tree:
        return (
            "vastplan wrote this file; it is not a document",
            f"to see a saved plan: vastplan show {word(file)}; to apply it: vastplan apply {word(file)}",
        )
    if "approvals" in tree and not any(key in tree for key in _DOCUMENT):
        return "these are approvals, not a document", f"vastplan plan DOCUMENT --approvals {word(file)}"
    return "", ""


def sort_of(tree: Mapping[str, Any]) -> str:
    """What files such as this are that is among those of a document; "" for what may be a part of it."""
    if "apiVersion" in tree and "kind" in tree:
        return "a Kubernetes manifest"
    if "approvals" in tree and not any(key in tree for key in _DOCUMENT):
        return "approvals"
    return ""


def of_vastplan(data: Mapping[str, Any], file: str) -> tuple[str, str]:
    """What a file that vastplan wrote holds if that is not a plan, and the command that reads it; the first is "" for any other file."""
    if "format_version" not in data:
        return "", ""
    if "collections" in data:
        return "a snapshot", f"vastplan plan DOCUMENT --snapshot {word(file)}"
    if "exported" in data:
        return "an export of a ledger", f"vastplan ledger import DOCUMENT {word(file)}"
    if "stages" in data and data.get("kind") in _OPERATIONS:
        return f"a planned {data['kind']}", f"vastplan {data['kind']} run {word(file)}"
    return "", ""


def is_document(tree: Mapping[str, Any]) -> bool:
    """Whether a mapping is a document: the `PATH` of a command."""
    return all(key in tree for key in _DOCUMENT)
