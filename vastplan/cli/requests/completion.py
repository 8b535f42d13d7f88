"""What `vastplan completion` takes."""

from __future__ import annotations

from vastplan.cli.request import Request, choice


class CompletionRequest(Request):
    command = "completion"
    summary = "print a completion script for a shell"
    description = """\
Print a completion script for a shell.

For the current session type: source <(vastplan completion bash)
In zsh type it after compinit: source <(vastplan completion zsh)

In bash and zsh the TAB key completes commands, options and files, and also
addresses (iad/, iad/volume/, iad/volume/data), sites, kinds, check codes and
places of a document. They come from the document on the command line, or else
from the document of the current folder, and from the ledger beside it. No
system is asked and no secret is read. A document with mistakes completes to
nothing. tcsh completes commands, options and files only.
"""
    example = "bash > /etc/bash_completion.d/vastplan"
    shell = choice("", ("bash", "zsh", "tcsh"), None)
