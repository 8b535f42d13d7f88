"""One module for each command: it takes the request, calls the app, prints the result and returns the exit code."""

from __future__ import annotations

from vastplan.cli import request as requests
from vastplan.cli.screen import Screen


def run(request: requests.Request, screen: Screen) -> int:
    """Run one command; imports only what it needs."""
    match request:
        case requests.InitRequest():
            from vastplan.cli.commands.init import init

            return init(request, screen)
        case requests.ValidateRequest():
            from vastplan.cli.commands.validate import validate

            return validate(request, screen)
        case requests.PlanRequest():
            from vastplan.cli.commands.plan import plan

            return plan(request, screen)
        case requests.ApplyRequest():
            from vastplan.cli.commands.apply import apply

            return apply(request, screen)
        case requests.RecordRequest():
            from vastplan.cli.commands.record import record

            return record(request, screen)
        case requests.ImportRequest():
            from vastplan.cli.commands.import_ import import_

            return import_(request, screen)
        case requests.ExportRequest():
            from vastplan.cli.commands.export import export

            return export(request, screen)
        case requests.DriftRequest():
            from vastplan.cli.commands.drift import drift

            return drift(request, screen)
        case requests.ShowRequest():
            from vastplan.cli.commands.show import show

            return show(request, screen)
        case requests.LedgerRequest():
            from vastplan.cli.commands.ledger import ledger

            return ledger(request, screen)
        case requests.MoveRequest():
            from vastplan.cli.commands.move import move

            return move(request, screen)
        case requests.RestoreRequest():
            from vastplan.cli.commands.restore import restore

            return restore(request, screen)
        case requests.SimRequest():
            from vastplan.cli.commands.sim import sim

            return sim(request, screen)
        case requests.ExplainRequest():
            from vastplan.cli.commands.explain import explain

            return explain(request, screen)
        case requests.SchemaRequest():
            from vastplan.cli.commands.schema import schema

            return schema(request, screen)
        case requests.CompletionRequest():
            from vastplan.cli.commands.completion import completion

            return completion(request, screen)
        case _:
            raise AssertionError(f"no command for {type(request).__name__}")
