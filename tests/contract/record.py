"""Cassettes: what was sent and answered, one file a fact, without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.contract.scrub import Scrubber


@contextmanager
def recorded(folder: Path | None, name: str, scrubber: Scrubber) -> Iterator[None]:
    """Record all requests in `FOLDER/NAME.yaml`, in place of what was there; without a folder, nothing."""
    if folder is None:
        yield
        return
    import vcr

    def before_request(request: Any) -> Any:
        request.uri = scrubber.text(request.uri)
        request.headers = scrubber.headers(dict(request.headers))
        if request.body:
            body = request.body if isinstance(request.body, str) else bytes(request.body).decode("utf-8", "replace")
            request.body = scrubber.body(body).encode()
        return request

    def before_response(response: dict[str, Any]) -> dict[str, Any]:
        body = response["body"].get("string") or b""
        text = scrubber.body(body.decode("utf-8", "replace")) if body else ""
        return {**response, "headers": scrubber.headers(response["headers"]), "body": {"string": text.encode()}}

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.yaml"
    file.unlink(missing_ok=True)
    recorder = vcr.VCR(
        record_mode="all", before_record_request=before_request, before_record_response=before_response,
        decode_compressed_response=True,
    )  # fmt: skip
    with recorder.use_cassette(str(file)):
        yield
